import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { OperatorTransaction } from '@saldo/api';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { temporaryFolder } from './clean-up.ts';
import { CLI_MAIN, PROGRAM_ENVIRONMENT, runCommand, spawnCommand } from './command-line.ts';
import { client, startTestPlatform } from './harness.ts';
import { pngImage } from './png.ts';
import { until } from './until.ts';
import { untilReadersWait } from './waiting-readers.ts';
import { newEic } from './world.ts';

/** Runs the real command line against the real platform. */

const DAY = '2026-10-25';
const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z', environment: { SANDBOX: 'on' } });
const { world } = platform;
const operatorKey = await world.operatorKey();
const folder = await temporaryFolder();

type Setting = { stdin?: string; env?: Record<string, string> };
const settingOf = ({ env, ...rest }: Setting) => ({
  ...rest,
  folder,
  env: { SALDO_URL: platform.baseUrl, SALDO_KEY: operatorKey, ...env },
});
const saldo = (args: string[], setting: Setting = {}) => runCommand(args, settingOf(setting));
/** For exit codes and standard input, which only a process has. */
const saldoProcess = (args: string[], setting: Setting = {}) => spawnCommand(args, settingOf(setting));

/** Runs a command that must succeed, and returns its JSON output. */
async function answer(...args: string[]) {
  const { code, out, err } = await saldo([...args, '--json']);
  assert.equal(code, 0, `saldo ${args.join(' ')}\n${err}`);
  return JSON.parse(out);
}

const words = (text: string) => text.split(' ');

async function party(name: string) {
  const brp = await answer('brps', 'create', '--name', name);
  const eic = newEic();
  const place = ['--eic', eic, '--tso', 'DE_TENNET'];
  const group = ['--brp-id', brp.id, '--eic', eic, '--name', name, '--tsos', 'DE_TENNET', 'DE_50HERTZ'];
  const balanceGroup = await answer('balance-groups', 'create', ...group);
  assert.deepEqual(balanceGroup.tsos.toSorted(), ['DE_50HERTZ', 'DE_TENNET']);
  const customer = await answer(
    'customers',
    'create',
    '--brp-id',
    brp.id,
    '--name',
    `${name} plant`,
    ...place,
  );
  assert.equal((await answer('customers', 'activate', customer.id)).status, 'active');
  return { brp, eic, customer };
}

const seller = await party('Command North');
const buyer = await party('Command South');
const asset = await answer(
  ...words('assets create --name Windpark --technology wind_onshore --nominal-power 48.3 --tso DE_TENNET'),
);
const contract = await answer(
  ...words('contracts create --external-id CLI-1 --type ppa --ppa-type produced'),
  ...words(`--seller ${seller.customer.id} --buyer ${buyer.customer.id} --asset-id ${asset.id}`),
  ...words('--first-day 2026-01-01 --last-day 2026-12-31'),
);

