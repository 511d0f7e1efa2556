import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { ListOrder, Message, Tso } from '@saldo/api';
import { type DeliveryDay, dayNumber } from '@saldo/core/delivery-day.ts';
import type { MessageFormat } from '@saldo/core/enums.ts';
import { messageEntry, messageSentEntry } from '@saldo/core/ledger/entries.ts';
import type { Message as Text } from '@saldo/core/messages/message.ts';
import { storeMessage } from '@saldo/core/messages/stored.ts';
import { appendEntries } from '../ledger/append.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { filteredList, inBothOrders } from '../platform/db/filtered-list.ts';
import { newId } from '../platform/db/new-id.ts';
import { insertRow } from '../platform/db/rows.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

export type MessageRow = {
  id: string;
  direction: Message['direction'];
  type: Message['type'];
  format: MessageFormat | null;
  tso: Tso | null;
  delivery_day: DeliveryDay | null;
  version: number | null;
  state: Message['state'];
  error: string | null;
  file_name: string | null;
  answers: string | null;
  created_at: number;
  sent_at: number | null;
};

const HEAD = `id, direction, type, format, tso, delivery_day, version, state, error, file_name, answers, created_at,
  sent_at`;

const LOCK_DAY = statement(
  'lock_exchange_day',
  "select pg_advisory_xact_lock(hashtext('saldo exchange'), $1::int)",
);

/**
 * Serialises sending and receiving for a day across processes. One lock covers all four control areas, because flows
 * between areas must be equal in the schedules of both.
 */
export async function lockDay(tx: Tx, day: DeliveryDay): Promise<void> {
  await tx.query(LOCK_DAY, [dayNumber(day)]);
}

// Schedules are long and repetitive: the fastest level already compresses them to a twentieth.
const pack = (document: Buffer) => promisify(gzip)(document, { level: constants.Z_BEST_SPEED });
const unpack = (packed: Buffer) => promisify(gunzip)(packed);

export type Outgoing = Pick<MessageRow, 'format' | 'tso' | 'delivery_day' | 'file_name'> & {
  readonly type: 'schedule' | 'status_request';
  /** Null for a status request. */
  readonly version: number | null;
  readonly identification: string;
};

/** Stores a message before it is sent, with the exact bytes that will be sent. */
export async function insertOutgoing(
  tx: Tx,
  message: Outgoing,
  document: Buffer,
  now: number,
): Promise<string> {
  const row = { ...message, id: newId(), direction: 'out', state: 'stored', created_at: timestamp(now) };
  await insertRow(tx, 'message', { ...row, document: await pack(document) });
  appendMessage(tx, row.id, 'out', document, now);
  return row.id;
}

export type Incoming = {
  /** Null when the file exceeds the size limit. */
  readonly document: Buffer | null;
  readonly error: Text | null;
  readonly fileName: string | null;
  readonly inboxFingerprint: string | null;
};

/** Stores a message unchanged before it is parsed. Returns null when the same inbox file is stored already. */
export async function insertIncoming(tx: Tx, incoming: Incoming, now: number): Promise<string | null> {
  const { document, error, fileName, inboxFingerprint } = incoming;
  const row = {
    ...{ id: newId(), direction: 'in', type: 'unknown', state: error === null ? 'stored' : 'failed' },
    error: error && storeMessage(error),
    file_name: fileName,
    document: document && (await pack(document)),
    created_at: timestamp(now),
    inbox_mark: inboxFingerprint,
  };
  const then = 'on conflict (inbox_mark) do nothing returning id';
  const [stored] = await insertRow<{ id: string }>(tx, 'message', row, then);
  if (stored === undefined) return null;
  appendMessage(tx, stored.id, 'in', document, now);
  return stored.id;
}

function appendMessage(
  tx: Tx,
  uuid: string,
  direction: 'out' | 'in',
  document: Buffer | null,
  now: number,
): void {
  const documentSha256 = document && hash('sha256', document);
  appendEntries(tx, [messageEntry({ uuid, direction, documentSha256, committedAt: now })], now);
}

const WAITING = statement(
  'list_waiting_messages',
  `select id, type, tso, delivery_day from message
   where state = 'stored' and direction = $1
     and ($2::date is null or delivery_day = $2) and ($3::tso is null or tso = $3)
   order by delivery_day, tso, version, id`,
);

type WaitingMessage = {
  id: string;
  type: Message['type'];
  tso: Tso | null;
  delivery_day: DeliveryDay | null;
};

