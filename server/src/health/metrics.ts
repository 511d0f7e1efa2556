import type { NominationStatus } from '@saldo/api';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { type Clock, monotonicNow } from '../platform/clock.ts';
import type { Db, OpenDatabase, Replication } from '../platform/db/database.ts';
import { isReachable } from '../platform/db/reachable.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { RunningJobs } from '../platform/jobs.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { within } from '../platform/timeout.ts';

/** A scrape does not wait longer: all connections may be in use. */
const READ_WITHIN_MS = 2_000;

/**
 * $1 now, $2 today. Every part reads a partial index, one row of the event log, or the rows of the days that are not
 * over. The snapshot is older than the horizon, so that an event beyond it is committed and held back.
 */
export const MEASURE = statement(
  'measure_platform',
  `select
     coalesce((select extract(epoch from clock_timestamp() - min(marked_at)) from changed_position), 0)::float8
       as change_age_s,
     (select min(gate_closure) from nomination
      where sent_at is null and status <> 'superseded' and gate_closure > $1) as unsent_gate,
     (select count(*) from nomination where status = 'pending' and delivery_day >= $2) as pending,
     (select count(*) from nomination where status = 'partial_match' and delivery_day >= $2) as partial_match,
     (select count(*) from nomination where status = 'match' and delivery_day >= $2) as match,
     (select count(*) from message
      where direction = 'out' and type = 'schedule' and delivery_day >= $2
        and state not in ('stored', 'acknowledged', 'confirmed') and state in ('sent', 'delivered')) as unanswered,
     (select min(due.next_attempt_at) from webhook_endpoint e
      cross join lateral (
        select d.next_attempt_at from webhook_delivery d
        where d.endpoint_id = e.id and d.next_attempt_at is not null
        order by d.next_attempt_at limit 1) due
      where e.disabled_at is null and e.deleted_at is null) as webhook_due_at,
     (select occurred_at from event where sequence > log.horizon order by sequence limit 1) as held_back_at,
     (select occurred_at from event
      where sequence > (select sequence from webhook_fan_out) and sequence <= log.horizon
      order by sequence limit 1) as undelivered_at,
     unsealed.*
   from event_horizon() as log
   cross join (
     select coalesce(sum(length(b.hashes) / 32), 0)::bigint as unsealed_entries,
       greatest((array_agg(b.committed_at order by b.sequence))[1], max(last.sealed_at)) as unsealed_since
     from (select) as one
     left join lateral (select sequence, sealed_at from ledger_seal order by tree_size desc limit 1) as last on true
     left join ledger_batch b on b.sequence > coalesce(last.sequence, 0)) as unsealed`,
);

type CurrentStatus = Exclude<NominationStatus, 'superseded'>;
type Measures = Record<CurrentStatus, number> & {
  change_age_s: number;
  unsent_gate: number | null;
  unanswered: number;
  webhook_due_at: number | null;
  /** When the oldest event occurred that is not in the feeds yet. */
  held_back_at: number | null;
  /** When the oldest event of the feeds occurred whose webhooks are not planned yet. */
  undelivered_at: number | null;
  unsealed_entries: number;
  /** The later of the last seal and the oldest entry after it. */
  unsealed_since: number | null;
};

async function measure(db: Db, now: number): Promise<Measures | null> {
  // The availability listener already logs the reason.
  const read = db.query<Measures>(MEASURE, [timestamp(now), dayOf(now)]).then(
    ([row]) => row ?? null,
    () => null,
  );
  return within(READ_WITHIN_MS, read, () => null);
}

/**
 * Metrics of what the platform does, read at each scrape. Values that cannot be read are missing or not a number, so
 * that no old value looks like a current one.
 */
