import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import {
  nominationConfirmedEntry,
  nominationEntry,
  nominationSentEntry,
  nominationSupersededEntry,
} from '@saldo/core/ledger/entries.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { matchStatus } from '@saldo/core/nominations/matching.ts';
import type { NominationVersion } from '@saldo/core/nominations/nomination.ts';
import { appendEvents, type NewEvent } from '../events/store.ts';
import { appendEntries } from '../ledger/append.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';
import { withSmallHeap } from '../platform/heap.ts';
import { IDENTITY_COLUMNS, type NominationIdentity, nominationData } from './events.ts';
import { saveLate } from './late.ts';
import {
  type Basis,
  type DirtyPositionDay,
  netPositionDays,
  POSITION_DAYS_AT_ONCE,
} from './net-positions.ts';
import { listConfirmations } from './store.ts';

/**
 * Debounce: an import writes a day in several batches, so a position-day is netted only after 600 ms without a change.
 * The maximum bounds the delay, because a correction has to be nominated within two seconds.
 */
const DEBOUNCE_MS = 600;
export const MAX_DEBOUNCE_MS = 1200;

/**
 * `skip locked`: position-days that another process is netting are left to that process. An array, not `in`: a join may run
 * its subquery once per row, and every run would take more rows.
 */
const TAKE_DIRTY = statement(
  'take_marks',
  `with taken as (
     delete from changed_position
     where ctid = any(array(
       select ctid from changed_position
       where ($2::date is null or delivery_day = $2)
         and (touched_at <= clock_timestamp() - $3::int * interval '1 ms'
           or marked_at <= clock_timestamp() - $4::int * interval '1 ms')
       order by delivery_day, position_no
       limit $1
       for update skip locked))
     returning position_no, delivery_day)
   select t.position_no, t.delivery_day, p.brp_no
   from taken t join position p on p.no = t.position_no
   order by t.delivery_day, t.position_no`,
);

/** Upper bound for the position-days of one transaction. */
const POSITION_DAYS_PER_BATCH = 200;

export type NominationRun = { positions: number; created: number; unchanged: number; tooLate: number };

/**
 * Nets every dirty position-day and creates the nomination versions that result. Each batch clears its dirty flags,
 * reads its transactions and writes its versions in one database transaction. Safe to run in several processes at
 * once, and idempotent.
 */
export async function nominateDue(
  db: Database,
  clock: Clock,
  rules: MarketRules,
  only: { day?: DeliveryDay | undefined; debounced?: boolean } = {},
): Promise<NominationRun> {
  const [debounceMs, maxDebounceMs] = only.debounced ? [DEBOUNCE_MS, MAX_DEBOUNCE_MS] : [0, 0];
  const which = [POSITION_DAYS_PER_BATCH, only.day ?? null, debounceMs, maxDebounceMs];
  const run: NominationRun = { positions: 0, created: 0, unchanged: 0, tooLate: 0 };
  const takeBatch = async (): Promise<boolean> => {
    const batch = await db.transaction((tx) => nominateBatch(tx, clock, rules, which));
    run.positions += batch.positions;
    run.created += batch.created;
    run.unchanged += batch.unchanged;
    run.tooLate += batch.tooLate;
    return batch.positions === POSITION_DAYS_PER_BATCH;
  };
  // One after the other: two at once would take a quarter less time and delay other requests four times as long.
  const takeAll = async () => {
    while (await takeBatch());
  };
  // More than one batch means a large import: netting it leaves as much garbage on the heap as the import did.
  if (await takeBatch()) await withSmallHeap(takeAll);
  return run;
}

async function nominateBatch(
  tx: Tx,
  clock: Clock,
  rules: MarketRules,
  which: readonly unknown[],
): Promise<NominationRun> {
  const dirty = await tx.query<DirtyPositionDay>(TAKE_DIRTY, which);
  const now = clock.now();
  const run: NominationRun = { positions: dirty.length, created: 0, unchanged: 0, tooLate: 0 };
  const chunks: Awaited<ReturnType<typeof netPositionDays>>[] = [];
  for (let at = 0; at < dirty.length; at += POSITION_DAYS_AT_ONCE)
    chunks.push(await netPositionDays(tx, dirty.slice(at, at + POSITION_DAYS_AT_ONCE), now, rules));
  // After all sheets were read: as of this instant, the transactions of a version are those that it was made of.
  const createdAt = clock.now();
  for (const netted of chunks) {
    const kinds = netted.map(({ next }) => next.kind);
    const made = netted.flatMap(({ positionDay, next, basis }) =>
      next.kind === 'versions' ? next.versions.map((version) => ({ positionDay, version, basis })) : [],
    );
    await insertVersions(tx, made, createdAt);
    await saveLate(tx, netted, now);
    run.created += made.length;
    run.unchanged += kinds.filter((kind) => kind === 'unchanged').length;
    run.tooLate += kinds.filter((kind) => kind === 'too_late').length;
  }
  return run;
}

