import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { operatorExchangeEndpoints } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { type AuditEvent, recordAudit } from '../audit/store.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';
import { answerLong } from '../platform/http/idempotency.ts';
import { problem, validationProblem } from '../platform/http/problem.ts';
import type { Call } from '../platform/http/routes.ts';
import { readDecoded } from '../platform/http/streams.ts';
import { type Receiving, receiveMessage } from './process/receive.ts';
import { findChangedNominations, findMessages } from './store.ts';
import { wireMessage } from './wire.ts';

type Message = ReturnType<typeof wireMessage>;
type ReceiveCall = Call<typeof operatorExchangeEndpoints.receiveMessage>;

/** Concurrency limit: each request holds a whole document in memory and a database connection. Others wait unread. */
const RECEIVED_AT_ONCE = 2;

const inTurn = concurrencyLimiter({ atOnce: RECEIVED_AT_ONCE });

/** Answers a message received over HTTP. A repeated `Idempotency-Key` does not store the message again. */
export function answerReceive(
  db: Database,
  call: ReceiveCall,
  receiving: Receiving,
  now: number,
): Promise<object | string> {
  const { request, reply } = call;
  const body = request.body as Readable | undefined;
  if (body === undefined) {
    throw validationProblem([{ code: 'required', message: 'a body with the document is required' }]);
  }
  const record = (tx: Tx, message: Message) => {
    const event: AuditEvent = {
      action: 'message.received',
      subject: message.id,
      before: null,
      after: message,
    };
    return recordAudit(tx, call, event, now);
  };
  return inTurn(async () => {
    try {
      const document = await readDecoded(request, body, receiving.messageLimitBytes);
      const content = () => hash('sha256', document);
      return await answerLong(
        { db, request, reply, endpoint: operatorExchangeEndpoints.receiveMessage },
        { content, skip: async () => {} },
        {
          work: () => receive(db, document, receiving, now, record),
          record: (tx, { message }) => record(tx, message),
        },
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
  now: number,
  record: (tx: Tx, message: Message) => Promise<void>,
): Promise<{ message: Message; nominations: string[] }> {
  const incoming = { document, error: null, fileName: null, inboxFingerprint: null };
  const id = await receiveMessage(db, now, receiving, incoming);
  const [row] = id === null ? [] : await findMessages(db, [id]);
  if (id === null || !row) throw new Error('a message that is not from the inbox is always stored');
  const message = wireMessage(row);
  if (row.state === 'failed') {
    await db.transaction((tx) => record(tx, message));
    throw problem('unreadable_message', `${message.error} It is kept as ${message.id}.`);
  }
  const changed = await findChangedNominations(db, id);
  return { message, nominations: changed.map((uuid) => encodeId(ID_PREFIX.nomination, uuid)) };
}
