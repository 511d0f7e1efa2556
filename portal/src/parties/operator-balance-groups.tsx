import { type OperatorBalanceGroup, TSOS, type Tso } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { TsoFilter } from '../references/filter-fields.tsx';
import { EIC_LENGTH } from '../references/filters.ts';
import { NameField } from '../references/name-field.tsx';
import { groupsQuery } from '../references/operator-queries.ts';
import { BrpField, BrpFilter } from '../references/party-fields.tsx';
import { BrpLink } from '../references/party-links.tsx';
import { given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { useFilters } from '../ui/address.ts';
import { CreateButton } from '../ui/create-button.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar, SearchFilter } from '../ui/filters.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import type { Column, Sort } from '../ui/table.tsx';
import { useInput } from '../ui/use-input.ts';
import { readGroupFilters } from './filters.ts';
import { type GroupAccess, GroupDialog, TsosField, useGroupSaved } from './group-dialog.tsx';
import { GroupTable } from './group-table.tsx';
import { OPERATOR_GROUP_TEXTS } from './group-texts.ts';

const COLUMNS: readonly CsvColumn<OperatorBalanceGroup>[] = [
  ...memberColumns<OperatorBalanceGroup>('eic', 'name', 'brp_id'),
  { name: 'tsos', value: ({ tsos }) => tsos.join(' ') },
  { name: 'created_at', value: ({ created_at }) => created_at },
];

const ACCESS: GroupAccess = {
  get: operatorClient.balanceGroups.get,
  save: operatorClient.balanceGroups.update,
  hasName: true,
  tsosName: 'tsos',
};

/** The balance groups of all BRPs, and the control areas in which they may be used. */
export function OperatorBalanceGroupsPage() {
  const { t } = useI18n();
  const texts = OPERATOR_GROUP_TEXTS[t.language];
  const { filters: search, set, clear, isFiltered } = useFilters(readGroupFilters, ['sort']);
  const { sort, ...filters } = search;
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
      emptyText={OPERATOR_GROUP_TEXTS[t.language].emptyText}
      {...(hasBrp ? { owner } : {})}
      sort={sort}
      edit={({ eic }, close) => (
        <GroupDialog eic={eic} title={`${t.brp.groups.edit}: ${eic}`} access={ACCESS} onClose={close} />
      )}
    />
  );
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
  const texts = OPERATOR_GROUP_TEXTS[t.language];
  const { input, set } = useInput<GroupInput>({ brp_id: brpId ?? '', eic: '', name: '', tsos: TSOS });
  const create = useMutation({
    mutationFn: ({ tsos, ...rest }: GroupInput) =>
      operatorClient.balanceGroups.create({ ...rest, tsos: [...tsos] }),
    ...useGroupSaved(onClose),
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
