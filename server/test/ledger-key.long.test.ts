import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { LedgerKey, Proof, Seal } from '@saldo/api';
import { verifyConsistency, verifyProof } from '@saldo/sdk';
import { openDatabase } from '../src/platform/db/database.ts';
import { readLedgerKey, renewLedgerKey } from '../src/start/ledger-key-file.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { createDatabase } from './databases.ts';
import { bodyOf, client, startTestPlatform } from './harness.ts';
import { makeDeal } from './nominated.ts';
import { runProduct, startProduct } from './product.ts';
import { provenEntry, sealAll } from './proving.ts';
import { until } from './until.ts';
import { createWorld } from './world.ts';

/** The file of the key that signs the ledger: what a start demands of it, and its rotation by the real command. */

const DAY = '2026-11-12';
const folder = await temporaryFolder();
const saldo = (args: string[], env: Record<string, string>) => runCommand(args, { folder, env });

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

test('a key file that others can read, or that has no Ed25519 key, stops the start', async () => {
  const file = path.join(folder, 'modes.key');
  const environment = {
    DATA_DIR: path.join(folder, 'modes'),
    DATABASE_URL: await createDatabase(),
    LEDGER_KEY_FILE: file,
    DEMO: 'off',
  };
  const refusal = async () => {
    const run = runProduct(environment);
    const [code] = await once(run.child, 'close');
    assert.equal(code, 1, run.output() + run.log());
    return run.log();
  };
  const { publicKey } = await renewLedgerKey(file);
  assert.equal(await modeOf(file), 0o600);
  for (const mode of [0o640, 0o604]) {
    await chmod(file, mode);
    const line = `LEDGER_KEY_FILE must be a file that only its owner can read, but the mode of "${file}" is 0${mode.toString(8)}.`;
    assert.equal(await refusal(), `Saldo cannot start: ${line} Run: chmod 600 '${file}'\n`);
  }
  await chmod(file, 0o600);
  const pem = await readFile(file, 'utf8');
  for (const wrong of ['', 'no key at all\n', pem.slice(0, 60)]) {
    await writeFile(file, wrong);
    assert.match(await refusal(), /^Saldo cannot start: LEDGER_KEY_FILE must be a file with an Ed25519 key/);
  }
  await writeFile(file, pem);
  await chmod(file, 0o400);
  const product = await startProduct(environment);
  assert.equal(await product.end('SIGTERM'), 0);
  assert.deepEqual(readLedgerKey(file).publicKey, publicKey, 'the key is not replaced');
});

test('saldo ledger rotate-key: new seals have the new key, and old proofs still verify', async () => {
  const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
  const { world, clock } = platform;
  const env = { LEDGER_KEY_FILE: platform.config.ledgerKeyFile, DATABASE_URL: platform.databaseUrl };
  const { contract, asSeller } = await makeDeal(platform);
  const change = async (kwh: number): Promise<Seal> => {
    clock.set(new Date(clock.now() + 60_000).toISOString());
    await world.volumes(contract, DAY, kwh);
    await sealAll(platform);
    return (await bodyOf(asSeller('/v1/ledger/seals?limit=1'))).seals[0];
  };
  const keys = (): Promise<LedgerKey> => bodyOf(asSeller('/v1/ledger/key'));
  const first = await change(1_000);
  const [transaction] = (await bodyOf(asSeller(`/v1/transactions?delivery_date=${DAY}&limit=1`)))
    .transactions;
  const prove = (query = ''): Promise<Proof> =>
    bodyOf(asSeller(`/v1/transactions/${transaction.id}/proof${query}`));
  const proof = await prove();
  const seals = [first];
  for (const kwh of [2_000, 3_000]) {
    const { code, out, err } = await saldo(['ledger', 'rotate-key'], env);
    assert.equal(code, 0, err);
    assert.equal(await modeOf(env.LEDGER_KEY_FILE), 0o600);
    const [, made] = /Its public key is (\S+)\.\n/.exec(out) ?? [];
    assert.equal((await keys()).public_key, seals.at(-1)!.public_key, 'until the next seal');
    const seal = await change(kwh);
    assert.equal(seal.public_key, made);
    assert.equal((await keys()).public_key, made);
    seals.push(seal);
  }
  assert.equal(new Set(seals.map(({ public_key }) => public_key)).size, seals.length);
  assert.deepEqual(
    (await keys()).previous_keys.map(({ public_key }) => public_key).toReversed(),
    seals.slice(0, -1).map(({ public_key }) => public_key),
  );

  await verifyProof(proof, await keys());
  assert.deepEqual(await prove(`?as_of=${proof.seal.sealed_at}`), proof, 'the answer stays the same');
  const replaced = await prove();
  assert.equal(provenEntry(replaced)['kind'], 'transactions_superseded');
  assert.equal(replaced.seal.public_key, seals[1]!.public_key);
  for (const seal of seals) {
    const sizes = `from=${seal.tree_size}&to=${seals.at(-1)!.tree_size}`;
    const { consistency_path } = await bodyOf(asSeller(`/v1/ledger/consistency?${sizes}`));
    await verifyConsistency(seal, seals.at(-1)!, consistency_path, await keys());
  }
  const verified = await saldo(['verify'], env);
  assert.equal(verified.code, 0, verified.out + verified.err);
});

