import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { interchange, MALO, message, OTHER_MALO, profile } from '../../core/test/mscons-documents.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { startTestPlatform } from './harness.ts';

/** Runs the commands of series and their sources against the real platform. */

const DAY = '2026-10-25';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const { producer, consumer } = await world.pair();
const plant = await world.asset('Solarpark Teltow');
const env = { SALDO_URL: platform.baseUrl, SALDO_KEY: await world.operatorKey() };
const folder = await temporaryFolder();

const saldo = (args: string[], stdin = '') => runCommand(args, { folder, env, stdin });
const succeeds = async (args: string[], stdin = '') => {
  const { code, out, err } = await saldo(args, stdin);
  assert.equal(code, 0, `saldo ${args.join(' ')}\n${err}${out}`);
  return out;
};
const words = (text: string) => text.split(' ');
const answer = async (...args: string[]) => JSON.parse(await succeeds([...args, '--json']));
const create = (kind: string, name: string, ...more: string[]) =>
  answer(...words(`series create --kind ${kind} --asset ${plant.id}`), '--name', name, ...more);

const forecast = await create('forecast', 'Teltow, forecast');
const meter = await create('meter', 'Teltow, meter', '--market-location', MALO);
// Activates both customers, so that their contracts take volumes.
await world.contract(producer, consumer);
const contract = await answer(
  ...words('contracts create --external-id TELTOW-1 --type ppa --ppa-type produced'),
  ...words(`--asset-id ${plant.id} --seller ${producer.id} --buyer ${consumer.id}`),
  ...words('--first-day 2026-10-01 --last-day 2026-12-31'),
  ...words(`--source-forecast ${forecast.id} --source-meter ${meter.id} --source-share 0.5`),
);

const volumeOf = async (slot: number) => {
  const found = await answer(
    ...words(`transactions list --contract-id ${contract.id} --delivery-date ${DAY} --status valid`),
    ...words(`--slot-number-from ${slot} --slot-number-to ${slot}`),
  );
  return found.map(({ volume, source }: { volume: number; source: string }) => [volume, source]);
};

test('a forecast is imported from a file after a dry run, and the volumes of the contract follow', async () => {
  const lines = Array.from({ length: 100 }, (_, at) => `${forecast.id},${DAY},${at + 1},10`);
  const csv = ['series,delivery_date,slot,power_mw', ...lines, ''].join('\n');
  await writeFile(path.join(folder, 'forecast.csv'), csv);
  const trial = await answer('import', 'values', 'forecast.csv', '--dry-run');
  assert.deepEqual([trial.created, trial.dry_run], [100, true]);
  assert.deepEqual(await answer('series', 'values', forecast.id, DAY), []);
  const imported = await succeeds(['import', 'values', 'forecast.csv']);
  assert.match(imported, /^100 lines in \d+\.\d s\n {2}100 created, 0 corrected, 0 unchanged\n$/);
  assert.deepEqual(await volumeOf(53), [[1.25, 'forecast']]);
});

test('a day is written from JSON in its unit, and all versions of a slot are listed', async () => {
  const day = JSON.stringify(Array.from({ length: 100 }, (_, at) => (at === 52 ? 2 : null)));
  await succeeds(['series', 'put', forecast.id, DAY, '--file', '-', '--unit', 'energy_mwh'], day);
  const versions = await succeeds(words(`series values ${forecast.id} ${DAY} --slot-number 53`));
  assert.match(versions, /53 {2}2026-10-25 12:00 {2}2000\.000 {8}2\n +53 {2}\S+ 12:00 {2}2500\.000 {8}1\n$/);
  assert.deepEqual(await volumeOf(53), [[1, 'forecast']]);
});

test('an interchange is applied, its rejected and unknown parts are printed, and its bytes are kept', async () => {
  const values = (location: string, obis = '2.29.0') => profile(location, obis, DAY, () => '1800.5');
  const text = interchange([
    message(values(MALO), 'M1'),
    message(values(OTHER_MALO), 'M2'),
    message(
      profile(MALO, '2.29.0', DAY, () => '1.2345'),
      'M3',
    ),
  ]);
  await writeFile(path.join(folder, 'lastgang.txt'), text);
  const { code, out } = await saldo(['import', 'values', 'lastgang.txt']);
  assert.equal(code, 1);
  assert.match(out, /^icg_\w+: 3 messages in /);
  assert.match(
    out,
    new RegExp(`1 message rejected\\n  1 market location without a series: ${OTHER_MALO}\\n`),
  );
  assert.deepEqual(await volumeOf(53), [[0.9, 'meter']]);
  const [received] = await answer('interchanges', 'list');
  assert.equal(received.state, 'applied');
  assert.equal(await succeeds(['interchanges', 'raw', received.id]), text);
  assert.match(await succeeds(['interchanges', 'show', received.id]), /MESSAGE {2}SEGMENT {2}REASON\n +3 /);
});

test('forecast and meter are compared day by day', async () => {
  const table = await succeeds(words(`series deviation ${meter.id} --from ${DAY} --to ${DAY}`));
  assert.match(table, /2026-10-25 +249500\.000 +180050\.000 +-69450\.000 +69450\.000 {2}100 %\n$/);
});

test('a series is renamed, listed by its filters, and rejected for an unknown owner', async () => {
  assert.equal((await answer(...words(`series update ${meter.id} --name Zähler`))).name, 'Zähler');
  const listed = await answer(...words(`series list --owner-id ${plant.id} --kind meter`));
  assert.deepEqual(
    listed.map(({ id, name }: { id: string; name: string }) => [id, name]),
    [[meter.id, 'Zähler']],
  );
  const wrong = await saldo(words(`series create --kind meter --customer ${plant.id} --name x`));
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /owner\.id/);
});

test('the source of a contract is replaced and ended', async () => {
  const source = `--source-forecast ${forecast.id} --source-share 0.25 --source-max-power 1.5`;
  const replaced = await answer(...words(`contracts update TELTOW-1 ${source}`));
  assert.deepEqual(replaced.source, {
    forecast: forecast.id,
    meter: null,
    share: 0.25,
    max_power_mw: 1.5,
  });
  assert.deepEqual(await volumeOf(53), [[0.375, 'forecast']]);
  assert.equal((await answer(...words('contracts update TELTOW-1 --no-source'))).source, null);
});
