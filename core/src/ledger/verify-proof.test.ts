import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { RFC9162 } from '@transmute/rfc9162';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { GrowingTree, type Hash, leafHash, nodeHash } from './tree.ts';
import { type Hashing, isIncluded, isPrefix } from './verify-proof.ts';

const sha256 = (bytes: Uint8Array): Hash => hash('sha256', bytes, 'buffer');
const bytes = (hex: string): Hash => Buffer.from(hex, 'hex');
const hex = (value: Hash) => Buffer.from(value).toString('hex');

function run<Result>(hashing: Hashing<Result>): Result {
  let step = hashing.next();
  while (!step.done) step = hashing.next(sha256(step.value));
  return step.value;
}

/** The definitions of RFC 9162, 2.1.1, 2.1.3.1 and 2.1.4.1, word by word. */
const split = (size: number) => 2 ** Math.ceil(Math.log2(size) - 1);
function rootOf(entries: readonly Uint8Array[]): Hash {
  if (entries.length === 0) return sha256(new Uint8Array());
  if (entries.length === 1) return leafHash(sha256, entries[0]!);
  const half = split(entries.length);
  return nodeHash(sha256, rootOf(entries.slice(0, half)), rootOf(entries.slice(half)));
}
function pathOf(index: number, entries: readonly Uint8Array[]): Hash[] {
  if (entries.length === 1) return [];
  const half = split(entries.length);
  const [left, right] = [entries.slice(0, half), entries.slice(half)];
  return index < half
    ? [...pathOf(index, left), rootOf(right)]
    : [...pathOf(index - half, right), rootOf(left)];
}
function consistencyOf(size: number, entries: readonly Uint8Array[], isWhole = true): Hash[] {
  if (size === entries.length) return isWhole ? [] : [rootOf(entries)];
  const half = split(entries.length);
  const [left, right] = [entries.slice(0, half), entries.slice(half)];
  return size <= half
    ? [...consistencyOf(size, left, isWhole), rootOf(right)]
    : [...consistencyOf(size - half, right, false), rootOf(left)];
}

/** The entries and roots with which the logs of Certificate Transparency are tested. */
const ENTRIES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(bytes);
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test('trees have the known roots', () => {
  const tree = new GrowingTree(sha256);
  for (const [size, root] of ROOTS.entries()) {
    assert.equal(hex(tree.root()), root, `of ${size} entries`);
    if (size < ENTRIES.length) tree.append(leafHash(sha256, ENTRIES[size]!));
  }
});

test('the known proofs are valid', () => {
  const tree = { size: 8, root: bytes(ROOTS[8]!) };
  const path = [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ].map(bytes);
  assert.ok(run(isIncluded(ENTRIES[0]!, 0, tree, path)));
  const consistency = [
    '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ].map(bytes);
  assert.ok(run(isPrefix({ size: 6, root: bytes(ROOTS[6]!) }, tree, consistency)));
});

/** A number of entries, and one of them. */
const treeAndLeaf = fc
  .integer({ min: 1, max: 70 })
  .chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size - 1 }), fc.nat()));
const entriesOf = (size: number) => Array.from({ length: size }, (_, at) => Buffer.from(`entry ${at}`));

test('a proof of the definition is valid, and another implementation of RFC 9162 agrees', async () => {
  await fc.assert(
    fc.asyncProperty(treeAndLeaf, async ([size, index]) => {
      const entries = entriesOf(size);
      const tree = { size, root: rootOf(entries) };
      const path = pathOf(index, entries);
      assert.ok(run(isIncluded(entries[index]!, index, tree, path)));
      const leaf = await RFC9162.leaf(entries[index]!);
      const proof = { log_id: '', tree_size: size, leaf_index: index, inclusion_path: path };
      assert.ok(await RFC9162.verifyInclusionProof(tree.root, leaf, proof));
    }),
    { numRuns: runs(200) },
  );
});

const flipped = (value: Uint8Array, bit: number): Uint8Array => {
  const copy = Uint8Array.from(value);
  copy[Math.floor(bit / 8)]! ^= 1 << (bit % 8);
  return copy;
};

test('a proof with another bit, index, size or path is not valid', () => {
  fc.assert(
    fc.property(treeAndLeaf, ([size, index, random]) => {
      const entries = entriesOf(size);
      const [entry, path, tree] = [entries[index]!, pathOf(index, entries), { size, root: rootOf(entries) }];
      const isValid = (...proof: Parameters<typeof isIncluded>) => run(isIncluded(...proof));
      assert.ok(!isValid(flipped(entry, random % (8 * entry.length)), index, tree, path));
      assert.ok(!isValid(entry, index, { size, root: flipped(tree.root, random % 256) }, path));
      for (let at = 0; at < path.length; at++) {
        assert.ok(!isValid(entry, index, tree, path.with(at, flipped(path[at]!, random % 256))));
        assert.ok(!isValid(entry, index, tree, path.toSpliced(at, 1)));
        assert.ok(!isValid(entry, index, tree, path.toSpliced(at, 0, path[at]!)));
      }
      for (const other of [index - 1, index + 1, size, -1])
        assert.ok(!isValid(entry, other, tree, path), `index ${other} instead of ${index} of ${size}`);
    }),
    { numRuns: runs(200) },
  );
});

test('a tree is the beginning of each later one, and of no other', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 1, max: 70 }),
      fc.nat(),
      (one, other, random) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const entries = entriesOf(to);
        const [earlier, later] = [
          { size: from, root: rootOf(entries.slice(0, from)) },
          { size: to, root: rootOf(entries) },
        ];
        const path = consistencyOf(from, entries);
        assert.ok(run(isPrefix(earlier, later, path)));
        const changed = { size: from, root: flipped(earlier.root, random % 256) };
        assert.ok(!run(isPrefix(changed, later, path)));
        assert.ok(!run(isPrefix(earlier, { size: to, root: flipped(later.root, random % 256) }, path)));
        if (from < to) assert.ok(!run(isPrefix(later, earlier, path)));
        for (let at = 0; at < path.length; at++) {
          assert.ok(!run(isPrefix(earlier, later, path.with(at, flipped(path[at]!, random % 256)))));
          assert.ok(!run(isPrefix(earlier, later, path.toSpliced(at, 1))));
        }
        // An entry among the earlier ones is another one in the later tree.
        const rewritten = entries.with(random % from, Buffer.from('another'));
        assert.ok(
          !run(isPrefix(earlier, { size: to, root: rootOf(rewritten) }, consistencyOf(from, rewritten))),
        );
      },
    ),
    { numRuns: runs(200) },
  );
});