export function addPlatformMetrics(metrics: Metrics, db: OpenDatabase, clock: Clock): void {
  let isUp = false;
  let measured: Measures | null = null;
  let now = clock.now();
  metrics.beforeScrape(async () => {
    now = clock.now();
    [isUp, measured] = await Promise.all([isReachable(db), measure(db, now)]);
  });
  const value = (read: (known: Measures) => number) => () =>
    measured === null ? Number.NaN : read(measured);
  const ageOf = (at: number | null) => (at === null ? 0 : Math.max(0, (now - at) / 1000));

  metrics.addGauge('saldo_database_up', 'Whether the database answers.', () => (isUp ? 1 : 0));
  metrics.addGauge(
    'saldo_database_full',
    'Whether writes fail because the disk of the database is full.',
    () => (db.isFull() ? 1 : 0),
  );
  metrics.addGauge(
    'saldo_netting_oldest_change_seconds',
    'Age of the oldest change of volumes that is not netted; 0 if there is none.',
    value((known) => known.change_age_s),
  );
  metrics.addLabelledGauge(
    'saldo_nominations',
    'Nominations of today and later days by status, without superseded ones.',
    'status',
    (): Record<string, number> => {
      if (measured === null) return {};
      const { pending, partial_match, match } = measured;
      return { pending, partial_match, match };
    },
  );
  metrics.addGauge(
    'saldo_unsent_gate_seconds',
    'Time to the next gate with a nomination that is not sent; +Inf if there is none.',
    value(({ unsent_gate: gate }) => (gate === null ? Number.POSITIVE_INFINITY : (gate - now) / 1000)),
  );
  metrics.addGauge(
    'saldo_exchange_answers_outstanding',
    'Schedules of today and later days that the TSO has not acknowledged.',
    value(({ unanswered }) => unanswered),
  );
  metrics.addGauge(
    'saldo_webhook_lag_seconds',
    'Time since the oldest webhook that was not tried became due; 0 if none is due.',
    value(({ webhook_due_at: at }) => ageOf(at)),
  );
  metrics.addLabelledGauge(
    'saldo_event_lag_seconds',
    'Age of the oldest event that has not reached a stage: the feeds, or from there the queues of webhooks.',
    'stage',
    (): Record<string, number> =>
      measured === null
        ? {}
        : { feeds: ageOf(measured.held_back_at), webhooks: ageOf(measured.undelivered_at) },
  );
  metrics.addGauge(
    'saldo_ledger_unsealed_entries',
    'Entries of the ledger that are not sealed.',
    value(({ unsealed_entries: count }) => count),
  );
  metrics.addGauge(
    'saldo_ledger_unsealed_age_seconds',
    'Time that the oldest entry of the ledger waits for its seal; 0 if all are sealed.',
    value(({ unsealed_entries: count, unsealed_since: at }) => (count === 0 ? 0 : ageOf(at))),
  );
  const usage = (kind: 'inUse' | 'waiting') => () => {
    const { read, write } = db.usage();
    return { read: read[kind], write: write[kind] };
  };
  metrics.addLabelledGauge(
    'saldo_database_connections_in_use',
    'Database connections in use, by pool.',
    'pool',
    usage('inUse'),
  );
  metrics.addLabelledGauge(
    'saldo_database_calls_waiting',
    'Calls that wait for a database connection, by pool.',
    'pool',
    usage('waiting'),
  );
  if (db.replication !== null) addReplicaMetrics(metrics, db.replication);
}

function addReplicaMetrics(metrics: Metrics, replication: Replication): void {
  metrics.addLabelledGauge('saldo_replica_in_use', 'Whether reads go to the replica.', 'replica', () =>
    Object.fromEntries(replication.states().map(({ name, isInUse }) => [name, isInUse ? 1 : 0])),
  );
  metrics.addLabelledGauge(
    'saldo_replica_lag_seconds',
    'Seconds by which the replica is behind the primary.',
    'replica',
    () =>
      Object.fromEntries(
        replication.states().flatMap(({ name, lagS }) => (lagS === null ? [] : [[name, lagS]])),
      ),
  );
}

/** Metrics of the background jobs of this process. */
export function addJobMetrics(metrics: Metrics, jobs: RunningJobs): void {
  const each = (read: (counts: RunningJobs['counts'][string]) => number | null) => () =>
    Object.fromEntries(
      Object.entries(jobs.counts).flatMap(([name, counts]) => {
        const number = read(counts);
        return number === null ? [] : [[name, number]];
      }),
    );
  metrics.addLabelledCounter(
    'saldo_job_runs_total',
    'Runs by job.',
    'task',
    each(({ runs }) => runs),
  );
  metrics.addLabelledCounter(
    'saldo_job_failures_total',
    'Failed runs by job.',
    'task',
    each(({ failures }) => failures),
  );
  metrics.addLabelledCounter(
    'saldo_job_seconds_total',
    'Duration of all runs by job.',
    'task',
    each(({ seconds }) => seconds),
  );
  metrics.addLabelledGauge(
    'saldo_job_since_success_seconds',
    'Time since the last run of a job that did not fail.',
    'task',
    each(({ succeededAt }) => (succeededAt === null ? null : (monotonicNow() - succeededAt) / 1000)),
  );
}
