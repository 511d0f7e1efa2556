import type { MarketAsset, MarketDemand } from '@saldo/api';
import { kwhFromMwh, mwhNumber, sumKwh } from '@saldo/core/energy.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { CARDS, CardSkeletons } from '../market/card-list.tsx';
import { DemandCard } from '../market/demand-card.tsx';
import { lowestPrice, sortOffers } from '../market/filters.ts';
import { LinkedOfferCard } from '../market/linked-offer-card.tsx';
import { demandsQuery, type Listed, offersQuery } from '../market/queries.ts';
import { MARKET_TEXTS } from '../market/texts.ts';
import { useSession } from '../session/session.ts';
import { buttonClass } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Headline } from '../ui/headline.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, isSettled, Loaded, type ShownQuery } from '../ui/states.tsx';

/** One row on a wide screen. */
const NEWEST = 4;

/** Overview of the market. */
export function HomePage() {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  const offers = useQuery(offersQuery);
  const demands = useQuery(demandsQuery);
  return (
    <Page title={texts.home.title} text={texts.home.text}>
      {/* Numbers and cards have no fixed height: both lists are shown together, so that nothing moves. */}
      {isSettled(offers) && isSettled(demands) ? (
        <Market offers={offers} demands={demands} />
      ) : (
        <CardSkeletons />
      )}
    </Page>
  );
}

type MarketProps = {
  offers: ShownQuery<Listed<MarketAsset>>;
  demands: ShownQuery<Listed<MarketDemand>>;
};

function Market({ offers, demands }: MarketProps) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  return (
    <>
      <LowestPrice offers={offers.data?.records ?? []} />
      <Numbers offers={offers.data} demands={demands.data} />
      <Newest title={texts.home.newestOffers} all={<AllLink to="/offers" />}>
        <Loaded query={offers}>
          {({ records }) =>
            records.length === 0 ? (
              <EmptyState title={texts.offers.empty} text={texts.offers.emptyText} />
            ) : (
              <div className={CARDS}>
                {records.slice(0, NEWEST).map((offer) => (
                  <LinkedOfferCard key={offer.id} offer={offer} />
                ))}
              </div>
            )
          }
        </Loaded>
      </Newest>
      <Newest title={texts.home.newestDemands} all={<AllLink to="/demands" />}>
        <Loaded query={demands}>
          {({ records }) =>
            records.length === 0 ? (
              <EmptyState title={texts.demands.empty} text={texts.demands.emptyText} />
            ) : (
              <div className={CARDS}>
                {records.slice(0, NEWEST).map((demand) => (
                  <DemandCard key={demand.id} demand={demand} />
                ))}
              </div>
            )
          }
        </Loaded>
      </Newest>
      <ApiPanel />
    </>
  );
}

function AllLink({ to }: { to: '/offers' | '/demands' }) {
  const { format } = useI18n();
  return (
    <Link to={to} className="text-sm text-accent-strong hover:underline">
      {MARKET_TEXTS[format.language].home.all}
    </Link>
  );
}

function Newest({ title, all, children }: { title: string; all: ReactNode; children: ReactNode }) {
  return (
    <section className="grid gap-2">
      <header className="flex items-baseline justify-between gap-4">
        <h2 className="font-semibold">{title}</h2>
        {all}
      </header>
      {children}
    </section>
  );
}

/** The headline: the lowest price of all offers and durations. */
function LowestPrice({ offers }: { offers: readonly MarketAsset[] }) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  const [cheapest] = sortOffers(offers, { sort: 'price' });
  const price = cheapest && lowestPrice(cheapest);
  const step = cheapest?.pricing.find((one) => one.price === price);
  return (
    <Headline
      label={texts.home.lowestPrice}
      value={step ? format.price(step.price) : t.common.none}
      unit={texts.priceUnit}
      note={
        cheapest &&
        step && (
          <>
            {texts.years(step.years)},{' '}
            <Link
              to="/offers/$assetId"
              params={{ assetId: cheapest.id }}
              className="text-accent-strong hover:underline"
            >
              {cheapest.name}
            </Link>
          </>
        )
      }
    />
  );
}

type NumbersProps = { offers: Listed<MarketAsset> | undefined; demands: Listed<MarketDemand> | undefined };

/** Totals. Sums cover the records that were loaded; the pages show a notice if the market has more. */
function Numbers({ offers, demands }: NumbersProps) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].home;
  const sum = (values: readonly number[]) => format.number(mwhNumber(sumKwh(values.map(kwhFromMwh))));
  const powers = offers?.records.map(({ nominalPower }) => nominalPower) ?? [];
  const volumes = demands?.records.map(({ deliveryVolume }) => deliveryVolume) ?? [];
  const tiles = [
    { label: texts.offers, value: offers && format.number(offers.total) },
    { label: texts.power, value: offers && `${sum(powers)} MW` },
    { label: texts.demands, value: demands && format.number(demands.total) },
    { label: texts.demanded, value: demands && `${sum(volumes)} ${MARKET_TEXTS[format.language].perYear}` },
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {tiles.map(({ label, value }) => (
        <div key={label}>
          <dt className="text-xs text-muted">{label}</dt>
          <dd className="text-lg font-semibold tracking-tight">{value ?? t.common.none}</dd>
        </div>
      ))}
    </dl>
  );
}

function ApiPanel() {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language].home;
  const { customer_base_url } = useSession();
  return (
    <Panel title={texts.api} text={texts.apiText}>
      <div className="flex flex-wrap items-center gap-3">
        <Code text={`${customer_base_url}/v1`} what={texts.address} />
        <Link to="/keys" className={buttonClass()}>
          <Icon name="key" />
          {texts.toKeys}
        </Link>
        <a href={`${customer_base_url}/docs`} className={buttonClass()}>
          <Icon name="external" />
          {t.common.docs}
        </a>
      </div>
    </Panel>
  );
}
