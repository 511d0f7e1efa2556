import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { OPERATOR_SCOPES } from '@saldo/api';
import pg from 'pg';
import { openBackupFile, writeBackupFile } from '../src/backup/file.ts';
import type { BackupHeader } from '../src/backup/format.ts';
import { temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { createDatabase, createEmptyDatabase } from './databases.ts';
import { type Client, client, startTestPlatform } from './harness.ts';
import { flat } from './nominated.ts';

/**
 * Backups that were made with the commit 07aef67, from before the first release, and what that version answered. `demo`
 * is its demo, without most documents of its messages. `every-record` has rows in all tables, and records in all states.
 */
type Json = { readonly [member: string]: unknown };
type Lists = {
  /** API keys, by caller. */
  readonly keys: Readonly<Record<string, string>>;
  readonly customerUrl: string;
  /** The place of `wind` after its first three events. */
  readonly cursor?: string;
  readonly answers: readonly { who: string; path: string; member: string; records: readonly Json[] }[];
};

const folder = await temporaryFolder();
const fileOf = (name: string) => fileURLToPath(new URL(`unreleased/${name}`, import.meta.url));
const restore = (file: string, url: string) =>
  runCommand(['restore', file], { folder, env: { DATABASE_URL: url } });

async function query(url: string, text: string): Promise<Json[]> {
  const connection = new pg.Client({ connectionString: url });
  await connection.connect();
  return (await connection.query<Json>(text).finally(() => connection.end())).rows;
}

/** A platform on the restored backup, at the time of the answers. */
async function startRestored(name: string, now: string, environment: Record<string, string> = {}) {
  const url = await createEmptyDatabase();
  const run = await restore(fileOf(`${name}.saldo`), url);
  assert.equal(run.code, 0, run.err);
  const content = zstdDecompressSync(await readFile(fileOf(`${name}.json.zst`)));
  const lists = JSON.parse(content.toString()) as Lists;
  const platform = await startTestPlatform({ now, environment: { DATABASE_URL: url, ...environment } });
  const { baseUrl, customerUrl } = platform;
  const as = (who: string) => client(who === 'account' ? customerUrl : baseUrl, lists.keys[who] ?? null);
  return { url, lists, platform, as };
}

const demo = await startRestored('demo', '2026-10-20T08:00:00Z');
const every = await startRestored('every-record', '2026-10-29T12:20:00Z', { SANDBOX: 'on' });

async function readList(ask: Client, pathAndQuery: string, member: string): Promise<Json[]> {
  const records: Json[] = [];
  const separator = pathAndQuery.includes('?') ? '&' : '?';
  for (let after = ''; ; ) {
    const { status, body, text } = await ask(`${pathAndQuery}${separator}limit=100${after}`);
    assert.equal(status, 200, text);
    records.push(...body[member]);
    if (body.pagination?.has_more !== true) return records;
    after = `&after=${encodeURIComponent(body.pagination.next_cursor)}`;
  }
}

/** Members that the versions answer differently. Events have other ids and numbers; the test itself uses keys. */
const DIFFERING: Readonly<Record<string, readonly string[]>> = {
  events: ['id', 'sequence'],
  deliveries: ['event_id'],
  api_keys: ['last_used_at', 'last_used_address'],
  transactions: ['invalid_reason'],
};

const SEVERITIES: Readonly<Record<string, string>> = {
  ...{ rejected: 'critical', out_of_balance: 'critical' },
  ...{ answer_overdue: 'warning', unreadable: 'warning' },
};

/**
 * Adds the members that operators see since then. Old records have no source, no contract and no address. All keys and
 * users keep their rights.
 */
function withAddedMembers(member: string, record: Json): Json {
  if (member === 'users')
    return {
      ...record,
      permissions: record['permissions'] === 'manage' ? 'admin' : 'viewer',
      providers: [],
    };
  if (member === 'api_keys' && (record['owner'] as Json)['type'] === 'operator')
    return { ...record, scopes: OPERATOR_SCOPES, allowed_addresses: null };
  if (member === 'transactions') return { ...record, source: null };
  if (member === 'contracts') return record['type'] === 'ppa' ? { ...record, source: null } : record;
  if (member === 'api_keys') return { ...record, allowed_addresses: null };
  if (member === 'entries') return { ...record, address: null, user_agent: null };
  if (member === 'alarms') return { ...record, contract_id: null };
  const data = record['data'] as Json;
  if (member !== 'events' || data['object'] !== 'alarm') return record;
  return { ...record, data: { ...data, severity: SEVERITIES[String(data['kind'])], contract_id: null } };
}

for (const [name, { lists, platform, as }] of Object.entries({ demo, every })) {
  test(`${name}: the lists have the records that the old version answered`, async () => {
    for (const { who, path, member, records } of lists.answers) {
      const compared = (all: readonly Json[]) =>
        all.map((record) => ({
          ...record,
          ...Object.fromEntries((DIFFERING[member] ?? []).map((key) => [key, null])),
        }));
      const found = await readList(as(who), path, member);
      const text = JSON.stringify(compared(found)).replaceAll(platform.customerUrl, lists.customerUrl);
      const expected = compared(records).map((record) =>
        who === 'operator' ? withAddedMembers(member, record) : record,
      );
      assert.deepEqual(JSON.parse(text), expected, `${who} ${path}`);
    }
  });

  test(`${name}: every reader has its events numbered from 1`, async () => {
    for (const { who, path, records } of lists.answers.filter(({ member }) => member === 'events')) {
      const sequences = (await readList(as(who), path, 'events')).map(({ sequence }) => sequence);
      assert.deepEqual(
        sequences,
        records.map((_, at) => at + 1),
        `${who} ${path}`,
      );
    }
  });
}

test('a cursor of the old version goes on with the next event', async () => {
  const events = await readList(every.as('wind'), '/v1/events', 'events');
  const { body } = await every.as('wind')(`/v1/events?limit=1&after=${every.lists.cursor}`);
  assert.deepEqual(body.events, [events[3]]);
});

test('deliveries name the events of the feed', async () => {
  const events = await readList(every.as('wind'), '/v1/events', 'events');
  const ids = new Set(events.map(({ id }) => id));
  const ofWind = every.lists.answers.filter(
    ({ who, member, records }) => who === 'wind' && member === 'deliveries' && records.length > 0,
  );
  assert.ok(ofWind.length > 0);
  for (const { path, member } of ofWind) {
    for (const delivery of await readList(every.as('wind'), path, member))
      assert.ok(ids.has(delivery['event_id']), JSON.stringify(delivery));
  }
});

test('deleted events stay deleted for all readers', async () => {
  const checkpoints = await query(
    every.url,
    `select c.tenant, c.count, c.is_deleted, c.sequence = l.deleted_to and l.deleted_to > 0 as at_end
     from event_checkpoint c, event_log l order by c.tenant collate "C"`,
  );
  const tenants = ['account/1', 'accounts', 'brp/1', 'brp/2', 'brp/3', 'brp/4', 'operator'];
  assert.deepEqual(
    checkpoints,
    tenants.map((tenant) => ({ tenant, count: '0', is_deleted: true, at_end: true })),
  );
});

test('the restored platform goes on: volumes are netted, and events follow', async () => {
  const { as, platform } = every;
  const [contract] = (await as('wind')('/v1/contracts?limit=1')).body.contracts;
  const before = await readList(as('wind'), '/v1/events', 'events');
  const day = '2026-12-02';
  const put = await as('operator').put(`/operator/v1/contracts/${contract.id}/days/${day}`, {
    volumes: flat(day, 1),
  });
  assert.equal(put.status, 200, put.text);
  await platform.world.nominate();
  const { nominations } = (await as('wind')(`/v1/nominations?delivery_date=${day}`)).body;
  assert.equal(nominations.length, 1);
  const after = await readList(as('wind'), '/v1/events', 'events');
  assert.ok(after.length > before.length);
  assert.ok(Number(after[before.length]?.['sequence']) > before.length);
});

test('the migrations of the database are those of this version', async () => {
  const fresh = await createDatabase();
  const applied = 'select name, checksum from migration order by id';
  for (const { url } of [demo, every])
    assert.deepEqual(await query(url, applied), await query(fresh, applied));
});

/** The backup with every kind of record, with another header or content. */
async function writeChanged(
  name: string,
  change: (header: BackupHeader) => BackupHeader,
  edit = (text: string) => text,
) {
  const backup = await openBackupFile(fileOf('every-record.saldo'), () => {});
  const text = Buffer.concat(await Array.fromAsync(backup.body(() => {}))).toString('latin1');
  await backup.close();
  async function* body() {
    yield Buffer.from(edit(text), 'latin1');
  }
  await writeBackupFile(path.join(folder, name), change(backup.header), body(), new AbortController().signal);
}

test('a backup with archived months, or of an older checkout, is rejected with the remedy', async () => {
  const month = '2019-12-01\t1\t[]\t2020-01-01 00:00:00+00\n';
  await writeChanged(
    'months.saldo',
    (header) => header,
    (text) =>
      text.replace(/(copy "archive" .*\n)/, `$1${month}`).replace('"archive","rows":0', '"archive","rows":1'),
  );
  const toOlder = (header: BackupHeader) => ({ ...header, migrations: header.migrations.slice(0, 20) });
  await writeChanged('older.saldo', toOlder);
  const target = await createEmptyDatabase();
  for (const [name, message] of [
    [
      'months.saldo',
      /: The backup has archived months \(1\).*saldo archive restore <month>.*make a new backup.*\.\n$/,
    ],
    [
      'older.saldo',
      /: The backup was made by .* 020-sort-indexes\. Start the commit 07aef67 .*, and restore that one\.\n$/,
    ],
  ] as const) {
    const run = await restore(path.join(folder, name), target);
    assert.equal(run.code, 1);
    assert.match(run.err, message);
    assert.doesNotMatch(run.err, /Building indexes/, 'it takes long');
    const left = "select relname from pg_class where relnamespace = 'public'::regnamespace";
    assert.deepEqual(await query(target, left), []);
  }
});
