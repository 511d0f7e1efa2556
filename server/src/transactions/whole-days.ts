import { setImmediate } from 'node:timers/promises';
import {
  type LedgerEntry,
  type LedgerParty,
  sheetEntry,
  supersededEntry,
} from '@saldo/core/ledger/entries.ts';
import { STATUS_BIT, SUPERSEDED } from '@saldo/core/transactions/sheet.ts';
import { appendEvents, type NewEvent } from '../events/store.ts';
import { appendEntries } from '../ledger/append.ts';
import type { Tx } from '../platform/db/database.ts';
import { newSheetId } from '../platform/db/new-id.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { ContractDay } from './day-batch.ts';
import type { DirtyPositions } from './dirty-positions.ts';
import { transactionEvents } from './events.ts';
import { readLedgerParties } from './ledger-entries.ts';
import { statusColumnOf } from './sheet-status.ts';
import { partiesOn } from './volume-contracts.ts';

/**
 * A day whose newest sheet sets every slot and is valid throughout has no other sheet in use. Its next sheet repeats the
 * volumes with the new parties, and supersedes it as a whole. Volumes with two neighbouring bytes of ones may have an
 * empty slot. The limit makes it one look-up per day: the planner could read all sheets instead.
 */
const REISSUE_WHOLE_DAYS = statement(
  'reissue_whole_days',
  `with whole as materialized (
     select asked.*, newest.id as former_id, newest.revision, newest.volumes, newest.versions,
       newest.sender_position as former_sender_position, newest.sender_brp as former_sender_brp,
       newest.receiver_position as former_receiver_position, newest.receiver_brp as former_receiver_brp
     from unnest($1::uuid[], $2::int[], $3::date[], $4::int[], $5::int[], $6::int[], $7::int[]) with ordinality as asked
       (id, contract_no, delivery_day, sender_position, sender_brp, receiver_position, receiver_brp, at)
     cross join lateral (
       select s.* from sheet s
       where s.contract_no = asked.contract_no and s.delivery_day = asked.delivery_day
       order by s.revision desc limit 1
     ) as newest
     where (newest.sender_position <> asked.sender_position or newest.receiver_position <> asked.receiver_position)
       and position('\\xffff'::bytea in newest.volumes) = 0
       and ${statusColumnOf('newest', 'mask')} is null
   ), reissued as (
     insert into sheet (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position,
       sender_brp, receiver_brp, volumes, versions, previous)
     select id, $8, contract_no, delivery_day, revision + 1, sender_position, receiver_position, sender_brp,
       receiver_brp, volumes,
       case when versions is null then '{2}'
         else array(select version + 1 from unnest(versions) with ordinality as v (version, at) order by v.at) end,
       array[revision]
     from whole order by at
   ), sourced as (
     insert into sheet_source (contract_no, delivery_day, revision, origins, forecast_no, forecast_revision, meter_no,
       meter_revision)
     select whole.contract_no, whole.delivery_day, whole.revision + 1, former.origins, former.forecast_no,
       former.forecast_revision, former.meter_no, former.meter_revision
     from whole cross join lateral (
       select s.* from sheet_source s
       where s.contract_no = whole.contract_no and s.delivery_day = whole.delivery_day and s.revision = whole.revision
       limit 1
     ) as former
   ), superseded as (
     insert into sheet_status (contract_no, delivery_day, revision, sender_brp, receiver_brp, mask, statuses)
     select contract_no, delivery_day, revision, former_sender_brp, former_receiver_brp, ${STATUS_BIT.superseded},
       '{${SUPERSEDED}}'
     from whole order by at
   )
   select at::int, (length(volumes) - 1) / get_byte(volumes, 0), former_sender_position, former_sender_brp,
     former_receiver_position, former_receiver_brp, id, former_id, revision, encode(volumes, 'hex'), versions
   from whole`,
);

type ReissuedColumns = [
  at: number,
  slots: number,
  senderPosition: number,
  senderBrp: number,
  receiverPosition: number,
  receiverBrp: number,
  id: string,
  formerId: string,
  formerRevision: number,
  volumesHex: string,
  formerVersions: number[] | null,
];

/** Contract-days that one statement reissues: reading its rows blocks the event loop. */
const DAYS_AT_ONCE = 96;
/** Reissued days whose events and entries are made without a turn of the event loop: half a millisecond. */
const DAYS_WITHOUT_PAUSE = 4;

