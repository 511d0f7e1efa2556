import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { LIMITS } from '@saldo/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DATABASE_LIMITS, StaleStatement } from '../db/connection.ts';
import { type Database, statement, type Tx } from '../db/database.ts';
import { timestamp } from '../db/wire-types.ts';
import { problem, validationProblem } from './problem.ts';

/** How long a request may be repeated without being done twice. */
const REMEMBERED_MS = 24 * 3600 * 1000;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type StoredAnswer = { status: number; body: string };

/** A request with an `Idempotency-Key`. `content` is what a repetition must have in common with it. */
type Repeatable = {
  /** Null when the key is new; otherwise returns the earlier answer, or throws when the content differs. */
  earlier(tx: Tx): Promise<((content: string) => StoredAnswer) | null>;
  remember(tx: Tx, content: string, answer: StoredAnswer): Promise<void>;
  /** Requests with the same key run one after the other in this process. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
};

const LOCK = statement('lock_idempotency', 'select pg_advisory_xact_lock($1::bigint)');
const FIND = statement(
  'find_idempotent_answer',
  'select request_hash, status, sealed_body from idempotent_answer where id = $1 and created_at > $2',
);
const FORGET = statement('forget_idempotent_answers', 'delete from idempotent_answer where created_at <= $1');
const INSERT = statement(
  'insert_idempotent_answer',
  `insert into idempotent_answer (id, request_hash, status, sealed_body, created_at) values ($1, $2, $3, $4, $5)`,
);

const digest = (text: string) => hash('sha256', text, 'buffer');

/**
 * Answers may hold the secret of a new API key, which is stored nowhere else. They are sealed with the caller's own
 * key or session token, of which the platform keeps only a hash: the database alone cannot open them.
 */
function sealer(callerSecret: string, idempotencyKey: string) {
  const secret = Buffer.from(hkdfSync('sha256', callerSecret, idempotencyKey, 'saldo idempotent answer', 32));
  return {
    seal(text: string): Buffer {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, secret, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(bytes: Buffer): string {
      const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
    },
  };
}

/** The key that a request brings along, or null. */
function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length < 1 || key.length > LIMITS.idempotencyKeyLength) {
    const message = `must be given once, with 1 to ${LIMITS.idempotencyKeyLength} characters`;
    throw validationProblem([{ field: 'Idempotency-Key', code: 'invalid_format', message }]);
  }
  return key;
}

/** What answers to the caller are sealed with. */
function callerSecretOf({ callerSecret }: FastifyRequest): string {
  if (callerSecret === null) throw new Error('only somebody who is known can repeat a request');
  return callerSecret;
}

const turns = new Map<string, Promise<unknown>>();

async function inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
  const turn = Promise.allSettled([turns.get(id)]).then(work);
  turns.set(id, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(id) === turn) turns.delete(id);
  }
}

function repeatable(callerSecret: string, idempotencyKey: string): Repeatable {
  const owner = digest(callerSecret).toString('hex');
  const id = digest(`${owner}\n${idempotencyKey}`);
  const sealed = sealer(callerSecret, idempotencyKey);
  return {
    inTurn: (work) => inTurn(id.toString('hex'), work),
    async earlier(tx) {
      // Of two at once the second waits, and then finds the answer of the first.
      await tx.query(LOCK, [id.readBigInt64BE(0).toString()]);
      const [row] = await tx.query<{ request_hash: Buffer; status: number; sealed_body: Buffer }>(FIND, [
        id,
        timestamp(Date.now() - REMEMBERED_MS),
      ]);
      if (!row) return null;
      return (content) => {
        if (!row.request_hash.equals(digest(content))) {
          throw problem('idempotency_key_reused', 'This Idempotency-Key was used for another request.');
        }
        return { status: row.status, body: sealed.open(row.sealed_body) };
      };
    },
    async remember(tx, content, { status, body }) {
      await tx.query(FORGET, [timestamp(Date.now() - REMEMBERED_MS)]);
      await tx.query(INSERT, [id, digest(content), status, sealed.seal(body), timestamp(Date.now())]);
    },
  };
}

type RequestContext = {
  readonly db: Database;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly status: number;
};

/**
 * Does what a request asks for and stores its answer in one transaction, so that neither is there without the other.
 * `work` may run again, when the schema has changed under the statements of a connection.
 */
export async function answerInTransaction(
  { db, request, reply, status }: RequestContext,
  content: () => string,
  work: (tx: Tx) => Promise<object | string>,
): Promise<object | string> {
  const key = request.method === 'POST' ? idempotencyKeyOf(request) : null;
  if (key === null) return again(() => db.transaction(work));
  const asked = repeatable(callerSecretOf(request), key);
  return again(() =>
    db.transaction(async (tx) => {
      const earlier = await asked.earlier(tx);
      if (earlier !== null) return replay(reply, earlier(content()));
      const answer = await work(tx);
      const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
      await asked.remember(tx, content(), { status, body });
      return body;
    }),
  );
}

/** Each failed attempt closes one outdated connection, so the last one gets a new connection. */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = DATABASE_LIMITS.writers; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleStatement) || left === 0) throw error;
    }
  }
}

function replay(reply: FastifyReply, { body }: StoredAnswer): string {
  reply.header('idempotent-replayed', 'true');
  return body;
}

/** Something that a request does in transactions of its own, because it is too long for one. */
export type LongOperation<A extends object> = {
  /** Done again, it changes nothing: a crash before the answer is stored makes a repetition do it again. */
  work(): Promise<A>;
  /** What is stored together with the answer. */
  record(tx: Tx, answer: A): Promise<void>;
};

/** A body that is read while the work is done, so that its content is known only afterwards. */
export type StreamedContent = {
  content(): string;
  /** Reads the body of a repetition, for which no work is done. */
  skip(): Promise<void>;
};

/** Does the work first, holding no connection meanwhile, then stores audit event and answer in one short transaction. */
export async function answerLong<A extends object>(
  { db, request, reply, status }: RequestContext,
  { content, skip }: StreamedContent,
  { work, record }: LongOperation<A>,
): Promise<A | string> {
  const key = request.method === 'POST' ? idempotencyKeyOf(request) : null;
  if (key === null) {
    const answer = await work();
    await db.transaction((tx) => record(tx, answer));
    return answer;
  }
  const asked = repeatable(callerSecretOf(request), key);
  return asked.inTurn(async () => {
    const earlier = await db.transaction((tx) => asked.earlier(tx));
    if (earlier !== null) {
      await skip();
      return replay(reply, earlier(content()));
    }
    const answer = await work();
    return db.transaction(async (tx) => {
      // Another process may have answered the same request meanwhile.
      const other = await asked.earlier(tx);
      if (other !== null) return replay(reply, other(content()));
      await record(tx, answer);
      const body = JSON.stringify(answer);
      await asked.remember(tx, content(), { status, body });
      return body;
    });
  });
}
