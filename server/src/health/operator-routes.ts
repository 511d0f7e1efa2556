import { type AlarmCounts, type Health, operatorPlatformEndpoints } from '@saldo/api';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { type MovableClock, monotonicNow } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { type Route, route } from '../platform/http/routes.ts';

const READ_HEALTH = statement(
  'read_health',
  `select current_setting('server_version') as version,
     pg_database_size(current_database()) as size_bytes,
     (select name from migration order by id desc limit 1) as migration,
     (select count(*) from changed_position) as waiting,
     (select min(marked_at) from changed_position) as oldest_at`,
);

type HealthRow = {
  version: string;
  size_bytes: number;
  migration: string;
  waiting: number;
  oldest_at: number | null;
};

/** Health for the operator's portal. Monitoring systems use the admin port instead. */
export function healthRoutes(
  db: Db,
  clock: MovableClock,
  countAlarms: (db: Db) => Promise<AlarmCounts>,
  canSimulate: boolean,
): Route[] {
  const startedAt = formatInstant(clock.machineNow());
  return [
    route(operatorPlatformEndpoints.getHealth, async (): Promise<Health> => {
      const askedAt = monotonicNow();
      const [row] = await db.query<HealthRow>(READ_HEALTH);
      if (!row) throw new Error('a select without a table gives one row');
      const answeredInMs = monotonicNow() - askedAt;
      return {
        server_time: formatInstant(clock.now()),
        machine_time: formatInstant(clock.machineNow()),
        started_at: startedAt,
        database: {
          version: row.version,
          migration: row.migration,
          size_bytes: row.size_bytes,
          answered_in_ms: Math.round(answeredInMs * 100) / 100,
        },
        waiting: {
          position_days: row.waiting,
          oldest_at: formatInstantOrNull(row.oldest_at),
        },
        alarms: await countAlarms(db),
        can_simulate: canSimulate,
      };
    }),
  ];
}