/**
 * Reissues the days of which every slot is valid, within the database: nearly all days of a customer that moves. Returns
 * the number of transactions, and the days that are left. Server and database take turns, which leaves a core for other requests:
 * at the same time a move would take three quarters of the time, and the p99 of others twice as long. Precondition: the contracts
 * are locked.
 */
export async function reissueWholeDays(
  tx: Tx,
  days: readonly ContractDay[],
  dirty: DirtyPositions,
  now: number,
): Promise<{ transactions: number; left: ContractDay[] }> {
  const left = new Set(days);
  const partyOf = await readLedgerParties(tx, positionsOf(days));
  let transactions = 0;
  for (let at = 0; at < days.length; at += DAYS_AT_ONCE) {
    const asked = days.slice(at, at + DAYS_AT_ONCE);
    const rows = await reissue(tx, asked, now);
    for (let from = 0; from < rows.length; from += DAYS_WITHOUT_PAUSE) {
      await setImmediate();
      const [events, entries]: [NewEvent[], LedgerEntry[]] = [[], []];
      for (const row of rows.slice(from, from + DAYS_WITHOUT_PAUSE)) {
        const contractDay = asked[row[0] - 1]!;
        left.delete(contractDay);
        transactions += row[1];
        events.push(...markAndCreateEvents(contractDay, row, dirty));
        entries.push(...entriesOf(contractDay, row, partyOf, now));
      }
      await appendEvents(tx, events, now);
      appendEntries(tx, entries, now);
    }
  }
  return { transactions, left: [...left] };
}

function* positionsOf(days: readonly ContractDay[]): Iterable<number> {
  for (const { contract, day } of days) {
    const { seller, buyer } = partiesOn(contract, day);
    yield seller.positionNo;
    yield buyer.positionNo;
  }
}

/** The entries of the sheet of a reissued day, and of the transactions that it replaces. */
function entriesOf(
  { contract, day }: ContractDay,
  row: ReissuedColumns,
  partyOf: (positionNo: number) => LedgerParty,
  committedAt: number,
): LedgerEntry[] {
  const [, slots, , , , , uuid, formerId, formerRevision, volumesHex, formerVersions] = row;
  const { seller, buyer } = partiesOn(contract, day);
  const revision = formerRevision + 1;
  const sheet = {
    ...{ uuid, contractUuid: contract.id, day, revision, volumesHex, committedAt },
    sender: partyOf(seller.positionNo),
    receiver: partyOf(buyer.positionNo),
    versions: formerVersions?.map((version) => version + 1) ?? [2],
    previous: [formerRevision],
  };
  return [sheetEntry(sheet), supersededEntry(formerId, revision, everySlot(slots), committedAt)];
}

/** By their number: making them for each day took a seventh of the server's time for a move. */
const slotNumbers = new Map<number, readonly number[]>();
const everySlot = (slots: number) =>
  slotNumbers.getOrInsertComputed(slots, () => Array.from({ length: slots }, (_, at) => at + 1));

async function reissue(tx: Tx, days: readonly ContractDay[], now: number): Promise<ReissuedColumns[]> {
  const parties = days.map(({ contract, day }) => partiesOn(contract, day));
  return tx.arrays<ReissuedColumns>(REISSUE_WHOLE_DAYS, [
    days.map(() => newSheetId()),
    days.map(({ contract }) => contract.no),
    days.map(({ day }) => day),
    parties.map(({ seller }) => seller.positionNo),
    parties.map(({ seller }) => seller.brpNo),
    parties.map(({ buyer }) => buyer.positionNo),
    parties.map(({ buyer }) => buyer.brpNo),
    timestamp(now),
  ]);
}

/** Marks the positions of a reissued day. Returns its events. */
function markAndCreateEvents(
  { contract, day }: ContractDay,
  [, slots, senderPosition, senderBrp, receiverPosition, receiverBrp]: ReissuedColumns,
  dirty: DirtyPositions,
): NewEvent[] {
  const { seller, buyer } = partiesOn(contract, day);
  const sheets = [
    {
      sender: { positionNo: senderPosition, brpNo: senderBrp },
      receiver: { positionNo: receiverPosition, brpNo: receiverBrp },
    },
    { sender: seller, receiver: buyer },
  ];
  dirty.addMoved(day, sheets);
  return transactionEvents(contract, day, sheets, { created: 0, corrected: slots, invalidated: 0 });
}