/** Inserts a whole batch. Nested arrays are passed as text, because `unnest` would flatten them. */
const INSERT_VERSIONS = statement(
  'insert_nominations',
  `with superseded as (
     update nomination set status = 'superseded' where id = any($8::uuid[]))
   insert into nomination as n (id, position_no, brp_no, eic, tso, delivery_day, direction, version, previous_id, status,
     amounts, gate_closure, created_at, basis_contracts, basis_revisions, basis_invalidations)
   select v.id, v.position_no, p.brp_no, p.eic, p.tso, v.delivery_day, v.direction, v.version, v.previous_id, 'pending',
     v.amounts::bigint[], v.gate_closure, $7, v.contracts::int[], v.revisions::int[], v.invalidations::int[]
   from unnest($1::uuid[], $2::int[], $3::date[], $4::direction[], $5::int[], $8::uuid[], $6::timestamptz[],
       $9::text[], $10::text[], $11::text[], $12::text[])
     as v (id, position_no, delivery_day, direction, version, previous_id, gate_closure,
       amounts, contracts, revisions, invalidations)
   join position p on p.no = v.position_no
   returning ${IDENTITY_COLUMNS}`,
);

type NewVersion = { positionDay: DirtyPositionDay; version: NominationVersion; basis: Basis };

const arrayText = (numbers: readonly number[]) => `{${numbers.join(',')}}`;

async function insertVersions(tx: Tx, versions: readonly NewVersion[], now: number): Promise<void> {
  if (versions.length === 0) return;
  const ids = versions.map(() => newId());
  const inserted = await tx.query<NominationIdentity>(INSERT_VERSIONS, [
    ids,
    versions.map(({ positionDay }) => positionDay.position_no),
    versions.map(({ positionDay }) => positionDay.delivery_day),
    versions.map(({ version }) => version.direction),
    versions.map(({ version }) => version.version),
    versions.map(({ version }) => timestamp(version.gateClosure)),
    timestamp(now),
    versions.map(({ version }) => version.previousId),
    versions.map(({ version }) => arrayText(version.amounts)),
    versions.map(({ basis }) => arrayText(basis.contracts)),
    versions.map(({ basis }) => arrayText(basis.revisions)),
    versions.map(({ basis }) => arrayText(basis.invalidations)),
  ]);
  const events = inserted.map(
    (row): NewEvent => ({
      type: 'nomination.created',
      tenants: [`brp/${row.brp_no}`],
      data: nominationData(row),
    }),
  );
  await appendEvents(tx, events, now);
  const byId = new Map(versions.map(({ version }, at) => [ids[at]!, version]));
  const entries = inserted.flatMap((row) => {
    const { amounts, gateClosure } = byId.get(row.id)!;
    const { id, eic, tso, delivery_day: day, direction, version, previous_id } = row;
    const nomination = { uuid: id, eic, tso, day, direction, version, previousUuid: previous_id };
    const created = nominationEntry({ ...nomination, amounts, gateClosure, committedAt: now });
    return previous_id === null
      ? [created]
      : [created, nominationSupersededEntry(previous_id, version, id, now)];
  });
  appendEntries(tx, entries, now);
}

const MARK_SENT = statement(
  'mark_nominations_sent',
  `update nomination n set sent_at = $2 where id = any($1::uuid[]) and sent_at is null
   returning ${IDENTITY_COLUMNS}`,
);

/** Records that these versions were sent to their TSO. The first time of sending is kept. */
export async function recordSent(tx: Tx, ids: readonly string[], now: number): Promise<void> {
  if (ids.length === 0) return;
  const sent = await tx.query<NominationIdentity>(MARK_SENT, [ids, timestamp(now)]);
  const events = sent.map(
    (row): NewEvent => ({
      type: 'nomination.sent',
      tenants: [`brp/${row.brp_no}`, 'operator'],
      data: nominationData(row),
    }),
  );
  await appendEvents(tx, events, now);
  appendEntries(
    tx,
    sent.map(({ id }) => nominationSentEntry(id, now)),
    now,
  );
}

