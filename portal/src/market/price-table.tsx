import type { MarketAsset } from '@saldo/api';
import { getUnits } from '@saldo/core/decimal.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { MARKET_TEXTS } from './texts.ts';

/** EUR for a year's energy, in whole euros. */
const yearlyEur = (eurPerMwh: number, annualMwh: number): number =>
  Math.round((getUnits(eurPerMwh, 2) * kwhFromMwh(annualMwh)) / 100_000);

type Props = {
  name: string;
  pricing: MarketAsset['pricing'];
  /** Adds the amount for this energy. */
  annualMwh?: number | null;
};

/** The price for each duration, shortest first. */
export function PriceTable({ name, pricing, annualMwh = null }: Props) {
  const { format } = useI18n();
  if (pricing.length === 0)
    return <p className="text-sm text-muted">{MARKET_TEXTS[format.language].noPrices}</p>;
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">{MARKET_TEXTS[format.language].ladder(name)}</caption>
      <thead className="text-xs text-muted">
        <tr>
          <th scope="col" className="pb-1 text-left font-medium">
            {MARKET_TEXTS[format.language].duration}
          </th>
          <th scope="col" className="pb-1 text-right font-medium">
            {MARKET_TEXTS[format.language].priceUnit}
          </th>
          {annualMwh !== null && (
            <th scope="col" className="pb-1 text-right font-medium">
              {MARKET_TEXTS[format.language].aboutPerYear}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {pricing.map(({ years, price }) => (
          <tr key={years} className="border-t border-line">
            <th scope="row" className="py-1 text-left font-normal whitespace-nowrap">
              {MARKET_TEXTS[format.language].years(years)}
            </th>
            <td className="py-1 text-right font-semibold whitespace-nowrap">{format.price(price)}</td>
            {annualMwh !== null && (
              <td className="py-1 text-right whitespace-nowrap text-muted">
                {format.number(yearlyEur(price, annualMwh))}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
