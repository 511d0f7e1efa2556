import type { MarketDemand } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { useFilters } from '../ui/address.ts';
import { Button } from '../ui/button.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../ui/filters.tsx';
import { Page } from '../ui/page.tsx';
import { CardList, countryOptions } from './card-list.tsx';
import { DemandCard } from './demand-card.tsx';
import { isDemandWanted, readDemandFilters } from './filters.ts';
import { DemandInquiry } from './inquiry-dialog.tsx';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';
import { demandsQuery } from './queries.ts';
import { MARKET_TEXTS } from './texts.ts';

/** The demands of buyers, as cards. */
export function DemandsPage() {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  const { filters, set, clear, isFiltered } = useFilters(readDemandFilters);
  const query = useQuery(demandsQuery);
  const mayAsk = usePermission('member');
  const [asked, setAsked] = useState<MarketDemand | null>(null);
  return (
    <Page title={texts.demands.title} text={texts.demands.text}>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SearchFilter hint={texts.searchHint} value={filters.search} onChange={(search) => set({ search })} />
        <SelectFilter
          label={texts.country}
          value={filters.country}
          options={countryOptions(query.data?.records ?? [], format)}
          onChange={(country) => set({ country })}
        />
      </FilterBar>
      <CardList
        key={JSON.stringify(filters)}
        texts={texts.demands}
        query={query}
        isFiltered={isFiltered}
        isMatch={isDemandWanted(filters)}
      >
        {(demand) => (
          <DemandCard
            key={demand.id}
            demand={demand}
            actions={
              mayAsk && (
                <Button icon="mail" onClick={() => setAsked(demand)}>
                  {INQUIRY_TEXTS[format.language].ask}
                </Button>
              )
            }
          />
        )}
      </CardList>
      {asked && <DemandInquiry demand={asked} onClose={() => setAsked(null)} />}
    </Page>
  );
}
