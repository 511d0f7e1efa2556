import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailable } from '../db/connection.ts';
import type { Db, Replication } from '../db/database.ts';
import { positionTracker } from './positions.ts';
import { problem } from './problem.ts';

/** A test decides when each look-up of the position ends. `replicas.long.test.ts` has the real servers. */
function trackerOver(lookUps: (() => Promise<bigint>)[]) {
  const asked: bigint[] = [];
  const reads = { db: {} as Db, hasUsedPrimary: () => true };
  const replication: Replication = {
    async readsAfter(after) {
      asked.push(after);
      return { ...reads, hasUsedPrimary: () => false };
    },
    primaryReads: () => reads,
    position: () => lookUps.shift()?.() ?? Promise.reject(new Error('no look-up is expected')),
    untilReplicated: async () => {},
    states: () => [],
  };
  let now = 0;
  const track = positionTracker(replication, Buffer.alloc(32), () => ++now);
  const request = { headers: {}, principal: null } as FastifyRequest;
  async function write<T>(work: () => Promise<T>): Promise<{ outcome: T; headers: Map<string, unknown> }> {
    const headers = new Map<string, unknown>();
    const reply = { header: (name: string, value: unknown) => headers.set(name, value) };
    return { outcome: await track(request, reply as unknown as FastifyReply, false, work), headers };
  }
  /** The position that a replica needs to answer the next read. */
  async function needed(): Promise<bigint> {
    await track(request, {} as FastifyReply, true, async () => {});
    return asked.at(-1) ?? 0n;
  }
  return { write, needed };
}

const unavailable = async (): Promise<never> => {
  throw new DatabaseUnavailable('no answer');
};
const NO_REPLICA_HAS_IT = 2n ** 64n;

test('a committed write is answered, although its position cannot be looked up', async () => {
  const { write, needed } = trackerOver([unavailable, async () => 7n]);
  const { outcome, headers } = await write(async () => 'created');
  assert.equal(outcome, 'created');
  assert.deepEqual([...headers], []);
  assert.equal(await needed(), NO_REPLICA_HAS_IT, 'the next read goes to the primary');
  assert.equal((await write(async () => 'created')).headers.size, 1);
  assert.equal(await needed(), 7n);
});

test('a conflict stays a conflict, although its position cannot be looked up', async () => {
  const { write, needed } = trackerOver([unavailable]);
  const conflict = problem('precondition_failed');
  await assert.rejects(
    write(async () => Promise.reject(conflict)),
    conflict,
  );
  assert.equal(await needed(), NO_REPLICA_HAS_IT);
});

test('a request that began before a change with an unknown outcome does not hide it', async () => {
  const slow = Promise.withResolvers<bigint>();
  const { write, needed } = trackerOver([() => slow.promise, async () => 8n]);
  const earlier = write(async () => 'earlier');
  await assert.rejects(write(unavailable), DatabaseUnavailable);
  slow.resolve(7n);
  await earlier;
  assert.equal(await needed(), NO_REPLICA_HAS_IT);
  await write(async () => 'later');
  assert.equal(await needed(), 8n);
});
