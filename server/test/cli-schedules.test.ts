import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './clean-up.ts';
import { runCommand, spawnCommand } from './command-line.ts';
import { startTestPlatform } from './harness.ts';
import { flat, listNominated, makeDeal, only } from './nominated.ts';

/** Runs the real command line with the keys of BRPs against the real platform. */

const DAY = '2026-10-25';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operatorKey = await world.operatorKey();
const { seller, asSeller, sellerGroup, contract } = await makeDeal(platform);
await world.volumes(contract, DAY, only(DAY, [1, 61], 1234, 7));
await world.volumes(contract, '2026-10-26', flat('2026-10-26', 1234));
await world.nominate();
const folder = await temporaryFolder();

const settingOf = (key: string) => ({ folder, env: { SALDO_URL: platform.baseUrl, SALDO_KEY: key } });
const saldo = (command: string, key = seller.key) => runCommand(command.split(' '), settingOf(key));
const succeeds = async (command: string, key = seller.key) => {
  const { code, out, err } = await saldo(command, key);
  assert.equal(code, 0, `saldo ${command}\n${err}${out}`);
  return out;
};
const json = async (command: string, key?: string) => JSON.parse(await succeeds(`${command} --json`, key));

const document = (format: string, file: string, version = 1) =>
  `schedules download ${DAY} --format ${format} --eic ${sellerGroup.eic} --tso DE_AMPRION --message-version ${version} -o ${file}`;
const change = async (from: string, to: string, edit: (text: string) => string) => {
  const text = await readFile(path.join(folder, from), 'utf8');
  const edited = edit(text);
  assert.notEqual(edited, text);
  await writeFile(path.join(folder, to), edited);
};
const german = (csv: string) =>
  `\u{feff}${csv
    .replaceAll(',', ';')
    .replaceAll(/(\d)\.(\d{3})\b/g, '$1,$2')
    .replaceAll('\n', '\r\n')}`;

test('downloaded schedules are equal in every format, also in several files', async () => {
  await succeeds(`schedules download ${DAY} -o own.csv`);
  await change('own.csv', 'german.csv', german);
  await succeeds(document('ess', 'ess.xml'));
  await succeeds(document('cim', 'cim.xml', 7));
  const run = await spawnCommand(
    ['schedules', 'check', 'own.csv', 'german.csv', 'ess.xml', 'cim.xml'],
    settingOf(seller.key),
  );
  const lines = ['own.csv', 'german.csv', 'ess.xml', 'cim.xml'].map((file) => `${file}  ${DAY}  equal\n`);
  assert.deepEqual(run, { code: 0, out: lines.join(''), err: '' });
  const result = await json('schedules check cim.xml');
  assert.deepEqual([result.message_version, result.compared[0].slots_equal], [7, 100]);
  assert.equal(await succeeds('schedules check cim.xml --quiet'), '');
});

test('slots that differ are printed, and the exit code is 1', async () => {
  const [nomination] = await listNominated(asSeller, `&delivery_date=${DAY}`);
  await succeeds(`schedules download ${DAY} -o own.csv`);
  await change('own.csv', 'changed.csv', (csv) => csv.replace(',4.936,1.234\n', ',4.937,1.234\n'));
  const run = await spawnCommand(['schedules', 'check', 'changed.csv'], settingOf(seller.key));
  assert.deepEqual(run, {
    code: 1,
    out: [
      `changed.csv  ${DAY}  differs`,
      'EIC               TSO         DIRECTION  SLOT  START             NOMINATED    YOURS  DIFFERENCE',
      `${sellerGroup.eic}  DE_AMPRION  out           1  2026-10-25 00:00    1.23400  1.23425    -0.00025`,
      '',
    ].join('\n'),
    err: '',
  });
  const quiet = await saldo('schedules check changed.csv --quiet');
  assert.deepEqual([quiet.code, quiet.out], [1, `${nomination?.id}\n`]);
  const asJson = await saldo('schedules check changed.csv --json');
  assert.equal(asJson.code, 1);
  assert.equal(JSON.parse(asJson.out).compared[0].slots[0].slot_number, 1);
});

test('broken rules are printed, the exit code is 1, and a submitted file is compared with the next one', async () => {
  await succeeds(document('ess', 'own.xml'));
  await change('own.xml', 'role.xml', (xml) => xml.replace('<SenderRole v="A08"/>', '<SenderRole v="A01"/>'));
  const run = await spawnCommand(['schedules', 'check', 'role.xml'], settingOf(seller.key));
  assert.deepEqual(run, {
    code: 1,
    out: [
      `role.xml  ${DAY}  rejected`,
      'CODE  SERIES  SLOTS  WHAT',
      'A78                  The role of the sender is "A01", known are A08.',
      '',
    ].join('\n'),
    err: '',
  });
  assert.equal((await saldo('schedules check role.xml --quiet')).code, 1);
  await succeeds('schedules check own.xml --submitted');
  await change('own.xml', 'next.xml', (xml) =>
    xml.replace('<SendersTimeSeriesIdentification v="', '<SendersTimeSeriesIdentification v="OTHER'),
  );
  const { code, out } = await saldo('schedules check next.xml');
  assert.equal(code, 1);
  assert.match(
    out,
    /A51 .*raise the message version to 2\.\nA52 {3}11XSALDO-------Z_OUT .*send it with zeros\./,
  );
});

