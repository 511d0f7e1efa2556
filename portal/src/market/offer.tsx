import type { MarketAsset } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { Fact, Page, Panel, TrailLink } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import { OnlyNewest } from './card-list.tsx';
import { Cover } from './cover.tsx';
import { OfferInquiry } from './inquiry-dialog.tsx';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';
import { OfferFacts, usePlace } from './offer-facts.tsx';
import { PriceTable } from './price-table.tsx';
import { type Listed, offersQuery } from './queries.ts';
import { MARKET_TEXTS } from './texts.ts';
import { WatchButton } from './watching.tsx';

/** One offer. The customer API has lists only, so it is found in the list. */
export function OfferPage() {
  const { assetId = '' } = useParams({ strict: false });
  const query = useQuery(offersQuery);
  return (
    <Loaded query={query} loading={<Skeleton lines={12} />}>
      {(list) => {
        const offer = list.records.find(({ id }) => id === assetId);
        return offer ? <OfferView offer={offer} /> : <NoOffer list={list} />;
      }}
    </Loaded>
  );
}

function OfferView({ offer }: { offer: MarketAsset }) {
  const { t, format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  const place = usePlace();
  const mayAsk = usePermission('member');
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Page
      title={offer.name}
      trail={<TrailLink to="/offers" label={texts.offers.title} />}
      text={place(offer)}
      actions={
        <>
          <WatchButton id={offer.id} />
          {mayAsk && (
            <Button variant="primary" icon="mail" onClick={() => setIsAsked(true)}>
              {INQUIRY_TEXTS[format.language].ask}
            </Button>
          )}
        </>
      }
    >
      <section className="grid overflow-hidden rounded-lg bg-surface lg:grid-cols-[24rem_minmax(0,1fr)]">
        <Cover url={offer.coverUrl} assetType={offer.assetType} />
        <div className="grid content-start gap-3 p-4 text-sm lg:p-5">
          <dl className="grid grid-cols-2 gap-x-6 gap-y-3 xl:grid-cols-3">
            <OfferFacts offer={offer} />
            <Fact label={texts.assetType}>{texts.assetTypes[offer.assetType]}</Fact>
            <Fact label={texts.ppaType}>{texts.ppaTypes[offer.ppaType]}</Fact>
          </dl>
          <dl>
            <Fact label={t.common.id}>
              <Code text={offer.id} />
            </Fact>
          </dl>
        </div>
      </section>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title={texts.prices}>
          <PriceTable name={offer.name} pricing={offer.pricing} annualMwh={offer.averageAnnualPower} />
        </Panel>
        {offer.additionalInfo && (
          <Panel title={texts.info}>
            <p className="text-sm break-words whitespace-pre-line">{offer.additionalInfo}</p>
          </Panel>
        )}
      </div>
      {isAsked && <OfferInquiry offer={offer} onClose={() => setIsAsked(false)} />}
    </Page>
  );
}

/** The offer was withdrawn, never existed, or is older than those that are loaded. */
function NoOffer({ list }: { list: Listed<MarketAsset> }) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].noOffer;
  return (
    <Page title={texts.title}>
      <OnlyNewest list={list} />
      <Panel>
        <EmptyState
          title={texts.text}
          action={
            <Link to="/offers" className={buttonClass()}>
              {texts.toOffers}
            </Link>
          }
        />
      </Panel>
    </Page>
  );
}
