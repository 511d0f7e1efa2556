import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { useQueries } from '@tanstack/react-query';
import { useI18n } from '../i18n/i18n.tsx';
import { NominationTable } from '../nominations/nominations.tsx';
import { nominationsQuery } from '../nominations/queries.ts';
import { Panel } from '../ui/page.tsx';
import { EmptyState, Loaded, Skeleton } from '../ui/states.tsx';
import type { Position } from './contract-month-rows.ts';

type Props = { day: DeliveryDay; positions: readonly Position[] };

/** The nominations that the volumes of a contract are part of; a BRP sees those of its own balance groups. */
export function ContractNominations({ day, positions }: Props) {
  const { t, format } = useI18n();
  const queries = useQueries({ queries: positions.map((position) => nominationsQuery(day, position)) });
  const isLoaded = queries.every(({ data }) => data !== undefined);
  const query = {
    data: isLoaded ? queries.flatMap(({ data }) => data ?? []) : undefined,
    error: queries.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => Promise.all(queries.map(({ refetch }) => refetch())),
  };
  return (
    <Panel title={t.brp.contracts.nominationsOf(format.dayLong(day))} isFlush>
      <Loaded query={query} loading={<Skeleton lines={3} />}>
        {(nominations) =>
          nominations.length === 0 ? (
            <EmptyState title={t.brp.nominations.empty} text={t.brp.nominations.emptyText} />
          ) : (
            <NominationTable nominations={nominations} isShort isPart />
          )
        }
      </Loaded>
    </Panel>
  );
}
