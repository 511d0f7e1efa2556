import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { type Product, startProduct } from './product.ts';

const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
/** The level of ordinary log lines. */
const INFO = 30;

const environment = { DATA_DIR: folder, DATABASE_URL: databaseUrl, DEMO: 'on' };

/** A connection to a listener. */
async function connectTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

test('both listeners answer requests in progress and then close, and the log names the requests of both', async () => {
  const product = await startProduct(environment);
  const { brps, accounts } = await product.demo();
  const [[brp], [account]] = [brps, accounts];
  assert.ok(brp && account);
  const uploading = await connectTo(product.baseUrl);
  const body = JSON.stringify({ ids: ['nom_unknown'] });
  // The server has the headers and waits for the body when the stop begins.
  uploading.write(
    `POST /v1/nominations/bulk HTTP/1.1\r\nHost: saldo\r\nX-Api-Key: ${brp.api_key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [interim] = (await once(uploading, 'data')) as [Buffer];
  assert.match(interim.toString(), /100 Continue/);
  const browsing = await connectTo(product.customerUrl);
  // A request that has started but is incomplete counts as in progress.
  browsing.write('GET /v1/assets?limit=1 HTTP/1.1\r\nHost: saldo\r\nX-Request-Id: browse-1\r\n');
  await fetch(`${product.customerUrl}/docs`);
  const stopped = product.end('SIGTERM');
  await printed(product, /Stopping/);
  uploading.write(body);
  browsing.write(`X-Api-Key: ${account.api_key}\r\n\r\n`);
  const [uploaded, browsed] = await Promise.all([text(uploading), text(browsing)]);
  assert.match(uploaded, /^HTTP\/1\.1 200 OK/);
  assert.match(uploaded, /\{"nominations":\[\]\}$/);
  assert.match(browsed, /^HTTP\/1\.1 200 OK/);
  assert.match(browsed, /\r\nconnection: close\r\n/i);
  assert.match(browsed, /\{"assets":\[\{/);
  assert.equal(await stopped, 0);
  await assert.rejects(fetch(`${product.customerUrl}/docs`), 'the listener is closed');
  assert.match(product.log(), /"request_id":"browse-1","key_id":"key_\w+"/);
  assert.ok(!product.log().includes(account.api_key));
});

test('health, readiness and metrics are on the admin port, and the log has key ids but never keys', async () => {
  const product = await startProduct(environment);
  const [brp] = (await product.demo()).brps;
  assert.ok(brp);
  await fetch(`${product.baseUrl}/v1/contracts`, {
    headers: { 'x-api-key': brp.api_key, 'x-request-id': 'trace-1' },
  });
  assert.equal((await fetch(`${product.adminUrl}/healthz`)).status, 200);
  await product.untilReady();
  const metrics = await (await fetch(`${product.adminUrl}/metrics`)).text();
  assert.match(
    metrics,
    /saldo_http_request_seconds_count\{method="GET",route="\/v1\/contracts",status="200"\} 1/,
  );
  assert.equal((await fetch(`${product.adminUrl}/nothing`)).status, 404);
  assert.equal(await product.end('SIGTERM'), 0);
  const entry = entriesOf(product).find(({ request_id }) => request_id === 'trace-1');
  assert.match(String(entry?.['key_id']), /^key_/);
  assert.equal(entry?.['status'], 200);
  assert.ok(!product.log().includes(brp.api_key));
});

test('an upload that the client aborts is no error of the server', async () => {
  const product = await startProduct(environment);
  const { brps, operator_key: operatorKey } = await product.demo();
  const uploads = [
    { path: 'POST /v1/nominations/bulk', type: 'application/json', key: brps[0]?.api_key },
    { path: 'POST /operator/v1/volumes/import', type: 'text/csv', key: operatorKey },
    { path: 'POST /v1/schedules/check', type: 'text/csv', key: brps[0]?.api_key },
  ];
  for (const { path: line, type, key } of uploads) {
    const socket = await connectTo(product.baseUrl);
    socket.write(
      `${line} HTTP/1.1\r\nHost: saldo\r\nX-Api-Key: ${key}\r\nContent-Type: ${type}\r\n` +
        `Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n`,
    );
    const [interim] = (await once(socket, 'data')) as [Buffer];
    assert.match(interim.toString(), /100 Continue/);
    socket.write('contract,');
    socket.resetAndDestroy();
  }
  assert.equal(await product.end('SIGTERM'), 0);
  assert.ok(
    entriesOf(product).every(({ level }) => Number(level) <= INFO),
    product.log(),
  );
});

const entriesOf = (product: Product) =>
  product
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function printed(
  product: { child: { stdout: NodeJS.ReadableStream | null }; output: () => string },
  pattern: RegExp,
) {
  while (!pattern.test(product.output())) await once(product.child.stdout as NodeJS.ReadableStream, 'data');
}
