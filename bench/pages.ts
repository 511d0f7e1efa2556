/** Compares the product with a bare server that does the same work: the lower bound of its cost. */
import { GOALS } from './goals.ts';
import { comparisonRow, type Row } from './measure.ts';
import type { Run } from './run.ts';
import { assertSameBodies } from './servers.ts';
import { contractPages, PAGES, SINGLE_RECORDS } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

export async function* measurePages({ sizes, databases, processes, bench }: Run): AsyncGenerator<Row> {
  const world = await createWorld(await databases.create('world'), sizes.world);
  await loadVolumes(world);
  const product = await processes.product('product', world.url);
  const bare = await processes.bare(world.url);
  for (const [name, targetsOf] of Object.entries({ ...PAGES, ...SINGLE_RECORDS })) {
    const targets = targetsOf(world);
    await assertSameBodies([product.port, bare.port], targets);
    const [own, other] = [bench.requests(product, targets), bench.requests(bare, targets)];
    await bench.warmUp([own, other]);
    const goal = name in PAGES ? GOALS.page : GOALS.singleRecord;
    yield comparisonRow(name, 'bare server', await bench.compare(own, other), goal);
  }
  await processes.end(bare);
  const instant = new Date().toISOString();
  for (const [name, targetsOf] of Object.entries(PAGES)) {
    const plain = bench.requests(product, targetsOf(world));
    const asOf = targetsOf(world).map((target) => ({ ...target, path: `${target.path}&as_of=${instant}` }));
    const comparison = await bench.compare(bench.requests(product, asOf), plain);
    yield comparisonRow(`${name} as of an instant`, 'as they are now', comparison, GOALS.pageAsOf);
  }
  // A ratio other than 1 is the noise of the machine.
  const same = bench.requests(product, contractPages(world));
  yield comparisonRow('contract’s transactions', 'the same again', await bench.compare(same, same));
  await processes.end(product);
}
