import { LIMITS } from '@saldo/api';
import { readNumbers } from '../events/numbers.ts';
import { EVENTS_OF_ROW, readHorizon, rowsWithin, type Tenant } from '../events/store.ts';
import type { Database, Db, Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** Rows of the log per transaction, whatever an import has appended. */
const ROWS_PER_STEP = 500;

/** Whether the types of an endpoint include the type of an event `e`. */
const includes = (types: string) => `${types} && array['*', e.type, split_part(e.type, '.', 1) || '.*']`;

type Match = {
  endpoint_id: string;
  feeds: readonly Tenant[];
  sequence: number;
  type: string;
  occurred_at: number;
};

const LIST_FEEDS = statement(
  'list_webhook_feeds',
  `select distinct unnest(feeds) as tenant from webhook_endpoint
   where disabled_at is null and deleted_at is null`,
);

/** The feeds whose events are sent to some endpoint. */
export const listFeeds = async (db: Db): Promise<Tenant[]> =>
  (await db.query<{ tenant: Tenant }>(LIST_FEEDS)).map(({ tenant }) => tenant);

const READ_PLACE = statement('read_webhook_fan_out', 'select sequence from webhook_fan_out');
const TAKE_PLACE = statement(
  'take_webhook_fan_out',
  'select sequence from webhook_fan_out for no key update skip locked',
);
const STEP_END = statement(
  'webhook_fan_out_step',
  `select max(sequence) as last, count(*) as count
   from (select sequence from event where sequence > $1 and sequence <= $2 order by sequence limit $3) as step`,
);
/** One index scan per enabled endpoint and feed, so that events without a reader cost nothing here. */
const FIND_MATCHES = statement(
  'find_webhook_matches',
  `select w.id as endpoint_id, w.feeds, one.sequence, e.type, e.occurred_at
   from webhook_endpoint w
   cross join unnest(w.feeds) as feed (tenant)
   join event e on e.tenant = feed.tenant and e.sequence > $1 and e.sequence <= $2
   cross join lateral ${EVENTS_OF_ROW} as one
   where w.disabled_at is null and w.deleted_at is null and e.sequence > w.after_sequence and ${includes('w.types')}
   order by one.sequence`,
);
const MOVE_PLACE = statement('move_webhook_fan_out', 'update webhook_fan_out set sequence = $1');
const INSERT = statement(
  'insert_webhook_deliveries',
  `insert into webhook_delivery
     (endpoint_id, id, event_sequence, event_number, event_type, event_occurred_at, created_at, next_attempt_at)
   select endpoint_id, id, sequence, number, type, occurred_at, $7, $7
   from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::timestamptz[])
     as new (endpoint_id, id, sequence, number, type, occurred_at)`,
);

/** The number of each event for the owner of its endpoint. Precondition: the matches are in the order of the log. */
async function numbersOf(tx: Tx, matches: readonly Match[]): Promise<number[]> {
  const byReader = Map.groupBy(matches, ({ feeds }) => feeds.join(' '));
  const asked = [...byReader.values()].map((ofReader) => ({
    feeds: ofReader[0]!.feeds,
    places: [...new Set(ofReader.map(({ sequence }) => sequence))],
  }));
  const numbers = await readNumbers(tx, asked);
  const byPlace = new Map(
    [...byReader.keys()].map((reader, at) => [
      reader,
      new Map(asked[at]!.places.map((place, nth) => [place, numbers[at]![nth]!])),
    ]),
  );
  return matches.map(({ feeds, sequence }) => byPlace.get(feeds.join(' '))!.get(sequence)!);
}

async function insertDeliveries(tx: Tx, matches: readonly Match[], now: number): Promise<void> {
  if (matches.length === 0) return;
  const numbers = await numbersOf(tx, matches);
  await tx.query(INSERT, [
    matches.map((match) => match.endpoint_id),
    matches.map(() => newId()),
    matches.map(({ sequence }) => sequence),
    numbers,
    matches.map(({ type }) => type),
    matches.map((match) => timestamp(match.occurred_at)),
    timestamp(now),
  ]);
}

/**
 * Creates the deliveries of new events, one step after the other. One place in the log serves all endpoints: writers
 * of events pay nothing, and the cost does not grow with the log. A process that finds the place locked leaves the
 * work to the one that holds it. Returns up to which sequence; `known` has new events up to its horizon. Receivers of an
 * event read its record, so that all replicas must have it: `untilReplicated` waits for them.
 */
export async function fanOutEvents(
  db: Database,
  now: () => number,
  known: { horizon: number } | null = null,
  untilReplicated: () => Promise<void> = async () => {},
): Promise<number> {
  const { horizon } = known ?? (await readHorizon(db));
  // Most of the time there is nothing new, and a read costs no transaction.
  const [place] = known === null ? await db.query<{ sequence: number }>(READ_PLACE) : [];
  if (place !== undefined && place.sequence >= horizon) return horizon;
  await untilReplicated();
  for (;;) {
    const isDone = await db.transaction(async (tx) => {
      const [taken] = await tx.query<{ sequence: number }>(TAKE_PLACE);
      if (taken === undefined || taken.sequence >= horizon) return true;
      const values = [taken.sequence, horizon, ROWS_PER_STEP];
      const [step] = await tx.query<{ last: number | null; count: number }>(STEP_END, values);
      const isLast = step === undefined || step.last === null || step.count < ROWS_PER_STEP;
      const end = isLast ? horizon : step.last;
      await insertDeliveries(tx, await tx.query<Match>(FIND_MATCHES, [taken.sequence, end]), now());
      await tx.query(MOVE_PLACE, [end]);
      return isLast;
    });
    if (isDone) return horizon;
  }
}

/** $1 endpoint, $2 and $3 exclusive sequences, $4 and $5 exclusive times or null, $6 types or null, $7 row limit. */
const FIND_REPLAYED = statement(
  'find_replayed_events',
  `select w.id as endpoint_id, w.feeds, e.sequence, e.type, e.occurred_at
   from webhook_endpoint w
   cross join unnest(w.feeds) as feed (tenant)
   cross join lateral (
     select one.sequence, e.type, e.occurred_at
     from event e
     cross join lateral ${EVENTS_OF_ROW} as one
     where e.tenant = feed.tenant and ${rowsWithin('$2::bigint + 1', '$3::bigint')}
       and one.sequence > $2 and one.sequence < $3
       and ($4::timestamptz is null or e.occurred_at > $4) and ($5::timestamptz is null or e.occurred_at < $5)
       and ${includes('coalesce($6::text[], w.types)')}
     order by e.sequence, one.sequence limit $7) as e
   where w.id = $1
   order by e.sequence limit $7`,
);

/** A limit of a replay: a place in the log, or a time. */
export type ReplayPoint = { readonly sequence: number } | { readonly time: number };

const sequenceOf = (point: ReplayPoint | null) =>
  point !== null && 'sequence' in point ? point.sequence : null;
const timeOf = (point: ReplayPoint | null) =>
  point !== null && 'time' in point ? timestamp(point.time) : null;

/** Creates deliveries of stored events, at most `LIMITS.replayEvents`, and returns the last one if there are more. */
export async function replayEvents(
  tx: Tx,
  endpointId: string,
  range: { after: ReplayPoint | null; before: ReplayPoint | null; types: readonly string[] | null },
  now: number,
): Promise<{ count: number; continueAfter: { sequence: number; occurredAt: number } | null }> {
  const { horizon } = await readHorizon(tx);
  const found = await tx.query<Match>(FIND_REPLAYED, [
    endpointId,
    sequenceOf(range.after) ?? 0,
    Math.min(sequenceOf(range.before) ?? Number.POSITIVE_INFINITY, horizon + 1),
    timeOf(range.after),
    timeOf(range.before),
    range.types,
    LIMITS.replayEvents + 1,
  ]);
  const replayed = found.slice(0, LIMITS.replayEvents);
  await insertDeliveries(tx, replayed, now);
  const last = found.length > replayed.length ? replayed.at(-1) : undefined;
  return {
    count: replayed.length,
    continueAfter: last === undefined ? null : { sequence: last.sequence, occurredAt: last.occurred_at },
  };
}

const DELETES_PER_STEP = 1_000;

/** Deliveries of events that are no longer kept, the oldest first. */
const DELETE_EXPIRED = statement(
  'delete_expired_webhook_deliveries',
  `delete from webhook_delivery where ctid = any(array(
     select ctid from webhook_delivery
     where event_sequence <= (select deleted_to from event_log)
     order by event_sequence limit $1))
   returning 1`,
);
const DELETE_ORPHANED = statement(
  'delete_orphaned_webhook_deliveries',
  `delete from webhook_delivery where ctid = any(array(
     select d.ctid from webhook_endpoint w join webhook_delivery d on d.endpoint_id = w.id
     where w.deleted_at is not null limit $1))
   returning 1`,
);
const DELETE_ENDPOINTS = statement(
  'delete_webhook_endpoints',
  `delete from webhook_endpoint w
   where w.deleted_at is not null and not exists (select from webhook_delivery d where d.endpoint_id = w.id)`,
);

/** Deletes what is no longer kept, in short transactions. */
export async function deleteOldDeliveries(db: Database): Promise<void> {
  for (const deletion of [DELETE_EXPIRED, DELETE_ORPHANED]) {
    let deleted: number;
    do {
      deleted = await db.transaction(async (tx) => (await tx.query(deletion, [DELETES_PER_STEP])).length);
    } while (deleted === DELETES_PER_STEP);
  }
  await db.transaction((tx) => tx.query(DELETE_ENDPOINTS));
}
