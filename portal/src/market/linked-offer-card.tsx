import type { MarketAsset } from '@saldo/api';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { OfferCard } from './offer-card.tsx';

/** A card whose whole area links to the offer's page. */
export function LinkedOfferCard({ offer, actions }: { offer: MarketAsset; actions?: ReactNode }) {
  return (
    <OfferCard
      offer={offer}
      actions={actions}
      heading={
        <Link
          to="/offers/$assetId"
          params={{ assetId: offer.id }}
          className="after:absolute after:inset-0 after:rounded-lg hover:underline focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {offer.name}
        </Link>
      }
    />
  );
}
