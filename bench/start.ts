/** Measures a first start: an empty folder, the database that comes with the product, and the demo data. */
import { treeCpuSeconds } from './cpu.ts';
import { GOALS } from './goals.ts';
import { digits, type Row, spreadOf, valueRow } from './measure.ts';
import type { Run } from './run.ts';

const STARTS = 3;
/** As after `npm ci`: earlier servers have filled the compile cache of this checkout. */
const FIRST_START = { DEMO: 'on', NODE_DISABLE_COMPILE_CACHE: '1' };

export async function* measureStart({ processes }: Run): AsyncGenerator<Row> {
  const seconds: number[] = [];
  for (let at = 0; at < STARTS; at++) {
    const server = await processes.product(`first start ${at + 1}`, null, FIRST_START);
    seconds.push(treeCpuSeconds(server.pid));
    await processes.end(server);
  }
  const what = 'from the start with an empty folder to ready: CPU time';
  yield valueRow(what, spreadOf(seconds), digits(1, 's'), GOALS.startCpuSeconds);
}
