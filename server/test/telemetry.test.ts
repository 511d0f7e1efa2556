import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { EXPORT_LIMITS, OtlpExporter } from '../src/platform/telemetry/otlp-exporter.ts';
import { attributesOf, type Json, logRecordsOf, startCollector } from './collector.ts';
import { client, startTestPlatform } from './harness.ts';
import { until } from './until.ts';

const collector = await startCollector(() => 200);
const environment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
  OTEL_SERVICE_NAME: 'saldo-test',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
  OTEL_BSP_SCHEDULE_DELAY: '20',
};
const lines: string[] = [];
const sink = (to: string[]) => pino({ base: null }, { write: (line: string) => void to.push(line) });
const platform = await startTestPlatform({ environment, logger: sink(lines) });
const { world } = platform;
const brp = await world.brp();
const broken = await startCollector(() => 500);
const lossy = await startTestPlatform({
  environment: { ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: broken.url },
  logger: sink([]),
});
const quiet = await startTestPlatform();

const spans = (): Json[] =>
  collector.received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans);
const records = () => logRecordsOf(collector);

const metricsOf = async ({ adminUrl }: { adminUrl: string }) => (await fetch(`${adminUrl}/metrics`)).text();

const PARENT = 'b7ad6b7169203331';
let traces = 0;
const newTrace = () => `0af7651916cd43dd8448eb211c${String(++traces).padStart(6, '0')}`;
const ask = client(platform.baseUrl, brp.key);
const rootOf = (traceId: string) =>
  until(
    () => spans().find((span) => span.traceId === traceId && span.kind === 2),
    () => 'the span',
  );

test('a request is a span of its caller’s trace, with the database calls as its children', async () => {
  const traceId = newTrace();
  const answer = await ask('/v1/contracts?limit=1', {
    headers: { traceparent: `00-${traceId}-${PARENT}-01`, 'x-request-id': 'req_traced' },
  });
  assert.equal(answer.status, 200);
  const root = await rootOf(traceId);
  assert.equal(root.parentSpanId, PARENT);
  assert.equal(root.name, 'GET /v1/contracts');
  const attributes = attributesOf(root);
  assert.equal(attributes['http.response.status_code'], '200');
  assert.equal(attributes['http.route'], '/v1/contracts');
  assert.equal(attributes['saldo.request_id'], 'req_traced');
  const calls = spans().filter((span) => span.traceId === traceId && span.kind === 3);
  assert.ok(calls.length > 0);
  assert.equal(attributes['saldo.database.calls'], String(calls.length));
  assert.ok(Number(attributes['saldo.database.ms']) > 0);
  for (const call of calls) {
    assert.equal(call.parentSpanId, root.spanId);
    assert.equal(attributesOf(call)['db.system.name'], 'postgresql');
    assert.match(call.startTimeUnixNano, /^\d{19}$/);
    assert.ok(BigInt(call.startTimeUnixNano) <= BigInt(call.endTimeUnixNano));
    assert.ok(BigInt(call.endTimeUnixNano) <= BigInt(root.endTimeUnixNano));
  }
});

test('the calls of a request with a body belong to its trace too', async () => {
  const traceId = newTrace();
  const created = await client(platform.baseUrl, brp.key).post(
    '/v1/transactions/bulk',
    { ids: ['txn_01jhm4q7sqe8h9w3tb5k2x0rax'] },
    { headers: { traceparent: `00-${traceId}-${PARENT}-01` } },
  );
  assert.equal(created.status, 200);
  const root = await rootOf(traceId);
  assert.ok(spans().some((span) => span.parentSpanId === root.spanId));
});

test('log lines are exported with the trace of their request, and stay in the log', async () => {
  const traceId = newTrace();
  await ask('/v1/contracts/con_unknown', { headers: { traceparent: `00-${traceId}-${PARENT}-01` } });
  const record = await until(
    () => records().find((each) => each.traceId === traceId),
    () => 'the line',
  );
  const root = await rootOf(traceId);
  assert.equal(record.spanId, root.spanId);
  assert.equal(record.body.stringValue, 'request');
  assert.deepEqual([record.severityNumber, record.severityText], [9, 'INFO']);
  assert.equal(attributesOf(record).status, '404');
  assert.ok(lines.some((line) => line.includes('/v1/contracts/con_unknown')));
});

test('the service and the headers of the collector are as configured', async () => {
  const { headers, body } = await until(
    () => collector.received[0],
    () => 'a request',
  );
  assert.equal(headers['authorization'], 'Bearer secret');
  const signal = body.resourceSpans ?? body.resourceLogs;
  assert.deepEqual(attributesOf(signal[0].resource), {
    'service.name': 'saldo-test',
    'deployment.environment.name': 'test',
  });
});

test('a trace that its caller does not record is not exported, and a malformed one begins anew', async () => {
  const skipped = newTrace();
  await ask('/v1/contracts', { headers: { traceparent: `00-${skipped}-${PARENT}-00` } });
  const malformed = ['', 'no trace', `00-${'0'.repeat(32)}-${PARENT}-01`, `ff-${newTrace()}-${PARENT}-01`];
  for (const [index, traceparent] of malformed.entries()) {
    await ask('/v1/contracts', { headers: { traceparent, 'x-request-id': `malformed-${index}` } });
    const span = await until(
      () => spans().find((each) => attributesOf(each)['saldo.request_id'] === `malformed-${index}`),
      () => 'the span',
    );
    assert.match(span.traceId, /^[0-9a-f]{32}$/);
    assert.equal(span.parentSpanId, undefined);
  }
  assert.ok(!spans().some((span) => span.traceId === skipped));
});

test('a collector that fails loses records, never requests, and they are counted', async () => {
  const get = client(lossy.baseUrl);
  for (let count = 0; count < 20; count++) assert.equal((await get('/openapi.json')).status, 200);
  await until(async () => {
    const text = await metricsOf(lossy);
    const [, dropped] = /saldo_telemetry_dropped_total\{signal="traces"\} (\d+)/.exec(text) ?? [];
    return Number(dropped) >= 20;
  });
});

test('without the variables nothing is exported', async () => {
  assert.equal((await client(quiet.baseUrl)('/openapi.json')).status, 200);
  assert.doesNotMatch(await metricsOf(quiet), /saldo_telemetry/);
});

test('a collector that does not answer holds a bounded number of records, and a stop ends', async () => {
  const hanging = await startCollector(() => null);
  const target = { url: hanging.url, headers: {}, timeoutMs: 60_000, delayMs: 60_000 };
  const exporter = new OtlpExporter<number>(target, (numbers) => ({ numbers }), pino({ enabled: false }));
  const added = 10 * EXPORT_LIMITS.queued;
  for (let count = 0; count < added; count++) exporter.add(count);
  await until(
    () => hanging.received[0],
    () => 'the first batch',
  );
  assert.equal(hanging.received[0]?.body.numbers.length, EXPORT_LIMITS.batch);
  assert.equal(exporter.dropped, added - EXPORT_LIMITS.queued - EXPORT_LIMITS.batch);
  await exporter.stop();
  assert.equal(exporter.dropped, added - EXPORT_LIMITS.batch);
});
