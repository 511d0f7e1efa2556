import type { LedgerKey, Proof, Seal } from '@saldo/api';
import { HASH_BYTES, sealText } from '@saldo/core/ledger/tree.ts';
import { type Hashing, isIncluded, isPrefix } from '@saldo/core/ledger/verify-proof.ts';

/** What a valid proof proves. */
export type ProvedEntry = {
  /** The content of the entry. Compare its `id`, `kind` and members with what you want to prove. */
  readonly entry: { readonly kind: string; readonly id: string; readonly [member: string]: unknown };
  /** The entry was in the ledger at this time, by the clock of the platform. */
  readonly sealed_at: string;
};

/** A proof, a seal or a consistency path that is not valid. */
export class SaldoProofError extends Error {
  override readonly name = 'SaldoProofError';
}

/**
 * Verifies that an entry is in the ledger and that the ledger was signed with one of these keys, without a request. Throws a
 * `SaldoProofError` that says why if it is not. Uses Web Crypto with Ed25519: Node.js 20 and the browsers of 2025 have it.
 */
export async function verifyProof(proof: Proof, key: LedgerKey): Promise<ProvedEntry> {
  await verifySeal(proof.seal, key);
  const entry = bytesOfBase64(proof.entry, 'entry');
  const path = readPath(proof.audit_path, 'audit_path');
  const isProved = await hashed(
    isIncluded(entry, readCount(proof.leaf_index, 'leaf_index'), treeOf(proof.seal), path),
  );
  if (!isProved) throw new SaldoProofError('The entry is not in the tree of the seal.');
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(entry);
  return { entry: JSON.parse(text) as ProvedEntry['entry'], sealed_at: proof.seal.sealed_at };
}

/**
 * Verifies that the later of two seals extends the earlier: no entry was changed or removed between them. `consistencyPath` is that of
 * `GET /v1/ledger/consistency` for their sizes. Throws a `SaldoProofError` if it does not.
 */
export async function verifyConsistency(
  from: Seal,
  to: Seal,
  consistencyPath: readonly string[],
  key: LedgerKey,
): Promise<void> {
  await verifySeal(from, key);
  await verifySeal(to, key);
  const path = readPath(consistencyPath, 'consistency_path');
  if (!(await hashed(isPrefix(treeOf(from), treeOf(to), path))))
    throw new SaldoProofError('The earlier tree is not the beginning of the later one.');
}

/** Times of keys have whole seconds, those of seals milliseconds. */
const SECOND_MS = 1000;

/** Verifies the signature of a seal, and that its key was in use when it was made. Throws a `SaldoProofError`. */
export async function verifySeal(seal: Seal, key: LedgerKey): Promise<void> {
  if (typeof seal !== 'object' || seal === null) throw new SaldoProofError('The proof has no seal.');
  const keys = [{ ...key, last_used_at: null }, ...(key.previous_keys ?? [])];
  const known = keys.find(({ public_key }) => public_key === seal.public_key);
  if (known === undefined) throw new SaldoProofError('The key of the seal is not a key of the platform.');
  const { first_used_at: first, last_used_at: last } = known;
  const at = Date.parse(seal.sealed_at);
  if (at < Date.parse(first) || (last !== null && at > Date.parse(last) + SECOND_MS))
    throw new SaldoProofError('The key of the seal was not in use when the seal was made.');
  const signed = new TextEncoder().encode(
    sealText(readCount(seal.tree_size, 'tree_size'), seal.root_hash, seal.sealed_at),
  );
  const publicKey = await importKey(seal.public_key);
  const signature = bytesOfBase64(seal.signature, 'signature');
  if (!(await crypto.subtle.verify('Ed25519', publicKey, signature, signed)))
    throw new SaldoProofError('The signature of the seal is wrong.');
}

async function importKey(publicKey: string): Promise<CryptoKey> {
  const bytes = bytesOfBase64(publicKey, 'public_key');
  if (globalThis.crypto?.subtle === undefined)
    throw new Error('Web Crypto is missing: it needs Node.js 20, or a page that was loaded by https.');
  try {
    return await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError')
      throw new Error('The Web Crypto of this browser has no Ed25519: use a newer one.', { cause: error });
    throw new SaldoProofError('The key of the seal is not an Ed25519 key.', { cause: error });
  }
}

/** Answers the questions for hashes with Web Crypto. */
async function hashed<Result>(hashing: Hashing<Result>): Promise<Result> {
  let step = hashing.next();
  while (!step.done) {
    const digest = await crypto.subtle.digest('SHA-256', step.value);
    step = hashing.next(new Uint8Array(digest));
  }
  return step.value;
}

const treeOf = (seal: Seal) => ({
  size: seal.tree_size,
  root: bytesOfHex(seal.root_hash, 'root_hash'),
});

const readPath = (path: unknown, member: string): Uint8Array[] => {
  if (!Array.isArray(path)) throw new SaldoProofError(`${member} is not a list of hashes.`);
  return path.map((text) => bytesOfHex(text, member));
};

function readCount(value: unknown, member: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new SaldoProofError(`${member} is not a number of entries.`);
}

const HASH_FORM = new RegExp(`^[0-9a-f]{${2 * HASH_BYTES}}$`);

function bytesOfHex(text: unknown, member: string): Uint8Array<ArrayBuffer> {
  if (typeof text !== 'string' || !HASH_FORM.test(text))
    throw new SaldoProofError(`${member} is not a hash in lower-case hex.`);
  return Uint8Array.from({ length: HASH_BYTES }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  );
}

/** One text per value, so that no bit of a proof is without a meaning. */
function bytesOfBase64(text: unknown, member: string): Uint8Array<ArrayBuffer> {
  try {
    const characters = atob(text as string);
    if (btoa(characters) === text) return Uint8Array.from(characters, (character) => character.charCodeAt(0));
  } catch {
    // Reported below.
  }
  throw new SaldoProofError(`${member} is not base64.`);
}
