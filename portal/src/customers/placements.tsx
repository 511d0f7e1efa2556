import type { Placement } from '@saldo/api';
import { useQuery } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { GroupName } from '../references/group-name.tsx';
import { useToday } from '../session/server-clock.ts';
import { Badge } from '../ui/badge.tsx';
import { Panel } from '../ui/page.tsx';
import { Loaded, Skeleton } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { placementsQuery } from './queries.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

/** The balance groups of a customer by delivery day, newest first. */
export function PlacementsPanel({ customerId }: { customerId: string }) {
  const { t } = useI18n();
  const texts = CUSTOMER_TEXTS[t.language].placements;
  const query = useQuery(placementsQuery(customerId));
  return (
    <Panel title={texts.title} text={texts.text} isFlush>
      <Loaded query={query} loading={<Skeleton lines={3} />}>
        {(placements) =>
          placements.length === 0 ? (
            <p className="p-4 text-sm text-muted">{CUSTOMER_TEXTS[t.language].noBalanceGroup}</p>
          ) : (
            <PlacementTable placements={placements} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function PlacementTable({ placements }: { placements: readonly Placement[] }) {
  const { t, format } = useI18n();
  const texts = CUSTOMER_TEXTS[t.language].placements;
  const today = useToday();
  const isComing = ({ first_day }: Placement) => first_day !== null && first_day > today;
  const isCurrent = (placement: Placement) =>
    !isComing(placement) && (placement.last_day === null || placement.last_day >= today);
  const columns: readonly Column<Placement>[] = [
    {
      id: 'first',
      header: texts.firstDay,
      cell: ({ first_day }) => (first_day === null ? texts.fromTheStart : format.day(first_day)),
    },
    {
      id: 'last',
      header: texts.lastDay,
      cell: ({ last_day }) => (last_day === null ? t.common.none : format.day(last_day)),
    },
    {
      id: 'group',
      header: t.common.balanceGroup,
      cell: (placement) => (
        <span className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
          <GroupName {...placement.balance_group} />
          {isComing(placement) && <Badge>{texts.coming}</Badge>}
          {isCurrent(placement) && <Badge tone="ok">{texts.current}</Badge>}
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label={texts.title}
      columns={columns}
      rows={placements}
      rowKey={({ first_day }) => first_day ?? ''}
    />
  );
}
