import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';

/**
 * Argon2id cost: memory in KiB, passes, lanes. Each hash stores its own parameters, so these can be raised at any time:
 * a password is rehashed when its user signs in.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const VERSION = 19;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Concurrency limit: each hash takes 19 MB and blocks a thread of the pool. Unknown devices have a separate queue, so
 * that an attack cannot delay users on known devices.
 */
const HASH_QUEUES = {
  known: concurrencyLimiter({ atOnce: 1, waitingAtMost: 50 }),
  unknown: concurrencyLimiter({ atOnce: 1, waitingAtMost: 50 }),
};
type HashQueue = keyof typeof HASH_QUEUES;
const derive = promisify(argon2);

type Hash = { cost: typeof COST; salt: Buffer; tag: Buffer };

/** Normalises to NFKC, because keyboards may encode the same characters differently. */
const tagOf = (password: string, { cost, salt, tag }: Hash, queue: HashQueue): Promise<Buffer> => {
  const message = Buffer.from(password.normalize('NFKC'));
  const parameters: Argon2Parameters = { ...cost, message, nonce: salt, tagLength: tag.length };
  return HASH_QUEUES[queue](() => derive('argon2id', parameters));
};

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

const encode = ({ cost, salt, tag }: Hash): string =>
  `$argon2id$v=${VERSION}$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(tag)}`;

const ENCODED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

function decode(text: string): Hash {
  const [, memory, passes, parallelism, salt, tag] = ENCODED.exec(text) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('a password hash is one that was made here');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}

/** A random hash that no password matches. Comparing with it takes as long as with a real one. */
const decoy = (): Hash => ({ cost: COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) });

export async function hashPassword(password: string): Promise<string> {
  const hash = decoy();
  return encode({ ...hash, tag: await tagOf(password, hash, 'known') });
}

/** Verifies a password. Takes the same time when there is no hash, so that timing does not reveal which users exist. */
export async function isPassword(
  password: string,
  encoded: string | null,
  queue: HashQueue = 'known',
): Promise<boolean> {
  const hash = encoded === null ? decoy() : decode(encoded);
  return timingSafeEqual(await tagOf(password, hash, queue), hash.tag);
}

/** Returns whether the hash was made with other cost parameters than the current ones. */
export function isOutdated(encoded: string): boolean {
  const { cost } = decode(encoded);
  return cost.memory !== COST.memory || cost.passes !== COST.passes || cost.parallelism !== COST.parallelism;
}