test('from an empty platform to an explained nomination, with commands alone', async () => {
  assert.equal(contract.delivery_start, '2025-12-31T23:00:00Z');
  assert.equal(contract.delivery_end, '2026-12-31T23:00:00Z');
  assert.equal(contract.asset.id, asset.id);

  const lines = Array.from(
    { length: 100 },
    (_, index) => `CLI-1,${DAY},${index + 1},${index === 60 ? 2 : 1.25}`,
  );
  await writeFile(path.join(folder, 'day.csv'), `contract,delivery_date,slot,volume\n${lines.join('\n')}\n`);
  const trial = await answer('import', 'volumes', 'day.csv', '--dry-run');
  assert.deepEqual([trial.created, trial.dry_run], [100, true]);
  const imported = await answer('import', 'volumes', 'day.csv');
  assert.deepEqual([imported.rows, imported.created, imported.rejected], [100, 100, []]);

  await answer('nominate', '--date', DAY);
  const nominations = await answer('nominations', 'list', '--delivery-date', DAY, '--all');
  assert.deepEqual(
    nominations.map(({ eic, direction }: Record<string, string>) => `${eic} ${direction}`).toSorted(),
    [`${seller.eic} out`, `${buyer.eic} in`].toSorted(),
  );
  const table = await saldo(['nominations', 'list', '--delivery-date', DAY]);
  assert.match(table.out, new RegExp(`^nom_\\w+ +${DAY} +${seller.eic} +DE_TENNET +out +1 +pending `, 'm'));
  const [nomination] = nominations;
  const explanation = await answer('explain', nomination.id, '--slot', '61');
  assert.deepEqual(
    explanation.slots.map((slot: { slot_number: number; amount: number }) => [slot.slot_number, slot.amount]),
    [[61, 2]],
  );
  assert.equal(explanation.slots[0].transactions[0].contract_id, contract.id);

  const shown = await saldo(['explain', nomination.id, '--slot', '61']);
  assert.match(shown.out, /SLOT +START +NOMINATED +SENDS +RECEIVES/);
  assert.match(shown.out, /61 +2026-10-25 14:00 +2\.000/);
  const history = await answer('nominations', 'history', nomination.id);
  assert.equal(history.at(0).id, nomination.id);
  assert.match((await saldo(['nominations', 'show', nomination.id])).out, /SLOT +START +MWH +MATCHED/);
});

test('--json is exactly the JSON of the API, lists as arrays', async () => {
  const request = client(platform.baseUrl, operatorKey);
  const { body } = await request('/operator/v1/contracts?limit=100');
  assert.deepEqual(await answer('contracts', 'list', '--all'), body.contracts);
  const one = await request(`/operator/v1/contracts/${contract.id}`);
  assert.deepEqual(await answer('contracts', 'show', 'CLI-1'), one.body);
});

test('a day is written, corrected by an import from standard input, and a transaction invalidated', async () => {
  const day = '2026-10-27';
  const result = await answer('days', 'put', 'CLI-1', day, '--volume', '0.5');
  assert.deepEqual(result, { created: 96, corrected: 0, unchanged: 0, revision: 1 });
  const correction = JSON.stringify({ contract: 'CLI-1', delivery_date: day, slot: 1, volume: 0.75 });
  const imported = await saldoProcess(['import', 'volumes', '-', '--format', 'ndjson'], {
    stdin: `${correction}\n`,
  });
  assert.equal(imported.code, 0, imported.err);
  assert.match(imported.out, /^1 line in .*\n {2}0 created, 1 corrected, 0 unchanged\n$/);

  const filter = ['--contract-id', contract.id, '--delivery-date', day, '--slot-number-to', '1'];
  const transactions = await answer('transactions', 'list', ...filter);
  assert.deepEqual(
    transactions.map(({ version, status, volume }: Record<string, unknown>) => [version, status, volume]),
    [
      [1, 'superseded', 0.5],
      [2, 'valid', 0.75],
    ],
  );
  const invalid = await answer(
    'transactions',
    'invalidate',
    transactions[1].id,
    '--reason',
    'meter replaced',
  );
  assert.equal(invalid.status, 'invalid');
});

test('rejected lines are shown with their place, and the exit code is 1', async () => {
  const text = `contract,delivery_date,slot,volume\nCLI-1,2026-10-28,1,1\nNOBODY,2026-10-28,1,1\n`;
  const { code, out } = await saldoProcess(['import', 'volumes', '-', '--format', 'csv'], { stdin: text });
  assert.equal(code, 1);
  assert.match(out, /1 created/);
  assert.match(out, /1 line rejected/);
  assert.match(out, /\n +3 +unknown_contract /);
});

