import type { MarketAsset } from '@saldo/api';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icons.tsx';
import { Cover } from './cover.tsx';
import { OfferFacts, usePlace } from './offer-facts.tsx';
import { PriceTable } from './price-table.tsx';
import { MARKET_TEXTS } from './texts.ts';

type Props = {
  offer: MarketAsset;
  /** The name, as a link to the offer where it has a page. */
  heading?: ReactNode;
  actions?: ReactNode;
};

/** An offer as account holders see it in a list. */
export function OfferCard({ offer, heading = offer.name, actions }: Props) {
  const { format } = useI18n();
  const place = usePlace();
  return (
    <article className="relative flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface has-[h3_a:hover]:border-line-strong">
      <Cover url={offer.coverUrl} assetType={offer.assetType} />
      <div className="flex flex-1 flex-col gap-3 p-4">
        <header className="grid gap-1">
          <h3 className="font-semibold break-words">{heading}</h3>
          <p className="text-sm text-muted">{place(offer)}</p>
          <p className="flex flex-wrap gap-1">
            <Badge>
              <Icon name={offer.assetType === 'WIND' ? 'wind' : 'sun'} className="size-3.5" />
              {MARKET_TEXTS[format.language].assetTypes[offer.assetType]}
            </Badge>
            <Badge>{MARKET_TEXTS[format.language].ppaTypes[offer.ppaType]}</Badge>
          </p>
        </header>
        <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm">
          <OfferFacts offer={offer} />
        </dl>
        <PriceTable name={offer.name} pricing={offer.pricing} />
        {offer.additionalInfo && <MoreInfo text={offer.additionalInfo} />}
        {/* Above the link that covers the card. */}
        {actions && <footer className="relative mt-auto">{actions}</footer>}
      </div>
    </article>
  );
}

/** A longer text is collapsed. */
const SHORT_INFO = 140;

export function MoreInfo({ text }: { text: string }) {
  const { format } = useI18n();
  if (text.length <= SHORT_INFO)
    return <p className="text-sm break-words whitespace-pre-line text-muted">{text}</p>;
  return (
    // Above the link that covers the card.
    <details className="relative text-sm text-muted">
      <summary className="font-medium text-text">{MARKET_TEXTS[format.language].showInfo}</summary>
      <p className="mt-1 break-words whitespace-pre-line">{text}</p>
    </details>
  );
}
