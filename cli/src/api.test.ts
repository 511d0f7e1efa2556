import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { json, problem, standIn } from '../../sdk/test/stand-in.ts';
import { runCommand, type Setting } from '../test/run-command.ts';

const KEY = 'saldo_brp_very-secret';
const ENV = { SALDO_URL: 'https://saldo.test', SALDO_KEY: KEY };
const home = await mkdtemp(path.join(tmpdir(), 'saldo-api-'));
after(() => rm(home, { recursive: true, force: true }));

const saldo = (command: string[], setting: Setting = {}) =>
  runCommand(home, command, { env: ENV, ...setting });

test('a request has the key, and its answer is printed byte by byte with the status on stderr', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  const { options, requests } = standIn(new Response(bytes, { statusText: 'OK' }));
  const { code, out, err } = await saldo(['api', 'get', '/v1/assets?limit=5'], {
    fetch: options.fetch,
    encoding: 'latin1',
  });
  assert.deepEqual([code, err], [0, '200 OK\n']);
  assert.deepEqual(Buffer.from(out, 'latin1'), Buffer.from(bytes));
  const [{ method, url, headers, redirect } = assert.fail()] = requests;
  assert.deepEqual(
    [method, url, headers.get('x-api-key'), redirect],
    ['GET', '/v1/assets?limit=5', KEY, 'manual'],
  );
});

test('the body is text, a file or standard input, and headers replace those of the command', async () => {
  await writeFile(path.join(home, 'body.csv'), 'a;b\n');
  for (const [data, stdin, sent] of [
    ['{"a":1}', '', '{"a":1}'],
    ['@body.csv', '', 'a;b\n'],
    ['@-', 'from stdin', 'from stdin'],
  ] as const) {
    const { options, requests } = standIn(json({}, 201));
    const more = ['--header', 'Content-Type: text/csv', '--header', 'If-Match: "1"'];
    const { code } = await saldo(['api', 'POST', '/v1/x', '--data', data, ...more], {
      fetch: options.fetch,
      stdin,
    });
    const [{ body, headers } = assert.fail()] = requests;
    assert.deepEqual(
      [code, body, headers.get('content-type'), headers.get('if-match')],
      [0, sent, 'text/csv', '"1"'],
    );
  }
  const { options, requests } = standIn(json({}));
  await saldo(['api', 'PUT', '/v1/x', '--data', '{}'], { fetch: options.fetch });
  assert.equal(requests[0]?.headers.get('content-type'), 'application/json');
});

test('the exit code follows the status, and an unreachable platform is 3', async () => {
  const cases: [reply: Response | Error, code: number][] = [
    [new Response(null, { status: 204 }), 0],
    [new Response(null, { status: 304 }), 0],
    [new Response(null, { status: 302, headers: { location: 'https://evil.test' } }), 1],
    [problem(404, 'not_found'), 1],
    [problem(503, 'unavailable'), 1],
    [new TypeError('fetch failed'), 3],
  ];
  for (const [reply, expected] of cases) {
    const { options, requests } = standIn(reply);
    const { code, err } = await saldo(['api', 'GET', '/v1/x', '--quiet'], { fetch: options.fetch });
    assert.equal(code, expected);
    assert.equal(requests.length, 1, 'no retry and no redirect');
    assert.equal(err === '', expected === 0, 'errors are not silenced');
  }
});

test('addresses of other hosts never get the key', async () => {
  const refused = [
    'https://evil.test/v1',
    '//evil.test/v1',
    '/\\evil.test',
    'http://saldo.test/v1',
    '@evil.test',
    'v1/x',
  ];
  for (const address of refused) {
    const { options, requests } = standIn(json({}));
    const { code } = await saldo(['api', 'GET', address], { fetch: options.fetch });
    const hosts = requests.map(({ url }) => url.startsWith('/'));
    assert.ok(code === 2 ? hosts.length === 0 : hosts.every(Boolean), address);
    if (address !== '/\\evil.test') assert.equal(code, 2, address);
  }
  const { options, requests } = standIn(json({}));
  await saldo(['api', 'GET', 'https://saldo.test/v1/x'], { fetch: options.fetch });
  assert.equal(requests[0]?.url, '/v1/x');
});

test('wrong usage sends nothing', async () => {
  for (const args of [
    ['BREW', '/v1/x'],
    ['GET', '/v1/x', '--data', '{}'],
    ['GET', '/v1/x', '--header', 'nothing'],
    ['POST', '/v1/x', '--data', '@missing.json'],
    ['GET', '/v1/x', '--select', 'a..b'],
  ])
    assert.equal((await saldo(['api', ...args])).code, 2, args.join(' '));
});

test('--select prints parts of the answer', async () => {
  const { fetch } = standIn(json({ contracts: [{ id: 'con_1' }, { id: 'con_2' }] })).options;
  const { out } = await saldo(['api', 'GET', '/v1/contracts', '--select', 'contracts[].id', '--quiet'], {
    fetch,
  });
  assert.equal(out, 'con_1\ncon_2\n');
});