test('keys are limited to addresses, which the list shows with the address of the last use', async () => {
  const allowed = ['127.0.0.0/8', '2001:db8::7'];
  const create = ['keys', 'create', '--brp', seller.brp.id, '--name', 'bound', '--allowed-addresses'];
  const { id, allowed_addresses } = await answer(...create, ...allowed);
  assert.deepEqual(allowed_addresses, allowed);
  const listed = await saldo(['keys', 'list', '--all']);
  assert.match(listed.out, /LAST USED +FROM +ALLOWED +ENDS/);
  const row = listed.out.split('\n').find((line) => line.startsWith(id));
  assert.match(row ?? '', /127\.0\.0\.0\/8 2001:db8::7/);
  const refused = await saldo([...create, '127.0.0.1/8']);
  assert.notEqual(refused.code, 0);
  assert.match(refused.err, /the network is 127\.0\.0\.0\/8/);
});

test('keys are shown once, when they are made, and never again', async () => {
  const { code, out, err } = await saldo(['keys', 'create', '--brp', seller.brp.id, '--name', 'dispatch']);
  assert.equal(code, 0, err);
  const [, secret = ''] = /^secret +(\S+)$/m.exec(out) ?? [];
  const [, id = ''] = /^id +(\S+)$/m.exec(out) ?? [];
  assert.match(err, /not shown again/);
  const request = client(platform.baseUrl, secret);
  assert.equal((await request('/v1/contracts')).status, 200);

  const calendar = await saldo(['delivery-day', DAY]);
  assert.equal(calendar.code, 0, calendar.err);
  assert.match(calendar.out, /^slot_count +100$/m);
  assert.match(calendar.out, /^day_ahead +2026-10-24 14:30 +open$/m);

  const rotated = await answer('keys', 'rotate', id);
  const listed = await saldo(['keys', 'list', '--all']);
  assert.match(listed.out, new RegExp(rotated.id));
  for (const key of [secret, rotated.secret, operatorKey]) assert.ok(!listed.out.includes(key));
  assert.equal((await saldo(['keys', 'revoke', rotated.id])).code, 0);
  assert.equal((await client(platform.baseUrl, rotated.secret)('/v1/contracts')).status, 401);
});

test('settings of balance groups, customers and assets are changed', async () => {
  const group = await answer('balance-groups', 'set', seller.eic, '--name', 'Renamed');
  assert.equal((await answer('balance-groups', 'show', seller.eic)).name, 'Renamed');
  assert.deepEqual(group.tsos.length, 2);
  const marked = await answer('customers', 'update', seller.customer.id, '--meta', 'a=1', '--meta', 'b=x=y');
  assert.deepEqual(marked.metadata, { a: '1', b: 'x=y' });
  const unmarked = await answer('customers', 'update', seller.customer.id, '--unset', 'a');
  assert.deepEqual(unmarked.metadata, { b: 'x=y' });
  assert.equal((await answer('assets', 'update', asset.id, '--nominal-power', '50.4')).nominal_power, 50.4);
  assert.equal((await answer('assets', 'show', asset.id)).nominal_power, 50.4);
  const account = await answer('accounts', 'create', '--name', 'Command Ventures');
  assert.deepEqual(await answer('accounts', 'list'), [account]);
});

