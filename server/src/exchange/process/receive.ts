import { readDocumentInSteps } from '@saldo/core/exchange/documents/read-document.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { storeMessage } from '@saldo/core/messages/stored.ts';
import { type Clock, transactionClock } from '../../platform/clock.ts';
import { collectInto, combineFailures } from '../../platform/db/connection.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import { type Incoming, insertIncoming, listWaiting, lockWaiting } from '../store.ts';
import { type Inbox, type InboxFile, Unreachable } from '../transport/transport.ts';
import { applyDocument } from './apply-document.ts';
import { runWithPauses } from './run-with-pauses.ts';
import type { Scheduler } from './schedules.ts';

export type Receiving = Scheduler & { readonly messageLimitBytes: number };

/** Stores a message unchanged, then parses and applies it. Returns its id, or null for a duplicate inbox file. */
export async function receiveMessage(
  db: Database,
  clock: Clock,
  receiving: Receiving,
  incoming: Incoming,
): Promise<string | null> {
  const id = await db.transaction((tx) => insertIncoming(tx, incoming, clock.now()));
  if (id !== null) await db.transaction((tx) => readMessage(tx, id, transactionClock(clock), receiving));
  return id;
}

/** Entries of an inbox that were stored, and those that could not be read, each reported once. */
export type InboxRun = { received: number; unreadable: { file: string; error: Message }[] };

/** Processes messages that an earlier run stored but did not parse, then the files of the inbox. */
export async function receiveDue(
  db: Database,
  clock: Clock,
  receiving: Receiving,
  inbox: Inbox,
): Promise<InboxRun> {
  const failures: unknown[] = [];
  for (const { id } of await listWaiting(db, 'in', { day: null, tso: null })) {
    const reading = db.transaction((tx) => readMessage(tx, id, transactionClock(clock), receiving));
    // A failing message must not block the others. It stays stored, and the error is thrown at the end.
    await reading.catch(collectInto(failures));
  }
  const run = await receiveFiles(db, clock, receiving, inbox).catch(collectInto(failures));
  if (!run || failures.length > 0) throw combineFailures(failures, 'messages could not be read');
  return run;
}

/** Stores, parses and applies the files of an inbox, oldest first. A failing file does not block the others. */
export async function receiveFiles(
  db: Database,
  clock: Clock,
  receiving: Receiving,
  inbox: Inbox,
): Promise<InboxRun> {
  const run: InboxRun = { received: 0, unreadable: [] };
  const failures: unknown[] = [];
  for (const file of await inbox.files()) {
    try {
      const id = await storeFile(db, clock, receiving, file, run);
      if (id === null) continue;
      run.received++;
      await db.transaction((tx) => readMessage(tx, id, transactionClock(clock), receiving));
    } catch (error) {
      // An inbox that cannot be reached would fail every file.
      if (error instanceof Unreachable) throw error;
      collectInto(failures)(error);
    }
  }
  if (failures.length > 0) throw combineFailures(failures, 'messages could not be read');
  return run;
}

/**
 * Stores a file, then removes it from the inbox. If the process ends in between, the fingerprint prevents storing the
 * file a second time. Returns the id of the new message, or null without one.
 */
async function storeFile(
  db: Database,
  clock: Clock,
  { messageLimitBytes }: Receiving,
  file: InboxFile,
  run: InboxRun,
): Promise<string | null> {
  const { bytes } = file;
  const tooLarge: Message = { key: 'exchange.large_file', bytes, max: messageLimitBytes };
  const read = bytes > messageLimitBytes ? { document: null, error: tooLarge } : await file.read();
  if (read === null) return null;
  const { document, error } = read;
  const incoming = { document, error, fileName: file.name, inboxFingerprint: file.fingerprint(document) };
  const id = await db.transaction((tx) => insertIncoming(tx, incoming, clock.now()));
  if (id !== null && error !== null) run.unreadable.push({ file: file.name, error });
  await file.finish(document !== null);
  return id;
}

/** Parses and applies a stored message in one transaction, so that it is applied exactly once or not at all. */
async function readMessage(tx: Tx, id: string, clock: Clock, us: Scheduler): Promise<void> {
  const found = await lockWaiting(tx, id);
  if (found === null) return;
  const read = await runWithPauses(readDocumentInSteps(found.document, us.rules));
  const reading = await applyDocument(tx, id, read, clock, us);
  await tx.query(RECORD_READING, [
    id,
    reading.type,
    reading.format,
    reading.tso,
    reading.day,
    reading.version,
    reading.state,
    reading.error && storeMessage(reading.error),
    reading.answers,
    reading.sender,
    reading.answerId,
    reading.changed,
    reading.unknownSeries.map(storeMessage),
  ]);
  for (const revived of reading.revived) await readMessage(tx, revived, clock, us);
}

const RECORD_READING = statement(
  'record_message_reading',
  `update message set type = $2, format = $3, tso = $4, delivery_day = $5, version = $6, state = $7, error = $8,
     answers = $9, sender = $10, answer_id = $11, changed_nominations = $12, unknown_series = $13
   where id = $1`,
);
