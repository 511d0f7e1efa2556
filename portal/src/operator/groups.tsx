import { type OperatorBalanceGroup, TSOS, type Tso } from '@saldo/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { TsoFilter } from '../brp/filter-fields.tsx';
import { EIC_LENGTH } from '../brp/filters.ts';
import type { CsvColumn } from '../domain/csv.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { given } from '../session/lists.ts';
import { operatorClient } from '../session/operator-client.ts';
import { useMayManage } from '../session/session.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { filtersOf } from '../ui/address.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { CreateButton } from '../ui/create-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ExportButton } from '../ui/export.tsx';
import { FilterBar } from '../ui/filters.tsx';
import { Form, FormButtons, TextField } from '../ui/form.tsx';
import { Page, Panel } from '../ui/page.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { BrpField, BrpFilter, NameField, TsosField } from './fields.tsx';
import { BrpLink } from './party-links.tsx';
import { groupsQuery } from './queries.ts';

const route = getRouteApi('/app/operator/balance-groups');

const COLUMNS: readonly CsvColumn<OperatorBalanceGroup>[] = [
  { name: 'eic', value: ({ eic }) => eic },
  { name: 'name', value: ({ name }) => name },
  { name: 'brp_id', value: ({ brp_id }) => brp_id },
  { name: 'tsos', value: ({ tsos }) => tsos.join(' ') },
  { name: 'created_at', value: ({ created_at }) => created_at },
];

/** The balance groups of all BRPs, and the control areas in which they may be used. */
export function GroupsPage() {
  const { t } = useI18n();
  const texts = t.operator.groups;
  const { filters, set, clear, isFiltered } = filtersOf(route.useSearch(), route.useNavigate());
  const query = useQuery(groupsQuery(filters));
  return (
    <Page
      title={texts.title}
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
        <BrpFilter value={filters.brp_id} onChange={(brp_id) => set({ brp_id })} />
        <TsoFilter value={filters.tso} onChange={(tso) => set({ tso })} />
      </FilterBar>
      <Panel isFlush>
        <Loaded query={query}>{(groups) => <GroupTable groups={groups} hasBrp />}</Loaded>
      </Panel>
    </Page>
  );
}

type TableProps = { groups: readonly OperatorBalanceGroup[]; hasBrp?: boolean };

export function GroupTable({ groups, hasBrp = false }: TableProps) {
  const { t } = useI18n();
  const texts = t.operator.groups;
  const mayManage = useMayManage();
  const [edited, setEdited] = useState<OperatorBalanceGroup | null>(null);
  const brpColumn: Column<OperatorBalanceGroup> = {
    id: 'brp',
    from: 'md',
    header: t.operator.brp,
    cell: ({ brp_id }) => <BrpLink id={brp_id} />,
  };
  const columns: readonly Column<OperatorBalanceGroup>[] = [
    {
      id: 'group',
      header: t.common.balanceGroup,
      cell: ({ eic, name }) => (
        <span className="grid">
          <span className="font-medium">{name}</span>
          <Code text={eic} />
        </span>
      ),
    },
    ...(hasBrp ? [brpColumn] : []),
    {
      id: 'tsos',
      header: texts.tsos,
      cell: ({ tsos }) => (
        <span className="flex flex-wrap gap-1">
          {tsos.map((tso) => (
            <Badge key={tso}>{t.common.tsos[tso]}</Badge>
          ))}
        </span>
      ),
    },
    {
      id: 'created',
      header: t.common.created,
      from: 'lg',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
    {
      id: 'actions',
      header: <span className="sr-only">{t.common.actions}</span>,
      isNumber: true,
      cell: (group) =>
        mayManage && (
          <Button
            variant="quiet"
            icon="edit"
            aria-label={`${texts.edit}: ${group.name}`}
            onClick={() => setEdited(group)}
          >
            <span className="max-sm:sr-only">{texts.edit}</span>
          </Button>
        ),
    },
  ];
  if (groups.length === 0) return <EmptyState title={texts.empty} text={texts.emptyText} />;
  return (
    <>
      <DataTable label={texts.title} columns={columns} rows={groups} rowKey={({ eic }) => eic} />
      {edited && <EditGroupDialog group={edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function useGroupsSaved(onClose: () => void) {
  const { t } = useI18n();
  const toast = useToast();
  const refresh = useRefresh();
  return {
    onSuccess: ({ name }: OperatorBalanceGroup) => {
      toast(t.operator.savedToast(name));
      onClose();
    },
    onSettled: () => refresh(['balance-groups']),
  };
}

type CreateProps = { brpId?: string | undefined; onClose: () => void };

export function CreateGroupDialog({ brpId, onClose }: CreateProps) {
  const { t } = useI18n();
  const texts = t.operator.groups;
  const [brp, setBrp] = useState(brpId ?? '');
  const [eic, setEic] = useState('');
  const [name, setName] = useState('');
  const [tsos, setTsos] = useState<readonly Tso[]>(TSOS);
  const create = useMutation({
    mutationFn: () => operatorClient.balanceGroups.create({ brp_id: brp, eic, name, tsos: [...tsos] }),
    ...useGroupsSaved(onClose),
  });
  return (
    <Dialog title={texts.createTitle} onClose={onClose}>
      <Form error={create.error} fields={['brp_id', 'eic', 'name', 'tsos']} onSubmit={() => create.mutate()}>
        <BrpField name="brp_id" label={t.operator.brp} value={brp} onChange={setBrp} />
        <TextField
          name="eic"
          label="EIC"
          hint={texts.eicHint}
          autoFocus
          autoComplete="off"
          maxLength={EIC_LENGTH}
          value={eic}
          onChange={(typed) => setEic(typed.toUpperCase())}
        />
        <NameField value={name} onChange={setName} />
        <TsosField value={tsos} onChange={setTsos} />
        <FormButtons action={t.operator.submit} isBusy={create.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function EditGroupDialog({ group, onClose }: { group: OperatorBalanceGroup; onClose: () => void }) {
  const { t } = useI18n();
  const [name, setName] = useState(group.name);
  const [tsos, setTsos] = useState<readonly Tso[]>(group.tsos);
  const update = useMutation({
    mutationFn: () => operatorClient.balanceGroups.update(group.eic, { name, tsos: [...tsos] }),
    ...useGroupsSaved(onClose),
  });
  return (
    <Dialog title={`${t.operator.groups.edit}: ${group.eic}`} onClose={onClose}>
      <Form error={update.error} fields={['name', 'tsos']} onSubmit={() => update.mutate()}>
        <NameField autoFocus value={name} onChange={setName} />
        <TsosField value={tsos} onChange={setTsos} />
        <FormButtons action={t.common.save} isBusy={update.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
