import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import { slotClosings } from '@saldo/core/gates.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { sendableSaldo } from '@saldo/core/nominations/late-changes.ts';
import { matchStatus } from '@saldo/core/nominations/matching.ts';
import { type Contribution, net } from '@saldo/core/nominations/netting.ts';
import {
  type CurrentNomination,
  type NominationVersion,
  nextNominations,
} from '@saldo/core/nominations/nomination.ts';
import { unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import { appendEvents, type NewEvent } from '../events/store.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp, timestampOrNull } from '../platform/db/wire-types.ts';
import { withSmallHeap } from '../platform/heap.ts';
import {
  applyLateMarks,
  readContractDays,
  type StoredContractDay,
  WHOLE_CONTRACT_DAY,
} from './contract-days.ts';
import { IDENTITY_COLUMNS, type NominationIdentity, nominationData } from './events.ts';
import { type NettedLate, saveLate } from './late.ts';

/** A position-day whose transactions have changed since it was last netted. */
type DirtyPositionDay = { position_no: number; delivery_day: DeliveryDay; brp_no: number };

/** Upper bound for the position-days of one transaction. */
const POSITION_DAYS_PER_BATCH = 200;

/**
 * Debounce: an import writes a day in several batches, so a position-day is netted only after 600 ms without a change.
 * The maximum bounds the delay, because a correction has to be nominated within two seconds.
 */
const DEBOUNCE_MS = 600;
const MAX_DEBOUNCE_MS = 1200;

/** `skip locked`: position-days that another process is netting are left to that process. */
const TAKE_DIRTY = statement(
  'take_marks',
  `with taken as (
     delete from changed_position
     where (position_no, delivery_day) in (
       select position_no, delivery_day from changed_position
       where ($2::date is null or delivery_day = $2)
         and (touched_at <= clock_timestamp() - $3::int * interval '1 ms'
           or marked_at <= clock_timestamp() - $4::int * interval '1 ms')
       order by delivery_day, position_no
       limit $1
       for update skip locked)
     returning position_no, delivery_day)
   select t.position_no, t.delivery_day, p.brp_no
   from taken t join position p on p.no = t.position_no
   order by t.delivery_day, t.position_no`,
);

export type NominationRun = { positions: number; created: number; unchanged: number; tooLate: number };

/**
 * Nets every dirty position-day and creates the nomination versions that result. Each batch clears its dirty flags,
 * reads its transactions and writes its versions in one database transaction. Safe to run in several processes at
 * once, and idempotent.
 */
export async function nominateDue(
  db: Database,
  now: number,
  rules: MarketRules,
  only: { day?: DeliveryDay | undefined; debounced?: boolean } = {},
): Promise<NominationRun> {
  const [debounceMs, maxDebounceMs] = only.debounced ? [DEBOUNCE_MS, MAX_DEBOUNCE_MS] : [0, 0];
  const which = [POSITION_DAYS_PER_BATCH, only.day ?? null, debounceMs, maxDebounceMs];
  const run: NominationRun = { positions: 0, created: 0, unchanged: 0, tooLate: 0 };
  const takeBatch = async (): Promise<boolean> => {
    const batch = await db.transaction((tx) => nominateBatch(tx, now, rules, which));
    run.positions += batch.positions;
    run.created += batch.created;
    run.unchanged += batch.unchanged;
    run.tooLate += batch.tooLate;
    return batch.positions === POSITION_DAYS_PER_BATCH;
  };
  const takeAll = async () => {
    while (await takeBatch());
  };
  // More than one batch means a large import: netting it leaves as much garbage on the heap as the import did.
  if (await takeBatch()) await withSmallHeap(takeAll);
  return run;
}

async function nominateBatch(
  tx: Tx,
  now: number,
  rules: MarketRules,
  which: readonly unknown[],
): Promise<NominationRun> {
  const dirty = await tx.query<DirtyPositionDay>(TAKE_DIRTY, which);
  const run: NominationRun = { positions: dirty.length, created: 0, unchanged: 0, tooLate: 0 };
  if (dirty.length === 0) return run;
  const made: NewVersion[] = [];
  const netted: NettedLate[] = [];
  const closings = closingsOf(dirty, rules);
  const inputs = await readNettingInputs(tx, dirty, closings);
  const [currents, lateDays] = [await readCurrent(tx, dirty), await readLateDays(tx, dirty, inputs)];
  for (const [at, positionDay] of dirty.entries()) {
    const { delivery_day: day, position_no: positionNo, brp_no: brpNo } = positionDay;
    const input = inputs[at] as NettingInput;
    const saldo = net(slotCount(day), input.contributions);
    const contractDays = lateDays[at] ?? [];
    const sendable =
      contractDays.length === 0
        ? saldo
        : sendableSaldo(saldo, positionNo, contractDays, closings.get(day) ?? []);
    const next = nextNominations({ day, saldo, sendable, previous: currents[at] ?? [], now, rules });
    netted.push({ positionNo, brpNo, day, late: next.late });
    if (next.kind === 'unchanged') run.unchanged++;
    else if (next.kind === 'too_late') run.tooLate++;
    else for (const version of next.versions) made.push({ positionDay, version, basis: basisOf(input) });
  }
  await insertVersions(tx, made, now);
  await saveLate(tx, netted, now);
  run.created = made.length;
  return run;
}

/** When the slots of each day of a batch close. */
function closingsOf(dirty: readonly DirtyPositionDay[], rules: MarketRules): Map<DeliveryDay, number[]> {
  const days = new Set(dirty.map((positionDay) => positionDay.delivery_day));
  return new Map(Array.from(days, (day) => [day, slotClosings(day, rules)]));
}

/**
 * Everything that a position-day is netted from. Newest revision and number of invalidations per contract are stored
 * with the nomination as its basis, so that the nomination can be explained later.
 */
type NettingInput = {
  contributions: Contribution[];
  revisions: Map<number, number>;
  invalidations: Map<number, number>;
  /** Contracts with sheets or invalidations from the day's first closing on. */
  lateContracts: Set<number>;
};

const SHEETS_OF_POSITIONS = statement(
  'sheets_of_positions',
  `select m.at::int, true, s.contract_no, s.revision, s.volumes, s.statuses,
     coalesce(s.late_at, s.created_at) >= m.closing
   from unnest($1::int[], $2::int[], $3::date[], $4::timestamptz[]) with ordinality
     as m (brp_no, position_no, delivery_day, closing, at)
   join sheet s on s.sender_brp = m.brp_no and s.sender_position = m.position_no
     and s.delivery_day = m.delivery_day and s.receiver_position <> m.position_no
   union all
   select m.at::int, false, s.contract_no, s.revision, s.volumes, s.statuses,
     coalesce(s.late_at, s.created_at) >= m.closing
   from unnest($1::int[], $2::int[], $3::date[], $4::timestamptz[]) with ordinality
     as m (brp_no, position_no, delivery_day, closing, at)
   join sheet s on s.receiver_brp = m.brp_no and s.receiver_position = m.position_no
     and s.delivery_day = m.delivery_day and s.sender_position <> m.position_no`,
);

type NettingColumns = [
  at: number,
  sends: boolean,
  contractNo: number,
  revision: number,
  packedVolumes: Uint8Array,
  statuses: number[] | null,
  isLate: boolean,
];

const INVALIDATIONS = statement(
  'count_invalidations',
  `select contract_no, delivery_day, count(*)::int as known, max(coalesce(late_at, invalidated_at)) as last_at
   from invalidation where contract_no = any($1::int[]) and delivery_day = any($2::date[])
   group by contract_no, delivery_day`,
);

/** Reads all sheets of the position-days with one query. Invariant: a counted cell is valid in exactly one sheet. */
async function readNettingInputs(
  tx: Tx,
  dirty: readonly DirtyPositionDay[],
  closings: ReadonlyMap<DeliveryDay, readonly number[]>,
): Promise<NettingInput[]> {
  const inputs = dirty.map(
    (): NettingInput => ({
      contributions: [],
      revisions: new Map(),
      invalidations: new Map(),
      lateContracts: new Set(),
    }),
  );
  const firstClosing = (day: DeliveryDay) => closings.get(day)?.[0] ?? Infinity;
  const contracts = new Set<number>();
  const columns = await tx.arrays<NettingColumns>(SHEETS_OF_POSITIONS, [
    dirty.map((positionDay) => positionDay.brp_no),
    dirty.map((positionDay) => positionDay.position_no),
    dirty.map((positionDay) => positionDay.delivery_day),
    dirty.map((positionDay) => timestamp(firstClosing(positionDay.delivery_day))),
  ]);
  for (const [at, sends, contractNo, revision, packed, statuses, isLate] of columns) {
    const { contributions, revisions, lateContracts } = inputs[at - 1] as NettingInput;
    contributions.push({ sends, receives: !sends, sheets: [{ volumes: unpackVolumes(packed), statuses }] });
    revisions.set(contractNo, Math.max(revision, revisions.get(contractNo) ?? 0));
    contracts.add(contractNo);
    if (isLate) lateContracts.add(contractNo);
  }
  const counts = await tx.query<InvalidationCount>(INVALIDATIONS, [[...contracts], [...closings.keys()]]);
  for (const { contract_no, delivery_day, known, last_at } of counts) {
    for (const [at, positionDay] of dirty.entries()) {
      if (positionDay.delivery_day !== delivery_day) continue;
      const { revisions, invalidations, lateContracts } = inputs[at] as NettingInput;
      invalidations.set(contract_no, known);
      if (revisions.has(contract_no) && last_at >= firstClosing(delivery_day)) lateContracts.add(contract_no);
    }
  }
  return inputs;
}

type InvalidationCount = { contract_no: number; delivery_day: DeliveryDay; known: number; last_at: number };

/** Per position-day, its contract-days that changed after the first closing. Usually there are none. */
async function readLateDays(
  tx: Tx,
  dirty: readonly DirtyPositionDay[],
  inputs: readonly NettingInput[],
): Promise<StoredContractDay[][]> {
  const late = dirty.map(({ delivery_day: day }, at) =>
    Array.from(inputs[at]?.lateContracts ?? [], (contractNo) => ({ contractNo, day })),
  );
  const keyOf = ({ contractNo, day }: { contractNo: number; day: DeliveryDay }) => `${contractNo} ${day}`;
  const keys = new Map(late.flat().map((key) => [keyOf(key), { ...key, ...WHOLE_CONTRACT_DAY }]));
  const contractDays = (await readContractDays(tx, [...keys.values()])).map(applyLateMarks);
  const found = new Map(contractDays.map((contractDay) => [keyOf(contractDay), contractDay]));
  return late.map((ofPosition) => ofPosition.flatMap((key) => found.get(keyOf(key)) ?? []));
}

const CURRENT_NOMINATIONS = statement(
  'current_nominations',
  `select m.at::int, n.id, n.direction, n.version, n.amounts
   from unnest($1::int[], $2::date[]) with ordinality as m (position_no, delivery_day, at)
   join nomination n on n.position_no = m.position_no and n.delivery_day = m.delivery_day
   where n.status <> 'superseded'`,
);

async function readCurrent(tx: Tx, dirty: readonly DirtyPositionDay[]): Promise<CurrentNomination[][]> {
  const rows = await tx.query<CurrentNomination & { at: number }>(CURRENT_NOMINATIONS, [
    dirty.map((positionDay) => positionDay.position_no),
    dirty.map((positionDay) => positionDay.delivery_day),
  ]);
  const currents = dirty.map((): CurrentNomination[] => []);
  for (const { at, ...nomination } of rows) currents[at - 1]?.push(nomination);
  return currents;
}

type Basis = { contracts: number[]; revisions: number[]; invalidations: number[] };

function basisOf({ revisions, invalidations }: NettingInput): Basis {
  const contracts = [...revisions.keys()].toSorted((one, other) => one - other);
  return {
    contracts,
    revisions: contracts.map((no) => revisions.get(no) ?? 0),
    invalidations: contracts.map((no) => invalidations.get(no) ?? 0),
  };
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
  const inserted = await tx.query<NominationIdentity>(INSERT_VERSIONS, [
    versions.map(() => newId()),
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
    const status = row.status === 'superseded' ? row.status : matchStatus(row.amounts, matchedKw);
    const isChanged = status !== row.status || !isSame(row.matched, matchedKw);
    const isNews = row.confirmed_at === null ? isFinal || isChanged : isFinal && isChanged;
    return isNews ? [{ id: row.id, status, matchedKw }] : [];
  });
  if (changes.length === 0) return [];
  const confirmed = await tx.query<NominationIdentity & Pick<Confirmable, 'status'>>(CONFIRM, [
    changes.map(({ id }) => id),
    changes.map(({ matchedKw }) => arrayText(matchedKw)),
    changes.map(({ status }) => status),
    timestampOrNull(isFinal ? now : null),
  ]);
  const events = confirmed.flatMap((row): NewEvent[] => {
    const type = CONFIRMED_EVENTS[row.status];
    const data = { ...nominationData(row), is_final: isFinal };
    return type === null ? [] : [{ type, tenants: [`brp/${row.brp_no}`, 'operator'], data }];
  });
  await appendEvents(tx, events, now);
  return changes.map(({ id }) => id);
}

const isSame = (known: readonly number[] | null, matchedKw: readonly number[]): boolean =>
  known !== null && known.length === matchedKw.length && known.every((kw, at) => kw === matchedKw[at]);
