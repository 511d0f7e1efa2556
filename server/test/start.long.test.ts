import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openBrowser } from './browser.ts';
import { temporaryFolder } from './clean-up.ts';
import { PROGRAM_ENVIRONMENT } from './command-line.ts';
import { createDatabase } from './databases.ts';
import { client } from './harness.ts';
import { CHECKOUT, parseBlocks } from './markdown-blocks.ts';
import { freePort } from './ports.ts';
import { type Product, runProduct, startProduct } from './product.ts';
import { programFile } from './programs.ts';
import { until } from './until.ts';

const folder = await temporaryFolder('saldo start ');

test('the first start loads the demo world, the commands of the tour work, and the second start keeps the data', async () => {
  const dataDir = path.join(folder, 'demo');
  const first = await startProduct({ DATA_DIR: dataDir });
  for (const line of printedGreeting()) assert.match(first.output(), line);
  assert.match(first.output(), /^Loading the demo world…$/m);
  const [contracts, assets] = await runTour(first, dataDir);
  assert.ok(contracts?.['contracts']?.length && assets?.['assets']?.length);
  const access = await first.demo();
  assert.equal((await stat(path.join(dataDir, 'demo.json'))).mode & 0o777, 0o600);
  const [brp] = access.brps;
  assert.ok(brp);
  const before = await client(first.baseUrl, brp.api_key)('/v1/contracts?limit=100');
  for (const { email, password, role } of access.users) {
    assert.ok(!(first.output() + first.log()).includes(password), 'no password is printed');
    const { status, body } = await openBrowser(first).signIn(email, password);
    assert.deepEqual([status, body.user.role], [200, role], email);
  }
  assert.deepEqual(
    access.users.map(({ role }) => role),
    ['operator', 'brp', 'brp', 'account'],
  );
  assert.equal(await first.end('SIGTERM'), 0);

  const second = await startProduct({ DATA_DIR: dataDir });
  assert.deepEqual(await second.demo(), access);
  assert.deepEqual((await client(second.baseUrl, brp.api_key)('/v1/contracts?limit=100')).body, before.body);
  assert.match(second.output(), /^Keys for curl /m);
  assert.equal(await second.end('SIGINT'), 0);
});

const tour = parseBlocks('docs/tour.md', await readFile(path.join(CHECKOUT, 'docs/tour.md'), 'utf8'));
const blockOf = (start: string) =>
  tour.find(({ text }) => text.startsWith(start))?.text ?? assert.fail(`the tour has no block ${start}`);

/** The greeting as in the documentation, with placeholders for the port and the data folder. */
const printedGreeting = () =>
  blockOf('Saldo is ready.')
    .split('\n')
    .map((line) => RegExp.escape(line).replace('8080', String.raw`\d+`).replace('data', '.+'))
    .map((line) => new RegExp(`^${line}$`, 'm'));

