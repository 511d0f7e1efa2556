import { TSOS, type Tso } from '@saldo/api';
import { isProblem } from '@saldo/sdk';
import { type ReactNode, useState } from 'react';
import type { Dictionary } from '../i18n/dictionary.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { useMayManage } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { CheckboxGroup } from '../ui/form.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import type { Described } from './conflict.tsx';
import type { NamedGroup } from './filter-fields.tsx';

/** A balance group with its enabled TSOs, as both the operator's pages and the BRP's have it. */
export type Group = NamedGroup & { readonly tsos: readonly Tso[]; readonly created_at: string };

type TableProps<G> = {
  groups: readonly G[];
  emptyText: string;
  /** A column after the name. */
  owner?: Column<G>;
  /** The dialog that changes the settings of a group. */
  edit: (group: G, onClose: () => void) => ReactNode;
  sort: Sort | undefined;
};

export function GroupTable<G extends Group>({ groups, emptyText, owner, edit, sort }: TableProps<G>) {
  const { t } = useI18n();
  const texts = t.brp.groups;
  const mayManage = useMayManage();
  const [edited, setEdited] = useState<G | null>(null);
  const columns: readonly Column<G>[] = [
    {
      id: 'group',
      header: t.common.balanceGroup,
      sortBy: ({ name }) => name,
      cell: ({ eic, name }) => (
        <span className="grid">
          <span className="font-medium">{name}</span>
          <Code text={eic} />
        </span>
      ),
    },
    ...(owner ? [owner] : []),
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
      sortBy: ({ created_at }) => created_at,
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
  if (groups.length === 0) return <EmptyState title={texts.empty} text={emptyText} />;
  return (
    <>
      <DataTable label={texts.title} columns={columns} rows={groups} rowKey={({ eic }) => eic} sort={sort} />
      {edited && edit(edited, () => setEdited(null))}
    </>
  );
}

type TsosFieldProps = {
  name: 'tsos' | 'enabled_tsos';
  value: readonly Tso[];
  error?: string | undefined;
  onChange: (tsos: readonly Tso[]) => void;
};

export function TsosField(props: TsosFieldProps) {
  const { t } = useI18n();
  return (
    <CheckboxGroup
      {...props}
      label={t.brp.groups.tsos}
      hint={t.brp.groups.tsosHint}
      options={TSOS.map((tso) => ({ value: tso, label: t.common.tsos[tso] }))}
    />
  );
}

/** The TSOs after others have changed the stored ones, with the form's own changes on top. */
export const rebasedTsos = (
  base: readonly Tso[],
  chosen: readonly Tso[],
  stored: readonly Tso[],
): readonly Tso[] =>
  TSOS.filter((tso) => (chosen.includes(tso) === base.includes(tso) ? stored : chosen).includes(tso));

export const areSameTsos = (a: readonly Tso[], b: readonly Tso[]): boolean =>
  new Set(a).symmetricDifference(new Set(b)).size === 0;

/** The settings of a balance group, for a notice of conflict. */
export const describeGroup =
  ({ activity: { members }, common }: Dictionary) =>
  ({ name, tsos }: Group): Described => ({
    [members.name]: name,
    [members.tsos]: tsos.map((tso) => common.tsos[tso]).join(', '),
  });

/** Splits the error of an update: TSOs in use are reported at their field, everything else above the form. */
export function splitInUse(t: Dictionary, error: unknown): { atTsos: string | undefined; others: unknown } {
  if (!isProblem(error, 'position_in_use')) return { atTsos: undefined, others: error };
  // Only the server's text names the TSOs.
  return { atTsos: `${t.problems.codes.position_in_use} ${error.message}`, others: null };
}
