import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { LIMITS } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

/** What the platform made of an interchange, as it is stored. */
export type InterchangeOutcome = {
  readonly messages: number;
  /** Why nothing of the interchange was applied; null if it was read. */
  readonly fault: Message | null;
  readonly rejected: readonly { message: number; segment: number; reason: Message }[];
  readonly rejectedMessages: number;
  readonly remarks: readonly { message: number; segment: number | null; text: Message }[];
};

export type InterchangeRow = {
  no: number;
  id: string;
  received_at: number;
  actor: string;
  request_id: string;
  sender: string | null;
  reference: string | null;
  /** Null until the interchange was read to its end. */
  result: InterchangeOutcome | null;
  /** Market locations without a series: the first ones, and the number of all. */
  unknown: string[] | null;
  unknown_count: number;
};

const SELECT = `select i.no, i.id, i.received_at, i.actor, i.request_id, i.sender, i.reference, i.result, u.*
   from interchange i cross join lateral (
     select (array_agg(market_location order by market_location))[1:${LIMITS.rejectedLines}] as unknown,
       count(*)::int as unknown_count
     from (select distinct market_location from interchange_unknown where interchange_no = i.no) as locations
   ) as u`;

const LIST = statement('list_interchanges', `${SELECT} where i.id < $1 order by i.id desc limit $2`);

/** Newest first. `after` is the id of the last row on the previous page. */
export const listInterchanges = (
  db: Db,
  { after, count }: { after: string; count: number },
): Promise<InterchangeRow[]> => db.query<InterchangeRow>(LIST, [after, count]);

const FIND = statement('find_interchange', `${SELECT} where i.id = $1`);

export async function findInterchange(db: Db, id: string): Promise<InterchangeRow | null> {
  const [row] = await db.query<InterchangeRow>(FIND, [id]);
  return row ?? null;
}

const LIST_UNREAD = statement('list_unread_interchanges', `${SELECT} where i.result is null order by i.no`);

export const listUnread = (db: Db): Promise<InterchangeRow[]> => db.query<InterchangeRow>(LIST_UNREAD);

const FIND_RAW = statement('find_interchange_raw', 'select raw from interchange where id = $1');

/** The exact bytes that were received. */
export async function findRaw(db: Db, id: string): Promise<Buffer | null> {
  const [row] = await db.query<{ raw: Buffer }>(FIND_RAW, [id]);
  return row ? promisify(gunzip)(row.raw) : null;
}

export type ReceivedInterchange = Pick<InterchangeRow, 'actor' | 'request_id' | 'sender' | 'reference'> & {
  readonly bytes: Buffer;
  readonly receivedAt: number;
};

const FIND_STORED = statement(
  'find_stored_interchange',
  `select id, digest, received_at from interchange where digest = $1
   union all
   select id, digest, received_at from interchange where sender = $2 and reference = $3 and not is_rejected
   limit 1`,
);

type StoredInterchange = { readonly id: string; readonly digest: Buffer; readonly received_at: number };

/**
 * Stores an interchange, unless it is stored already. `isConflict`: the stored one has the same sender and reference, but
 * other bytes.
 */
export async function storeInterchange(
  tx: Tx,
  { bytes, receivedAt, ...columns }: ReceivedInterchange,
): Promise<{ id: string; receivedAt: number; isConflict: boolean }> {
  const digest = hash('sha256', bytes, 'buffer');
  const raw = await promisify(gzip)(bytes, { level: constants.Z_BEST_SPEED });
  const row = { ...columns, id: newId(), received_at: timestamp(receivedAt), digest, raw };
  const [made] = await insertRow<{ id: string }>(
    tx,
    'interchange',
    row,
    'on conflict do nothing returning id',
  );
  if (made) return { id: made.id, receivedAt, isConflict: false };
  const [found] = await tx.query<StoredInterchange>(FIND_STORED, [digest, row.sender, row.reference]);
  if (!found) throw new Error('an interchange that is not stored conflicts with a stored one');
  return { id: found.id, receivedAt: found.received_at, isConflict: !found.digest.equals(digest) };
}

const SAVE_OUTCOME = statement(
  'save_interchange_outcome',
  'update interchange set result = $2, is_rejected = $3 where no = $1 and result is null returning no',
);

/** False if another process has read the interchange to its end before. */
export async function saveOutcome(tx: Tx, no: number, outcome: InterchangeOutcome): Promise<boolean> {
  const isRejected = outcome.fault !== null;
  return (await tx.query(SAVE_OUTCOME, [no, JSON.stringify(outcome), isRejected])).length > 0;
}

export type UnknownLocation = { readonly marketLocation: string; readonly message: number };

const INSERT_UNKNOWN = statement(
  'insert_interchange_unknown',
  `insert into interchange_unknown (interchange_no, market_location, message)
   select $1, market_location, message from unnest($2::text[], $3::int[]) as u (market_location, message)`,
);

