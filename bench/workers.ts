/** Compares one process with two that share the port, with rate limits counted in memory and in Redis. */
import assert from 'node:assert/strict';
import { Connection, requestOf } from './connection.ts';
import { childCpuSeconds, hasCpuTimes } from './cpu.ts';
import type { Bench, Comparison, Contestant } from './measure.ts';
import type { BenchServer, Processes } from './servers.ts';
import { askedBy, contractPages } from './targets.ts';
import type { BenchWorld } from './world.ts';

export type WorkersResults = {
  /** The first contestant has two workers, the second one. */
  readonly twoAgainstOne: Comparison;
  /** Null without Redis. The first counts in Redis, whose CPU time is the server's; the second in memory. */
  readonly redisAgainstMemory: Comparison | null;
  /** Two workers that count in Redis, against one. */
  readonly twoWithRedis: Comparison | null;
  /** Decrease of X-RateLimit-Remaining over this number of requests to both workers. Null without Redis. */
  readonly counted: { readonly requests: number; readonly inRedis: number | null };
};

const TWO = { WORKERS: '2' };
const COUNTED = 200;
const AT_ONCE = 8;

/** Decrease of the remaining requests, with a new connection per request; includes the last one. */
async function countedOf({ port }: BenchServer, world: BenchWorld): Promise<number> {
  const [contract] = world.contracts;
  assert(contract, 'there is a contract');
  const request = requestOf({ path: `/v1/contracts/${contract.id}`, headers: askedBy(contract.seller) });
  const ask = async () => {
    const connection = new Connection(port);
    const { status, head } = await connection.send(request);
    connection.close();
    assert.equal(status, 200, head);
    const remaining = Number(/\r\nx-ratelimit-remaining: (\d+)/i.exec(head)?.[1]);
    return remaining;
  };
  const before = await ask();
  for (let asked = 0; asked < COUNTED; asked += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
  }
  return before - (await ask());
}

/** Checks that both workers took part. Runs long enough for CPU times, which have a resolution of 10 ms. */
async function assertBothWork(bench: Bench, contestant: Contestant): Promise<void> {
  const { pid } = contestant.server;
  const before = childCpuSeconds(pid);
  await bench.sample(contestant, 1000);
  if (!hasCpuTimes) return;
  const used = [...childCpuSeconds(pid)].map(([child, seconds]) => seconds - (before.get(child) ?? 0));
  assert.equal(used.length, 2, 'there are two workers');
  assert(Math.min(...used) > 0.1 * Math.max(...used), `both workers work: ${used.join(' s, ')} s`);
}

export async function measureWorkers(
  world: BenchWorld,
  processes: Processes,
  bench: Bench,
  say: (message: string, comparison?: Comparison) => void,
): Promise<WorkersResults> {
  const targets = contractPages(world);
  const one: Contestant = { server: await processes.product('one worker', world.url), targets };
  const two: Contestant = { server: await processes.product('two workers', world.url, TWO), targets };
  await assertBothWork(bench, two);
  await bench.warmUp([one, two]);
  const twoAgainstOne = await bench.compare(two, one);
  say('two workers, against one', twoAgainstOne);
  await processes.end(two.server);
  const redis = await processes.redis();
  if (redis === null) {
    say('Redis is not measured: there is no redis-server.');
    await processes.end(one.server);
    const counted = { requests: COUNTED + 1, inRedis: null };
    return { twoAgainstOne, redisAgainstMemory: null, twoWithRedis: null, counted };
  }
  const withRedis = async (name: string, environment: Record<string, string>): Promise<Contestant> => {
    const url = { REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    const server = await processes.product(name, world.url, { ...environment, ...url });
    return { server: { ...server, helpers: [redis.pid] }, targets };
  };
  const oneOnRedis = await withRedis('one worker with Redis', {});
  await bench.warmUp([oneOnRedis]);
  const redisAgainstMemory = await bench.compare(oneOnRedis, one);
  say('counted in Redis, against in memory', redisAgainstMemory);
  await processes.end(oneOnRedis.server);
  const twoOnRedis = await withRedis('two workers with Redis', TWO);
  await assertBothWork(bench, twoOnRedis);
  await bench.warmUp([twoOnRedis]);
  const inRedis = await countedOf(twoOnRedis.server, world);
  assert.equal(inRedis, COUNTED + 1, 'both workers count together');
  const twoWithRedis = await bench.compare(twoOnRedis, one);
  say('two workers that count in Redis, against one in memory', twoWithRedis);
  await processes.end(twoOnRedis.server);
  await processes.end(redis);
  await processes.end(one.server);
  const counted = { requests: COUNTED + 1, inRedis };
  return { twoAgainstOne, redisAgainstMemory, twoWithRedis, counted };
}
