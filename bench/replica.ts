/** Measures how much of the database's work for reads a replica takes off the primary. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { startServers } from '../server/test/replication.ts';
import { until } from '../server/test/until.ts';
import { familyCpuSeconds } from './cpu.ts';
import { Databases, vacuum } from './databases.ts';
import { digits, type Row, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import type { ProductServer } from './servers.ts';
import { SCENARIOS } from './targets.ts';
import { createWorld, loadVolumes } from './world.ts';

const CONNECTIONS = 8;
/** CPU times have a resolution of 10 ms, and the primary has little to do. */
const MILLISECONDS = 10_000;
/** Share of the primary's CPU time for reads. */
const LEAST_BY_REPLICA = 0.9;
const SIZE = { contracts: 105, days: 10 };

export async function* measureReplica({ processes, generator }: Run): AsyncGenerator<Row> {
  const { servers, remove } = await startServers(1);
  const [primary, replica] = servers;
  assert(replica, 'there is a replica');
  try {
    const world = await createWorld(primary.url, SIZE);
    await loadVolumes(world);
    await vacuum(primary.url, 'sheet', 'contract', 'customer', 'api_key');
    const ofPrimary = (await new Databases(primary.url).facts()).postmaster;
    const ofReplica = (await new Databases(replica.url).facts()).postmaster;
    const targets = Object.values(SCENARIOS).flatMap((targetsOf) => targetsOf(world));
    /** One server at a time. What it asks the database without requests is subtracted. */
    const cost = async (server: ProductServer) => {
      const during = async (work: () => Promise<unknown>) => {
        const before = { primary: familyCpuSeconds(ofPrimary), replica: familyCpuSeconds(ofReplica) };
        await work();
        return {
          primary: familyCpuSeconds(ofPrimary) - before.primary,
          replica: familyCpuSeconds(ofReplica) - before.replica,
        };
      };
      const load = () =>
        generator.load({ port: server.port, targets, connections: CONNECTIONS, milliseconds: MILLISECONDS });
      await load();
      const idle = await during(() => delay(MILLISECONDS));
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
    const share = 1 - both.primary / alone.primary;
    const costs = `primary ${alone.primary.toFixed(0)} µs per read without a replica, ${both.primary.toFixed(0)} with one, which takes ${both.replica.toFixed(0)}`;
    yield valueRow(
      'read work that a replica takes off the primary',
      share,
      digits(2, 'of it'),
      { atLeast: LEAST_BY_REPLICA },
      costs,
    );
  } finally {
    await remove();
  }
}

async function usesReplica({ adminPort }: ProductServer): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
  return /replica .*: in use/.test(await answer.text());
}