/** Lists messages that are stored but not yet sent (`out`) or parsed (`in`). */
export async function listWaiting(
  db: Db,
  direction: Message['direction'],
  only: { day: DeliveryDay | null; tso: Tso | null },
): Promise<WaitingMessage[]> {
  return db.query<WaitingMessage>(WAITING, [direction, only.day, only.tso]);
}

const LOCK_WAITING = statement(
  'lock_waiting_message',
  `select ${HEAD}, document from message where id = $1 and state = 'stored' for update`,
);

export type WaitingDocument = { readonly row: MessageRow; readonly document: Buffer };

/** Locks a waiting message and returns it with its document. Null when another process has processed it meanwhile. */
export async function lockWaiting(tx: Tx, id: string): Promise<WaitingDocument | null> {
  const [found] = await tx.query<MessageRow & { document: Buffer }>(LOCK_WAITING, [id]);
  if (!found) return null;
  const { document, ...row } = found;
  return { row, document: await unpack(document) };
}

const MARK_SENT = statement('mark_message_sent', 'update message set state = $2, error = null where id = $1');
const SET_SENT_AT = statement(
  'set_message_sent_at',
  'update message set sent_at = $2 where id = $1 and sent_at is null returning id',
);

/** The first time of sending is kept. */
export async function recordSentAt(tx: Tx, id: string, now: number): Promise<void> {
  const set = await tx.query(SET_SENT_AT, [id, timestamp(now)]);
  if (set.length > 0) appendEntries(tx, [messageSentEntry(id, now)], now);
}

export async function markSent(tx: Tx, id: string, state: 'sent' | 'delivered', now: number): Promise<void> {
  await tx.query(MARK_SENT, [id, state]);
  await recordSentAt(tx, id, now);
}

const SET_WAITING_ERROR = statement(
  'set_waiting_error',
  "update message set error = $2 where id = $1 and state = 'stored' and error is distinct from $2 returning true",
);

/** Records why a stored message could not be sent. Returns whether the reason is new. */
export async function setWaitingError(tx: Tx, id: string, error: string): Promise<boolean> {
  return (await tx.query(SET_WAITING_ERROR, [id, error])).length > 0;
}

const FIND = statement('find_messages', `select ${HEAD} from message where id = any($1::uuid[]) order by id`);

export async function findMessages(db: Db, ids: readonly string[]): Promise<MessageRow[]> {
  return ids.length === 0 ? [] : db.query<MessageRow>(FIND, [ids]);
}

const FIND_DOCUMENT = statement('find_message_document', 'select document from message where id = $1');

/** Returns the exact bytes of a document. Null when the message does not exist or has no stored document. */
export async function findDocument(db: Db, id: string): Promise<Buffer | null> {
  const [row] = await db.query<{ document: Buffer | null }>(FIND_DOCUMENT, [id]);
  return row?.document ? unpack(row.document) : null;
}

const CHANGED = statement(
  'find_changed_nominations',
  'select changed_nominations from message where id = $1',
);

/** Returns the ids of the nominations that an answer changed. */
export async function findChangedNominations(db: Db, id: string): Promise<string[]> {
  const [row] = await db.query<{ changed_nominations: string[] }>(CHANGED, [id]);
  return row?.changed_nominations ?? [];
}

/** $1 id of the last row on the previous page, $2 row limit. */
const messageList = (order: ListOrder) =>
  filteredList({
    make: statement,
    name: `list_messages_${order}`,
    ownParameters: 2,
    filters: {
      day: { type: 'date', condition: (day) => `delivery_day = ${day}` },
      state: { type: 'message_state', condition: (state) => `state = ${state}` },
      type: { type: 'message_type', condition: (type) => `type = ${type}` },
      tso: { type: 'tso', condition: (tso) => `tso = ${tso}` },
      direction: { type: 'message_direction', condition: (direction) => `direction = ${direction}` },
    },
    leads: ['day', 'state', 'type', 'tso'],
    text: (where) => `select ${HEAD} from message
     where id ${order === 'oldest_first' ? '>' : '<'} $1 and ${where}
     order by id ${order === 'oldest_first' ? 'asc' : 'desc'} limit $2`,
  });
const LISTS = inBothOrders(messageList);

export type MessageFilter = {
  day: DeliveryDay | null;
  tso: Tso | null;
  direction: Message['direction'] | null;
  type: Message['type'] | null;
  state: Message['state'] | null;
};

export async function listMessages(
  db: Db,
  filter: MessageFilter,
  page: { order: ListOrder; after: string; count: number },
): Promise<MessageRow[]> {
  return db.query<MessageRow>(...LISTS[page.order]([page.after, page.count], filter));
}
