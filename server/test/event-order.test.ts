import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrpClient, type SaldoEvent } from '@saldo/sdk';
import { appendEvents, type NewEvent } from '../src/events/store.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { atEnd } from './clean-up.ts';
import { startTestPlatform } from './harness.ts';

const WRITERS = 8;
const READERS = 4;
const TRANSACTIONS = 60;

const first = await startTestPlatform();
const second = await startTestPlatform({ environment: { DATABASE_URL: first.databaseUrl } });
const otherDb = openDatabase(first.databaseUrl);
atEnd(() => otherDb.close());
const world = first.world;
const brp = await world.brp();

test('8 writers and 4 readers of two processes: every reader sees each event once, in the same order', async () => {
  const event = (id: string): NewEvent => ({
    type: 'contract.created',
    tenants: [`brp/${brp.no}`],
    data: { object: 'contract', id },
  });
  const committed = new Set<string>();
  /** Transactions of one to five appends, some large and some rolled back. */
  async function write(writer: number): Promise<void> {
    for (let count = 0; count < TRANSACTIONS; count++) {
      const isRolledBack = (writer + count) % 5 === 0;
      const size = count % 7 === 0 ? 60 : 1;
      const ids: string[] = [];
      const db = count % 2 === 0 ? first.db : otherDb;
      const work = db.transaction(async (tx) => {
        for (let append = 0; append <= count % 5; append++) {
          const some = Array.from({ length: size }, (_, at) => `con_${writer}_${count}_${append}_${at}`);
          ids.push(...some);
          await appendEvents(tx, some.map(event), first.clock.now());
        }
        if (isRolledBack) throw new Error('rolled back');
      });
      if (isRolledBack) await assert.rejects(work, /rolled back/);
      else await work.then(() => ids.forEach((id) => committed.add(id)));
    }
  }
  const stopping = new AbortController();
  const logs: SaldoEvent[][] = Array.from({ length: READERS }, () => []);
  let isWritten = false;
  const isComplete = () => isWritten && logs.every((log) => log.length >= committed.size);
  const read = async (log: SaldoEvent[], reader: number) => {
    const { baseUrl } = reader % 2 === 0 ? first : second;
    const { events } = createBrpClient({ baseUrl, apiKey: brp.key });
    for await (const one of events.follow({ signal: stopping.signal })) {
      log.push(one);
      if (isComplete()) stopping.abort();
    }
  };
  const reading = logs.map(read);
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  isWritten = true;
  if (isComplete()) stopping.abort();
  await Promise.all(reading);

  const subjects = logs.map((log) => log.map(({ data }) => ('id' in data ? data.id : '')));
  for (const seen of subjects) assert.deepEqual(seen, subjects[0], 'the same order');
  const [seen = []] = subjects;
  assert.equal(new Set(seen).size, seen.length, 'each once');
  assert.deepEqual(new Set(seen), committed, 'none is missing, and none was rolled back');
  const sequences = logs[0]?.map(({ sequence }) => sequence) ?? [];
  assert.ok(
    sequences.every((sequence, at) => at === 0 || sequence > sequences[at - 1]!),
    'sequences rise',
  );
  for (let writer = 0; writer < WRITERS; writer++) {
    const own = seen.filter((id) => id.startsWith(`con_${writer}_`));
    assert.deepEqual(
      own,
      [...committed].filter((id) => id.startsWith(`con_${writer}_`)),
      'in the order of changes',
    );
  }
});
