import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { LedgerKey, Proof, Seal } from '@saldo/api';
import { verifyConsistency, verifyProof } from '@saldo/sdk';
import { RFC9162 } from '@transmute/rfc9162';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { startTestPlatform } from './harness.ts';
import { hasPython, PYTHON } from './markdown-blocks.ts';
import { listNominated, makeDeal } from './nominated.ts';
import { sealAll } from './proving.ts';

/** Proofs of the real server, verified by everything that we publish and by an implementation of RFC 9162 that is not ours. */

const DAY = '2026-11-12';
const platform = await startTestPlatform();
const { world } = platform;
const { contract, asSeller } = await makeDeal(platform);
for (const kwh of [1000, 2000, 3000]) {
  await world.volumes(contract, DAY, kwh);
  await world.nominate();
  await sealAll(platform);
}
const [nomination] = await listNominated(asSeller, '&status=pending');
const { body: transactions } = await asSeller(
  `/v1/transactions?delivery_date=${DAY}&status=superseded&limit=1`,
);
const key: LedgerKey = (await asSeller('/v1/ledger/key')).body;
const proofs: Proof[] = [
  (await asSeller(`/v1/nominations/${nomination!.id}/proof`)).body,
  (await asSeller(`/v1/transactions/${transactions.transactions[0].id}/proof`)).body,
];
/** The same proofs, with one bit turned: in the entry, and in the root. */
const forged = proofs.flatMap((proof): Proof[] => {
  const entry = Buffer.from(proof.entry, 'base64');
  entry[20]! ^= 1;
  const { root_hash } = proof.seal;
  const root = Buffer.from(root_hash, 'hex');
  root[0]! ^= 1;
  return [
    { ...proof, entry: entry.toString('base64') },
    { ...proof, seal: { ...proof.seal, root_hash: root.toString('hex') } },
  ];
});

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
async function isValidByOthers({ entry, leaf_index, seal, audit_path }: Proof): Promise<boolean> {
  const leaf = await RFC9162.leaf(new Uint8Array(Buffer.from(entry, 'base64')));
  const inclusion_path = audit_path.map(bytes);
  const proof = { log_id: '', tree_size: seal.tree_size, leaf_index, inclusion_path };
  return RFC9162.verifyInclusionProof(bytes(seal.root_hash), leaf, proof);
}

test('a verifier that is not ours accepts a proof of the platform, and no other', async () => {
  for (const proof of proofs) assert.ok(await isValidByOthers(proof));
  for (const proof of forged) assert.ok(!(await isValidByOthers(proof)));
});

test('the SDK accepts a proof of the platform, and that later seals extend earlier ones', async () => {
  for (const proof of proofs) {
    const { entry, sealed_at } = await verifyProof(proof, key);
    assert.deepEqual([sealed_at, entry['committed_at']], [proof.seal.sealed_at, '2026-10-20T08:00:00.000Z']);
  }
  for (const proof of forged) await assert.rejects(verifyProof(proof, key), { name: 'SaldoProofError' });
  const seals: Seal[] = (await asSeller('/v1/ledger/seals?limit=100')).body.seals;
  const [to, from] = [seals[0]!, seals.at(-1)!];
  const { body } = await asSeller(`/v1/ledger/consistency?from=${from.tree_size}&to=${to.tree_size}`);
  await verifyConsistency(from, to, body.consistency_path, key);
  await assert.rejects(verifyConsistency(from, to, body.consistency_path.slice(1), key));
});

const folder = await temporaryFolder();
const write = (name: string, content: object | string) =>
  writeFile(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
await write('key.json', key);

test('the command line verifies a proof without a connection', async () => {
  const run = (file: string) =>
    runCommand(['verify-proof', file, '--public-key', 'key.json', '--json'], { folder, env: {} });
  for (const proof of proofs) {
    await write('proof.json', proof);
    const { code, out, err } = await run('proof.json');
    const entry = JSON.parse(Buffer.from(proof.entry, 'base64').toString()) as object;
    assert.deepEqual(JSON.parse(out), { ...entry, sealed_at: proof.seal.sealed_at });
    assert.match(err, /^The proof is valid/);
    assert.equal(code, 0);
  }
  for (const proof of forged) {
    await write('forged.json', proof);
    const { code, err } = await run('forged.json');
    assert.match(err, /^The proof is not valid\. The (entry|signature)/);
    assert.equal(code, 1);
  }
  assert.equal((await run('missing.json')).code, 2);
  await write('none.json', '[]');
  assert.equal((await run('none.json')).code, 1);
});

const hasPrograms = hasPython && spawnSync('openssl', ['version']).status === 0;

test('the verifier of the guide in Python, in at most 60 lines', { skip: !hasPrograms }, async () => {
  const guide = await readFile(new URL('../../docs/guides/proofs.md', import.meta.url), 'utf8');
  const [, program = ''] = /```py\n([\s\S]*?)```/.exec(guide) ?? [];
  assert.ok(program.split('\n').length <= 61);
  await write('verify.py', program);
  const run = async (proof: Proof) => {
    await write('python.json', proof);
    return spawnSync(PYTHON, ['verify.py', 'python.json', 'key.json'], { cwd: folder, encoding: 'utf8' });
  };
  for (const proof of proofs) {
    const { status, stdout, stderr } = await run(proof);
    assert.equal(stdout, `valid: ${Buffer.from(proof.entry, 'base64').toString()}\n`, stderr);
    assert.equal(status, 0);
  }
  for (const proof of forged) {
    const { status, stderr } = await run(proof);
    assert.match(stderr, /^not valid/);
    assert.equal(status, 1);
  }
  const other = { ...proofs[0]!, seal: { ...proofs[0]!.seal, sealed_at: '2026-10-20T08:00:00.001Z' } };
  assert.match((await run(other)).stderr, /^not valid: the signature/);
});
