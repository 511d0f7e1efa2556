import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { metricsOfWorkers } from '../src/platform/telemetry/metrics.ts';
import { attributesOf, logRecordsOf, startCollector } from './collector.ts';
import { createDatabase } from './databases.ts';
import { runProduct, startProduct } from './product.ts';
import { until } from './until.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'saldo-workers-'));
const database = await createDatabase();
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const collector = await startCollector(() => 200);

const WORKER = /^process_start_time_seconds\{worker="(\d+)"\}/gm;

test('several workers share the ports, are distinguishable, replaced when one exits, and stop together', async (t) => {
  const product = await startProduct({
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    DEMO: 'on',
    WORKERS: '2',
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  t.after(() => product.child.exitCode === null && product.end('SIGKILL'));
  const [brp] = (await product.demo()).brps;
  assert.ok(brp);
  const ask = () =>
    fetch(`${product.baseUrl}/v1/contracts?limit=1`, {
      // A new connection, so that the next one may go to another worker.
      headers: { 'x-api-key': brp.api_key, connection: 'close' },
    });
  const metrics = async () => (await fetch(`${product.adminUrl}/metrics`)).text();
  const workers = async () => [...(await metrics()).matchAll(WORKER)].map(([, worker]) => worker);

  for (let request = 0; request < 10; request++) assert.equal((await ask()).status, 200);
  assert.equal((await fetch(`${product.customerUrl}/openapi.json`)).status, 200);
  assert.equal((await fetch(`${product.adminUrl}/readyz`)).status, 200);
  const before = await workers();
  assert.equal(before.length, 2);
  const counted = [...(await metrics()).matchAll(/_count\{worker="(\d+)",.*\/v1\/contracts".*\} (\d+)/g)];
  assert.deepEqual(
    counted.map(([, , count]) => Number(count)),
    [5, 5],
    'both workers answer',
  );

  process.kill(Number(before[0]), 'SIGKILL');
  // Meanwhile the remaining worker answers.
  let now = before;
  while (now.includes(before[0]) || now.length < 2) {
    now = await workers();
    assert.equal((await ask()).status, 200);
  }
  assert.ok(now.includes(before[1]), 'the other worker continues');
  assert.match(product.log(), new RegExp(`"pid":${before[0]}.*worker exited`));
  // The first process exports its own log too.
  const exported = await until(() =>
    logRecordsOf(collector).find(({ body }) => body.stringValue.startsWith('worker exited')),
  );
  assert.equal(attributesOf(exported).pid, before[0]);
  assert.equal(await product.end('SIGTERM'), 0);
});

test('an error that prevents all workers from starting is reported once', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const run = runProduct({
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    DEMO: 'on',
    WORKERS: '3',
    LOG_LEVEL: 'error',
    PORT: String(port),
  });
  const [code] = await once(run.child, 'close');
  holder.close();
  assert.equal(code, 1);
  assert.match(run.log(), /^Saldo cannot start: Port \d+ is in use\. .*\n$/);
});

test('metrics of several workers are grouped by family', () => {
  const text = (value: number) =>
    `# HELP a First.\n# TYPE a counter\na ${value}\na{b="c d"} 2\n# TYPE e gauge\ne 3\n`;
  assert.equal(
    metricsOfWorkers([
      [7, text(1)],
      [8, text(4)],
    ]),
    '# HELP a First.\n# TYPE a counter\na{worker="7"} 1\na{worker="7",b="c d"} 2\na{worker="8"} 4\n' +
      'a{worker="8",b="c d"} 2\n# TYPE e gauge\ne{worker="7"} 3\ne{worker="8"} 3\n',
  );
});
