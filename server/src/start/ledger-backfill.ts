import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Json } from '@saldo/core/ledger/canonical-json.ts';
import {
  auditEntry,
  invalidatedEntry,
  type LedgerEntry,
  messageEntry,
  messageSentEntry,
  nominationEntry,
  nominationSentEntry,
  nominationSupersededEntry,
  sheetEntry,
  supersededEntry,
} from '@saldo/core/ledger/entries.ts';
import { supersededSlots, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import { recordPlacements } from '../customers/placements.ts';
import { appendEntries } from '../ledger/append.ts';
import { recordStoredConfirmations } from '../nominations/actions.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { type Statement, statement } from '../platform/db/statement.ts';
import { hexOf } from '../transactions/ledger-entries.ts';

/** An entry of a record that was stored before the ledger, with the instant of its change. */
type Dated = { readonly entry: LedgerEntry; readonly committedAt: number };

/** A kind of records: `read` has the place of each as `place`, and takes the place of the last one before ($1). */
type Step<Row extends { place: string }> = {
  readonly read: Statement;
  readonly from: string;
  readonly atOnce: number;
  readonly entriesOf: (row: Row, tx: Tx) => Dated[] | Promise<Dated[]>;
};
const step = <Row extends { place: string }>(one: Step<Row>): Step<never> => one;

const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
const ROWS_AT_ONCE = 1_000;
/** Documents have up to megabytes. */
const DOCUMENTS_AT_ONCE = 20;

type SheetRow = {
  place: string;
  created_at: number;
  contract_id: string;
  delivery_day: DeliveryDay;
  revision: number;
  volumes: Uint8Array;
  versions: number[] | null;
  previous: (number | null)[] | null;
  replaced: Record<number, string> | null;
  sender_eic: string;
  sender_tso: never;
  receiver_eic: string;
  receiver_tso: never;
};

const SHEETS = step<SheetRow>({
  read: statement(
    'backfill_sheets',
    `select s.id as place, s.created_at, c.id as contract_id, s.delivery_day, s.revision, s.volumes, s.versions, s.previous,
       case when s.previous is not null then (
         select json_object_agg(e.revision, e.id) from sheet e
         where e.contract_no = s.contract_no and e.delivery_day = s.delivery_day and e.revision = any(s.previous)
       ) end as replaced,
       sender.eic as sender_eic, sender.tso as sender_tso, receiver.eic as receiver_eic, receiver.tso as receiver_tso
     from (select * from sheet where id > $1::uuid order by id limit ${ROWS_AT_ONCE}) as s
     join contract c on c.no = s.contract_no
     join position sender on sender.no = s.sender_position join position receiver on receiver.no = s.receiver_position
     order by s.id`,
  ),
  from: FIRST_UUID,
  atOnce: ROWS_AT_ONCE,
  entriesOf(row) {
    const { place: uuid, revision, previous, created_at: committedAt } = row;
    const sheet = {
      ...{ uuid, contractUuid: row.contract_id, day: row.delivery_day, revision, previous, committedAt },
      sender: { eic: row.sender_eic, tso: row.sender_tso },
      receiver: { eic: row.receiver_eic, tso: row.receiver_tso },
      ...{ volumesHex: hexOf(row.volumes), versions: row.versions },
    };
    const replaced = supersededSlots({ volumes: unpackVolumes(row.volumes), previous });
    return [
      { entry: sheetEntry(sheet), committedAt },
      ...[...replaced].map(([of, slots]) => ({
        entry: supersededEntry(row.replaced![of]!, revision, slots, committedAt),
        committedAt,
      })),
    ];
  },
});

type InvalidationRow = {
  place: string;
  sheet_id: string;
  number: number;
  slots: number[];
  invalidated_at: number;
};
const INVALIDATIONS = step<InvalidationRow>({
  read: statement(
    'backfill_invalidations',
    `select concat_ws(' ', i.contract_no, i.delivery_day, i.number) as place, s.id as sheet_id, i.number, i.slots,
       i.invalidated_at
     from (
       select * from invalidation
       where (contract_no, delivery_day, number)
         > (split_part($1, ' ', 1)::int, split_part($1, ' ', 2)::date, split_part($1, ' ', 3)::int)
       order by contract_no, delivery_day, number limit ${ROWS_AT_ONCE}) as i
     join sheet s on (s.contract_no, s.delivery_day, s.revision) = (i.contract_no, i.delivery_day, i.revision)
     order by i.contract_no, i.delivery_day, i.number`,
  ),
  from: '0 1970-01-01 0',
  atOnce: ROWS_AT_ONCE,
  entriesOf: ({ sheet_id, number, slots, invalidated_at: committedAt }) => [
    { entry: invalidatedEntry(sheet_id, number, slots, committedAt), committedAt },
  ],
});

type NominationRow = {
  place: string;
  eic: string;
  tso: never;
  delivery_day: DeliveryDay;
  direction: 'out' | 'in';
  version: number;
  previous_id: string | null;
  amounts: number[];
  gate_closure: number;
  created_at: number;
  sent_at: number | null;
};
const NOMINATIONS = step<NominationRow>({
  read: statement(
    'backfill_nominations',
    `select id as place, eic, tso, delivery_day, direction, version, previous_id, amounts, gate_closure, created_at, sent_at
     from nomination where id > $1::uuid order by id limit ${ROWS_AT_ONCE}`,
  ),
  from: FIRST_UUID,
  atOnce: ROWS_AT_ONCE,
  async entriesOf(row, tx) {
    const { place: uuid, eic, tso, direction, version, previous_id: previousUuid } = row;
    const { created_at: committedAt, sent_at: sentAt } = row;
    const nomination = {
      ...{ uuid, eic, tso, day: row.delivery_day, direction, version, previousUuid, committedAt },
      ...{ amounts: row.amounts, gateClosure: row.gate_closure },
    };
    await recordStoredConfirmations(tx, uuid);
    return [
      { entry: nominationEntry(nomination), committedAt },
      ...(previousUuid === null
        ? []
        : [{ entry: nominationSupersededEntry(previousUuid, version, uuid, committedAt), committedAt }]),
      ...(sentAt === null ? [] : [{ entry: nominationSentEntry(uuid, sentAt), committedAt: sentAt }]),
    ];
  },
});

type MessageRow = {
  place: string;
  direction: 'out' | 'in';
  document: Buffer | null;
  created_at: number;
  sent_at: number | null;
};
const MESSAGES = step<MessageRow>({
  read: statement(
    'backfill_messages',
    `select id as place, direction, document, created_at, sent_at
     from message where id > $1::uuid order by id limit ${DOCUMENTS_AT_ONCE}`,
  ),
  from: FIRST_UUID,
  atOnce: DOCUMENTS_AT_ONCE,
  async entriesOf({ place: uuid, direction, document, created_at: committedAt, sent_at: sentAt }) {
    const documentSha256 = document && hash('sha256', await promisify(gunzip)(document));
    return [
      { entry: messageEntry({ uuid, direction, documentSha256, committedAt }), committedAt },
      ...(sentAt === null ? [] : [{ entry: messageSentEntry(uuid, sentAt), committedAt: sentAt }]),
    ];
  },
});

/** The placements as they are now: their earlier changes are not known. */
const PLACEMENTS = step<{ place: string; assigned_at: number }>({
  read: statement(
    'backfill_placements',
    `select id as place, coalesce(assigned_at, created_at) as assigned_at from customer c
     where id > $1::uuid and exists (select from placement l where l.customer_id = c.id)
     order by id limit ${ROWS_AT_ONCE}`,
  ),
  from: FIRST_UUID,
  atOnce: ROWS_AT_ONCE,
  async entriesOf({ place, assigned_at }, tx) {
    await recordPlacements(tx, place, assigned_at);
    return [];
  },
});

type AuditRow = {
  place: string;
  at: number;
  actor: string;
  action: string;
  subject: string;
  request_id: string | null;
  address: string | null;
  user_agent: string | null;
  before: Json;
  after: Json;
};
const AUDIT = step<AuditRow>({
  read: statement(
    'backfill_audit',
    `select no::text as place, at, actor, action, subject, request_id, address, user_agent, before, after
     from audit where no > $1::bigint order by no limit ${ROWS_AT_ONCE}`,
  ),
  from: '0',
  atOnce: ROWS_AT_ONCE,
  entriesOf({ place, at: committedAt, request_id: requestId, user_agent: userAgent, ...row }) {
    const entry = auditEntry({ ...row, no: Number(place), requestId, userAgent, committedAt });
    return [{ entry, committedAt }];
  },
});

/** The place in this list is stored in `ledger_backfill`. */
const STEPS = [SHEETS, INVALIDATIONS, NOMINATIONS, MESSAGES, PLACEMENTS, AUDIT];

const TAKE = statement('take_ledger_backfill', 'select step, place from ledger_backfill for update');
const GO_ON = statement('go_on_ledger_backfill', 'update ledger_backfill set step = $1, place = $2');
const END = statement('end_ledger_backfill', 'delete from ledger_backfill');

/** Writes the entries of some records, and returns whether records are left. */
async function writeSome(tx: Tx): Promise<boolean> {
  const [state] = await tx.query<{ step: number; place: string | null }>(TAKE);
  if (state === undefined) return false;
  const current = STEPS[state.step];
  if (current === undefined) {
    await tx.query(END);
    return false;
  }
  const rows = await tx.query<never>(current.read, [state.place ?? current.from]);
  for (const row of rows)
    for (const { entry, committedAt } of await current.entriesOf(row, tx))
      appendEntries(tx, [entry], committedAt);
  const last = rows.at(-1) as { place: string } | undefined;
  const isEnd = rows.length < current.atOnce;
  await tx.query(GO_ON, isEnd ? [state.step + 1, null] : [state.step, last!.place]);
  return true;
}

/**
 * Writes entries of the records that were stored before the ledger, at the start after the migration and before the first request.
 * Each transaction writes the entries of some records and its place, so that a start that ends in between is gone on with.
 */
export async function backfillLedger(db: Database, say: (message: string) => void): Promise<void> {
  if (!(await db.transaction(writeSome))) return;
  say('Writing the ledger of the stored data…');
  while (await db.transaction(writeSome));
}
