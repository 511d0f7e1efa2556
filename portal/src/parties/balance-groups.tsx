import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { balanceGroupsQuery, withTsos } from '../references/queries.ts';
import { brpClient } from '../session/brp-client.ts';
import { useFilters } from '../ui/address.ts';
import { FilterBar, SearchFilter } from '../ui/filters.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { containsText } from '../ui/search-parameters.ts';
import { Loaded } from '../ui/states.tsx';
import { readBrpGroupFilters } from './filters.ts';
import { type GroupAccess, GroupDialog } from './group-dialog.tsx';
import { GroupTable } from './group-table.tsx';

const ACCESS: GroupAccess = {
  get: async (eic, options) => withTsos(await brpClient.balanceGroups.get(eic, options)),
  save: (eic, { tsos }, options) => brpClient.balanceGroups.update(eic, { enabled_tsos: tsos }, options),
  hasName: false,
  tsosName: 'enabled_tsos',
};

/** The BRP's own balance groups, and the control areas in which customers can be placed. */
export function BrpBalanceGroupsPage() {
  const { t } = useI18n();
  const texts = t.brp.groups;
  const query = useQuery(balanceGroupsQuery);
  const { filters, set, clear, isFiltered } = useFilters(readBrpGroupFilters, ['sort']);
  const { sort } = filters;
  return (
    <Page title={texts.title} text={texts.text}>
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SearchFilter
          hint={texts.searchHint}
          value={filters.search}
          onChange={(next) => set({ search: next })}
        />
      </FilterBar>
      <Panel isFlush>
        <Loaded query={query}>
          {(groups) => (
            <GroupTable
              groups={groups.filter(({ eic, name }) => containsText(filters.search, eic, name))}
              emptyText={texts.emptyText}
              sort={{ value: sort, onChange: (next) => set({ sort: next }) }}
              edit={({ eic, name }, close) => (
                <GroupDialog eic={eic} title={`${texts.edit}: ${name}`} access={ACCESS} onClose={close} />
              )}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
