import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { LedgerKey, Proof, Seal } from '@saldo/api';
import { addDays, dayOf } from '@saldo/core/delivery-day.ts';
import { verifyConsistency, verifyProof } from '@saldo/sdk';
import { sealDue } from '../src/ledger/seal.ts';
import { systemClock } from '../src/platform/clock.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { readLedgerKey } from '../src/start/ledger-key-file.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { createEmptyDatabase } from './databases.ts';
import { bodyOf, type Client, client, startTestPlatform } from './harness.ts';
import { flat, makeDeal } from './nominated.ts';
import { startProduct } from './product.ts';
import { provenEntry, sealAll } from './proving.ts';
import { until } from './until.ts';

/** A backup is restored with the real commands, and the real product goes on with its ledger. */

const DAY = '2026-11-12';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world, clock } = platform;
const operatorKey = await world.operatorKey();
const { producer, consumer, asSeller, seller } = await makeDeal(platform);
/** A copy has the machine's clock. */
const COPY_DAY = addDays(dayOf(Date.now()), 2);
const contract = await world.contract(producer, consumer, { last: [DAY, COPY_DAY].toSorted().at(-1)! });
const folder = await temporaryFolder();

const newestSeal = async (ask: Client): Promise<Seal> =>
  (await bodyOf(ask('/v1/ledger/seals?limit=1'))).seals[0] ?? assert.fail('no seal');
const keysOf = (ask: Client): Promise<LedgerKey> => bodyOf(ask('/v1/ledger/key'));
async function change(kwh: number): Promise<void> {
  clock.set(new Date(clock.now() + 60_000).toISOString());
  await world.volumes(contract, DAY, kwh);
}

await change(1_000);
await change(1_100);
await sealAll(platform);
const inBackup = await newestSeal(asSeller);
const [transaction] = (
  await bodyOf(asSeller(`/v1/transactions?delivery_date=${DAY}&status=superseded&limit=1`))
).transactions;
const proof: Proof = await bodyOf(asSeller(`/v1/transactions/${transaction.id}/proof`));
// The backup has these entries, but not the seal that the original makes of them later.
await change(1_200);
const saldo = (args: string[], env: Record<string, string>) => runCommand(args, { folder, env });
const made = await saldo(['backup', 'all.saldo'], { DATABASE_URL: platform.databaseUrl });
assert.equal(made.code, 0, made.err);
await sealAll(platform);
const ofBackup = await newestSeal(asSeller);
for (const kwh of [1_300, 1_400]) await change(kwh);
await sealAll(platform);
const afterBackup = await newestSeal(asSeller);
assert.ok(inBackup.tree_size < ofBackup.tree_size && ofBackup.tree_size < afterBackup.tree_size);
const originalKey = inBackup.public_key;

/** Restores the backup into a database of its own. `keyFile` need not exist. */
async function restoreTo(name: string, keyFile: string) {
  const databaseUrl = await createEmptyDatabase();
  const env = {
    DATA_DIR: path.join(folder, name),
    DATABASE_URL: databaseUrl,
    LEDGER_KEY_FILE: keyFile,
    DEMO: 'off',
  };
  const restored = await saldo(['restore', 'all.saldo'], env);
  assert.equal(restored.code, 0, restored.err);
  const db = openDatabase(databaseUrl);
  atEnd(() => db.close());
  const seal = () => sealDue(db, readLedgerKey(keyFile), systemClock);
  return {
    env,
    /** `saldo verify` with seals that were kept elsewhere. */
    async verify(...seals: Seal[]) {
      await writeFile(path.join(folder, 'kept.json'), JSON.stringify({ seals }));
      return saldo(['verify', '--seals', 'kept.json'], env);
    },
    seal,
    /** Seals, until the newest seal has more entries than `size`: the job of the product may be sealing at the same time. */
    sealBeyond: (size: number, ask: Client) =>
      until(async () => {
        await seal();
        const newest = await newestSeal(ask);
        return newest.tree_size > size ? newest : null;
      }),
  };
}

