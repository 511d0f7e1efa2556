/** Measures how much of the database's work for reads a replica takes off the primary. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { startServers } from '../server/test/replication.ts';
import { until } from '../server/test/until.ts';
import { familyCpuSeconds } from './cpu.ts';
import { Databases, vacuum } from './databases.ts';
import type { Generator, Processes, ProductServer } from './servers.ts';
import { SCENARIOS } from './targets.ts';
import { createWorld, loadVolumes, type WorldSize } from './world.ts';

export type ReplicaResults = {
  /** CPU time per request, in µs. */
  readonly primaryAloneUs: number;
  readonly primaryUs: number;
  readonly replicaUs: number;
};

const CONNECTIONS = 8;
/** In rounds: CPU times have a resolution of 10 ms, and the primary has little to do. */
const ROUNDS = 10;

export async function measureReplica(
  processes: Processes,
  generator: Generator,
  size: WorldSize,
  milliseconds: number,
  say: (message: string) => void,
): Promise<ReplicaResults> {
  const { servers, remove } = await startServers(1);
  const [primary, replica] = servers;
  assert(replica, 'there is a replica');
  try {
    const world = await createWorld(primary.url, size);
    await loadVolumes(world, () => {});
    await vacuum(primary.url, 'sheet', 'contract', 'customer', 'api_key');
    const ofPrimary = (await new Databases(primary.url).facts()).postmaster;
    const ofReplica = (await new Databases(replica.url).facts()).postmaster;
    const targets = Object.values(SCENARIOS).flatMap((targetsOf) => targetsOf(world));
    /** One server at a time. What it asks the database without requests is subtracted. */
    const cost = async (server: ProductServer) => {
      const duration = ROUNDS * milliseconds;
      const during = async (work: () => Promise<unknown>) => {
        const before = { primary: familyCpuSeconds(ofPrimary), replica: familyCpuSeconds(ofReplica) };
        await work();
        return {
          primary: familyCpuSeconds(ofPrimary) - before.primary,
          replica: familyCpuSeconds(ofReplica) - before.replica,
        };
      };
      const load = () =>
        generator.load({ port: server.port, targets, connections: CONNECTIONS, milliseconds: duration });
      await load();
      const idle = await during(() => delay(duration));
      let requests = 0;
      const busy = await during(async () => {
        ({ requests } = await load());
      });
      await processes.end(server);
      const perRequest = (name: 'primary' | 'replica') => ((busy[name] - idle[name]) / requests) * 1e6;
      return { primary: perRequest('primary'), replica: perRequest('replica') };
    };
    const alone = await cost(await processes.product('product without a replica', primary.url));
    const settings = { DATABASE_READ_URL: replica.url };
    const reading = await processes.product('product with a replica', primary.url, settings);
    await until(() => usesReplica(reading));
    const both = await cost(reading);
    say(
      `Database per request: ${alone.primary.toFixed(0)} µs without a replica; with one ${both.primary.toFixed(0)} µs, ` +
        `and ${both.replica.toFixed(0)} µs of the replica.`,
    );
    return { primaryAloneUs: alone.primary, primaryUs: both.primary, replicaUs: both.replica };
  } finally {
    await remove();
  }
}

async function usesReplica({ adminPort }: ProductServer): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
  return /replica .*: in use/.test(await answer.text());
}
