/** Measures a first start: an empty folder, the database that comes with the product, and the demo data. */
import { treeCpuSeconds } from './cpu.ts';
import { GOALS } from './goals.ts';
import { digits, type Row, spreadOf, valueRow } from './measure.ts';
import type { Run } from './run.ts';

const STARTS = 3;
/** As after `npm ci`: earlier servers have filled the compile cache of this checkout. */
const WITHOUT_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1' };

export async function* measureStart({ processes }: Run): AsyncGenerator<Row> {
  for (const [name, settings] of [
    ['an empty folder', { DEMO: 'off' }],
    ['an empty folder and the demo', { DEMO: 'on' }],
  ] as const) {
    const seconds: number[] = [];
    for (let at = 1; at <= STARTS; at++) {
      const server = await processes.product(`start ${at} with ${name}`, null, {
        ...settings,
        ...WITHOUT_CACHE,
      });
      seconds.push(treeCpuSeconds(server.pid));
      await processes.end(server);
    }
    const what = `from the start with ${name} to ready: CPU time`;
    yield valueRow(what, spreadOf(seconds), digits(1, 's'), GOALS.startCpuSeconds);
  }
}