export async function insertUnknown(tx: Tx, no: number, unknown: readonly UnknownLocation[]): Promise<void> {
  if (unknown.length === 0) return;
  const locations = unknown.map(({ marketLocation }) => marketLocation);
  const messages = unknown.map(({ message }) => message);
  await tx.query(INSERT_UNKNOWN, [no, locations, messages]);
}

const TAKE_PENDING = statement(
  'take_pending_messages',
  `with taken as (
     delete from interchange_unknown where market_location = $1 returning interchange_no, message
   )
   select i.no, i.id, i.received_at, array_agg(taken.message order by taken.message) as messages
   from taken join interchange i on i.no = taken.interchange_no
   group by i.no, i.id, i.received_at order by i.no`,
);

type PendingInterchange = Pick<InterchangeRow, 'no' | 'id' | 'received_at'> & { messages: number[] };

/** The interchanges that wait for a series of a market location, in the order in which they were received. */
export const takePending = (tx: Tx, marketLocation: string): Promise<PendingInterchange[]> =>
  tx.query<PendingInterchange>(TAKE_PENDING, [marketLocation]);

/** What an interchange says about a day of a series, up to this message. */
export type MessageDay = {
  readonly series: { readonly no: number; readonly id: string };
  readonly day: DeliveryDay;
  readonly message: number;
  readonly valuesWh: readonly (number | null)[];
};

const ASKED = `from unnest($1::int[], $2::date[], $3::int[]) with ordinality
     as asked (series_no, delivery_day, message, at)`;
/** $4 number of the interchange. */
const LATER_MESSAGES = statement(
  'later_messages_of_days',
  `select asked.at::int, later.slots ${ASKED}
   join interchange_day later on later.series_no = asked.series_no and later.delivery_day = asked.delivery_day
     and (later.interchange_no, later.message) >= ($4, asked.message)`,
);
/** $4 time of receipt. Values of other messages have another order, and are not counted here. */
const LATER_SHEETS = statement(
  'later_sheets_of_days',
  `select asked.at::int, s.values_wh ${ASKED}
   join series_sheet s on s.series_no = asked.series_no and s.delivery_day = asked.delivery_day
   where s.created_at > $4 and not exists (
     select from interchange_day d
     where d.series_no = s.series_no and d.delivery_day = s.delivery_day and d.revision = s.revision
   )`,
);

type Source = Pick<InterchangeRow, 'no' | 'received_at'>;

/**
 * The values that still count: without the slots that a later message or a value written after the receipt has changed,
 * and without those of a message that was applied already. Precondition: the series are locked.
 */
export async function withoutOutdated<D extends MessageDay>(
  db: Db,
  { no, received_at }: Source,
  days: readonly D[],
): Promise<D[]> {
  const asked = [
    days.map(({ series }) => series.no),
    days.map(({ day }) => day),
    days.map(({ message }) => message),
  ];
  const messages = await db.query<{ at: number; slots: string }>(LATER_MESSAGES, [...asked, no]);
  const sheets = await db.query<{ at: number; values_wh: Buffer }>(LATER_SHEETS, [
    ...asked,
    timestamp(received_at),
  ]);
  const laterOf = new Map<number, ((index: number) => boolean)[]>();
  const add = (at: number, isLater: (index: number) => boolean) =>
    laterOf.getOrInsertComputed(at - 1, () => []).push(isLater);
  for (const { at, slots } of messages) add(at, (index) => slots[index] === '1');
  for (const { at, values_wh } of sheets) {
    const values = unpackVolumes(values_wh);
    add(at, (index) => values[index] !== null);
  }
  return days.map((day, at) => {
    const later = laterOf.get(at);
    if (later === undefined) return day;
    const valuesWh = day.valuesWh.map((wh, index) => (later.some((isLater) => isLater(index)) ? null : wh));
    return { ...day, valuesWh };
  });
}

const INSERT_DAYS = statement(
  'insert_interchange_days',
  `insert into interchange_day (interchange_no, series_no, delivery_day, message, slots, revision)
   select $1, * from unnest($2::int[], $3::date[], $4::int[], $5::varbit[], $6::int[])
   on conflict do nothing`,
);

/** `revisions`: for each day the revision that it made, or null. */
export async function insertMessageDays(
  tx: Tx,
  { no }: Source,
  days: readonly MessageDay[],
  revisions: readonly (number | null)[],
): Promise<void> {
  await tx.query(INSERT_DAYS, [
    no,
    days.map(({ series }) => series.no),
    days.map(({ day }) => day),
    days.map(({ message }) => message),
    days.map(({ valuesWh }) => valuesWh.map((wh) => (wh === null ? '0' : '1')).join('')),
    revisions,
  ]);
}
