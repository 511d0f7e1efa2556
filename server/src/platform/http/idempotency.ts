import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { type Endpoint, isRepeatable, LIMITS } from '@saldo/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownerKey } from '../auth/principal.ts';
import { DATABASE_LIMITS, StaleStatement } from '../db/connection.ts';
import type { Database, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../db/wire-types.ts';
import { problem, validationProblem } from './problem.ts';

/** Retention of stored answers: within this time a repeated request is replayed. */
export const REMEMBERED_MS = 24 * 3600 * 1000;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A request with an `Idempotency-Key`. A repetition must have the same `content`. */
type Repeatable = {
  /** Null when the key is new; otherwise returns the body of the earlier answer, or throws when the content differs. */
  earlier(tx: Tx): Promise<((content: string) => string) | null>;
  remember(tx: Tx, content: string, status: number, body: string): Promise<void>;
  /** Runs requests with the same key one at a time within this process. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
};

const LOCK = statement('lock_idempotency', 'select pg_advisory_xact_lock($1::bigint)');
const FIND = statement(
  'find_idempotent_answer',
  'select request_hash, sealed_body from idempotent_answer where id = $1 and created_at > $2',
);
const FORGET = statement('forget_idempotent_answers', 'delete from idempotent_answer where created_at <= $1');
const INSERT = statement(
  'insert_idempotent_answer',
  `insert into idempotent_answer (id, request_hash, status, sealed_body, created_at) values ($1, $2, $3, $4, $5)`,
);

const digest = (text: string) => hash('sha256', text, 'buffer');

/**
 * An answer may contain the secret of a new API key, which is stored nowhere else. Answers are encrypted with the
 * `Idempotency-Key`, which every key and session of the owner can repeat. The platform stores only its hash, so the
 * database alone cannot decrypt the answer of a key that cannot be guessed.
 */
function sealer(scope: string, idempotencyKey: string) {
  const secret = Buffer.from(hkdfSync('sha256', idempotencyKey, scope, 'saldo idempotent answer', 32));
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

function idempotencyKeyOf(endpoint: Endpoint, request: FastifyRequest): string | null {
  if (!isRepeatable(endpoint)) return null;
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length < 1 || key.length > LIMITS.idempotencyKeyLength) {
    const message = { key: 'field.given_once_short', max: LIMITS.idempotencyKeyLength } as const;
    throw validationProblem([{ field: 'Idempotency-Key', code: 'invalid_format', message }]);
  }
  return key;
}

/** A key belongs to the owner of the credentials and to the operation, so that a rotation of an API key changes nothing. */
function scopeOf(endpoint: Endpoint, { principal }: FastifyRequest): string {
  const owner = principal?.owner ?? null;
  if (owner === null) throw new Error('a request with an Idempotency-Key must be authenticated');
  return `${ownerKey(owner)}\n${endpoint.id}`;
}

const pendingByKey = new Map<string, Promise<unknown>>();

async function runExclusive<T>(id: string, work: () => Promise<T>): Promise<T> {
  const turn = Promise.allSettled([pendingByKey.get(id)]).then(work);
  pendingByKey.set(id, turn);
  try {
    return await turn;
  } finally {
    if (pendingByKey.get(id) === turn) pendingByKey.delete(id);
  }
}

function repeatable(scope: string, idempotencyKey: string): Repeatable {
  const id = digest(`${scope}\n${idempotencyKey}`);
  const sealed = sealer(scope, idempotencyKey);
  return {
    runExclusive: (work) => runExclusive(id.toString('hex'), work),
    async earlier(tx) {
      // The second of two concurrent requests waits here and then finds the answer of the first.
      await tx.query(LOCK, [id.readBigInt64BE(0).toString()]);
      const [row] = await tx.query<{ request_hash: Buffer; sealed_body: Buffer }>(FIND, [
        id,
        timestamp(Date.now() - REMEMBERED_MS),
      ]);
      if (!row) return null;
      return (content) => {
        if (!row.request_hash.equals(digest(content))) {
          throw problem('idempotency_key_reused');
        }
        return sealed.open(row.sealed_body);
      };
    },
    async remember(tx, content, status, body) {
      await tx.query(FORGET, [timestamp(Date.now() - REMEMBERED_MS)]);
      await tx.query(INSERT, [id, digest(content), status, sealed.seal(body), timestamp(Date.now())]);
    },
  };
}

type RequestContext = {
  readonly db: Database;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly endpoint: Endpoint;
};

/**
 * Runs `work` and stores its answer in one transaction, so that both are committed or neither. `work` may run more than
 * once: a prepared statement that no longer fits the schema causes a retry.
 */
export async function answerInTransaction(
  { db, request, reply, endpoint }: RequestContext,
  content: () => string,
  work: (tx: Tx) => Promise<object | string>,
): Promise<object | string> {
  const key = idempotencyKeyOf(endpoint, request);
  if (key === null) return retryOutdated(() => db.transaction(work));
  const asked = repeatable(scopeOf(endpoint, request), key);
  return retryOutdated(() =>
    db.transaction(async (tx) => {
      const earlier = await asked.earlier(tx);
      if (earlier !== null) return replay(reply, earlier(content()));
      const answer = await work(tx);
      const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
      await asked.remember(tx, content(), endpoint.status ?? 200, body);
      return body;
    }),
  );
}

/** Each failed attempt closes one outdated connection, so the last attempt gets a new one. */
async function retryOutdated<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = DATABASE_LIMITS.writers; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleStatement) || left === 0) throw error;
    }
  }
}

/** The language of the first answer is not stored, and `work` may have set that of this request. */
function replay(reply: FastifyReply, body: string): string {
  reply.removeHeader('content-language').header('idempotent-replayed', 'true');
  return body;
}

/** An operation that is too long for one transaction and therefore opens its own. */
export type LongOperation<A extends object> = {
  /** Must be idempotent: after a crash before the answer is stored, a repetition runs it again. */
  work(): Promise<A>;
  /** Stores the audit event in the transaction of the answer. */
  record(tx: Tx, answer: A): Promise<void>;
};

/** A body that `work` reads as a stream, so that its content is known only afterwards. */
export type StreamedContent = {
  content(): string;
  /** Reads the body of a repetition, whose work is not run again. */
  skip(): Promise<void>;
};

/** Runs the work without holding a connection, then stores audit event and answer in one short transaction. */
export async function answerLong<A extends object>(
  { db, request, reply, endpoint }: RequestContext,
  { content, skip }: StreamedContent,
  { work, record }: LongOperation<A>,
): Promise<A | string> {
  const key = idempotencyKeyOf(endpoint, request);
  if (key === null) {
    const answer = await work();
    await db.transaction((tx) => record(tx, answer));
    return answer;
  }
  const asked = repeatable(scopeOf(endpoint, request), key);
  return asked.runExclusive(async () => {
    const earlier = await db.transaction((tx) => asked.earlier(tx));
    if (earlier !== null) {
      await skip();
      return replay(reply, earlier(content()));
    }
    const answer = await work();
    return db.transaction(async (tx) => {
      // Another process may have answered the same request in the meantime.
      const other = await asked.earlier(tx);
      if (other !== null) return replay(reply, other(content()));
      await record(tx, answer);
      const body = JSON.stringify(answer);
      await asked.remember(tx, content(), endpoint.status ?? 200, body);
      return body;
    });
  });
}
