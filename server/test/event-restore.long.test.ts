import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { SaldoEvent } from '@saldo/api';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { createEmptyDatabase } from './databases.ts';
import { type Client, client, startTestPlatform } from './harness.ts';
import { startProduct } from './product.ts';

/**
 * A backup is restored with the real commands, into the same and into another cluster of Postgres, and readers go on
 * from places of the original, also from places that are newer than the backup.
 */

const platform = await startTestPlatform();
const { world } = platform;
const brp = await world.brp();
const operatorKey = await world.operatorKey();
const folder = await temporaryFolder();
const sameCluster = await createEmptyDatabase();

type Place = { readonly operator: Client; readonly reader: Client };
const placeAt = (baseUrl: string): Place => ({
  operator: client(baseUrl, operatorKey),
  reader: client(baseUrl, brp.key),
});
const original = placeAt(platform.baseUrl);

/** Creates customers, each with one event, and returns their ids. */
async function change({ operator }: Place, names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const body = { brp_id: brp.id, name };
    const answer = await operator.post('/operator/v1/customers', body);
    assert.equal(answer.status, 201, answer.text);
    ids.push(answer.body.id);
  }
  return ids;
}

async function read({ reader }: Place, after: string) {
  const answer = await reader(`/v1/events?limit=100${after === '' ? '' : `&after=${after}`}`);
  assert.equal(answer.status, 200, answer.text);
  const events = answer.body.events as SaldoEvent[];
  const subjects = events.map(({ data }) => ('id' in data ? data.id : null));
  return { events, subjects, cursor: answer.body.pagination.next_cursor as string };
}

const kept = await change(original, ['one', 'two', 'three']);
const { events, cursor: atBackup } = await read(original, '');
const [firstEvent] = events;
assert.ok(firstEvent);
const saldo = (args: string[], env: Record<string, string>) => runCommand(args, { folder, env });
const made = await saldo(['backup', 'all.saldo'], { DATABASE_URL: platform.databaseUrl });
assert.equal(made.code, 0, made.err);
const lost = await change(original, ['lost one', 'lost two']);
const afterBackup = await read(original, atBackup);
assert.deepEqual(afterBackup.subjects, lost);

const cases: [name: string, environment: Record<string, string>][] = [
  ['another database of the same cluster', { DATABASE_URL: sameCluster }],
  ['another cluster', {}],
];
for (const [where, environment] of cases) {
  test(`after a restore into ${where}, no reader misses an event`, async () => {
    const env = { DATA_DIR: path.join(folder, `data-${where.replaceAll(' ', '-')}`), ...environment };
    const restored = await saldo(['restore', 'all.saldo'], env);
    assert.equal(restored.code, 0, restored.err);
    const product = await startProduct({ ...env, DEMO: 'off' });
    atEnd(() => product.end('SIGKILL'));
    assert.match(product.output(), /The database is a copy/);
    const copy = placeAt(product.baseUrl);

    assert.deepEqual((await read(copy, '')).subjects, kept);
    assert.deepEqual((await read(copy, firstEvent.id)).subjects, kept.slice(1), 'the id of an old event');
    assert.deepEqual((await read(copy, atBackup)).subjects, [], 'the cursor at the backup');
    const fresh = await change(copy, ['new one', 'new two']);
    const [lastLost] = afterBackup.events.slice(-1);
    assert.ok(lastLost);
    for (const place of [atBackup, afterBackup.cursor, lastLost.id]) {
      assert.deepEqual((await read(copy, place)).subjects, fresh);
    }
    const all = await read(copy, '');
    assert.deepEqual(all.subjects, [...kept, ...fresh]);
    const newest = afterBackup.events.at(-1)?.sequence ?? 0;
    for (const { sequence } of all.events.slice(-fresh.length))
      assert.ok(sequence > newest, 'sequences rise');
    const ids = new Set([...all.events, ...afterBackup.events].map(({ id }) => id));
    assert.equal(ids.size, kept.length + fresh.length + lost.length, 'no id is used twice');

    assert.equal(await product.end('SIGTERM'), 0);
    const again = await startProduct({ ...env, DEMO: 'off' });
    atEnd(() => again.end('SIGKILL'));
    assert.doesNotMatch(again.output(), /The database is a copy/);
    const third = placeAt(again.baseUrl);
    const later = await change(third, ['later']);
    assert.deepEqual((await read(third, all.cursor)).subjects, later);
  });
}
