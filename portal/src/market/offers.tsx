import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { useFilters } from '../ui/address.ts';
import { FilterBar } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { CardList } from './card-list.tsx';
import { isOfferWanted, readOfferFilters, sortOffers } from './filters.ts';
import { LinkedOfferCard } from './linked-offer-card.tsx';
import { OfferFilterFields } from './offer-filter-fields.tsx';
import { offersQuery } from './queries.ts';
import { MARKET_TEXTS } from './texts.ts';

/** The offers, as cards. */
export function OffersPage() {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].offers;
  const { filters, set, clear, isFiltered } = useFilters(readOfferFilters, ['sort']);
  const query = useQuery(offersQuery);
  return (
    <Page title={texts.title} text={texts.text}>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <OfferFilterFields filters={filters} offers={query.data?.records ?? []} onChange={set} />
      </FilterBar>
      <CardList
        key={JSON.stringify(filters)}
        texts={texts}
        query={query}
        isFiltered={isFiltered}
        isMatch={isOfferWanted(filters)}
        sort={(offers) => sortOffers(offers, filters)}
      >
        {(offer) => <LinkedOfferCard key={offer.id} offer={offer} />}
      </CardList>
    </Page>
  );
}
