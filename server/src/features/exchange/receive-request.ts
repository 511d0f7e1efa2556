import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { operatorExchangeEndpoints } from '@saldo/api';
import type { Database } from '../../db/database.ts';
import { encodeId, ID_PREFIX } from '../../domain/id.ts';
import { callerSecretOf, idempotencyKeyOf, repeatable } from '../../http/idempotency.ts';
import { problem, validationProblem } from '../../http/problem.ts';
import type { Call } from '../../http/routes.ts';
import { readWhole } from '../../http/streams.ts';
import { turnstile } from '../../http/turnstile.ts';
import { recordAudit } from '../audit/store.ts';
import { type Receiving, receiveMessage } from './receive.ts';
import { findChangedNominations, findMessages } from './store.ts';
import { wireMessage } from './wire.ts';

type ReceiveCall = Call<typeof operatorExchangeEndpoints.receiveMessage>;

/** Each holds a whole document in memory, and a connection while it is read: more of them wait, unread. */
const RECEIVED_AT_ONCE = 2;
/** A client that sends nothing for so long has gone. */
const SILENCE_MS = 120_000;

const inTurn = turnstile({ atOnce: RECEIVED_AT_ONCE });

/** Answers a message that came over HTTP. With an `Idempotency-Key`, one that was taken in before is not again. */
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
  const key = idempotencyKeyOf(request);
  return inTurn(async () => {
    try {
      // Only now, since whoever waits for their turn cannot send.
      request.raw.setTimeout(SILENCE_MS, () => request.raw.destroy());
      const document = await readWhole(body, receiving.messageLimitBytes);
      if (key === null) return await receive(db, call, document, receiving, now);
      const content = JSON.stringify(['receiveMessage', hash('sha256', document)]);
      const asked = repeatable(callerSecretOf(request), key, content);
      // The key stays locked until the answer is stored: of two at once, the second waits for the first.
      return await db.transaction(async (tx) => {
        const earlier = await asked.earlier(tx);
        if (earlier !== null) {
          reply.header('idempotent-replayed', 'true');
          return earlier.body;
        }
        const answer = JSON.stringify(await receive(db, call, document, receiving, now));
        await asked.remember(tx, { status: 200, body: answer });
        return answer;
      });
    } finally {
      // Whoever is refused before the end of the body is let send the rest, which nobody reads.
      body.resume();
    }
  });
}

async function receive(
  db: Database,
  call: ReceiveCall,
  document: Buffer,
  receiving: Receiving,
  now: number,
): Promise<object> {
  const incoming = { document, error: null, fileName: null, inboxMark: null };
  const id = await receiveMessage(db, now, receiving, incoming);
  const [row] = id === null ? [] : await findMessages(db, [id]);
  if (id === null || !row) throw new Error('a message that is not from the inbox is always stored');
  const message = wireMessage(row);
  const deed = { action: 'message.received', subject: message.id, before: null, after: message };
  await db.transaction((tx) => recordAudit(tx, call, deed, now));
  if (row.state === 'failed') {
    throw problem('unreadable_message', `${message.error} It is kept as ${message.id}.`);
  }
  const changed = await findChangedNominations(db, id);
  return { message, nominations: changed.map((uuid) => encodeId(ID_PREFIX.nomination, uuid)) };
}