test('a customer is created active, and moved by its BRP after a preview, to another BRP by the operator', async () => {
  const place = ['--eic', seller.eic, '--tso', 'DE_TENNET'];
  const create = ['customers', 'create', '--brp-id', seller.brp.id, '--name', 'Moving plant', ...place];
  const customer = await answer(...create, '--status', 'active');
  assert.equal(customer.status, 'active');
  const dates = ['--first-day', '2026-01-01', '--last-day', '2026-12-31'];
  await answer(
    ...words('contracts create --external-id CLI-MOVE --type ppa --ppa-type produced'),
    ...['--seller', customer.id, '--buyer', buyer.customer.id, ...dates],
  );
  await answer('days', 'put', 'CLI-MOVE', '2026-10-30', '--volume', '1');
  await answer('nominate');

  const { secret } = await answer('keys', 'create', '--brp', seller.brp.id, '--name', 'desk');
  const asBrp = async (...args: string[]) => {
    const { code, out, err } = await saldo([...args, '--json'], { env: { SALDO_KEY: secret } });
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };
  const move = [customer.id, '--balance-group', seller.eic, '--tso', 'DE_50HERTZ'];
  const preview = await asBrp('customers', 'preview', ...move);
  assert.deepEqual(
    [preview.effective_day, preview.contracts, preview.transactions, preview.nominations_total],
    ['2026-10-21', 1, 96, 2],
  );
  const moved = await asBrp('customers', 'move', ...move);
  assert.deepEqual(moved, preview.customer);
  assert.deepEqual(await asBrp('customers', 'show', customer.id), moved);
  assert.ok((await asBrp('customers', 'list', '--all')).some(({ id }: { id: string }) => id === customer.id));

  const away = ['--brp', buyer.brp.id, '--balance-group', buyer.eic, '--tso', 'DE_TENNET'];
  assert.equal((await answer('customers', 'move', customer.id, ...away)).brp_id, buyer.brp.id);
  const shown = await saldo(['customers', 'placements', customer.id]);
  assert.deepEqual(shown.out.split('\n').slice(1), [
    `2026-10-21  –           ${buyer.eic}  DE_TENNET`,
    `–           2026-10-20  ${seller.eic}  DE_TENNET`,
    '',
  ]);
  assert.equal((await answer('customers', 'placements', customer.id)).length, 2);
  const foreign = await saldo(['customers', 'placements', customer.id], { env: { SALDO_KEY: secret } });
  assert.equal(foreign.code, 1);
  assert.match(foreign.err, /404 customer_not_found/);
  const again = await saldo(['customers', 'preview', customer.id, '--status', 'active']);
  assert.equal(again.code, 1);
  assert.match(again.err, /409 already_active/);
});

test('a BRP signs in once, and reads its contracts, transactions, nominations and schedule', async () => {
  const day = '2026-10-29';
  await answer('days', 'put', 'CLI-1', day, '--volume', '1.5');
  await answer('nominate');
  const { secret } = await answer('keys', 'create', '--brp', seller.brp.id, '--name', 'terminal');
  const nothing = { SALDO_URL: '', SALDO_KEY: '' };
  const desk = (...args: string[]) => saldo([...args, '--profile', 'desk'], { env: nothing });
  const login = ['login', '--url', platform.baseUrl, '--profile', 'desk'];
  const signedIn = await saldo(login, { env: nothing, stdin: `${secret}\n` });
  assert.equal(signedIn.code, 0, signedIn.err);
  assert.match(signedIn.out, new RegExp(`^balance_groups .*${seller.eic}`, 'm'));
  assert.ok(!`${signedIn.out}${signedIn.err}`.includes(secret));
  const read = async (...args: string[]) => {
    const { code, out, err } = await desk(...args, '--json');
    assert.equal(code, 0, `saldo ${args.join(' ')}\n${err}`);
    return JSON.parse(out);
  };
  const asBrp = client(platform.baseUrl, secret);
  assert.deepEqual(
    await read('contracts', 'show', 'CLI-1'),
    (await asBrp(`/v1/contracts/${contract.id}`)).body,
  );
  assert.deepEqual(
    await read('contracts', 'list', '--all'),
    (await asBrp('/v1/contracts?limit=100')).body.contracts,
  );
  const transactions = await read('transactions', 'list', '--delivery-date', day, '--all');
  assert.equal(transactions.length, 96);
  const [nomination] = await read('nominations', 'list', '--delivery-date', day, '--status', 'pending');
  assert.equal(nomination.eic, seller.eic);
  assert.equal((await read('nominations', 'show', nomination.id)).slots.length, 96);
  assert.equal((await read('nominations', 'history', nomination.id)).length, 1);
  assert.equal((await read('explain', nomination.id, '--slot', '1')).slots[0].amount, 1.5);
  const schedule = await desk('schedules', 'download', day);
  assert.equal(schedule.out, (await asBrp(`/v1/nominations/schedule?delivery_date=${day}`)).text);
  const refused = await desk('exchange', 'messages');
  assert.deepEqual([refused.code, refused.out], [2, '']);
  assert.match(refused.err, /needs an operator key, and the key is a BRP key/);
});

