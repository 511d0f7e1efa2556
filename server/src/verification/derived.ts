import { TRANSACTION_STATUSES } from '@saldo/core/enums.ts';
import { encodeId, ID_PREFIX, transactionUuid } from '@saldo/core/id.ts';
import { elementAt, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import type { Differences } from './report.ts';
import { arrayOf, msOf, type Row } from './row-stream.ts';
import type { Snapshot } from './snapshot.ts';

/** Rows that have no entries of their own, because they follow from rows with entries. */

/** All sheets of the contract-days with corrections, invalidations or statuses, by contract-day and revision. */
const CORRECTED_DAYS = `
  select s.contract_no, s.delivery_day, s.revision, s.id, encode(s.volumes, 'hex'), s.previous, t.statuses, t.mask,
    (select string_agg(array_to_string(i.slots, ','), ',') from invalidation i
     where i.contract_no = s.contract_no and i.delivery_day = s.delivery_day and i.revision = s.revision)
  from (
    select contract_no, delivery_day from sheet where previous is not null
    union select contract_no, delivery_day from invalidation
    union select contract_no, delivery_day from sheet_status
  ) as day
  join sheet s using (contract_no, delivery_day)
  left join sheet_status t using (contract_no, delivery_day, revision)
  order by s.contract_no, s.delivery_day, s.revision`;

const [VALID, INVALID, SUPERSEDED] = [0, 1, 2];

type DaySheet = {
  readonly id: string;
  readonly revision: number;
  readonly volumes: readonly (number | null)[];
  readonly previous: readonly (number | null)[] | null;
  readonly statuses: readonly number[] | null;
  readonly mask: number | null;
  readonly invalidSlots: ReadonlySet<number>;
};

const sheetOf = ([, , revision, id, volumesHex, previous, statuses, mask, invalid]: Row): DaySheet => ({
  id: id!,
  revision: Number(revision),
  volumes: unpackVolumes(Buffer.from(volumesHex!, 'hex')),
  previous: arrayOf(previous!),
  statuses: arrayOf(statuses!) as number[] | null,
  mask: mask === '' ? null : Number(mask),
  invalidSlots: new Set(invalid!.split(',').map(Number)),
});

/** Compares the stored statuses with those that follow from sheets and invalidations. */
async function compareStatuses(snapshot: Snapshot, differences: Differences): Promise<void> {
  await snapshot.streams([{ select: CORRECTED_DAYS }], async ([stream]) => {
    let day: DaySheet[] = [];
    let key = '';
    for (let row = await stream!.next(); row !== null; row = await stream!.next()) {
      const next = `${row[0]} ${row[1]}`;
      if (next !== key) compareDay(day.splice(0), differences);
      key = next;
      day.push(sheetOf(row));
    }
    compareDay(day, differences);
  });
}

function compareDay(sheets: readonly DaySheet[], differences: Differences): void {
  for (const sheet of sheets) {
    let mask = 0;
    for (const [at, volume] of sheet.volumes.entries()) {
      if (volume === null) continue;
      const expected = statusOf(sheet, at, sheets);
      const stored = sheet.statuses === null ? VALID : elementAt(sheet.statuses, at);
      mask |= 1 << expected;
      if (stored === expected) continue;
      const id = encodeId(ID_PREFIX.transaction, transactionUuid(sheet.id, at + 1));
      differences.add(
        `changed: the status of transaction ${id} is ${TRANSACTION_STATUSES[stored] ?? stored}, but ` +
          `${TRANSACTION_STATUSES[expected]} follows from the corrections and invalidations of its day`,
      );
    }
    if (sheet.mask !== null && sheet.mask !== mask)
      differences.add(
        `changed: the statuses by which lists find transactions ${encodeId(ID_PREFIX.transaction, sheet.id)}`,
      );
  }
}

function statusOf(sheet: DaySheet, at: number, sheets: readonly DaySheet[]): number {
  const isReplaced = sheets.some(
    ({ previous, volumes }) =>
      previous !== null && volumes[at] !== null && elementAt(previous, at) === sheet.revision,
  );
  if (isReplaced) return SUPERSEDED;
  return sheet.invalidSlots.has(at + 1) ? INVALID : VALID;
}

/** Statements that return the records that differ. `$start` is the instant of the first entry. */
const DIFFERING: { readonly what: string; readonly select: (start: string) => string }[] = [
  {
    what: 'the BRPs of transactions are not those of their balance groups',
    select: () => `
      select typeid('txn', s.id) from sheet s
      join position p on p.no = s.sender_position join position q on q.no = s.receiver_position
      where s.sender_brp <> p.brp_no or s.receiver_brp <> q.brp_no`,
  },
  {
    what: 'statuses of transactions that do not exist, or of other BRPs',
    select: () => `
      select concat_ws(' ', typeid('con', c.id), t.delivery_day, 'revision', t.revision) from sheet_status t
      left join sheet s using (contract_no, delivery_day, revision)
      left join contract c on c.no = t.contract_no
      where s.id is null or t.sender_brp <> s.sender_brp or t.receiver_brp <> s.receiver_brp`,
  },
  {
    what: 'status, matched amounts or time of confirmation are not those of the newest confirmation and version',
    select: (start) => `
      select typeid('nom', n.id) from nomination n
      left join lateral (
        select c.status, c.matched, c.confirmed_at from nomination_confirmation c
        where c.nomination_id = n.id order by c.number desc limit 1
      ) as newest on true
      left join nomination later on later.position_no = n.position_no and later.delivery_day = n.delivery_day
        and later.direction = n.direction and later.version = n.version + 1
      where (newest.status is not null or n.created_at >= ${start}) and (
        n.status <> case when later.id is not null then 'superseded' else coalesce(newest.status, 'pending') end
        or n.matched is distinct from newest.matched or n.confirmed_at is distinct from newest.confirmed_at)`,
  },
  {
    what: 'the balance group or BRP of a nomination is not that of its position',
    select: () => `
      select typeid('nom', n.id) from nomination n join position p on p.no = n.position_no
      where n.eic <> p.eic or n.tso <> p.tso or n.brp_no <> p.brp_no`,
  },
  {
    what: 'the placements of a customer are not those of their newest change',
    select: () => `
      select typeid('cust', newest.customer_id)
      from (
        select distinct on (customer_id) customer_id, placements
        from placement_change order by customer_id, number desc
      ) as newest
      left join (
        select l.customer_id, jsonb_agg(jsonb_build_object('eic', p.eic, 'tso', p.tso,
            'first_day', nullif(l.first_day, '-infinity'), 'last_day', nullif(l.last_day, 'infinity'))
          order by l.first_day) as placements
        from placement l join position p on p.no = l.position_no group by l.customer_id
      ) as stored using (customer_id)
      where newest.placements <> coalesce(stored.placements, '[]')`,
  },
];

export async function compareDerived(
  snapshot: Snapshot,
  differences: Differences,
  startsAt: number,
): Promise<void> {
  await compareStatuses(snapshot, differences);
  const start = `'${new Date(startsAt).toISOString()}'`;
  for (const { what, select } of DIFFERING)
    for (const [record] of await snapshot.rows(select(start))) differences.add(`changed: ${record}: ${what}`);
}

/** The first instant of the ledger in milliseconds; null if it is empty. */
export async function readLedgerStart(snapshot: Snapshot): Promise<number | null> {
  const [row] = await snapshot.rows(`select ${msOf('min(committed_at)')} from ledger_batch`);
  return row?.[0] ? Number(row[0]) : null;
}
