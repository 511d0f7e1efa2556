import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { BODY_LIMITS } from '../src/platform/http/body-arrivals.ts';
import { atEnd } from './clean-up.ts';
import { client, startTestPlatform, type TestPlatform } from './harness.ts';
import { parseAnswer, requestText } from './raw-http.ts';
import { until } from './until.ts';

const AT_ONCE = 4;
/** Longer than a test takes, so that only the test ends a slow request. */
const patient = await startTestPlatform({
  environment: { REQUESTS_AT_ONCE: String(AT_ONCE), REQUEST_TIMEOUT_S: '3600' },
});
const proxied = await startTestPlatform({
  environment: { TRUST_PROXY: 'on', REQUEST_TIMEOUT_S: '3600' },
});
const hasty = await startTestPlatform({ environment: { REQUEST_TIMEOUT_S: '1', IMPORT_SILENCE_S: '1' } });

const SESSION = 'POST /portal/v1/session';
const ORIGIN = ({ baseUrl }: TestPlatform) => ({ Host: new URL(baseUrl).host, Origin: baseUrl });
const JSON_BODY = { 'Content-Type': 'application/json', Connection: 'keep-alive' };

type RawClient = { socket: Socket; received: () => string };

/** Sends bytes from an address of this machine, and leaves the connection open, also when the server has ended it. */
async function open(
  { baseUrl }: TestPlatform,
  text: string | Buffer,
  localAddress = '127.0.0.1',
): Promise<RawClient> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), localAddress, allowHalfOpen: true });
  atEnd(() => socket.destroy());
  // The server may reset a connection whose client is still sending.
  socket.on('error', () => {});
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  await once(socket, 'connect');
  socket.write(text);
  return { socket, received: () => received };
}

const half = (platform: TestPlatform, line: string, headers: Record<string, string> = {}): string =>
  requestText(line, { ...ORIGIN(platform), ...JSON_BODY, 'Content-Length': '50', ...headers }, '{');

async function arriving({ adminUrl }: TestPlatform): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^saldo_http_bodies_arriving (\d+)$/m.exec(metrics)?.[1]);
}

const statusOf = ({ received }: RawClient) => (received() === '' ? null : parseAnswer(received()).status);

test('half-sent bodies hold no place: other requests are answered, and so are they once complete', async () => {
  const operatorKey = await patient.world.operatorKey();
  const { key } = await patient.world.brp();
  const slow = [];
  for (let count = 0; count < 3 * AT_ONCE; count++) {
    slow.push(await open(patient, half(patient, SESSION)));
    slow.push(await open(patient, half(patient, 'POST /operator/v1/brps', { 'X-Api-Key': operatorKey })));
  }
  await until(async () => (await arriving(patient)) === slow.length);
  for (let count = 0; count < 2 * AT_ONCE; count++) {
    assert.equal((await client(patient.baseUrl, key)('/v1/contracts')).status, 200);
  }
  const brps = client(patient.baseUrl, operatorKey);
  assert.equal((await brps.post('/operator/v1/brps', { name: 'In between' })).status, 201);
  const rest = '"name":"Complete at last"}'.padEnd(49);
  for (const { socket } of slow) socket.write(rest);
  const statuses = await Promise.all(slow.map((one) => until(() => statusOf(one))));
  // The body is no sign-in, but it is a BRP.
  assert.deepEqual(
    statuses,
    slow.map((_, at) => (at % 2 === 0 ? 400 : 201)),
  );
  assert.equal(await arriving(patient), 0);
});

