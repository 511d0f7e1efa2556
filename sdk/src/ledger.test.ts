import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { test } from 'node:test';
import type { LedgerKey, Seal } from '@saldo/api';
import { type Hash, leafHash, nodeHash, sealText } from '@saldo/core/ledger/tree.ts';
import { SaldoProofError, verifyConsistency, verifyProof, verifySeal } from './ledger.ts';

const sha256 = (bytes: Uint8Array): Hash => hash('sha256', bytes, 'buffer');
const hex = (value: Hash) => Buffer.from(value).toString('hex');
const newKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { privateKey, text: Buffer.from(x, 'base64url').toString('base64') };
};
const [current, former] = [newKey(), newKey()];
const KEY: LedgerKey = {
  public_key: current.text,
  algorithm: 'Ed25519',
  first_used_at: '2026-10-20T00:00:00Z',
  previous_keys: [
    { public_key: former.text, first_used_at: '2026-10-01T00:00:00Z', last_used_at: '2026-10-19T00:00:00Z' },
  ],
};

type Signer = { readonly privateKey: KeyObject; readonly text: string };
function sealOf(size: number, root: Hash, by: Signer = current, sealedAt = '2026-10-22T12:00:30.000Z'): Seal {
  const signature = sign(null, Buffer.from(sealText(size, hex(root), sealedAt)), by.privateKey);
  return {
    tree_size: size,
    root_hash: hex(root),
    sealed_at: sealedAt,
    signature: signature.toString('base64'),
    public_key: by.text,
  };
}

/** A tree of three entries, with the second one proved. */
const ENTRIES = [
  '{"id":"a","kind":"audit"}',
  '{"id":"nom_ä","kind":"nomination"}',
  '{"id":"c","kind":"audit"}',
];
const [first, second, third] = ENTRIES.map((text) => leafHash(sha256, Buffer.from(text))) as [
  Hash,
  Hash,
  Hash,
];
const pair = nodeHash(sha256, first, second);
const root = nodeHash(sha256, pair, third);
const PROOF = {
  entry: Buffer.from(ENTRIES[1]!).toString('base64'),
  leaf_index: 1,
  seal: sealOf(3, root),
  audit_path: [hex(first), hex(third)],
};

test('a proof is valid with the key of its seal, and has the entry', async () => {
  assert.deepEqual(await verifyProof(PROOF, KEY), {
    entry: { id: 'nom_ä', kind: 'nomination' },
    sealed_at: '2026-10-22T12:00:30.000Z',
  });
});

/** Each number of a value replaced by others, and each bit of each text turned. */
function* mutated(value: unknown): Generator {
  if (typeof value === 'number') yield* [value - 1, value + 1, -value, value + 0.5, String(value)];
  else if (typeof value === 'string') {
    for (let bit = 0; bit < 7 * value.length; bit++) {
      const at = Math.floor(bit / 7);
      const turned = String.fromCharCode(value.charCodeAt(at) ^ (1 << (bit % 7)));
      yield value.slice(0, at) + turned + value.slice(at + 1);
    }
    yield* [value.slice(1), `${value} `, value.toUpperCase(), null].filter((other) => other !== value);
  } else if (Array.isArray(value)) {
    for (const [at, element] of value.entries())
      for (const other of mutated(element)) yield value.with(at, other);
    yield* [value.slice(1), [...value, value[0]], value.toReversed(), null];
  } else
    for (const [name, member] of Object.entries(value as object))
      for (const other of mutated(member)) yield { ...(value as object), [name]: other };
}

test('a proof with anything else in any place is not valid', async () => {
  let count = 0;
  for (const proof of mutated(PROOF)) {
    count++;
    await assert.rejects(verifyProof(proof as typeof PROOF, KEY), SaldoProofError, JSON.stringify(proof));
  }
  assert.ok(count > 2500);
});

test('seals are of a known key, in the time of its use', async () => {
  const at = (sealedAt: string, by: Signer) => verifySeal(sealOf(3, root, by, sealedAt), KEY);
  await at('2026-10-10T00:00:00.000Z', former);
  await at('2026-10-19T00:00:00.999Z', former);
  const notInUse = /was not in use/;
  await assert.rejects(at('2026-10-21T00:00:00.000Z', former), notInUse);
  await assert.rejects(at('2026-09-10T00:00:00.000Z', former), notInUse);
  await assert.rejects(at('2026-10-19T12:00:00.000Z', current), notInUse);
  await assert.rejects(at('2026-10-22T00:00:00.000Z', newKey()), /not a key of the platform/);
  await assert.rejects(verifySeal({ ...PROOF.seal, public_key: former.text }, KEY), SaldoProofError);
});

test('a later seal extends an earlier one', async () => {
  const [from, to] = [sealOf(2, pair), sealOf(3, root)];
  await verifyConsistency(from, to, [hex(third)], KEY);
  await assert.rejects(verifyConsistency(from, to, [hex(first)], KEY), /not the beginning/);
  await assert.rejects(verifyConsistency(sealOf(2, third), to, [hex(third)], KEY), /not the beginning/);
  await assert.rejects(verifyConsistency(from, { ...to, tree_size: 4 }, [hex(third)], KEY), /signature/);
});

test('a runtime without Ed25519 says so', async (context) => {
  context.mock.method(crypto.subtle, 'importKey', () => {
    throw new DOMException('', 'NotSupportedError');
  });
  await assert.rejects(verifyProof(PROOF, KEY), /has no Ed25519/);
});