test('a running server signs with the key of saldo ledger rotate-key, by its own job', async () => {
  const databaseUrl = await createDatabase();
  const db = openDatabase(databaseUrl);
  atEnd(() => db.close());
  const operatorKey = await createWorld(db, { now: Date.now }).operatorKey();
  const env = {
    DATA_DIR: path.join(folder, 'rotated'),
    DATABASE_URL: databaseUrl,
    LEDGER_KEY_FILE: path.join(folder, 'rotated.key'),
    RATE_LIMIT: '1000000',
    DEMO: 'off',
  };
  const product = await startProduct(env);
  const operator = client(product.baseUrl, operatorKey);
  const list = async (): Promise<Seal[]> =>
    (await bodyOf(operator('/operator/v1/ledger/seals?limit=100'))).seals;
  /** The job seals every 30 seconds. */
  const sealedChange = async (name: string): Promise<Seal> => {
    const { length } = await list();
    const made = await operator.post('/operator/v1/brps', { name });
    assert.equal(made.status, 201, made.text);
    return until(async () => {
      const seals = await list();
      return seals.length > length && seals[0];
    });
  };
  const first = await sealedChange('before');
  assert.equal(first.public_key, readLedgerKey(env.LEDGER_KEY_FILE).publicKey.toString('base64'));
  const { code, out, err } = await saldo(['ledger', 'rotate-key'], env);
  assert.equal(code, 0, err);
  const [, made] = /Its public key is (\S+)\.\n/.exec(out) ?? [];
  assert.notEqual(made, first.public_key);
  const second = await sealedChange('after');
  assert.equal(second.public_key, made);
  const keys: LedgerKey = await bodyOf(operator('/operator/v1/ledger/key'));
  assert.equal(keys.public_key, made);
  assert.deepEqual(
    keys.previous_keys.map(({ public_key }) => public_key),
    [first.public_key],
  );
  const sizes = `from=${first.tree_size}&to=${second.tree_size}`;
  const { consistency_path } = await bodyOf(operator(`/operator/v1/ledger/consistency?${sizes}`));
  await verifyConsistency(first, second, consistency_path, keys);
  const verified = await saldo(['verify'], env);
  assert.equal(verified.code, 0, verified.out + verified.err);
  assert.equal(await product.end('SIGTERM'), 0);
});

test('saldo ledger rotate-key makes no key where there was none, and keeps a file that is something else', async () => {
  const missing = await saldo(['ledger', 'rotate-key'], { LEDGER_KEY_FILE: path.join(folder, 'none.key') });
  assert.match(missing.err, /LEDGER_KEY_FILE must be a file that exists/);
  assert.equal(missing.code, 1);
  const file = path.join(folder, 'other');
  await writeFile(file, 'no key at all\n');
  const other = await saldo(['ledger', 'rotate-key'], { LEDGER_KEY_FILE: file });
  assert.match(other.err, /LEDGER_KEY_FILE must be a file with an Ed25519 key/);
  assert.equal(other.code, 1);
  assert.equal(await readFile(file, 'utf8'), 'no key at all\n');
});