test('one address may have a limited number of half-sent bodies, and other addresses are not affected', async () => {
  const slow = await Promise.all(
    Array.from({ length: BODY_LIMITS.perAddress }, () => open(patient, half(patient, SESSION))),
  );
  await until(async () => (await arriving(patient)) === BODY_LIMITS.perAddress);
  const refused = await open(patient, half(patient, SESSION));
  assert.equal(await until(() => statusOf(refused)), 429);
  const answer = parseAnswer(refused.received());
  assert.equal(answer.headers['retry-after'], '2');
  assert.match(JSON.parse(answer.body).detail, /More than \d+ requests of your address are still being sent/);
  // From the same address: this body arrives with its headers.
  const whole = await open(patient, half(patient, SESSION).replace(/\{$/, '{}'.padEnd(50)));
  assert.equal(await until(() => statusOf(whole)), 400);
  const other = await open(patient, half(patient, SESSION), '127.0.0.2');
  await until(async () => (await arriving(patient)) === BODY_LIMITS.perAddress + 1);
  assert.equal(statusOf(other), null);
  for (const { socket } of slow) socket.destroy();
  await until(async () => (await arriving(patient)) === 1);
});

test('behind a trusted proxy the limit is for the address of the client', async () => {
  const from = (address: string) => open(proxied, half(proxied, SESSION, { 'X-Forwarded-For': address }));
  for (let count = 0; count < BODY_LIMITS.perAddress; count++) await from(`2001:db8::${count + 1}`);
  await until(async () => (await arriving(proxied)) === BODY_LIMITS.perAddress);
  assert.equal(await until(statusOf.bind(null, await from('2001:db8:0:0:f::1'))), 429, 'the same network');
  await from('2001:db8:0:1::1');
  await from('203.0.113.7');
  await until(async () => (await arriving(proxied)) === BODY_LIMITS.perAddress + 2);
});

test('half-sent schedules of some BRPs do not delay the checks of others', async () => {
  // At the minimum rate these bodies have five minutes.
  const part = ' '.repeat(300 * BODY_LIMITS.bytesPerS);
  const headersOf = (key: string) => ({
    'X-Api-Key': key,
    'Content-Type': 'text/csv',
    'Content-Length': String(2 * part.length),
  });
  const slow: RawClient[] = [];
  for (let count = 0; count < 5; count++) {
    const { key } = await patient.world.brp();
    const text = half(patient, 'POST /v1/schedules/check', headersOf(key)) + part;
    slow.push(await open(patient, text), await open(patient, text));
  }
  await until(() => slow.every(({ socket }) => socket.writableLength === 0));
  const { key } = await patient.world.brp();
  const headers = { 'content-type': 'text/csv' };
  const answer = await client(patient.baseUrl, key).post('/v1/schedules/check', 'no schedule', { headers });
  assert.equal(answer.status, 400);
  for (const { socket } of slow) assert.equal(socket.closed, false);
});

/** Documents that are read whole before they are applied, a few at a time. */
const DOCUMENTS = {
  interchanges: ['POST /operator/v1/series/values', 'application/edifact'],
  'answers of TSOs': ['POST /operator/v1/exchange/receive', 'application/xml'],
} as const;

for (const [name, [line, type]] of Object.entries(DOCUMENTS)) {
  const headersOf = async (platform: TestPlatform, length: number) => ({
    'Content-Type': type,
    'Content-Length': String(length),
    'X-Api-Key': await platform.world.operatorKey(),
  });

  /** They have five minutes at the minimum rate, because so much of them has arrived. The rest never does. */
  const openHalf = async (platform: TestPlatform, count: number): Promise<RawClient[]> => {
    const part = ' '.repeat(300 * BODY_LIMITS.bytesPerS);
    const text = half(platform, line, await headersOf(platform, 2 * part.length)) + part;
    return Promise.all(Array.from({ length: count }, () => open(platform, text)));
  };

  const openWhole = async (platform: TestPlatform): Promise<RawClient> => {
    const text = 'no document';
    return open(platform, requestText(line, await headersOf(platform, text.length), text));
  };

  test(`half-sent ${name} do not delay complete ones`, async () => {
    const slow = await openHalf(patient, 4);
    await until(() => slow.every(({ socket }) => socket.writableLength === 0));
    const whole = await openWhole(patient);
    assert.equal(await until(() => statusOf(whole)), 400);
    for (const { socket } of slow) assert.equal(socket.closed, false);
  });

  test(`half-sent ${name} are closed by the idle timeout of imports, so that others get their turn`, async () => {
    const slow = await openHalf(hasty, 12);
    const whole = await openWhole(hasty);
    assert.equal(await until(() => statusOf(whole)), 400);
    await until(() => slow.every(({ socket }) => socket.closed || socket.readableEnded));
  });
}

/** Writes one byte after the other until the server closes the connection. */
async function dribble(one: RawClient): Promise<void> {
  const timer = setInterval(() => one.socket.write(' '), 50);
  await until(() => one.socket.closed).finally(() => clearInterval(timer));
}

test('a body, headers or a silent connection that is too slow is answered 408 and closed', async () => {
  const key = await hasty.world.operatorKey();
  const long = { 'Content-Length': '100000' };
  const bodies = [
    await open(hasty, half(hasty, SESSION, long)),
    await open(hasty, half(hasty, 'POST /operator/v1/brps', { ...long, 'X-Api-Key': key })),
  ];
  const headers = [
    await open(hasty, `GET /v1/contracts HTTP/1.1\r\nX-Api-Key: ${key}\r\nX-Slow: `),
    await open(hasty, 'GET /v1/contracts HTTP/1.1\r\nX-Slow: '),
  ];
  const silent = await open(hasty, '');
  await Promise.all([...[...bodies, ...headers].map(dribble), until(() => silent.socket.readableEnded)]);
  for (const one of [...bodies, ...headers, silent]) assert.equal(statusOf(one), 408);
  assert.match(
    JSON.parse(parseAnswer(bodies[0]!.received()).body).detail,
    /^The body was not complete after 1 s/,
  );
});

test('the rest of a rejected body is read for a limited time', async () => {
  const long = { 'Content-Length': '100000', 'X-Api-Key': 'unknown' };
  const rejected = [
    await open(hasty, half(hasty, 'POST /operator/v1/brps', long)),
    await open(hasty, half(hasty, 'POST /operator/v1/volumes', { ...long, 'Content-Type': 'text/csv' })),
    await open(hasty, half(hasty, 'POST /nowhere', long)),
  ];
  await Promise.all(rejected.map(dribble));
  assert.deepEqual(rejected.map(statusOf), [401, 401, 404]);
  for (const { received } of rejected) assert.equal(received().match(/HTTP\/1\.1/g)?.length, 1);
});

test('a body that arrives faster than the minimum rate may take longer', async () => {
  const operatorKey = await hasty.world.operatorKey();
  const body = JSON.stringify({ name: 'Large but steady' }).padEnd(30 * BODY_LIMITS.bytesPerS);
  const headers = { 'X-Api-Key': operatorKey, 'Content-Length': String(body.length) };
  const text = requestText('POST /operator/v1/brps', { ...ORIGIN(hasty), ...JSON_BODY, ...headers }, body);
  const steady = await open(hasty, text.slice(0, -1));
  const startedAt = performance.now();
  // Longer than the time limit; at the minimum rate this body has another half minute.
  await until(() => performance.now() - startedAt > 2_000);
  steady.socket.write(' ');
  assert.equal(await until(() => statusOf(steady)), 201);
});
