import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { useFilters } from '../ui/address.ts';
import { buttonClass } from '../ui/button.tsx';
import { FilterBar } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { CardList } from './card-list.tsx';
import { comparedIds, isOfferWanted, MAX_COMPARED, readOfferFilters, sortOffers } from './filters.ts';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';
import { LinkedOfferCard } from './linked-offer-card.tsx';
import { OfferFilterFields } from './offer-filter-fields.tsx';
import { offersQuery, watchedQuery } from './queries.ts';
import { MARKET_TEXTS } from './texts.ts';

/** The offers, as cards. */
export function OffersPage() {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language].offers;
  const { filters, set, clear, isFiltered } = useFilters(readOfferFilters, ['sort', 'compare']);
  const query = useQuery(offersQuery);
  const { data: watched } = useQuery(watchedQuery);
  const inquiryTexts = INQUIRY_TEXTS[format.language];
  const compared = comparedIds(filters.compare);
  const toggle = (id: string) => {
    const next = compared.includes(id) ? compared.filter((one) => one !== id) : [...compared, id];
    set({ compare: next.join(',') || undefined });
  };
  const isWanted = isOfferWanted(filters);
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        compared.length > 1 && (
          <Link to="/compare" search={{ offers: compared.join(',') }} className={buttonClass('primary')}>
            {inquiryTexts.compareChosen(compared.length)}
          </Link>
        )
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <OfferFilterFields filters={filters} offers={query.data?.records ?? []} onChange={set} />
        <label className="inline-flex min-h-9 items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={filters.watched === 'true'}
            onChange={({ currentTarget }) => set({ watched: currentTarget.checked ? 'true' : undefined })}
          />
          {inquiryTexts.onlyWatched}
        </label>
      </FilterBar>
      <CardList
        key={JSON.stringify({ ...filters, compare: undefined })}
        texts={texts}
        query={query}
        isFiltered={isFiltered}
        isMatch={(offer) =>
          isWanted(offer) && (filters.watched === undefined || watched?.has(offer.id) === true)
        }
        sort={(offers) => sortOffers(offers, filters)}
      >
        {(offer) => (
          <LinkedOfferCard
            key={offer.id}
            offer={offer}
            actions={
              <label className="inline-flex items-center gap-2 text-sm">
                <input
                  type="checkbox"
                  checked={compared.includes(offer.id)}
                  disabled={compared.length >= MAX_COMPARED && !compared.includes(offer.id)}
                  onChange={() => toggle(offer.id)}
                />
                {inquiryTexts.compare}
              </label>
            }
          />
        )}
      </CardList>
    </Page>
  );
}