/** Runs the commands that the tour has for the demo, and returns their answers. */
async function runTour({ baseUrl, customerUrl }: Product, dataDir: string) {
  const script = blockOf('demo() {')
    .replaceAll('./data', dataDir)
    .replaceAll('http://127.0.0.1:8080', baseUrl)
    .replaceAll('http://127.0.0.1:8081', customerUrl);
  const env = { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}` };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-euc', script], { env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown[]>);
}

/** Starts the product in a pseudo-terminal, as a person does, with both outputs in one text. */
function runInTerminal(environment: Record<string, string>) {
  // Without exec, the shell of script would report the signal as its own exit code.
  const command = `exec '${process.execPath}' '${programFile('server/src/main.ts')}'`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { ...PROGRAM_ENVIRONMENT, PORT: '0', CUSTOMER_PORT: '0', ADMIN_PORT: '0', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part.replaceAll('\r', '');
  });
  return { child, text: () => text };
}

const hasScript = spawnSync('script', ['--version']).status === 0;

test('a terminal gets one address, no JSON, and warnings and errors as plain lines', async (t) => {
  if (!hasScript) return t.skip('script of util-linux is not installed');
  const environment = { DATA_DIR: path.join(folder, 'terminal'), REDIS_URL: 'redis://127.0.0.1:1' };
  const { child, text } = runInTerminal(environment);
  t.after(() => child.kill('SIGKILL'));
  const [, baseUrl = ''] = await until(() => /^Saldo is ready\. Open (\S+)\/ in a browser\.$/m.exec(text()));
  assert.equal((await fetch(`${baseUrl}/v1/contracts`)).status, 401);
  await until(() => /^\d\d:\d\d:\d\d Warning: redis is not reachable: .+$/m.test(text()));
  child.stdin.write('\u0003');
  const [code] = await once(child, 'close');
  assert.equal(code, 0, text());
  assert.deepEqual(text().match(/https?:\S+/g), [`${baseUrl}/`]);
  assert.match(text(), /^Loading the demo world…$/m);
  assert.match(text(), /^Keys for curl and the passwords of all users are in .+demo\.json\.$/m);
  assert.match(text(), /^Press Ctrl\+C to stop\.$/m);
  assert.doesNotMatch(text(), /[{}]|saldo_(operator|brp|account)_/);
});

for (const [why, extra] of Object.entries({
  'with LOG_LEVEL': { LOG_LEVEL: 'info' },
  'in production': { NODE_ENV: 'production', OPERATOR_EIC: '11XSALDO-------Z' },
}))
  test(`a terminal gets the log ${why}`, async (t) => {
    if (!hasScript) return t.skip('script of util-linux is not installed');
    const DATABASE_URL = await createDatabase();
    const DATA_DIR = path.join(folder, why);
    const { child, text } = runInTerminal({ DATA_DIR, DATABASE_URL, DEMO: 'off', ...extra });
    t.after(() => child.kill('SIGKILL'));
    const [link = ''] = await until(() => /^ {2}http\S+invitation\S+$/m.exec(text()));
    assert.equal((await fetch(`${new URL(link.trim()).origin}/v1/contracts`)).status, 401);
    await until(() => /^\{"level":30,.*"url":"\/v1\/contracts","status":401/m.test(text()));
    child.stdin.write('\u0003');
    const [code] = await once(child, 'close');
    assert.equal(code, 0, text());
  });

test('without the demo the platform starts empty and prints the operator key and a portal link', async () => {
  const databaseUrl = await createDatabase();
  const environment = { DATA_DIR: path.join(folder, 'empty'), DATABASE_URL: databaseUrl, DEMO: 'off' };
  const first = await startProduct(environment);
  assert.match(first.output(), /Operator key: saldo_operator_\w{38}\n/);
  assert.doesNotMatch(first.output(), /curl/);
  await assert.rejects(first.demo());
  const [, email, token] =
    /Portal link for (\S+) \(valid once, for 72 hours\):\n +\S+\/invitation#([\w-]{43})\n/.exec(
      first.output(),
    ) ?? [];
  assert.equal(email, 'operator@localhost');
  const browser = openBrowser(first);
  const invitation = `/portal/v1/invitations/${token}`;
  const accepted = await browser.request.post(invitation, { password: 'the first password' });
  assert.deepEqual([accepted.status, accepted.body.user.role], [200, 'operator']);
  assert.equal((await browser.request('/operator/v1/brps')).status, 200);
  assert.equal(await first.end('SIGTERM'), 0);
  const lines = first.log().split('\n');
  assert.ok(lines.some((line) => line.includes('"url":"/portal/v1/invitations/…"')));
  assert.ok(lines.some((line) => line.includes(`"user_id":"${accepted.body.user.id}"`)));
  assert.ok(!first.log().includes(String(token)), 'the token of an invitation is in no log');
  const session = browser.cookie.split('=')[1] ?? '';
  assert.ok(session !== '' && !first.log().includes(session), 'nor is that of a session');
  assert.doesNotMatch(first.output() + first.log(), /the first password/);
  const second = await startProduct(environment);
  assert.doesNotMatch(second.output(), /saldo_operator_|invitation/);
  assert.equal(await second.end('SIGTERM'), 0);
});

test('in production the portal link is the only secret that is printed', async () => {
  const environment = { NODE_ENV: 'production', OPERATOR_EIC: '11XSALDO-------Z', LOG_LEVEL: 'info' };
  const empty = await createDatabase();
  const dataDir = (name: string) => ({ DATA_DIR: path.join(folder, name) });
  const first = await startProduct({ ...environment, ...dataDir('production'), DATABASE_URL: empty });
  assert.match(first.output(), /Portal link for operator@localhost/);
  assert.doesNotMatch(first.output() + first.log(), /saldo_operator_/);
  assert.equal(await first.end('SIGTERM'), 0);
  const tried = await createDatabase();
  const requested = { ...environment, ...dataDir('demo in production'), DATABASE_URL: tried, DEMO: 'on' };
  const demo = await startProduct(requested);
  const { brps, operator_key: operatorKey } = await demo.demo();
  for (const key of [operatorKey, ...brps.map(({ api_key }) => api_key)]) {
    assert.ok(!(demo.output() + demo.log()).includes(key));
  }
  assert.equal(await demo.end('SIGTERM'), 0);
});

test('a key from the environment is not printed', async () => {
  const databaseUrl = await createDatabase();
  const key = 'an-operator-key-of-my-own';
  const product = await startProduct({
    DATA_DIR: path.join(folder, 'own key'),
    DATABASE_URL: databaseUrl,
    DEMO: 'off',
    SALDO_OPERATOR_KEY: key,
  });
  assert.equal(await product.end('SIGTERM'), 0);
  assert.doesNotMatch(product.output() + product.log(), new RegExp(key));
});

test('an invalid environment variable stops the start with one line that names it', async () => {
  const run = runProduct({ DATA_DIR: path.join(folder, 'wrong'), PORT: 'eighty' });
  const [code] = await once(run.child, 'close');
  assert.equal(code, 1);
  const line = 'Saldo cannot start: PORT must be a whole number from 0 to 65535, but it was "eighty".';
  assert.equal(run.log().trim(), line);
});

test('a port in use is reported with its number and its variable', async (t) => {
  const databaseUrl = await createDatabase();
  const holder = createServer().listen(0, '127.0.0.1');
  t.after(() => holder.close());
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  for (const names of [['PORT'], ['CUSTOMER_PORT'], ['ADMIN_PORT'], ['PORT', 'ADMIN_PORT']]) {
    const run = runProduct({
      DATA_DIR: path.join(folder, 'port'),
      DATABASE_URL: databaseUrl,
      DEMO: 'off',
      LOG_LEVEL: 'error',
      ...Object.fromEntries(names.map((name) => [name, String(port)])),
    });
    const [code] = await once(run.child, 'close');
    const line = `Saldo cannot start: Port ${port} is in use. Set ${names.join(' or ')} to another one.\n`;
    assert.deepEqual([code, run.log()], [1, line]);
  }
  assert.equal(existsSync(path.join(folder, 'port')), false, 'nothing is left behind');
});

test('two listeners cannot have the same port', async () => {
  const port = String(await freePort());
  const run = runProduct({ DATA_DIR: path.join(folder, 'same port'), PORT: port, CUSTOMER_PORT: port });
  const [code] = await once(run.child, 'close');
  const line = `Saldo cannot start: Port ${port} is in use. Set PORT or CUSTOMER_PORT to another one.\n`;
  assert.deepEqual([code, run.log()], [1, line]);
});

test('a data folder that cannot be created is reported', async () => {
  const file = path.join(folder, 'a file');
  await writeFile(file, '');
  const run = runProduct({ DATA_DIR: path.join(file, 'data') });
  const [code] = await once(run.child, 'close');
  assert.equal(code, 1);
  assert.match(run.log(), /DATA_DIR must be a folder that exists or can be created/);
});
