/** Measures the memory of a server under reads. */

import type { Target } from './connection.ts';
import { peakMegabytes } from './cpu.ts';
import type { Bench } from './measure.ts';
import type { Processes } from './servers.ts';
import { contractPages, dayPages, singleContracts, singleCustomers } from './targets.ts';
import type { BenchWorld } from './world.ts';

/** Peak memory of the server since its start. Null on systems that do not report it. */
export type MemoryMeasure = {
  readonly load: string;
  readonly requestsPerSecond: number;
  readonly peakMegabytes: number | null;
};

const ROUNDS = 3;

/** One server under increasing load: pages and records over many connections, then bulk reads in addition. */
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