test('an asset is offered with prices and a cover, its offer is changed, and withdrawn again', async () => {
  const market = client(platform.customerUrl, await world.accountKey());
  const offered = await answer(
    ...words(`assets offer ${asset.id} --ppa-type PAY_AS_PRODUCED --delivery-start 2027-01-01T00:00:00Z`),
    ...words('--country DE --state Brandenburg --average-annual-power 126500 --price 10=58.5 5=61'),
  );
  const pricing = [
    { years: 5, price: 61 },
    { years: 10, price: 58.5 },
  ];
  assert.deepEqual(offered.offer.pricing, pricing);
  await writeFile(path.join(folder, 'cover.txt'), pngImage('command line'));
  const covered = await answer('assets', 'cover', 'cover.txt', '--asset', asset.id);
  const [listed] = (await market('/v1/assets')).body.assets;
  assert.deepEqual(
    [listed.id, listed.pricing, listed.coverUrl],
    [asset.id, pricing, covered.offer.cover_url],
  );
  assert.equal((await fetch(listed.coverUrl)).headers.get('content-type'), 'image/png');
  const shown = await saldo(['assets', 'show', asset.id]);
  assert.match(shown.out, /^offer\.state +Brandenburg$/m);
  assert.match(shown.out, /YEARS +EUR\/MWH\n +5 +61\.00\n +10 +58\.50\n/);
  assert.match((await saldo(['assets', 'list', '--offered'])).out, /DE, 5 y 61\.00, 10 y 58\.50/);
  const raised = await answer('assets', 'offer', asset.id, '--price', '7=64.25');
  assert.deepEqual(raised.offer, { ...covered.offer, pricing: [{ years: 7, price: 64.25 }] });

  await writeFile(path.join(folder, 'fake.png'), 'no image');
  const refused = await saldo(['assets', 'cover', 'fake.png']);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /not a PNG, JPEG or WebP image/);
  assert.equal((await saldo(['assets', 'cover', 'missing.png'])).code, 2);
  assert.equal((await saldo(['assets', 'offer', asset.id])).code, 2);
  assert.equal((await saldo(['assets', 'offer', asset.id, '--price', 'cheap'])).code, 2);
  assert.equal((await answer('assets', 'withdraw', asset.id)).offer, null);
  assert.deepEqual((await market('/v1/assets')).body.assets, []);
});

test('a demand is published, changed, listed and deleted', async () => {
  const made = await answer(
    ...words('demands create --contract-period 10 --delivery-volume 24000 --country AT --state Tirol'),
  );
  const changed = await answer('demands', 'update', made.id, '--delivery-volume', '20000.5');
  assert.deepEqual(changed, { ...made, delivery_volume: 20_000.5 });
  assert.deepEqual(await answer('demands', 'show', made.id), changed);
  assert.deepEqual(await answer('demands', 'list', '--country', 'AT'), [changed]);
  const [listed] = (await client(platform.customerUrl, await world.accountKey())('/v1/demands')).body.demands;
  assert.equal(listed.deliveryVolume, 20_000.5);
  assert.equal((await saldo(['demands', 'delete', made.id])).code, 0);
  assert.deepEqual(await answer('demands', 'list'), []);
  assert.equal((await saldo(['demands', 'show', made.id])).code, 1);
});

test('a contract with a profile generates its volumes, and ends early', async () => {
  await answer(
    ...words('contracts create --external-id CLI-BASE --type ppa --ppa-type baseload --baseload 5'),
    ...words(`--seller ${seller.customer.id} --buyer ${buyer.customer.id}`),
    ...words('--first-day 2026-10-01 --last-day 2026-10-31'),
  );
  const made = await answer('profiles', 'run', '--days', '2');
  assert.ok(made.created >= 96, JSON.stringify(made));
  const ended = await answer('contracts', 'end', 'CLI-BASE', '--last-day', '2026-10-25');
  assert.equal(ended.delivery_end, '2026-10-25T23:00:00Z');
});

