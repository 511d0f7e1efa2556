import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { operatorExchangeEndpoints } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { readStored } from '@saldo/core/messages/stored.ts';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { languageOf } from '../platform/http/accept.ts';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';
import { answerLong } from '../platform/http/idempotency.ts';
import { problem, validationProblem } from '../platform/http/problem.ts';
import type { Call } from '../platform/http/routes.ts';
import { disconnectSilent, readDecoded } from '../platform/http/streams.ts';
import { type Receiving, receiveMessage } from './process/receive.ts';
import { findChangedNominations, findMessages, type MessageRow } from './store.ts';
import { wireMessage } from './wire.ts';

type ReceiveCall = Call<typeof operatorExchangeEndpoints.receiveMessage>;

/** Memory limit: each request holds a whole document, also while it arrives. Others wait unread. */
const HELD_AT_ONCE = 8;
/** Concurrency limit of complete documents: each holds a database connection. */
const APPLIED_AT_ONCE = 2;

const held = concurrencyLimiter({ atOnce: HELD_AT_ONCE });
const inTurn = concurrencyLimiter({ atOnce: APPLIED_AT_ONCE });

/**
 * Answers a message received over HTTP. A repeated `Idempotency-Key` does not store the message again. A client that sends
 * nothing for `silenceMs` is disconnected.
 */
export function answerReceive(
  db: Database,
  call: ReceiveCall,
  receiving: Receiving,
  clock: Clock,
  silenceMs: number,
): Promise<object | string> {
  const { request, reply } = call;
  const body = request.body as Readable | undefined;
  if (body === undefined) {
    throw validationProblem([{ code: 'required', message: { key: 'exchange.document_required' } }]);
  }
  const record = (tx: Tx, row: MessageRow) => {
    // The audit trail is in English, whatever the language of the answer is.
    const after = wireMessage(row, 'en');
    const event: AuditEvent = { action: 'message.received', subject: after.id, after };
    return recordAudit(tx, call, event, clock.now());
  };
  let received: MessageRow | null = null;
  return held(async () => {
    try {
      disconnectSilent(request, reply, silenceMs);
      // Read before the second limit applies, so that a slow sender does not delay documents that are complete.
      const document = await readDecoded(request, body, receiving.messageLimitBytes);
      const content = () => hash('sha256', document);
      const operation = {
        async work() {
          received = await receive(db, document, receiving, clock, record);
          const changed = await findChangedNominations(db, received.id);
          const nominations = changed.map((uuid) => encodeId(ID_PREFIX.nomination, uuid));
          return { message: wireMessage(received, languageOf(call)), nominations };
        },
        async record(tx: Tx) {
          if (received !== null) await record(tx, received);
        },
      };
      return await inTurn(() =>
        answerLong(
          { db, request, reply, endpoint: operatorExchangeEndpoints.receiveMessage },
          { content, skip: async () => {} },
          operation,
        ),
      );
    } finally {
      // Drain the rest of the body so that the client can read our error.
      body.resume();
    }
  });
}

/** Stores and applies a document. An unreadable one is stored and audited too, and then rejected. */
async function receive(
  db: Database,
  document: Buffer,
  receiving: Receiving,
  clock: Clock,
  record: (tx: Tx, row: MessageRow) => Promise<void>,
): Promise<MessageRow> {
  const incoming = { document, error: null, fileName: null, inboxFingerprint: null };
  const id = await receiveMessage(db, clock, receiving, incoming);
  const [row] = id === null ? [] : await findMessages(db, [id]);
  if (id === null || !row) throw new Error('a message that is not from the inbox is always stored');
  if (row.state === 'failed') {
    await db.transaction((tx) => record(tx, row));
    const fault = readStored(row.error ?? '');
    throw problem('unreadable_message', {
      key: 'exchange.kept',
      fault,
      id: encodeId(ID_PREFIX.message, row.id),
    });
  }
  return row;
}