async function startCopy(env: Record<string, string> & { DATA_DIR: string }) {
  const product = await startProduct(env);
  atEnd(() => product.end('SIGKILL'));
  const operator = client(product.baseUrl, operatorKey);
  const put = (mwh: number) =>
    bodyOf(
      operator.put(`/operator/v1/contracts/${contract.id}/days/${COPY_DAY}`, {
        volumes: flat(COPY_DAY, mwh),
      }),
    );
  return { product, asSeller: client(product.baseUrl, seller.key), put };
}

async function assertExtends(ask: Client, from: Seal, to: Seal): Promise<void> {
  const { consistency_path } = await bodyOf(
    ask(`/v1/ledger/consistency?from=${from.tree_size}&to=${to.tree_size}`),
  );
  await verifyConsistency(from, to, consistency_path, await keysOf(ask));
}

test('a restored backup goes on with its tree, and says which kept seals it is behind', async () => {
  const { env, verify, seal, sealBeyond } = await restoreTo('with-key', platform.config.ledgerKeyFile);
  const agreeing = await verify(inBackup, ofBackup);
  assert.equal(agreeing.code, 0, agreeing.out);
  const behind = await verify(afterBackup, inBackup);
  assert.match(behind.out, new RegExp(`^behind: the seal of ${afterBackup.tree_size} entries`, 'm'));
  assert.match(behind.out, /^1 difference found\./m);
  assert.equal(behind.code, 1);

  // Before the product starts: its jobs may add entries, such as nominations.
  await seal();
  const copy = await startCopy(env);
  const { seals } = await bodyOf(copy.asSeller(`/v1/ledger/seals?tree_size=${ofBackup.tree_size}`));
  const resumed: Seal = seals[0] ?? assert.fail('another tree');
  assert.deepEqual(
    [resumed.root_hash, resumed.public_key],
    [ofBackup.root_hash, originalKey],
    'the tree of the copy is a prefix of that of the original',
  );
  await assertExtends(copy.asSeller, inBackup, resumed);
  assert.deepEqual(await bodyOf(copy.asSeller(`/v1/transactions/${transaction.id}/proof`)), proof);

  for (const mwh of [5, 6, 7, 8]) await copy.put(mwh);
  const newest = await sealBeyond(afterBackup.tree_size, copy.asSeller);
  await assertExtends(copy.asSeller, inBackup, newest);
  await assertExtends(copy.asSeller, resumed, newest);
  const own = await verify(inBackup, ofBackup, newest);
  assert.equal(own.code, 0, own.out);
  const contradicted = await verify(afterBackup);
  assert.match(contradicted.out, /^tree rewritten: the seal of \d+ entries/m, 'what was lost stays visible');
  assert.equal(contradicted.code, 1);
});

test('a restore without the private key goes on with a new key, and still shows the old one', async () => {
  const keyFile = path.join(folder, 'new.key');
  const { env, verify, sealBeyond } = await restoreTo('without-key', keyFile);
  const copy = await startCopy(env);
  assert.ok(copy.product.output().includes(`Made the key that signs the ledger: ${keyFile}.`));
  const made = readLedgerKey(keyFile).publicKey.toString('base64');
  assert.notEqual(made, originalKey);

  const atStart = await keysOf(copy.asSeller);
  const shown = [atStart, ...atStart.previous_keys].map(({ public_key }) => public_key);
  assert.ok(shown.includes(originalKey), 'from the start');
  await verifyProof(proof, atStart);
  const newest = await sealBeyond(inBackup.tree_size, copy.asSeller);
  assert.equal(newest.public_key, made);
  const keys = await keysOf(copy.asSeller);
  assert.equal(keys.public_key, made);
  const [old, ...others] = keys.previous_keys;
  assert.deepEqual([old?.public_key, old?.last_used_at, others], [originalKey, inBackup.sealed_at, []]);

  await verifyProof(proof, keys);
  await assertExtends(copy.asSeller, inBackup, newest);
  await copy.put(9);
  const later = await sealBeyond(newest.tree_size, copy.asSeller);
  const after: Proof = await bodyOf(copy.asSeller(`/v1/transactions/${transaction.id}/proof`));
  assert.deepEqual(provenEntry(after), provenEntry(proof), 'the sheet was replaced before the backup');
  await assertExtends(copy.asSeller, newest, later);
  const { code, out } = await verify(inBackup, later);
  assert.equal(code, 0, out);
});
