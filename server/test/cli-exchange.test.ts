import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { agree, newPlace, receiveAll } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';

/** A day of the exchange on the command line: sent, answered by the simulator, inspected. */

const DAY = '2026-10-25';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operatorKey = await world.operatorKey();
const folder = await temporaryFolder();
const [seller, buyer] = [await newPlace(platform, 'DE_TENNET'), await newPlace(platform, 'DE_TENNET')];
const contract = await agree(world, seller, buyer);
await world.volumes(contract, DAY, 1000);
await world.nominate();

const { dataDir } = platform.config;
const saldo = (...args: string[]) =>
  runCommand(args, {
    folder,
    env: { SALDO_URL: platform.baseUrl, SALDO_KEY: operatorKey, DATA_DIR: dataDir },
  });
const takeAnswers = () => receiveAll(platform);

test('unsent schedules are listed with their gate until they are sent', async () => {
  const before = await saldo('exchange', 'unsent');
  assert.equal(before.code, 0, before.err);
  assert.match(before.out, new RegExp(`${DAY}.*${seller.group.eic}.*2026-10-24 14:30.*2026-10-24 14:00`));
  const sent = await saldo('exchange', 'send', '--delivery-date', DAY, '--tso', 'DE_TENNET');
  assert.equal(sent.code, 0, sent.err);
  assert.match(sent.out, /msg_\w+ .*out +schedule +ess +DE_TENNET +2026-10-25 +1 +sent/);
  assert.match((await saldo('exchange', 'send')).err, /No schedule to send/);
  assert.match((await saldo('exchange', 'unsent')).err, /No records match/);
  const unanswered = await saldo('exchange', 'mismatches', '--delivery-date', DAY);
  assert.match(unanswered.err, /The TSOs have reported no mismatches\./);
});

test('the simulator answers from the command line, with a deviation that the mismatches show', async () => {
  const run = await saldo(
    'simulate-tso',
    '--once',
    '--immediate',
    '--deviate',
    `${buyer.group.eic}:45-48:-50`,
  );
  assert.equal(run.code, 0, run.err);
  assert.match(
    run.out,
    /_001\.XML: acknowledgement accepted, confirmation partial, anomaly, confirmation partial\n/,
  );
  await takeAnswers();
  const table = await saldo('exchange', 'mismatches', '--delivery-date', DAY);
  assert.equal(table.code, 0, table.err);
  const rows = table.out.trimEnd().split('\n').slice(1);
  assert.deepEqual(
    rows.map((row) => /in +(\d+) +.* +(\S+) +(\S+) +(\S+) +partial_match/.exec(row)?.slice(1).join(' ')),
    ['45', '46', '47', '48'].map((slot) => `${slot} 1.00000 0.98750 0.98750`),
  );
  const json = JSON.parse((await saldo('exchange', 'mismatches', '--delivery-date', DAY, '--json')).out);
  assert.equal(json[0].slots.length, 4);
});

test('messages are listed, shown, and downloaded unchanged', async () => {
  const list = await saldo('exchange', 'messages', '--type', 'confirmation', '--json');
  const [message] = JSON.parse(list.out);
  const shown = await saldo('exchange', 'message', message.id);
  assert.match(shown.out, /state +applied/);
  const raw = await saldo('exchange', 'message', message.id, '--raw');
  assert.match(raw.out, /^<\?xml [^]*<ConfirmationReport /);

  const file = path.join(folder, 'again.xml');
  await writeFile(file, raw.out);
  const again = await saldo('exchange', 'receive', file);
  assert.equal(again.code, 0, again.err);
  assert.match(again.out, /state +ignored/);
  await writeFile(file, '<nonsense/>');
  const refused = await saldo('exchange', 'receive', file);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /Unreadable Message \(400 unreadable_message\)/);
  assert.equal((await saldo('exchange', 'receive', 'nowhere.xml')).code, 2);
});

test('alarms are listed and acknowledged, and the status of a schedule is requested', async () => {
  await watchExchange(platform.db, platform.clock, platform.exchange);
  const table = await saldo('exchange', 'alarms');
  assert.equal(table.code, 0, table.err);
  assert.match(table.out, /alm_\w+ +warning +unreadable .* 2026-10-20 10:00 .*nonsense/);
  const id = (await saldo('exchange', 'alarms', '--quiet')).out.trim();
  assert.equal((await saldo('exchange', 'acknowledge', id)).code, 2, 'a note is required');
  const acknowledged = await saldo('exchange', 'acknowledge', id, '--note', 'sent again');
  assert.equal(acknowledged.code, 0, acknowledged.err);
  assert.match(acknowledged.out, /note +sent again/);
  assert.match((await saldo('exchange', 'alarms')).err, /No records match/);
  const [past] = JSON.parse((await saldo('exchange', 'alarms', '--state', 'resolved', '--json')).out);
  assert.deepEqual([past.id, past.note], [id, 'sent again']);

  const asked = await saldo('exchange', 'status-request', '--delivery-date', DAY, '--tso', 'DE_TENNET');
  assert.equal(asked.code, 0, asked.err);
  assert.match(asked.out, /type +status_request/);
  assert.match(asked.out, /file_name +20261025_SRQ_/);
  const answered = await saldo('simulate-tso', '--once', '--immediate');
  assert.match(answered.out, /_SRQ_.*: confirmation accepted\n/);
});

test('the simulator rejects unknown settings with the reason, and has a help text', async () => {
  const wrong = await saldo('simulate-tso', '--once', '--reject', 'unknown');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /error: unknown is not one of DE_AMPRION/);
  assert.equal((await saldo('simulate-tso', '--whatever')).code, 2);
  const help = await saldo('simulate-tso', '--help');
  assert.equal(help.code, 0);
  assert.match(help.out, /--deviate <eic\[@tso\]:slots:kw>/);
});

test('late changes are listed and exported', async () => {
  assert.match((await saldo('nominations', 'late')).err, /No late changes/);
  platform.clock.set('2026-10-28T15:00:00Z');
  await world.volumes(contract, DAY, 1250);
  await world.nominate();
  const table = await saldo('nominations', 'late', '--delivery-date', DAY);
  assert.equal(table.code, 0, table.err);
  const rows = table.out.trimEnd().split('\n').slice(1);
  assert.equal(rows.length, 200);
  assert.match(
    rows[99] ?? '',
    new RegExp(`^${DAY} +${seller.group.eic} +DE_TENNET +100 +1.000 +1.250 +-0.250 +2026-10-28 16:00$`),
  );
  const json = JSON.parse((await saldo('nominations', 'late', '--brp-id', buyer.brp.id, '--json')).out);
  assert.deepEqual(
    json.map(({ eic, slots }: { eic: string; slots: unknown[] }) => [eic, slots.length]),
    [[buyer.group.eic, 100]],
  );
  const csv = await saldo('nominations', 'late', '--csv', '--brp-id', buyer.brp.id);
  const { text } = await client(
    platform.baseUrl,
    operatorKey,
  )(`/operator/v1/exports/late?brp_id=${buyer.brp.id}`);
  assert.equal(csv.out, text);
  assert.equal(text.split('\n').length, 102);
});