test('the audit trail names what the commands did', async () => {
  const entries = await answer('audit', '--subject', seller.customer.id, '--all');
  assert.ok(entries.length >= 2);
  assert.ok(entries.every(({ subject }: { subject: string }) => subject === seller.customer.id));
});

test('the log has the requests of the key, as the operator and as a BRP', async () => {
  await answer('brps', 'list');
  await until(async () => {
    await platform.flush();
    return (await answer('requests', 'list', '--route', '/operator/v1/brps', '--method', 'GET')).length > 0;
  });
  const [logged] = await answer('requests', 'list', '--route', '/operator/v1/brps', '--method', 'GET');
  assert.deepEqual(await answer('requests', 'show', logged.request_id), logged);
  const quiet = await saldo(['requests', 'list', '--route', '/operator/v1/brps', '--quiet', '--limit', '1']);
  assert.equal(quiet.out, `${logged.request_id}\n`);
  const text = await saldo(['requests', 'list', '--route', '/operator/v1/brps', '--limit', '1']);
  assert.match(
    text.out,
    /^WHEN +STATUS +MS +REQUEST +PROBLEM +CALLER +ID\n2026-10-2\d .* GET \/operator\/v1\/brps/,
  );
  const { secret } = await world.key(await world.brp());
  const foreign = await saldo(['requests', 'show', logged.request_id], { env: { SALDO_KEY: secret } });
  assert.equal(foreign.code, 1);
  assert.match(foreign.err, /The log has no such request/);
});

test('the clock of the sandbox is read and moved', async () => {
  const { now } = await answer('clock', 'get');
  const moved = await answer('clock', 'set', '2026-10-24T14:29:59+02:00');
  assert.deepEqual(moved, { now: '2026-10-24T12:29:59Z', moved: true });
  await answer('clock', 'set', now);
});

test('exit codes: 1 for a problem, 2 for wrong usage, 3 for an unreachable platform', async () => {
  const problem = await saldoProcess(['brps', 'show', 'brp_nobody']);
  assert.equal(problem.code, 1);
  assert.match(problem.err, /^BRP Not Found \(404 brp_not_found\)\n {2}.*\n {2}request req_/);
  const twice = ['contracts', 'create', '--external-id', 'CLI-1', '--type', 'ppa', '--ppa-type', 'produced'];
  const again = await saldoProcess([...twice, '--seller', seller.customer.id, '--buyer', buyer.customer.id]);
  assert.equal(again.code, 1);
  assert.match(again.err, /^Already Exists \(409 already_exists\)/);
  assert.equal((await saldoProcess(['brps', 'show'])).code, 2);
  const wrongKey = await saldoProcess(['brps', 'list'], { env: { SALDO_KEY: 'not-a-known-key' } });
  assert.equal(wrongKey.code, 1);
  assert.ok(!wrongKey.err.includes('not-a-known-key'));
  const gone = await saldoProcess(['brps', 'list'], { env: { SALDO_URL: 'http://127.0.0.1:1' } });
  assert.equal(gone.code, 3);
});

