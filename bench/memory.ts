/** Measures how much memory a server takes that is busy with reads. */

import type { Target } from './connection.ts';
import { peakMegabytes } from './cpu.ts';
import type { Bench } from './measure.ts';
import type { Processes } from './servers.ts';
import { contractPages, dayPages, singleContracts, singleCustomers } from './targets.ts';
import type { BenchWorld } from './world.ts';

/** The most that the server has had in memory until then, from its start on; null on systems that do not tell. */
export type MemoryMeasure = {
  readonly load: string;
  readonly requestsPerSecond: number;
  readonly peakMegabytes: number | null;
};

const ROUNDS = 3;

/** One server, which has more and more to do: pages and records over many connections, then bulk reads beside them. */
export async function measureMemory(
  world: BenchWorld,
  bulkReads: readonly Target[],
  processes: Processes,
  bench: Bench,
): Promise<readonly MemoryMeasure[]> {
  const server = await processes.product('product and its memory', world.url);
  const pages = [
    ...contractPages(world),
    ...dayPages(world),
    ...singleContracts(world),
    ...singleCustomers(world),
  ];
  const mixed = pages.flatMap((page, at) =>
    at % 10 === 0 ? [page, bulkReads[at % bulkReads.length]!] : [page],
  );
  const loads = [
    { load: 'pages and records, 32 connections', targets: pages, connections: 32 },
    { load: 'pages and records, 256 connections', targets: pages, connections: 256 },
    { load: 'every eleventh a bulk read, 32 connections', targets: mixed, connections: 32 },
    { load: 'bulk reads alone, 32 connections', targets: bulkReads, connections: 32 },
  ];
  const measures: MemoryMeasure[] = [];
  for (const { load, targets, connections } of loads) {
    const milliseconds = ROUNDS * bench.milliseconds;
    const { requestsPerSecond } = await bench.sample({ server, targets }, milliseconds, connections);
    measures.push({ load, requestsPerSecond, peakMegabytes: peakMegabytes(server.pid) });
  }
  await processes.end(server);
  return measures;
}
