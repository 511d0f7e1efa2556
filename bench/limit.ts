/** Compares the product with a bare server that does the same work: the lower bound of its cost. */
import { memoryRateLimiter } from '../server/src/platform/http/rate-limit.ts';
import { comparisonRow, count, digits, type Row, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import { assertSameBodies } from './servers.ts';
import { SCENARIOS } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

const LEAST_OF_BARE: Readonly<Record<string, number>> = {
  'contract’s transactions': 0.9,
  'day’s transactions': 0.9,
  'single contract': 0.8,
  'single customer': 0.8,
};
const MOST_BYTES = 8;

export async function* measureLimit({ sizes, databases, processes, bench }: Run): AsyncGenerator<Row> {
  const world = await createWorld(await databases.create('world'), sizes.world);
  const { transactions, seconds, bytes } = await loadVolumes(world);
  yield valueRow(
    `${count(transactions)} transactions loaded by COPY: a second`,
    transactions / seconds,
    count,
  );
  yield valueRow('bytes of a transaction, all indexes included', bytes / transactions, digits(2, 'bytes'), {
    atMost: MOST_BYTES,
  });

  const product = await processes.product('product', world.url);
  for (const asksBy of ['library', 'reader'] as const) {
    const bare = await processes.limit(world.url, asksBy);
    for (const [name, targetsOf] of Object.entries(SCENARIOS)) {
      const targets = targetsOf(world);
      await assertSameBodies([product.port, bare.port], targets);
      const comparison = await bench.compare(bench.requests(product, targets), bench.requests(bare, targets));
      yield asksBy === 'library'
        ? comparisonRow(name, 'bare server', comparison, LEAST_OF_BARE[name])
        : comparisonRow(name, 'bare server with our database client', comparison);
    }
    await processes.end(bare);
  }
  await processes.end(product);
  yield measureRateLimit(bench.plan.milliseconds);
}

function measureRateLimit(milliseconds: number): Row {
  const limiter = memoryRateLimiter({ limit: 1e9, windowS: 60 }, () => performance.now());
  const keys = Array.from({ length: 20 }, (_, at) => `key ${at}`);
  let taken = 0;
  const before = process.cpuUsage();
  for (const endsAt = performance.now() + milliseconds; performance.now() < endsAt; )
    for (let call = 0; call < 1000; call++) void limiter.take(keys[taken++ % keys.length]!);
  const { user, system } = process.cpuUsage(before);
  return valueRow('rate limit of a request', (user + system) / taken, digits(2, 'µs'), { atMost: 1 });
}
