import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { sealText } from '@saldo/core/ledger/tree.ts';
import { statement } from '../src/platform/db/statement.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { startTestPlatform } from './harness.ts';
import { cells, listNominated, makeDeal } from './nominated.ts';

const DAY = '2026-10-25';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world, clock } = platform;
const { seller, asSeller, contract } = await makeDeal(platform);
await world.volumes(contract, DAY, 100);
await world.nominate();
const folder = await temporaryFolder();
const inFolder = (name: string) => path.join(folder, name);

/** Nothing listens there: the command must not need the platform. */
const OFFLINE = 'http://127.0.0.1:1';
const saldo = (command: string, url = platform.baseUrl) =>
  runCommand(command.split(' '), { folder, env: { SALDO_URL: url, SALDO_KEY: seller.key } });
const succeeds = async (command: string, url?: string) => {
  const { code, out, err } = await saldo(command, url);
  assert.equal(code, 0, `saldo ${command}\n${err}${out}`);
  return out;
};
const sideFile = async (name: string) =>
  JSON.parse(await readFile(inFolder(`${name}.manifest.json`), 'utf8'));

test('an exported file is compared with its manifest, offline once that was read', async () => {
  for (const [name, rows] of [
    ['day.csv', 100],
    ['day.ndjson', 1],
    ['day.parquet', 100],
  ] as const) {
    await succeeds(`export nominations --from ${DAY} -o ${name}`);
    assert.equal((await sideFile(name)).manifest, null);
    const expected = `${name} agrees with its manifest: ${rows} rows as of 2026-10-20T08:00:00.000Z.\n`;
    assert.equal((await saldo(`verify-export ${name}`, OFFLINE)).code, 3, 'the manifest is not known yet');
    assert.equal(await succeeds(`verify-export ${name}`), expected);
    assert.equal(await succeeds(`verify-export ${name}`, OFFLINE), expected);
    await appendFile(inFolder(name), '\n');
    const changed = await saldo(`verify-export ${name}`, OFFLINE);
    assert.equal(changed.code, 1);
    assert.match(
      changed.out,
      /differs from its manifest: .*SHA-256 is [0-9a-f]{64}, in the manifest [0-9a-f]{64}/,
    );
    if (name !== 'day.parquet')
      assert.match(changed.out, new RegExp(`has ${rows + 1} rows, the manifest ${rows};`));
  }
});

test('a file without a side file, and a missing file, are wrong usage', async () => {
  await writeFile(inFolder('other.csv'), 'x');
  const { code, err } = await saldo('verify-export other.csv', OFFLINE);
  assert.equal(code, 2);
  assert.match(err, /other\.csv\.manifest\.json cannot be read/);
  await succeeds(`export nominations --from ${DAY} -o gone.csv`);
  await succeeds('verify-export gone.csv');
  await rm(inFolder('gone.csv'));
  assert.equal((await saldo('verify-export gone.csv', OFFLINE)).code, 2);
});

const INSERT_SEAL = statement(
  'test_insert_seal',
  `with key as (insert into ledger_key (public_key, created_at) values ($1, now()) returning no)
   insert into ledger_seal (tree_size, sequence, root_hash, sealed_at, key_no, signature)
   select 12, 9000000, $2, $3, no, $4 from key`,
);

test('with a public key the signature of the seal is checked', async () => {
  await succeeds(`export nominations --from ${DAY} -o sealed.csv`);
  const pair = generateKeyPairSync('ed25519');
  const publicKey = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const other = Buffer.from(
    generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '',
    'base64url',
  );
  await writeFile(inFolder('key.json'), JSON.stringify({ public_key: publicKey.toString('base64') }));
  await writeFile(inFolder('other-key'), other.toString('base64'));
  const unsealed = await saldo('verify-export sealed.csv --public-key key.json');
  assert.deepEqual([unsealed.code, /has not been sealed since/.test(unsealed.out)], [1, true]);
  const [root, sealedAt] = [Buffer.alloc(32, 7), '2026-10-20T08:00:30.001Z'];
  const signature = sign(null, Buffer.from(sealText(12, root.toString('hex'), sealedAt)), pair.privateKey);
  await platform.db.transaction((tx) => tx.query(INSERT_SEAL, [publicKey, root, sealedAt, signature]));
  const expected = `sealed.csv agrees with its manifest: 100 rows as of 2026-10-20T08:00:00.000Z, sealed at ${sealedAt}.\n`;
  assert.equal(await succeeds('verify-export sealed.csv --public-key key.json'), expected);
  assert.equal(await succeeds('verify-export sealed.csv --public-key key.json', OFFLINE), expected);
  const foreign = await saldo('verify-export sealed.csv --public-key other-key', OFFLINE);
  assert.deepEqual([foreign.code, /signature of the seal is not by this key/.test(foreign.out)], [1, true]);
  await writeFile(inFolder('short'), 'AAAA');
  assert.equal((await saldo('verify-export sealed.csv --public-key short', OFFLINE)).code, 2);
});

test('nominations and exports are read as of an instant', async () => {
  const [before] = await listNominated(asSeller, '&direction=out');
  assert.ok(before);
  await succeeds(`export nominations --from ${DAY} -o before.csv`);
  const asOf = '--as-of 2026-10-20T08:00:00Z';
  clock.set('2026-10-20T09:00:00Z');
  await world.volumes(contract, DAY, cells(DAY, { 5: 8 }));
  await world.nominate();
  const statusOf = async (options: string) =>
    JSON.parse(await succeeds(`nominations show ${before.id} --json ${options}`.trim())).status;
  assert.deepEqual([await statusOf(''), await statusOf(asOf)], ['superseded', 'pending']);
  const versionsOf = async (command: string) => JSON.parse(await succeeds(`${command} --json`)).length;
  assert.equal(await versionsOf(`nominations history ${before.id}`), 2);
  assert.equal(await versionsOf(`nominations history ${before.id} ${asOf}`), 1);
  assert.equal(await versionsOf(`nominations list --delivery-date ${DAY} ${asOf}`), 1);
  await succeeds(`export nominations --from ${DAY} -o again.csv ${asOf}`);
  assert.equal(await readFile(inFolder('again.csv'), 'utf8'), await readFile(inFolder('before.csv'), 'utf8'));
});
