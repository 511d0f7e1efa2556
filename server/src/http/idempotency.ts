import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { LIMITS } from '@saldo/api';
import type { FastifyRequest } from 'fastify';
import { statement, type Tx } from '../db/database.ts';
import { timestamp } from '../db/wire-types.ts';
import { problem, validationProblem } from './problem.ts';

/** How long a request may be repeated without being done twice. */
const REMEMBERED_MS = 24 * 3600 * 1000;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type StoredAnswer = { status: number; body: string };

/** One request with an `Idempotency-Key`, within the transaction that does what it asks for. */
export type Repeatable = {
  /** The answer that the same request got before; null when it is new. */
  earlier(tx: Tx): Promise<StoredAnswer | null>;
  remember(tx: Tx, answer: StoredAnswer): Promise<void>;
};

/** The same for a request whose body is a stream: what it asks for is known only when it is read to its end. */
export type RepeatableStream = {
  /** Null when the key is new; otherwise gives the earlier answer to whoever asks for the same. */
  earlier(tx: Tx): Promise<((content: string) => StoredAnswer) | null>;
  remember(tx: Tx, content: string, answer: StoredAnswer): Promise<void>;
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
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length < 1 || key.length > LIMITS.idempotencyKeyLength) {
    const message = `must be given once, with 1 to ${LIMITS.idempotencyKeyLength} characters`;
    throw validationProblem([{ field: 'Idempotency-Key', code: 'invalid_format', message }]);
  }
  return key;
}

/** What answers to the caller are sealed with. */
export function callerSecretOf({ callerSecret }: FastifyRequest): string {
  if (callerSecret === null) throw new Error('only somebody who is known can repeat a request');
  return callerSecret;
}

/** Makes a request repeatable. `content` is what must be the same: method, address and body. */
export function repeatable(callerSecret: string, idempotencyKey: string, content: string): Repeatable {
  const stream = repeatableStream(callerSecret, idempotencyKey);
  return {
    earlier: async (tx) => (await stream.earlier(tx))?.(content) ?? null,
    remember: (tx, answer) => stream.remember(tx, content, answer),
  };
}

export function repeatableStream(callerSecret: string, idempotencyKey: string): RepeatableStream {
  const owner = digest(callerSecret).toString('hex');
  const id = digest(`${owner}\n${idempotencyKey}`);
  const sealed = sealer(callerSecret, idempotencyKey);
  return {
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
