import type { MarketAsset } from '@saldo/api';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { fullLoadHours } from '@saldo/core/market/cover.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { Fact } from '../ui/page.tsx';
import { MARKET_TEXTS } from './texts.ts';

type Props = { offer: MarketAsset };

/** Region and country. */
export function usePlace(): (offer: Pick<MarketAsset, 'state' | 'country'>) => string {
  const { format } = useI18n();
  return ({ state, country }) => [state, format.country(country)].filter(Boolean).join(', ');
}

/** Power, yearly energy and start of delivery. */
export function OfferFacts({ offer }: Props) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  const annual = offer.averageAnnualPower;
  return (
    <>
      <Fact label={texts.nominalPower}>{`${format.number(offer.nominalPower)} MW`}</Fact>
      <Fact label={texts.annualEnergy}>
        {annual === null ? (
          <span className="text-muted">{texts.notKnown}</span>
        ) : (
          `${format.number(annual)} MWh`
        )}
      </Fact>
      <Fact label={texts.deliveryStart}>
        {/* It is missing only in the preview of an incomplete offer. */}
        {offer.deliveryStart === '' ? t.common.none : format.date(offer.deliveryStart)}
      </Fact>
      {annual !== null && (
        <Fact label={texts.fullLoadHours}>
          {`${format.number(fullLoadHours(kwhFromMwh(offer.nominalPower), kwhFromMwh(annual)))} h`}
        </Fact>
      )}
    </>
  );
}
