import type { MarketAsset } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';

type Props = { name: string; pricing: MarketAsset['pricing'] };

const BAR_WIDTH = 100;

/** The price for each duration, shortest first; the bars compare them. */
export function PriceLadder({ name, pricing }: Props) {
  const { t, format } = useI18n();
  const highest = Math.max(...pricing.map(({ price }) => price), 0);
  const widthOf = (price: number) => (highest === 0 ? 0 : (price / highest) * BAR_WIDTH);
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">{t.market.ladder(name)}</caption>
      <thead className="text-xs text-muted">
        <tr>
          <th scope="col" className="pb-1 text-left font-medium">
            {t.market.duration}
          </th>
          <td />
          <th scope="col" className="pb-1 text-right font-medium">
            {t.market.priceUnit}
          </th>
        </tr>
      </thead>
      <tbody>
        {pricing.map(({ years, price }) => (
          <tr key={years}>
            <th scope="row" className="py-0.5 text-left font-normal whitespace-nowrap">
              {t.market.years(years)}
            </th>
            <td className="w-full px-3">
              <svg
                aria-hidden="true"
                viewBox={`0 0 ${BAR_WIDTH} 6`}
                preserveAspectRatio="none"
                className="h-1.5 w-full"
              >
                <rect width={BAR_WIDTH} height="6" rx="1" className="fill-sunken" />
                <rect width={widthOf(price)} height="6" rx="1" className="fill-accent" />
              </svg>
            </td>
            <td className="py-0.5 text-right font-semibold whitespace-nowrap">{format.price(price)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
