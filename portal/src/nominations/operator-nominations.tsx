import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { ExportDaysButton } from './export-dialog.tsx';
import { NOMINATION_COLUMNS } from '../brp/exports.ts';
import {
  eachNominationLine,
  exportFiltersOf,
  NominationFilterFields,
  NominationTable,
} from './nominations.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { readNextPage } from '../session/lists.ts';
import { useToday } from '../session/server-clock.ts';
import { useMayManage } from '../session/session.ts';
import { filtersOf } from '../ui/address.ts';
import { Button } from '../ui/button.tsx';
import { ExportButton } from '../ui/export.tsx';
import { DayPicker, FilterBar } from '../ui/filters.tsx';
import { MoreButton } from '../ui/more.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { useGroupOwners } from '../references/lookups.ts';
import { groupsQuery, nominationsQuery } from '../operator/queries.ts';
import { RunDialog } from './run-dialog.tsx';

const route = getRouteApi('/app/operator/nominations');

/** The nominations of all BRPs on a day. */
export function NominationsPage() {
  const { t, format } = useI18n();
  const today = useToday();
  const mayManage = useMayManage();
  const search = route.useSearch();
  const { day = today } = search;
  const { filters, set, clear, isFiltered } = filtersOf(search, route.useNavigate(), { day });
  const query = useInfiniteQuery(nominationsQuery(day, filters));
  const { data: groups = [] } = useQuery(groupsQuery());
  const ownerOf = useGroupOwners();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Page
      title={t.operator.nominations.title}
      text={format.dayLong(day)}
      actions={
        <>
          <ExportButton
            fileName={`nominations-${day}`}
            columns={NOMINATION_COLUMNS}
            rows={(signal) => eachNominationLine(day, filters, signal)}
          />
          <ExportDaysButton key={day} day={day} filters={exportFiltersOf(filters)} />
          {mayManage && (
            <Button variant="primary" icon="steps" onClick={() => setIsOpen(true)}>
              {t.operator.nominations.run}
            </Button>
          )}
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <DayPicker value={day} today={today} onChange={(next) => set({ day: next })} />
        <NominationFilterFields
          filters={filters}
          set={set}
          groups={groups.map(({ eic, name }) => ({
            eic,
            name: [ownerOf(eic), name].filter(Boolean).join(' · '),
          }))}
        />
      </FilterBar>
      <ClockChangeNotice day={day} />
      <Panel isFlush>
        <Loaded query={query}>
          {({ nominations }) => (
            <>
              {nominations.length === 0 ? (
                <EmptyState
                  title={t.brp.nominations.empty}
                  text={isFiltered ? t.brp.nominations.emptyFiltered : t.operator.nominations.emptyText}
                />
              ) : (
                <NominationTable nominations={nominations} ownerOf={ownerOf} />
              )}
              <MoreButton
                count={nominations.length}
                hasMore={query.hasNextPage}
                onMore={() => readNextPage(query)}
              />
            </>
          )}
        </Loaded>
      </Panel>
      {isOpen && <RunDialog day={day} onClose={() => setIsOpen(false)} />}
    </Page>
  );
}
