import { type OperatorBalanceGroup, TSOS, type Tso } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ConflictNotice } from '../ui/conflict.tsx';
import { TsoFilter } from '../references/filter-fields.tsx';
import { EIC_LENGTH } from '../brp/filters.ts';
import {
  areSameTsos,
  describeGroup,
  GroupTable,
  rebasedTsos,
  splitInUse,
  TsosField,
} from './group-table.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { ifMatchOf } from '../session/versions.ts';
import { filtersOf } from '../ui/address.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SearchFilter } from '../ui/filters.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import type { Column, Sort } from '../ui/table.tsx';
import { useChangeHandlers } from '../ui/use-change-handlers.ts';
import { useInput, useOthersChange } from '../ui/use-input.ts';
import { BrpField, BrpFilter, NameField } from '../references/party-fields.tsx';
import { BrpLink } from '../references/party-links.tsx';
import { groupQuery, groupsQuery } from '../operator/queries.ts';

const route = getRouteApi('/app/operator/balance-groups');

const COLUMNS: readonly CsvColumn<OperatorBalanceGroup>[] = [
  ...memberColumns<OperatorBalanceGroup>('eic', 'name', 'brp_id'),
  { name: 'tsos', value: ({ tsos }) => tsos.join(' ') },
  { name: 'created_at', value: ({ created_at }) => created_at },
];

/** The balance groups of all BRPs, and the control areas in which they may be used. */
export function GroupsPage() {
  const { t } = useI18n();
  const texts = t.operator.groups;
  const search = route.useSearch();
  const { sort, ...filters } = search;
  const { set, clear, isFiltered } = filtersOf(search, route.useNavigate(), { sort });
  const query = useQuery(groupsQuery(filters));
  return (
    <Page
      title={t.brp.groups.title}
      text={texts.text}
      actions={
        <>
          <ExportButton
            fileName="balance-groups"
            columns={COLUMNS}
            rows={(signal) => operatorClient.balanceGroups.each(given(filters), { signal })}
          />
          <CreateButton label={texts.create} isPrimary>
            {(close) => <CreateGroupDialog brpId={filters.brp_id} onClose={close} />}
          </CreateButton>
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear}>
        <SearchFilter
          hint={t.brp.groups.searchHint}
          value={filters.search}
          onChange={(search) => set({ search })}
        />
        <BrpFilter value={filters.brp_id} onChange={(brp_id) => set({ brp_id })} />
        <TsoFilter value={filters.tso} onChange={(tso) => set({ tso })} />
      </FilterBar>
      <Panel isFlush>
        <Loaded query={query}>
          {(groups) => (
            <OperatorGroupTable
              groups={groups}
              hasBrp
              sort={{ value: sort, onChange: (next) => set({ sort: next }) }}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

type TableProps = { groups: readonly OperatorBalanceGroup[]; hasBrp?: boolean; sort?: Sort };

export function OperatorGroupTable({ groups, hasBrp = false, sort }: TableProps) {
  const { t } = useI18n();
  const owner: Column<OperatorBalanceGroup> = {
    id: 'brp',
    from: 'md',
    header: t.operator.brp,
    cell: ({ brp_id }) => <BrpLink id={brp_id} />,
  };
  return (
    <GroupTable
      groups={groups}
      emptyText={t.operator.groups.emptyText}
      {...(hasBrp ? { owner } : {})}
      sort={sort}
      edit={(group, close) => <EditGroupDialog group={group} onClose={close} />}
    />
  );
}

function useGroupsSaved(onClose: () => void) {
  const { t } = useI18n();
  return useChangeHandlers<OperatorBalanceGroup>({
    toast: ({ name }) => t.operator.savedToast(name),
    refresh: [['balance-groups']],
    onDone: onClose,
  });
}

type GroupInput = {
  readonly brp_id: string;
  readonly eic: string;
  readonly name: string;
  readonly tsos: readonly Tso[];
};

type CreateProps = { brpId?: string | undefined; onClose: () => void };

export function CreateGroupDialog({ brpId, onClose }: CreateProps) {
  const { t } = useI18n();
  const texts = t.operator.groups;
  const { input, set } = useInput<GroupInput>({ brp_id: brpId ?? '', eic: '', name: '', tsos: TSOS });
  const create = useMutation({
    mutationFn: ({ tsos, ...rest }: GroupInput) =>
      operatorClient.balanceGroups.create({ ...rest, tsos: [...tsos] }),
    ...useGroupsSaved(onClose),
  });
  return (
    <Dialog title={texts.createTitle} onClose={onClose}>
      <Form
        error={create.error}
        fields={['brp_id', 'eic', 'name', 'tsos']}
        onSubmit={() => create.mutate(input)}
      >
        <BrpField
          name="brp_id"
          label={t.operator.brp}
          value={input.brp_id}
          onChange={(brp_id) => set({ brp_id })}
        />
        <TextField
          name="eic"
          label="EIC"
          hint={texts.eicHint}
          autoComplete="off"
          maxLength={EIC_LENGTH}
          value={input.eic}
          onChange={(typed) => set({ eic: typed.toUpperCase() })}
        />
        <NameField value={input.name} onChange={(name) => set({ name })} />
        <TsosField name="tsos" value={input.tsos} onChange={(tsos) => set({ tsos })} />
        <FormButtons action={t.operator.submit} isBusy={create.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function EditGroupDialog({ group, onClose }: { group: OperatorBalanceGroup; onClose: () => void }) {
  const { t } = useI18n();
  const query = useQuery(groupQuery(group.eic));
  return (
    <Dialog title={`${t.brp.groups.edit}: ${group.eic}`} onClose={onClose}>
      <Loaded query={query} loading={<Skeleton lines={6} />}>
        {({ record, etag }) => <EditGroupForm group={record} etag={etag} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

type EditProps = { group: OperatorBalanceGroup; etag: string | null; onClose: () => void };

function EditGroupForm({ group, etag, onClose }: EditProps) {
  const { t } = useI18n();
  const [name, setName] = useState(group.name);
  const [tsos, setTsos] = useState<readonly Tso[]>(group.tsos);
  const update = useMutation({
    mutationFn: (change: { eic: string; name: string; tsos: readonly Tso[]; etag: string | null }) =>
      operatorClient.balanceGroups.update(
        change.eic,
        { name: change.name, tsos: [...change.tsos] },
        ifMatchOf(change.etag),
      ),
    ...useGroupsSaved(onClose),
  });
  const { atTsos, others } = splitInUse(t, update.error);
  const isChangedFrom = (of: OperatorBalanceGroup) => name !== of.name || !areSameTsos(tsos, of.tsos);
  const started = useOthersChange(group, {
    isChangedFrom,
    rebase: (base, stored) => {
      if (name === base.name) setName(stored.name);
      setTsos(rebasedTsos(base.tsos, tsos, stored.tsos));
    },
  });
  return (
    <Form
      error={others}
      fields={['name', 'tsos']}
      isUnsaved={isChangedFrom(group)}
      onSubmit={() => update.mutate({ eic: group.eic, name, tsos, etag })}
    >
      <ConflictNotice
        recordId={group.eic}
        started={started}
        current={group}
        describe={describeGroup(t)}
        onReset={() => {
          setName(group.name);
          setTsos(group.tsos);
        }}
      />
      <NameField value={name} onChange={setName} />
      <TsosField name="tsos" value={tsos} error={atTsos} onChange={setTsos} />
      <FormButtons action={t.common.save} isBusy={update.isPending} onClose={onClose} />
    </Form>
  );
}
