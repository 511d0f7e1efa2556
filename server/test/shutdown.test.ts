import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { createDatabase } from './databases.ts';
import { startProduct } from './product.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'saldo-shutdown-'));
const database = await createDatabase();
/** The level of ordinary log lines. */
const INFO = 30;
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test('a request in progress is answered before the server stops', async () => {
  const product = await startProduct({ DATA_DIR: folder, DATABASE_URL: database.url, DEMO: 'on' });
  const [brp] = (await product.demo()).brps;
  assert.ok(brp);
  const { port } = new URL(product.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const body = JSON.stringify({ ids: ['nom_unknown'] });
  // The server has the headers and waits for the body when the stop begins.
  socket.write(
    `POST /v1/nominations/bulk HTTP/1.1\r\nHost: saldo\r\nX-Api-Key: ${brp.api_key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [interim] = (await once(socket, 'data')) as [Buffer];
  assert.match(interim.toString(), /100 Continue/);
  const stopped = product.end('SIGTERM');
  await printed(product, /Stopping/);
  socket.write(body);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  assert.match(answer, /^HTTP\/1\.1 200 OK/);
  assert.match(answer, /\{"nominations":\[\]\}$/);
  assert.equal(await stopped, 0);
});

test('both listeners answer requests in progress and then close, and the log names the requests of both', async () => {
  const product = await startProduct({ DATA_DIR: folder, DATABASE_URL: database.url, DEMO: 'on' });
  const [account] = (await product.demo()).accounts;
  assert.ok(account);
  const { port } = new URL(product.customerUrl);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  // A request that has started but is incomplete counts as in progress.
  socket.write('GET /v1/assets?limit=1 HTTP/1.1\r\nHost: saldo\r\nX-Request-Id: browse-1\r\n');
  await fetch(`${product.customerUrl}/docs`);
  const stopped = product.end('SIGTERM');
  await printed(product, /Stopping/);
  socket.write(`X-Api-Key: ${account.api_key}\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  assert.match(answer, /^HTTP\/1\.1 200 OK/);
  assert.match(answer, /\r\nconnection: close\r\n/i);
  assert.match(answer, /\{"assets":\[\{/);
  assert.equal(await stopped, 0);
  await assert.rejects(fetch(`${product.customerUrl}/docs`), 'the listener is closed');
  assert.match(product.log(), /"request_id":"browse-1","key_id":"key_\w+"/);
  assert.ok(!product.log().includes(account.api_key));
});

test('health, readiness and metrics are on the admin port, and the log has key ids but never keys', async () => {
  const product = await startProduct({ DATA_DIR: folder, DATABASE_URL: database.url, DEMO: 'on' });
  const [brp] = (await product.demo()).brps;
  assert.ok(brp);
  await fetch(`${product.baseUrl}/v1/contracts`, {
    headers: { 'x-api-key': brp.api_key, 'x-request-id': 'trace-1' },
  });
  assert.equal((await fetch(`${product.adminUrl}/healthz`)).status, 200);
  assert.equal((await fetch(`${product.adminUrl}/readyz`)).status, 200);
  const metrics = await (await fetch(`${product.adminUrl}/metrics`)).text();
  assert.match(
    metrics,
    /saldo_http_request_seconds_count\{method="GET",route="\/v1\/contracts",status="200"\} 1/,
  );
  assert.equal((await fetch(`${product.adminUrl}/nothing`)).status, 404);
  assert.equal(await product.end('SIGTERM'), 0);
  const line = product
    .log()
    .split('\n')
    .find((text) => text.includes('trace-1'));
  assert.ok(line);
  const entry = JSON.parse(line) as Record<string, unknown>;
  assert.equal(entry['request_id'], 'trace-1');
  assert.match(String(entry['key_id']), /^key_/);
  assert.equal(entry['status'], 200);
  assert.ok(!product.log().includes(brp.api_key));
});

test('an upload that the client aborts is no error of the server', async () => {
  const product = await startProduct({ DATA_DIR: folder, DATABASE_URL: database.url, DEMO: 'on' });
  const { brps, operator_key: operatorKey } = await product.demo();
  const uploads = [
    { path: 'POST /v1/nominations/bulk', type: 'application/json', key: brps[0]?.api_key },
    { path: 'POST /operator/v1/volumes/import', type: 'text/csv', key: operatorKey },
    { path: 'POST /v1/schedules/check', type: 'text/csv', key: brps[0]?.api_key },
  ];
  for (const { path: line, type, key } of uploads) {
    const socket = connect(Number(new URL(product.baseUrl).port), '127.0.0.1');
    await once(socket, 'connect');
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
  const entries = product.log().trim().split('\n');
  const levels = entries.map((text) => (JSON.parse(text) as { level: number }).level);
  assert.ok(
    levels.every((level) => level <= INFO),
    product.log(),
  );
});

async function printed(
  product: { child: { stdout: NodeJS.ReadableStream | null }; output: () => string },
  text: RegExp,
) {
  while (!text.test(product.output())) await once(product.child.stdout as NodeJS.ReadableStream, 'data');
}