const LOCK = statement(
  'lock_nominations',
  `select id, amounts, matched, status, confirmed_at from nomination
   where id = any($1::uuid[]) order by id for update`,
);
const CONFIRM = statement(
  'confirm_nominations',
  `update nomination n set matched = c.matched::bigint[], status = c.status, confirmed_at = $4
   from unnest($1::uuid[], $2::text[], $3::nomination_status[]) as c (id, matched, status)
   where n.id = c.id
   returning ${IDENTITY_COLUMNS}, n.status`,
);

/** `lock_nominations` makes sure that no number is given twice. */
const INSERT_CONFIRMATIONS = statement(
  'insert_nomination_confirmations',
  `insert into nomination_confirmation (nomination_id, number, status, matched, confirmed_at, recorded_at)
   select c.id, 1 + (select coalesce(max(number), 0) from nomination_confirmation where nomination_id = c.id),
     c.status, c.matched::bigint[], $4, $5
   from unnest($1::uuid[], $2::text[], $3::nomination_status[]) as c (id, matched, status)
   returning nomination_id, number`,
);

type Confirmable = {
  id: string;
  amounts: number[];
  matched: number[] | null;
  status: 'pending' | 'partial_match' | 'match' | 'superseded';
  confirmed_at: number | null;
};

const CONFIRMED_EVENTS = {
  match: 'nomination.matched',
  partial_match: 'nomination.mismatched',
  pending: null,
  superseded: null,
} as const;

/** The power that a TSO matched for a nomination version, in kW per slot. */
export type MatchedNomination = { id: string; matchedKw: readonly number[] };

/**
 * Records what a TSO matched and returns the ids of the versions that changed. A version that has been superseded
 * since keeps its status. Only a final confirmation replaces a final one.
 */
export async function recordConfirmations(
  tx: Tx,
  matched: readonly MatchedNomination[],
  isFinal: boolean,
  now: number,
): Promise<string[]> {
  if (matched.length === 0) return [];
  const rows = await tx.query<Confirmable>(LOCK, [matched.map(({ id }) => id)]);
  if (rows.length !== matched.length) throw new Error('a confirmation is for nominations that exist');
  const powers = new Map(matched.map(({ id, matchedKw }) => [id, matchedKw]));
  const changes = rows.flatMap((row) => {
    const matchedKw = powers.get(row.id) ?? [];
    const matchedStatus = matchStatus(row.amounts, matchedKw);
    const status = row.status === 'superseded' ? row.status : matchedStatus;
    const isChanged = status !== row.status || !isSame(row.matched, matchedKw);
    const isNews = row.confirmed_at === null ? isFinal || isChanged : isFinal && isChanged;
    return isNews ? [{ id: row.id, status, matchedStatus, matchedKw }] : [];
  });
  if (changes.length === 0) return [];
  const ids = changes.map(({ id }) => id);
  const powersText = changes.map(({ matchedKw }) => arrayText(matchedKw));
  const confirmedAt = isFinal ? now : null;
  const confirmed = await tx.query<NominationIdentity & Pick<Confirmable, 'status'>>(CONFIRM, [
    ids,
    powersText,
    changes.map(({ status }) => status),
    timestampOrNull(confirmedAt),
  ]);
  const numbers = await tx.query<{ nomination_id: string; number: number }>(INSERT_CONFIRMATIONS, [
    ids,
    powersText,
    changes.map(({ matchedStatus }) => matchedStatus),
    timestampOrNull(confirmedAt),
    timestamp(now),
  ]);
  const numberOf = new Map(numbers.map((row) => [row.nomination_id, row.number]));
  const entries = changes.map(({ id, matchedStatus: status, matchedKw }) => {
    const confirmation = { nominationUuid: id, number: numberOf.get(id)!, status, matched: matchedKw };
    return nominationConfirmedEntry({ ...confirmation, confirmedAt, committedAt: now });
  });
  appendEntries(tx, entries, now);
  const events = confirmed.flatMap((row): NewEvent[] => {
    const type = CONFIRMED_EVENTS[row.status];
    const data = { ...nominationData(row), is_final: isFinal };
    return type === null ? [] : [{ type, tenants: [`brp/${row.brp_no}`, 'operator'], data }];
  });
  await appendEvents(tx, events, now);
  return ids;
}

/** Appends the entries of what was confirmed before the ledger. */
export async function recordStoredConfirmations(tx: Tx, id: string): Promise<void> {
  for (const confirmation of await listConfirmations(tx, id))
    appendEntries(tx, [nominationConfirmedEntry(confirmation)], confirmation.committedAt);
}

const isSame = (known: readonly number[] | null, matchedKw: readonly number[]): boolean =>
  known !== null && known.length === matchedKw.length && known.every((kw, at) => kw === matchedKw[at]);
