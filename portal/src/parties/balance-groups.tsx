import type { OwnBalanceGroup, Tso } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { containsText } from '../ui/search-parameters.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { brpClient } from '../session/brp-client.ts';
import { ifMatchOf } from '../session/versions.ts';
import { filtersOf } from '../ui/address.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FilterBar, SearchFilter } from '../ui/filters.tsx';
import { Form, FormButtons } from '../ui/form.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useOthersChange } from '../ui/use-input.ts';
import { ConflictNotice } from '../ui/conflict.tsx';
import {
  areSameTsos,
  describeGroup,
  type Group,
  GroupTable,
  rebasedTsos,
  splitInUse,
  TsosField,
} from './group-table.tsx';
import { balanceGroupQuery, balanceGroupsQuery } from '../brp/queries.ts';

const route = getRouteApi('/app/brp/balance-groups');

/** The BRP's own balance groups, and the control areas in which customers can be placed. */
export function BalanceGroupsPage() {
  const { t } = useI18n();
  const texts = t.brp.groups;
  const query = useQuery(balanceGroupsQuery);
  const search = route.useSearch();
  const { sort } = search;
  const { filters, set, clear, isFiltered } = filtersOf(search, route.useNavigate(), { sort });
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
              edit={({ eic, name }, close) => <SettingsDialog eic={eic} name={name} onClose={close} />}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

type DialogProps = { eic: string; name: string; onClose: () => void };

function SettingsDialog({ eic, name, onClose }: DialogProps) {
  const { t } = useI18n();
  const query = useQuery(balanceGroupQuery(eic));
  return (
    <Dialog title={`${t.brp.groups.edit}: ${name}`} onClose={onClose}>
      <Loaded query={query} loading={<Skeleton lines={6} />}>
        {({ record, etag }) => <SettingsForm group={record} etag={etag} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

type FormProps = { group: Group; etag: string | null; onClose: () => void };

function SettingsForm({ group, etag, onClose }: FormProps) {
  const { t } = useI18n();
  const [tsos, setTsos] = useState(group.tsos);
  const update = useMutation({
    mutationFn: (change: { eic: string; enabled_tsos: Tso[]; etag: string | null }) =>
      brpClient.balanceGroups.update(
        change.eic,
        { enabled_tsos: change.enabled_tsos },
        ifMatchOf(change.etag),
      ),
    ...useChangeHandlers<OwnBalanceGroup>({
      toast: ({ name }) => t.brp.groups.saved(name),
      refresh: [balanceGroupsQuery.queryKey],
      onDone: onClose,
    }),
  });
  const { atTsos, others } = splitInUse(t, update.error);
  const isUnsaved = !areSameTsos(tsos, group.tsos);
  const started = useOthersChange(group, {
    isChangedFrom: (of) => !areSameTsos(tsos, of.tsos),
    rebase: (base, stored) => setTsos(rebasedTsos(base.tsos, tsos, stored.tsos)),
  });
  return (
    <Form
      error={others}
      fields={['enabled_tsos']}
      isUnsaved={isUnsaved}
      onSubmit={() => update.mutate({ eic: group.eic, enabled_tsos: [...tsos], etag })}
    >
      <ConflictNotice
        recordId={group.eic}
        started={started}
        current={group}
        describe={describeGroup(t)}
        onReset={() => setTsos(group.tsos)}
      />
      <TsosField name="enabled_tsos" value={tsos} error={atTsos} onChange={setTsos} />
      <FormButtons action={t.common.save} isBusy={update.isPending} onClose={onClose} />
    </Form>
  );
}