test('a pipe that its reader closes early is no failure', async () => {
  const child = spawn(process.execPath, [CLI_MAIN, 'transactions', 'list', '--all', '--json'], {
    env: { ...PROGRAM_ENVIRONMENT, HOME: folder, SALDO_URL: platform.baseUrl, SALDO_KEY: operatorKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.once('data', () => child.stdout.destroy());
  let err = '';
  child.stderr.on('data', (text) => {
    err += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.deepEqual([code, err], [0, '']);
});

test('an export has the transactions of its days, as the operator and as a BRP', async () => {
  const listed = await answer(...words(`transactions list --delivery-date ${DAY} --all`));
  assert.ok(listed.length > 0);
  const linesOf = (records: object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');
  // A BRP sees that a transaction is invalid, and not why.
  const asBrp = (listed as OperatorTransaction[]).map(
    ({ invalid_reason: _reason, source: _source, ...shown }) => shown,
  );
  const { secret } = await answer(...words(`keys create --brp ${seller.brp.id} --name export`));
  for (const [key, lines] of [
    [operatorKey, linesOf(listed)],
    [secret, linesOf(asBrp)],
  ] as const) {
    const command = words(`export transactions --from ${DAY} -o day.ndjson`);
    const { code, err } = await saldo(command, { env: { SALDO_KEY: key } });
    assert.equal(code, 0, err);
    assert.equal(await readFile(path.join(folder, 'day.ndjson'), 'utf8'), lines);
  }
});

test('events are followed until the command is interrupted, from now on or after an event', async () => {
  const follow = (...args: string[]) => {
    const child = spawn(process.execPath, [CLI_MAIN, 'events', 'follow', ...args], {
      env: { ...PROGRAM_ENVIRONMENT, HOME: folder, SALDO_URL: platform.baseUrl, SALDO_KEY: operatorKey },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const end = async () => {
      const closed = once(child, 'close');
      child.kill('SIGINT');
      return (await closed)[0] as number;
    };
    return { line: async () => String((await lines.next()).value), end };
  };
  const alarm = async () => {
    await saldo(['exchange', 'receive', '-'], { stdin: '<nonsense/>' });
    await watchExchange(platform.db, platform.clock, platform.exchange);
  };
  await alarm();
  const operator = client(platform.baseUrl, operatorKey);
  const [first] = (await operator('/operator/v1/events?types=exchange.alarm&limit=1')).body.events;
  const [json, text] = [follow('--json', '--types', 'exchange.*', '--after', first.id), follow()];
  await untilReadersWait(platform.adminUrl, 2);
  await alarm();
  const [, second] = (await operator('/operator/v1/events?types=exchange.alarm')).body.events;
  assert.deepEqual(JSON.parse(await json.line()), second);
  assert.match(
    await text.line(),
    new RegExp(`exchange.alarm  id=${second.data.id}  kind=unreadable  severity=warning$`),
  );
  assert.deepEqual([await json.end(), await text.end()], [130, 130]);
});

test('a user is created, invited by email, made read-only, and disabled', async () => {
  const email = 'dispatch@nordwind.example';
  const who = ['--email', email, '--name', 'Dirk Dispatch', '--role', 'brp', '--permissions', 'admin'];
  const user = await answer('users', 'create', ...who, '--brp-id', seller.brp.id);
  assert.deepEqual([user.status, user.brp.id], ['invited', seller.brp.id]);
  const { link } = await answer('users', 'invite', email.toUpperCase());
  assert.ok(link.startsWith(`${platform.baseUrl}/invitation#`));
  const shown = await saldo(['users', 'invite', user.id]);
  assert.match(shown.out, /link +http.*#[\w-]{43}\n/);
  assert.match(shown.err, /not shown again/);
  assert.equal((await answer('users', 'set', email, '--permissions', 'viewer')).permissions, 'viewer');
  const signedOut = await saldo(['users', 'sign-out', email]);
  assert.deepEqual([signedOut.code, signedOut.err], [0, `All sessions of ${email} have ended.\n`]);
  const [ended] = await answer('audit', '--subject', user.id, '--action', 'user.sessions_ended');
  assert.equal(ended.address, '127.0.0.1');
  assert.equal((await answer('users', 'disable', email)).status, 'disabled');
  assert.equal((await answer('users', 'enable', user.id)).status, 'invited');
  assert.deepEqual(
    (await answer('users', 'list', '--role', 'brp')).map(({ id }: { id: string }) => id),
    [user.id],
  );
  assert.equal((await answer('users', 'show', email)).id, user.id);
  const unknown = await saldo(['users', 'invite', 'unknown@nordwind.example']);
  assert.deepEqual([unknown.code, unknown.out], [2, '']);
  assert.match(unknown.err, /no user with the email unknown@nordwind.example/);
});
