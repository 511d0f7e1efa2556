/** Measures what a page costs as of an instant, on days without corrections. */
import { comparisonRow, type Row } from './measure.ts';
import type { Run } from './run.ts';
import { contractPages, dayPages } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

/** A page as of an instant costs at most 1.5 times the page without. */
const LEAST_OF_PLAIN = 1 / 1.5;
const SIZE = { contracts: 210, days: 50 };
const PAGES = { 'contract’s transactions': contractPages, 'day’s transactions': dayPages };

export async function* measureAsOf({ databases, processes, bench }: Run): AsyncGenerator<Row> {
  const world = await createWorld(await databases.create('as_of'), SIZE);
  await loadVolumes(world);
  const product = await processes.product('product, as of', world.url);
  const instant = new Date().toISOString();
  for (const [name, pages] of Object.entries(PAGES)) {
    const plain = pages(world);
    const asOf = plain.map((target) => ({ ...target, path: `${target.path}&as_of=${instant}` }));
    const comparison = await bench.compare(bench.requests(product, asOf), bench.requests(product, plain));
    yield comparisonRow(`${name} as of an instant`, 'as they are now', comparison, LEAST_OF_PLAIN);
  }
  await processes.end(product);
}
