import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { metricsOfWorkers } from '../src/platform/telemetry/metrics.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { attributesOf, logRecordsOf, startCollector } from './collector.ts';
import { createDatabase } from './databases.ts';
import { runProduct, startProduct } from './product.ts';
import { until } from './until.ts';

const folder = await temporaryFolder();
const databaseUrl = await createDatabase();

const collector = await startCollector(() => 200);

const WORKER = /^process_start_time_seconds\{worker="(\d+)"\}/gm;

test('several workers share the ports, are distinguishable, replaced when one exits, and stop together', async () => {
  const product = await startProduct({
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    DEMO: 'on',
    WORKERS: '2',
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  atEnd(() => product.end('SIGKILL'));
  const [brp] = (await product.demo()).brps;
  assert.ok(brp);
  const ask = () =>
    fetch(`${product.baseUrl}/v1/contracts?limit=1`, {
      // A new connection, so that the next one may go to another worker.
      headers: { 'x-api-key': brp.api_key, connection: 'close' },
    });
  const metrics = async () => (await fetch(`${product.adminUrl}/metrics`)).text();
  const workersIn = (scraped: string) => [...scraped.matchAll(WORKER)].map(([, worker]) => worker);

  for (let request = 0; request < 10; request++) assert.equal((await ask()).status, 200);
  assert.equal((await fetch(`${product.customerUrl}/openapi.json`)).status, 200);
  await product.untilReady();
  // A scrape omits a worker that does not respond in time.
  const scraped = await until(async () => [await metrics()].find((text) => workersIn(text).length >= 2));
  const before = workersIn(scraped);
  assert.equal(before.length, 2);
  const counted = [...scraped.matchAll(/_count\{worker="(\d+)",.*\/v1\/contracts".*\} (\d+)/g)];
  assert.deepEqual(
    counted.map(([, , count]) => Number(count)),
    [5, 5],
    'both workers answer',
  );

  process.kill(Number(before[0]), 'SIGKILL');
  // Meanwhile the remaining worker answers.
  let now = before;
  while (now.includes(before[0]) || now.length < 2) {
    now = workersIn(await metrics());
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
    DATABASE_URL: databaseUrl,
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
