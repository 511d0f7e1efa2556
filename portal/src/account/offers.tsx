import { ASSET_TYPES, LIMITS, OFFER_PPA_TYPES } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { OfferCard } from '../market/offer-card.tsx';
import { filtersOf } from '../ui/address.ts';
import { FilterBar, SelectFilter, TextFilter } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { CardList, useCountries } from './card-list.tsx';
import { isOfferWanted } from './filters.ts';
import { offersQuery } from './queries.ts';

const route = getRouteApi('/app/account/offers');

/** The offers, as cards. */
export function OffersPage() {
  const { t } = useI18n();
  const texts = t.market;
  const { filters, set, clear, isFiltered } = filtersOf(route.useSearch(), route.useNavigate());
  const query = useQuery(offersQuery);
  const countries = useCountries(query.data);
  return (
    <Page title={texts.offers.title} text={texts.offers.text}>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <TextFilter
          label={t.common.search}
          placeholder={texts.searchHint}
          value={filters.search}
          maxLength={LIMITS.searchLength}
          onChange={(search) => set({ search })}
        />
        <SelectFilter
          label={texts.assetType}
          value={filters.type}
          options={ASSET_TYPES.map((value) => ({ value, label: texts.assetTypes[value] }))}
          onChange={(type) => set({ type })}
        />
        <SelectFilter
          label={texts.ppaType}
          value={filters.ppa}
          options={OFFER_PPA_TYPES.map((value) => ({ value, label: texts.ppaTypes[value] }))}
          onChange={(ppa) => set({ ppa })}
        />
        <SelectFilter
          label={texts.country}
          value={filters.country}
          options={countries}
          onChange={(country) => set({ country })}
        />
      </FilterBar>
      <CardList
        key={JSON.stringify(filters)}
        texts={texts.offers}
        query={query}
        isFiltered={isFiltered}
        isMatch={isOfferWanted(filters)}
      >
        {(offer) => <OfferCard key={offer.id} offer={offer} />}
      </CardList>
    </Page>
  );
}
