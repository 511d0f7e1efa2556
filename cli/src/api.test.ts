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
    assert.deepEqual([code, requests.length], [2, 0], address);
  }
});

test('the address that is sent begins with the address of the platform', async () => {
  const sentBy = async (SALDO_URL: string, target: string) => {
    const sent: string[] = [];
    const fetch = async (input: string | URL | Request) => {
      sent.push(input instanceof Request ? input.url : String(input));
      return json({});
    };
    const { code } = await saldo(['api', 'GET', target], { fetch, env: { ...ENV, SALDO_URL } });
    assert.equal(code, sent.length === 0 ? 2 : 0, target);
    return sent;
  };
  const host = 'https://saldo.test';
  for (const [base, target, address] of [
    [host, '/v1/x?a=/../b', `${host}/v1/x?a=/../b`],
    [host, `${host}/v1/x`, `${host}/v1/x`],
    [host, '/v1/../other', `${host}/other`],
    [`${host}/saldo`, '/v1/x', `${host}/saldo/v1/x`],
    [`${host}/saldo/`, '/v1/x', `${host}/saldo/v1/x`],
    [`${host}/saldo`, `${host}/saldo/v1/x`, `${host}/saldo/v1/x`],
    [`${host}/saldo`, '/v1/../v2', `${host}/saldo/v2`],
  ] as const)
    assert.deepEqual(await sentBy(base, target), [address], `${base} ${target}`);
  for (const target of [
    '/../other',
    '/%2e%2e/other',
    '/..\\other',
    '/v1/../../saldo-other',
    `${host}/other`,
    `${host}/saldo-other`,
    `${host}/saldo/../other`,
  ])
    assert.deepEqual(await sentBy(`${host}/saldo`, target), [], target);
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

test('--select takes nothing of an answer without a body, and rejects one that is not JSON', async () => {
  for (const [method, reply, expected] of [
    ['DELETE', new Response(null, { status: 204 }), 0],
    ['GET', new Response(null, { status: 304 }), 0],
    ['HEAD', new Response(null), 0],
    ['POST', new Response('', { status: 202 }), 0],
    ['GET', new Response('a;b'), 2],
  ] as const) {
    const { fetch } = standIn(reply).options;
    const { code, out } = await saldo(['api', method, '/v1/x', '--select', 'id'], { fetch });
    assert.deepEqual([code, out], [expected, ''], method);
  }
});

test('an answer that breaks off is a platform that cannot be reached, and an output that fails is not', async () => {
  const broken = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }));
  for (const more of [[], ['--select', 'id']]) {
    const { fetch } = standIn(broken).options;
    const { code, err } = await saldo(['api', 'GET', '/v1/x', ...more], { fetch });
    assert.equal(code, 3);
    assert.match(err, /The platform cannot be reached\.\n {2}terminated/);
  }
  // A function, because cancelling the copy of a response waits until the original is cancelled too.
  const { fetch } = standIn(() => json({})).options;
  const stdoutError = new Error('no space left on device');
  await assert.rejects(saldo(['api', 'GET', '/v1/x'], { fetch, stdoutError }), stdoutError);
});
