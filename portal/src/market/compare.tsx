import type { MarketAsset } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useChoices } from '../ui/address.ts';
import { buttonClass } from '../ui/button.tsx';
import { Page, Panel, TrailLink } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import { comparedIds, readCompareSearch } from './filters.ts';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';
import { usePlace } from './offer-facts.tsx';
import { offersQuery } from './queries.ts';
import { MARKET_TEXTS } from './texts.ts';

/** Up to four offers side by side. */
export function ComparePage() {
  const { format } = useI18n();
  const texts = INQUIRY_TEXTS[format.language];
  const { search } = useChoices(readCompareSearch);
  const query = useQuery(offersQuery);
  const wanted = comparedIds(search.offers);
  return (
    <Page
      title={texts.compareTitle}
      text={texts.compareText}
      trail={<TrailLink to="/offers" label={MARKET_TEXTS[format.language].offers.title} />}
    >
      <Loaded query={query} loading={<Skeleton lines={10} />}>
        {({ records }) => {
          const offers = wanted.flatMap((id) => records.find((offer) => offer.id === id) ?? []);
          return (
            <Panel isFlush={offers.length > 1}>
              {offers.length > 1 ? (
                <Comparison offers={offers} />
              ) : (
                <EmptyState
                  title={texts.compareNone}
                  action={
                    <Link to="/offers" className={buttonClass()}>
                      {texts.toOffers}
                    </Link>
                  }
                />
              )}
            </Panel>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Comparison({ offers }: { offers: readonly MarketAsset[] }) {
  const { t, format } = useI18n();
  const market = MARKET_TEXTS[format.language];
  const texts = INQUIRY_TEXTS[format.language];
  const place = usePlace();
  const durations = [...new Set(offers.flatMap(({ pricing }) => pricing.map(({ years }) => years)))];
  const priceOf = ({ pricing }: MarketAsset, years: number) => {
    const step = pricing.find((one) => one.years === years);
    return step ? `${format.price(step.price)} EUR/MWh` : t.common.none;
  };
  const rows: { label: string; cell: (offer: MarketAsset) => ReactNode }[] = [
    { label: market.assetType, cell: ({ assetType }) => market.assetTypes[assetType] },
    { label: market.ppaType, cell: ({ ppaType }) => market.ppaTypes[ppaType] },
    { label: market.country, cell: (offer) => place(offer) },
    { label: market.nominalPower, cell: ({ nominalPower }) => `${format.number(nominalPower)} MW` },
    {
      label: market.annualEnergy,
      cell: ({ averageAnnualPower }) =>
        averageAnnualPower === null
          ? t.common.none
          : `${format.number(averageAnnualPower)} ${market.perYear}`,
    },
    { label: market.deliveryStart, cell: ({ deliveryStart }) => format.date(deliveryStart) },
    ...durations
      .sort((one, other) => one - other)
      .map((years) => ({ label: texts.years(years), cell: (offer: MarketAsset) => priceOf(offer, years) })),
  ];
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={texts.compareTitle}>
      <table className="w-full text-left text-sm">
        <thead>
          <tr className="border-b border-line align-bottom">
            <td className="px-4 py-2" />
            {offers.map((offer) => (
              <th key={offer.id} scope="col" className="min-w-40 px-4 py-2 font-semibold break-words">
                <Link to="/offers/$assetId" params={{ assetId: offer.id }} className="hover:underline">
                  {offer.name}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, cell }) => (
            <tr key={label} className="border-b border-line last:border-b-0">
              <th scope="row" className="px-4 py-2 font-normal text-muted">
                {label}
              </th>
              {offers.map((offer) => (
                <td key={offer.id} className="px-4 py-2">
                  {cell(offer)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