test('a swapped direction and a missing nomination are named, and the exit code is 1', async () => {
  const [nomination] = await listNominated(asSeller, `&delivery_date=${DAY}`);
  await succeeds(`schedules download ${DAY} -o own.csv`);
  await change('own.csv', 'swapped.csv', (csv) => csv.replaceAll(',out,', ',in,'));
  const { code, out } = await saldo('schedules check swapped.csv');
  assert.equal(code, 1);
  assert.equal(
    out,
    [
      `swapped.csv  ${DAY}  differs`,
      `The file lacks the nomination ${nomination?.id}.`,
      `The series in of ${sellerGroup.eic} at DE_AMPRION has no nomination. The direction may be swapped: the file lacks ${nomination?.id}.`,
      '',
    ].join('\n'),
  );
});

test('numbers that can be read in two ways are a question, which --decimal answers', async () => {
  await succeeds('schedules download 2026-10-26 -o own.csv');
  await change('own.csv', 'points.csv', (csv) => csv.replaceAll(',', ';'));
  const asked = await saldo('schedules check points.csv');
  assert.equal(asked.code, 1);
  assert.match(asked.err, /decimal {2}line 2: is 4\.936 a number with a decimal point, or 4936 /);
  await succeeds('schedules check points.csv --decimal point');

  const volumes = `contract;delivery_date;slot;volume\n${contract.id};2026-10-27;1;1.250\n`;
  await writeFile(path.join(folder, 'volumes.csv'), volumes);
  const question = await saldo('import volumes volumes.csv --dry-run', operatorKey);
  assert.equal(question.code, 1);
  assert.match(question.err, /decimal {2}line 2: is 1\.250 a number with a decimal point/);
  const { created, dry_run } = await json(
    'import volumes volumes.csv --dry-run --decimal point',
    operatorKey,
  );
  assert.deepEqual([created, dry_run], [1, true]);
});

test('wrong usage is explained before anything is sent', async () => {
  for (const [command, reason] of [
    ['schedules check own.dat', /own\.dat does not end in \.csv or \.xml: give --format/],
    ['schedules check nowhere.csv', /the file cannot be read/],
    [`schedules download ${DAY} --format cim --tso DE_AMPRION`, /needs --eic, --tso and --message-version/],
    ['schedules download nom_1 --format cim', /one nomination is csv or ess/],
    ['schedules download nom_1 --tso DE_AMPRION', /are for a day, not for one nomination/],
  ] as const) {
    const { code, err } = await saldo(command);
    assert.equal(code, 2, command);
    assert.match(err, reason);
  }
  const { code, err } = await saldo('schedules check own.csv', operatorKey);
  assert.equal(code, 2);
  assert.match(err, /needs a BRP key, and the key is an operator key/);
});

test('a BRP lists its balance groups and sets their control areas', async () => {
  const { eic } = sellerGroup;
  const listed = await json('balance-groups list');
  assert.deepEqual(listed, (await asSeller('/v1/balance-groups')).body.balance_groups);
  const before: string[] = (await json(`balance-groups show ${eic}`)).enabled_tsos;
  assert.match(await succeeds('balance-groups list'), new RegExp(`^${eic} .* ${before.join(' ')} `, 'm'));
  const wanted = ['DE_AMPRION', 'DE_50HERTZ'];
  const set = await json(`balance-groups set ${eic} --tsos ${wanted.join(' ')}`);
  assert.deepEqual(set.enabled_tsos.toSorted(), wanted.toSorted());
  assert.deepEqual((await asSeller(`/v1/balance-groups/${eic}`)).body, set);

  const used = await saldo(`balance-groups set ${eic} --tsos DE_50HERTZ`);
  assert.equal(used.code, 1);
  assert.match(used.err, /409 position_in_use/);
  const named = await saldo(`balance-groups set ${eic} --name Nord`);
  assert.equal(named.code, 2);
  assert.match(named.err, /--name needs an operator key/);
});

test('steps of the own side are recorded, listed and taken back, and a changed version has its causes', async () => {
  const day = '2026-10-24';
  const current = async () => {
    const versions = await listNominated(asSeller, `&delivery_date=${day}`);
    return versions.find(({ status }) => status !== 'superseded')!;
  };
  await world.volumes(contract, day, 250);
  await world.nominate();
  const first = await current();
  const marked = await json(`schedules mark loaded ${first.id}`);
  assert.equal(marked[0].loaded.version, 1);
  await world.volumes(contract, day, 500);
  await world.nominate();
  const second = await current();
  const changed = await json('schedules list --changed');
  assert.deepEqual(
    changed.map((one: { nomination_id: string; changed_since: object }) => [
      one.nomination_id,
      one.changed_since,
    ]),
    [[second.id, { nomination_id: first.id, version: 1 }]],
  );
  assert.match(await succeeds('schedules list --changed'), new RegExp(`${second.id} .* 2 +v1 +– +– +v1\\n`));
  assert.match(
    await succeeds(`causes ${second.id}`),
    new RegExp(`corrected +${contract.id} .* 96 +24\\.000\\n`),
  );
  assert.equal((await json(`causes ${second.id}`)).since_nomination_id, first.id);
  await succeeds(`schedules mark submitted ${second.id}`);
  assert.deepEqual(await json('schedules list --changed'), []);
  const [undone] = await json(`schedules mark submitted ${second.id} --undo`);
  assert.equal(undone.submitted, null);
  const wrong = await saldo(`schedules mark posted ${second.id}`);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /loaded, checked, submitted/);
});
