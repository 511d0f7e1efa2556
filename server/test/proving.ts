import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Consistency, Proof, Seal } from '@saldo/api';
import { sealDue } from '../src/ledger/seal.ts';
import { readLedgerKey } from '../src/start/ledger-key-file.ts';
import type { TestPlatform } from './harness.ts';

/** A verifier of its own, from the text of RFC 9162 (2.1.3.2 and 2.1.4.2) and RFC 8032: it shares no code with the platform. */

export const sealAll = ({ db, config, clock }: Pick<TestPlatform, 'db' | 'config' | 'clock'>) =>
  sealDue(db, readLedgerKey(config.ledgerKeyFile), clock);

const sha256 = (...parts: Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const [LEAF, NODE] = [Buffer.of(0), Buffer.of(1)];
const node = (left: Uint8Array, right: Uint8Array) => sha256(NODE, left, right);
const bytes = (hex: string) => Buffer.from(hex, 'hex');

/** An Ed25519 public key in DER is a fixed prefix and the 32 bytes. */
const ED25519_PREFIX = bytes('302a300506032b6570032100');

export function assertSigned(seal: Seal): void {
  const key = Buffer.concat([ED25519_PREFIX, Buffer.from(seal.public_key, 'base64')]);
  const text = `saldo-seal-v1\n${seal.tree_size}\n${seal.root_hash}\n${seal.sealed_at}\n`;
  const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
  assert.ok(
    verify(null, Buffer.from(text), publicKey, Buffer.from(seal.signature, 'base64')),
    'the signature',
  );
}

export function isIncluded({ entry, leaf_index, seal, audit_path }: Proof): boolean {
  if (leaf_index >= seal.tree_size) return false;
  let [fn, sn] = [BigInt(leaf_index), BigInt(seal.tree_size - 1)];
  let r = sha256(LEAF, Buffer.from(entry, 'base64'));
  for (const p of audit_path.map(bytes)) {
    if (sn === 0n) return false;
    if (fn % 2n === 1n || fn === sn) {
      r = node(p, r);
      if (fn % 2n === 0n)
        do {
          fn >>= 1n;
          sn >>= 1n;
        } while (fn % 2n === 0n && fn !== 0n);
    } else r = node(r, p);
    fn >>= 1n;
    sn >>= 1n;
  }
  return sn === 0n && r.equals(bytes(seal.root_hash));
}

export function isConsistent(first: Seal, second: Seal, { consistency_path }: Consistency): boolean {
  if (first.tree_size === second.tree_size)
    return consistency_path.length === 0 && first.root_hash === second.root_hash;
  const path = consistency_path.map(bytes);
  const isPowerOfTwo = Number.isInteger(Math.log2(first.tree_size));
  if (isPowerOfTwo) path.unshift(bytes(first.root_hash));
  let [fn, sn] = [BigInt(first.tree_size - 1), BigInt(second.tree_size - 1)];
  while (fn % 2n === 1n) [fn, sn] = [fn >> 1n, sn >> 1n];
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let [fr, sr] = [start, start];
  for (const c of rest) {
    if (sn === 0n) return false;
    if (fn % 2n === 1n || fn === sn) {
      [fr, sr] = [node(c, fr), node(c, sr)];
      if (fn % 2n === 0n)
        do {
          fn >>= 1n;
          sn >>= 1n;
        } while (fn % 2n === 0n && fn !== 0n);
    } else sr = node(sr, c);
    fn >>= 1n;
    sn >>= 1n;
  }
  return sn === 0n && fr.equals(bytes(first.root_hash)) && sr.equals(bytes(second.root_hash));
}

/** The entry of a proof that verifies. */
export function provenEntry(proof: Proof): Record<string, unknown> {
  assertSigned(proof.seal);
  assert.ok(isIncluded(proof), 'the audit path leads to the root');
  return JSON.parse(Buffer.from(proof.entry, 'base64').toString()) as Record<string, unknown>;
}
