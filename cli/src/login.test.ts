import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { json, problem, standIn } from '../../sdk/test/stand-in.ts';
import { runCommand, type Setting } from '../test/run-command.ts';

const home = await mkdtemp(path.join(tmpdir(), 'saldo-login-'));
after(() => rm(home, { recursive: true, force: true }));
const settings = path.join(home, 'settings');
const KEY = 'saldo_brp_AbCd-very-secret';

const saldo = (command: string, setting: Setting = {}) =>
  runCommand(home, command, {
    ...setting,
    env: { XDG_CONFIG_HOME: settings, NO_COLOR: '1', ...setting.env },
  });

const DAY = json({ date: '2026-10-25', slots: [], gates: [] });
const groups = (...eics: string[]) =>
  json({
    balance_groups: eics.map((eic) => ({ eic })),
    pagination: { limit: 100, has_more: false, next_cursor: null },
  });
const empty = () => json({ customers: [], pagination: { next_cursor: null } });

test('login checks the key, stores it with the address for this user only, and never prints it', async () => {
  const { options, requests } = standIn(DAY.clone(), groups('11XNORD', '11XSUED'));
  const login = 'login --url https://saldo.test/nord --profile desk';
  const { code, out, err } = await saldo(login, { stdin: `${KEY}\n`, fetch: options.fetch });
  assert.equal(code, 0, err);
  const file = path.join(settings, 'saldo', 'profiles', 'desk.json');
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { url: 'https://saldo.test/nord', key: KEY });
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await stat(path.dirname(file))).mode & 0o777, 0o700);
  assert.deepEqual(out.split('\n'), [
    'url             https://saldo.test/nord',
    'kind            brp',
    'key             saldo_brp_AbCd…',
    'balance_groups  11XNORD, 11XSUED',
    '',
  ]);
  assert.equal(err, `Stored in ${file}.\n`);
  assert.ok(
    requests.every(({ url, headers }) => url.startsWith('/nord/v1/') && headers.get('x-api-key') === KEY),
  );
});

test('a profile takes precedence over the environment, and flags over the profile', async () => {
  const { options, requests } = standIn(empty(), empty(), empty());
  const env = { SALDO_URL: 'https://saldo.test/other', SALDO_KEY: 'saldo_operator_other' };
  await saldo('customers list --profile desk', { env, fetch: options.fetch });
  await saldo('customers list', { env: { SALDO_PROFILE: 'desk' }, fetch: options.fetch });
  await saldo('customers list --profile desk --key saldo_brp_flag', { env, fetch: options.fetch });
  assert.deepEqual(
    requests.map(({ url, headers }) => [url.split('?')[0], headers.get('x-api-key')]),
    [
      ['/nord/v1/customers', KEY],
      ['/nord/v1/customers', KEY],
      ['/nord/v1/customers', 'saldo_brp_flag'],
    ],
  );
});

test('a second login replaces the key, also in a file that others could read', async () => {
  const file = path.join(settings, 'saldo', 'config.json');
  await writeFile(file, '{"url": "https://saldo.test/kept", "key": "old"}', { mode: 0o644 });
  const { fetch } = standIn(DAY.clone()).options;
  const { code, err } = await saldo('login', { stdin: 'an-operator-key-of-our-own', tty: true, fetch });
  assert.equal(code, 0, err);
  assert.match(err, /^API key for https:\/\/saldo\.test\/kept: \n/);
  assert.ok(!err.includes('an-operator-key'));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const stored = JSON.parse(await readFile(file, 'utf8'));
  assert.deepEqual(stored, { url: 'https://saldo.test/kept', key: 'an-operator-key-of-our-own' });
});

test('a key that the platform rejects is not stored, nor one of the wrong kind or none', async () => {
  const refused = standIn(problem(401, 'invalid_api_key')).options;
  const login = 'login --url https://saldo.test --profile night';
  assert.equal((await saldo(login, { stdin: KEY, fetch: refused.fetch })).code, 1);
  const account = await saldo(login, { stdin: 'saldo_account_x' });
  assert.deepEqual([account.code, account.out], [2, '']);
  assert.match(account.err, /the key is an account key/);
  assert.match((await saldo(login)).err, /there is no API key on standard input/);
  const missing = await saldo('whoami --profile night');
  assert.equal(missing.code, 2);
  assert.match(missing.err, /there is no profile night: run saldo login --profile night/);
  assert.match((await saldo('whoami --profile ../x')).err, /the name of a profile has/);
});

test('whoami works with a key that may read no balance groups', async () => {
  const { fetch } = standIn(DAY.clone(), problem(403, 'insufficient_scopes')).options;
  const { code, out } = await saldo('whoami --profile desk --json', { fetch });
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(out), {
    url: 'https://saldo.test/nord',
    kind: 'brp',
    key: 'saldo_brp_AbCd…',
    balance_groups: [],
  });
});

test('an operator’s key without the scope to read is valid', async () => {
  const env = { SALDO_URL: 'https://saldo.test', SALDO_KEY: 'saldo_operator_AbCdEf' };
  const lacking = standIn(problem(403, 'insufficient_scopes')).options;
  const { code, out } = await saldo('whoami --json', { env, fetch: lacking.fetch });
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).kind, 'operator');
  const refused = standIn(problem(401, 'invalid_api_key')).options;
  assert.equal((await saldo('whoami', { env, fetch: refused.fetch })).code, 1);
});

test('a platform that is not a sandbox is reported as such', async () => {
  const env = { SALDO_URL: 'https://saldo.test', SALDO_KEY: 'an-operator-key' };
  for (const command of ['clock get', 'clock set 2026-10-25T00:00:00Z']) {
    const { fetch } = standIn(problem(404, 'not_found')).options;
    const { code, err } = await saldo(command, { env, fetch });
    assert.equal(code, 2);
    assert.match(err, /the platform is not a sandbox: .* SANDBOX=on/);
  }
});

test('schedules are downloaded by day and by nomination, to standard output and to a file', async () => {
  const text = () => new Response('delivery_date,slot\n', { headers: { 'content-type': 'text/csv' } });
  const { options, requests } = standIn(text(), text());
  const day = await saldo('schedules download 2026-10-25 --profile desk', { fetch: options.fetch });
  assert.deepEqual(day, { code: 0, out: 'delivery_date,slot\n', err: '' });
  const command = 'schedules download nom_1 --format ess -o nom.xml --profile desk';
  const one = await saldo(command, { fetch: options.fetch });
  assert.deepEqual([one.code, one.out], [0, '']);
  assert.equal(await readFile(path.join(home, 'nom.xml'), 'utf8'), 'delivery_date,slot\n');
  assert.deepEqual(
    requests.map(({ url }) => url),
    [
      '/nord/v1/nominations/schedule?delivery_date=2026-10-25&format=csv',
      '/nord/v1/nominations/nom_1/schedule?format=ess',
    ],
  );
  const wrong = await saldo('schedules download 2026-10-25 --format ess --profile desk');
  assert.match(wrong.err, /--format ess of a day needs --eic, --tso and --message-version/);
});
