import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import type { GateRules } from '@saldo/core/gates.ts';
import { matchStatus } from '@saldo/core/nominations/matching.ts';
import { type Contribution, net } from '@saldo/core/nominations/netting.ts';
import {
  type CurrentNomination,
  type NominationVersion,
  nextNominations,
} from '@saldo/core/nominations/nomination.ts';
import { unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import { type Database, statement, type Tx } from '../../db/database.ts';
import { newId } from '../../db/new-id.ts';
import { timestamp, timestampOrNull } from '../../db/wire-types.ts';
import { withSmallHeap } from '../../heap.ts';

/** A position-day that is to be netted again. */
type Mark = { position_no: number; delivery_day: DeliveryDay; brp_no: number };

/** Position-days that are netted in one transaction. */
const MARKS_AT_ONCE = 200;

/**
 * An import says a day piece by piece. Marks that were touched a moment ago are left to rest, but none for long: a
 * correction is to be nominated within two seconds.
 */
const REST_MS = 600;
const LONGEST_REST_MS = 1200;

/** Marks that another process works on are left to it. */
const TAKE_MARKS = statement(
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
 * Nets every position-day that has changed and makes the versions that follow. The marks, what was read for them and
 * the new versions are one transaction for a bounded number of position-days. Several processes may run it at once;
 * run again, it finds nothing to do.
 */
export async function nominateDue(
  db: Database,
  now: number,
  rules: GateRules,
  only: { day?: DeliveryDay | undefined; rested?: boolean } = {},
): Promise<NominationRun> {
  const [rest, longestRest] = only.rested ? [REST_MS, LONGEST_REST_MS] : [0, 0];
  const which = [MARKS_AT_ONCE, only.day ?? null, rest, longestRest];
  const run: NominationRun = { positions: 0, created: 0, unchanged: 0, tooLate: 0 };
  const takeBatch = async (): Promise<boolean> => {
    const batch = await db.transaction((tx) => nominateBatch(tx, now, rules, which));
    run.positions += batch.positions;
    run.created += batch.created;
    run.unchanged += batch.unchanged;
    run.tooLate += batch.tooLate;
    return batch.positions === MARKS_AT_ONCE;
  };
  const takeAll = async () => {
    while (await takeBatch());
  };
  // A market day leaves as much behind as its import did.
  if (await takeBatch()) await withSmallHeap(takeAll);
  return run;
}

async function nominateBatch(
  tx: Tx,
  now: number,
  rules: GateRules,
  which: readonly unknown[],
): Promise<NominationRun> {
  const marks = await tx.query<Mark>(TAKE_MARKS, which);
  const run: NominationRun = { positions: marks.length, created: 0, unchanged: 0, tooLate: 0 };
  if (marks.length === 0) return run;
  const made: NewVersion[] = [];
  const [books, currents] = [await readBooks(tx, marks), await readCurrent(tx, marks)];
  for (const [at, mark] of marks.entries()) {
    const day = mark.delivery_day;
    const book = books[at] as Book;
    const saldo = net(slotCount(day), book.contributions);
    const next = nextNominations({ day, saldo, previous: currents[at] ?? [], now, rules });
    if (next.kind === 'unchanged') run.unchanged++;
    else if (next.kind === 'too_late') run.tooLate++;
    else for (const version of next.versions) made.push({ mark, version, basis: basisOf(book) });
  }
  await insertVersions(tx, made, now);
  run.created = made.length;
  return run;
}

/** What a position-day is netted from, and what that was: per contract its newest revision and its invalidations. */
type Book = {
  contributions: Contribution[];
  revisions: Map<number, number>;
  invalidations: Map<number, number>;
};

const SHEETS_OF_POSITIONS = statement(
  'sheets_of_positions',
  `select m.at::int, true, s.contract_no, s.revision, s.volumes, s.statuses
   from unnest($1::int[], $2::int[], $3::date[]) with ordinality as m (brp_no, position_no, delivery_day, at)
   join sheet s on s.sender_brp = m.brp_no and s.sender_position = m.position_no
     and s.delivery_day = m.delivery_day and s.receiver_position <> m.position_no
   union all
   select m.at::int, false, s.contract_no, s.revision, s.volumes, s.statuses
   from unnest($1::int[], $2::int[], $3::date[]) with ordinality as m (brp_no, position_no, delivery_day, at)
   join sheet s on s.receiver_brp = m.brp_no and s.receiver_position = m.position_no
     and s.delivery_day = m.delivery_day and s.sender_position <> m.position_no`,
);

type BookColumns = [
  at: number,
  sends: boolean,
  contractNo: number,
  revision: number,
  packedVolumes: Uint8Array,
  statuses: number[] | null,
];

const INVALIDATIONS = statement(
  'count_invalidations',
  `select contract_no, delivery_day, count(*)::int as known
   from invalidation where contract_no = any($1::int[]) and delivery_day = any($2::date[])
   group by contract_no, delivery_day`,
);

/** All sheets of the marked position-days in one read. Every cell that counts is valid in exactly one sheet. */
async function readBooks(tx: Tx, marks: readonly Mark[]): Promise<Book[]> {
  const books = marks.map(
    (): Book => ({ contributions: [], revisions: new Map(), invalidations: new Map() }),
  );
  const contracts = new Set<number>();
  const columns = await tx.arrays<BookColumns>(SHEETS_OF_POSITIONS, [
    marks.map((mark) => mark.brp_no),
    marks.map((mark) => mark.position_no),
    marks.map((mark) => mark.delivery_day),
  ]);
  for (const [at, sends, contractNo, revision, packed, statuses] of columns) {
    const { contributions, revisions } = books[at - 1] as Book;
    contributions.push({ sends, receives: !sends, sheets: [{ volumes: unpackVolumes(packed), statuses }] });
    revisions.set(contractNo, Math.max(revision, revisions.get(contractNo) ?? 0));
    contracts.add(contractNo);
  }
  const counts = await tx.query<{ contract_no: number; delivery_day: DeliveryDay; known: number }>(
    INVALIDATIONS,
    [[...contracts], [...new Set(marks.map((mark) => mark.delivery_day))]],
  );
  for (const { contract_no, delivery_day, known } of counts) {
    for (const [at, mark] of marks.entries()) {
      if (mark.delivery_day === delivery_day) books[at]?.invalidations.set(contract_no, known);
    }
  }
  return books;
}

const CURRENT_NOMINATIONS = statement(
  'current_nominations',
  `select m.at::int, n.id, n.direction, n.version, n.amounts
   from unnest($1::int[], $2::date[]) with ordinality as m (position_no, delivery_day, at)
   join nomination n on n.position_no = m.position_no and n.delivery_day = m.delivery_day
   where n.status <> 'superseded'`,
);

async function readCurrent(tx: Tx, marks: readonly Mark[]): Promise<CurrentNomination[][]> {
  const rows = await tx.query<CurrentNomination & { at: number }>(CURRENT_NOMINATIONS, [
    marks.map((mark) => mark.position_no),
    marks.map((mark) => mark.delivery_day),
  ]);
  const currents = marks.map((): CurrentNomination[] => []);
  for (const { at, ...nomination } of rows) currents[at - 1]?.push(nomination);
  return currents;
}

type Basis = { contracts: number[]; revisions: number[]; invalidations: number[] };

function basisOf({ revisions, invalidations }: Book): Basis {
  const contracts = [...revisions.keys()].toSorted((one, other) => one - other);
  return {
    contracts,
    revisions: contracts.map((no) => revisions.get(no) ?? 0),
    invalidations: contracts.map((no) => invalidations.get(no) ?? 0),
  };
}

/** All versions of a batch at once; arrays within arrays travel as their text. */
const INSERT_VERSIONS = statement(
  'insert_nominations',
  `with superseded as (
     update nomination set status = 'superseded' where id = any($8::uuid[]))
   insert into nomination (id, position_no, brp_no, eic, tso, delivery_day, direction, version, previous_id, status,
     amounts, gate_closure, created_at, basis_contracts, basis_revisions, basis_invalidations)
   select v.id, v.position_no, p.brp_no, p.eic, p.tso, v.delivery_day, v.direction, v.version, v.previous_id, 'pending',
     v.amounts::bigint[], v.gate_closure, $7, v.contracts::int[], v.revisions::int[], v.invalidations::int[]
   from unnest($1::uuid[], $2::int[], $3::date[], $4::direction[], $5::int[], $8::uuid[], $6::timestamptz[],
       $9::text[], $10::text[], $11::text[], $12::text[])
     as v (id, position_no, delivery_day, direction, version, previous_id, gate_closure,
       amounts, contracts, revisions, invalidations)
   join position p on p.no = v.position_no`,
);

type NewVersion = { mark: Mark; version: NominationVersion; basis: Basis };

const arrayText = (numbers: readonly number[]) => `{${numbers.join(',')}}`;

async function insertVersions(tx: Tx, versions: readonly NewVersion[], now: number): Promise<void> {
  if (versions.length === 0) return;
  await tx.query(INSERT_VERSIONS, [
    versions.map(() => newId()),
    versions.map(({ mark }) => mark.position_no),
    versions.map(({ mark }) => mark.delivery_day),
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
}

const MARK_SENT = statement(
  'mark_nominations_sent',
  'update nomination set sent_at = $2 where id = any($1::uuid[]) and sent_at is null',
);

/** The versions have left for their TSO. */
export async function recordSent(tx: Tx, ids: readonly string[], now: number): Promise<void> {
  if (ids.length > 0) await tx.query(MARK_SENT, [ids, timestamp(now)]);
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
   where n.id = c.id`,
);

type Confirmable = {
  id: string;
  amounts: number[];
  matched: number[] | null;
  status: 'pending' | 'partial_match' | 'match' | 'superseded';
  confirmed_at: number | null;
};

/** What a TSO has matched of a version, in kW per slot. */
export type MatchedNomination = { id: string; matchedKw: readonly number[] };

/**
 * A TSO has told what it matched. A version that is superseded meanwhile keeps its status, and nothing follows a final
 * confirmation. Gives the versions that it changed.
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
    const isNews = isFinal || status !== row.status || !isSame(row.matched, matchedKw);
    return row.confirmed_at === null && isNews ? [{ id: row.id, status, matchedKw }] : [];
  });
  if (changes.length === 0) return [];
  await tx.query(CONFIRM, [
    changes.map(({ id }) => id),
    changes.map(({ matchedKw }) => arrayText(matchedKw)),
    changes.map(({ status }) => status),
    timestampOrNull(isFinal ? now : null),
  ]);
  return changes.map(({ id }) => id);
}

const isSame = (known: readonly number[] | null, told: readonly number[]): boolean =>
  known !== null && known.length === told.length && known.every((kw, at) => kw === told[at]);
