import type { Tso } from '@saldo/api';
import { type ReactNode, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import type { NamedGroup } from '../references/filter-fields.tsx';
import { usePermission } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/copy.tsx';
import { MoreButton } from '../ui/more.tsx';
import { EmptyState } from '../ui/states.tsx';
import { type Column, DataTable, type Sort } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';

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
  const mayChange = usePermission('member');
  const [edited, setEdited] = useState<G | null>(null);
  const columns: readonly Column<G>[] = [
    {
      id: 'group',
      header: t.common.balanceGroup,
      sortBy: ({ name }) => name,
      cell: ({ eic, name }) => (
        <span className="cell">
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
        mayChange && (
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
      <MoreButton count={groups.length} />
      {edited && edit(edited, () => setEdited(null))}
    </>
  );
}
