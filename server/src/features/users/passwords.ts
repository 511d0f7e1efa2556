import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { concurrencyLimiter } from '../../http/concurrency-limiter.ts';

/**
 * What one guess costs whoever has got hold of the hashes: memory in KiB, passes over it, lanes. Hashes carry their own
 * parameters, so these can be raised at any time: a password is hashed anew when its user signs in.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const VERSION = 19;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/**
 * Each takes 19 MB and a thread of its own for a while; sign-ins must not take them all. Those from unknown devices wait
 * in a line of their own: an attack fills that one.
 */
const LINES = {
  known: concurrencyLimiter({ atOnce: 1, waitingAtMost: 50 }),
  unknown: concurrencyLimiter({ atOnce: 1, waitingAtMost: 50 }),
};
type Line = keyof typeof LINES;
const derive = promisify(argon2);

type Hash = { cost: typeof COST; salt: Buffer; tag: Buffer };

/** The same password typed on two keyboards is the same text only in a normal form. */
const tagOf = (password: string, { cost, salt, tag }: Hash, line: Line): Promise<Buffer> => {
  const message = Buffer.from(password.normalize('NFKC'));
  const parameters: Argon2Parameters = { ...cost, message, nonce: salt, tagLength: tag.length };
  return LINES[line](() => derive('argon2id', parameters));
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

/** The hash of no password: who is compared with it waits as long as everybody else, in vain. */
const decoy = (): Hash => ({ cost: COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) });

export async function hashPassword(password: string): Promise<string> {
  const hash = decoy();
  return encode({ ...hash, tag: await tagOf(password, hash, 'known') });
}

/** Takes the same time for a user who is not there, or has no password yet. */
export async function isPassword(
  password: string,
  encoded: string | null,
  line: Line = 'known',
): Promise<boolean> {
  const hash = encoded === null ? decoy() : decode(encoded);
  return timingSafeEqual(await tagOf(password, hash, line), hash.tag);
}

/** Whether a hash was made with other parameters than are used now. */
export function isOutdated(encoded: string): boolean {
  const { cost } = decode(encoded);
  return cost.memory !== COST.memory || cost.passes !== COST.passes || cost.parallelism !== COST.parallelism;
}
