import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { encodeId, ID_PREFIX, type IdPrefix } from '@saldo/core/id.ts';
import { nominationConfirmedEntry } from '@saldo/core/ledger/entries.ts';
import pg from 'pg';
import { hashOfEntry, RECORD_BYTES, writeRecord } from '../src/ledger/append.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { runCommand } from './command-line.ts';
import { startTestPlatform } from './harness.ts';
import { changeEverything } from './ledger-world.ts';
import { sealAll } from './proving.ts';

/** The real program finds and names what the owner of the tables changes with SQL. */

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { contract } = await changeEverything(platform);
const folder = await temporaryFolder();
const owner = new pg.Client({ connectionString: platform.databaseUrl });
await owner.connect();
atEnd(() => owner.end());

const verify = (...args: string[]) => {
  const env = { DATABASE_URL: platform.databaseUrl, LEDGER_KEY_FILE: platform.config.ledgerKeyFile };
  return runCommand(['verify', ...args], { folder, env });
};

const one = async (select: string): Promise<string> => {
  const { rows } = await owner.query<{ value: string }>(`select (${select}) as value`);
  return String(rows[0]?.value);
};
const idOf = async (prefix: IdPrefix, select: string) => encodeId(prefix, await one(select));

/** Runs `work` with changed tables, and puts their rows back. The trigger of the audit trail does not stop the owner. */
async function tampered(tables: readonly string[], sql: string, work: () => Promise<void>): Promise<void> {
  for (const table of tables) await owner.query(`create table saved_${table} as table ${table}`);
  await owner.query('set session_replication_role = replica');
  try {
    await owner.query(sql);
    await work();
  } finally {
    for (const table of tables) {
      await owner.query(
        `delete from ${table}; insert into ${table} overriding system value table saved_${table}`,
      );
      await owner.query(`drop table saved_${table}`);
    }
    await owner.query('set session_replication_role = origin');
  }
}

test('an intact ledger agrees, its tail that is not sealed yet included', async () => {
  const { code, out, err } = await verify();
  assert.match(
    out,
    /^[\d,]+ entries agree, 2 seals, oldest 2026-10-20T08:00:00.000Z, newest 2026-10-20T08:15:00.000Z; [\d.]+ s\. \d+ entries are not sealed yet\.\n$/,
  );
  assert.match(err, /Comparing entries/);
  assert.equal(code, 0);
  const kinds = await owner.query<{ kind: number }>(
    `select distinct get_byte(records, 21 * at) as kind
     from ledger_batch, generate_series(0, length(records) / 21 - 1) as at order by kind`,
  );
  assert.deepEqual(
    kinds.rows.map(({ kind }) => kind),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    'every kind of entry is there',
  );
});

test('only records since an instant are compared, and the whole tree', async () => {
  const since = ['--since', '2026-10-20T08:10:00Z'];
  const { code, out } = await verify(...since);
  assert.match(out, /^\d+ entries agree, 2 seals/);
  assert.equal(code, 0);
  const change = `update sheet set volumes = set_byte(volumes, 3, 9) where created_at < '2026-10-20T08:01:00Z'`;
  await tampered(['sheet'], change, async () => {
    assert.equal((await verify(...since)).code, 0);
    assert.equal((await verify()).code, 1);
  });
});

const FIRST_SHEET = 'select id from sheet order by id limit 1';
const FIRST_NOMINATION = 'select id from nomination order by id limit 1';
const CONFIRMED =
  'select nomination_id from nomination_confirmation order by recorded_at, nomination_id limit 1';
const SENT_MESSAGE = `select id from message where sent_at is not null order by id limit 1`;
const NEWEST_AUDIT = 'select max(no) from audit';

const sheet = () => idOf(ID_PREFIX.transaction, FIRST_SHEET);
const nomination = () => idOf(ID_PREFIX.nomination, FIRST_NOMINATION);

type Tampering = { what: string; tables: string[]; sql: string; finds: () => Promise<RegExp> };

const updates: [table: string, assignment: string, where: string, finds: () => Promise<string>][] = [
  [
    'sheet',
    'volumes = set_byte(volumes, 2, get_byte(volumes, 2) # 1)',
    `id = (${FIRST_SHEET})`,
    async () => `changed: transactions ${await sheet()}`,
  ],
  [
    'sheet',
    `created_at = created_at + interval '1 microsecond'`,
    `id = (${FIRST_SHEET})`,
    async () => `changed: transactions ${await sheet()}`,
  ],
  ['sheet', 'versions[1] = 7', 'versions is not null', async () => `changed: transactions txn_`],
  [
    'sheet',
    'sender_position = receiver_position',
    `id = (${FIRST_SHEET})`,
    async () => `changed: transactions ${await sheet()}`,
  ],
  [
    'sheet',
    'sender_brp = sender_brp + 1',
    `id = (${FIRST_SHEET})`,
    async () => `changed: ${await sheet()}: the BRPs`,
  ],
  [
    'sheet_status',
    'statuses = array[0], mask = 1',
    'true',
    async () => 'changed: the status of transaction txn_',
  ],
  ['invalidation', 'slots = array[9]', 'number = 1', async () => 'changed: transactions_invalidated txn_'],
  [
    'nomination',
    'amounts[1] = amounts[1] + 1',
    `id = (${FIRST_NOMINATION})`,
    async () => `changed: nomination ${await nomination()}`,
  ],
  [
    'nomination',
    `gate_closure = gate_closure + interval '1 hour'`,
    `id = (${FIRST_NOMINATION})`,
    async () => `changed: nomination ${await nomination()}`,
  ],
  [
    'nomination',
    `sent_at = sent_at - interval '1 minute'`,
    `id = (${CONFIRMED})`,
    async () => `changed: nomination_sent ${await idOf(ID_PREFIX.nomination, CONFIRMED)}`,
  ],
  [
    'nomination',
    `status = 'pending'`,
    `id = (${CONFIRMED})`,
    async () => `changed: ${await idOf(ID_PREFIX.nomination, CONFIRMED)}: status`,
  ],
  [
    'nomination_confirmation',
    'matched[1] = 1',
    `nomination_id = (${CONFIRMED})`,
    async () => `changed: nomination_confirmed ${await idOf(ID_PREFIX.nomination, CONFIRMED)}`,
  ],
  [
    'message',
    `document = (select document from message order by id desc limit 1)`,
    `id = (${SENT_MESSAGE})`,
    async () => `changed: message ${await idOf(ID_PREFIX.message, SENT_MESSAGE)}`,
  ],
  [
    'message',
    `sent_at = sent_at + interval '1 second'`,
    `id = (${SENT_MESSAGE})`,
    async () => `changed: message_sent ${await idOf(ID_PREFIX.message, SENT_MESSAGE)}`,
  ],
  ['placement_change', `placements = '[]'`, 'number = 1', async () => 'changed: placements cust_'],
  ['placement', `last_day = '2026-12-24'`, 'true', async () => 'changed: cust_.*: the placements'],
  [
    'audit',
    `actor = 'a stranger'`,
    `no = (${NEWEST_AUDIT})`,
    async () => `changed: audit ${await one(NEWEST_AUDIT)}`,
  ],
  [
    'audit',
    `after = after || '{"volumes": []}'`,
    `no = (${NEWEST_AUDIT})`,
    async () => `changed: audit ${await one(NEWEST_AUDIT)}`,
  ],
  [
    'position',
    `tso = case tso when 'DE_AMPRION' then 'DE_TENNET'::tso else tso end`,
    'true',
    async () => 'changed: transactions txn_',
  ],
  [
    'ledger_batch',
    `hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1)`,
    'sequence = (select min(sequence) from ledger_batch where length(hashes) >= 64)',
    async () => 'changed: [a-z_]+ ',
  ],
  [
    'ledger_batch',
    `committed_at = committed_at + interval '1 second'`,
    'sequence = (select max(sequence) from ledger_batch)',
    async () => 'changed: .* has another instant',
  ],
  [
    'ledger_seal',
    `root_hash = set_byte(root_hash, 0, get_byte(root_hash, 0) # 1)`,
    'tree_size = (select max(tree_size) from ledger_seal)',
    async () => 'seal forged: the seal of \\d+ entries',
  ],
  [
    'ledger_seal',
    `sealed_at = sealed_at + interval '1 microsecond'`,
    'tree_size = (select max(tree_size) from ledger_seal)',
    async () => 'seal forged: the seal of \\d+ entries',
  ],
  [
    'ledger_seal',
    `signature = set_byte(signature, 9, get_byte(signature, 9) # 1)`,
    'tree_size = (select min(tree_size) from ledger_seal)',
    async () => 'seal forged: the seal of \\d+ entries',
  ],
  [
    'ledger_key',
    `public_key = decode(repeat('5a', 32), 'hex')`,
    'true',
    async () => 'key unknown: .*\n(.*\n)*seal forged',
  ],
];

const tamperings: Tampering[] = [
  ...updates.map(
    ([table, assignment, where, finds]): Tampering => ({
      what: `${table}: ${assignment}`,
      tables: [table],
      sql: `update ${table} set ${assignment} where ${where}`,
      finds: async () => new RegExp(`^${await finds()}`, 'm'),
    }),
  ),
  ...(
    [
      ['sheet', 'transactions', FIRST_SHEET.replace('id from', 'id from'), 'id', ID_PREFIX.transaction],
      ['nomination', 'nomination', FIRST_NOMINATION, 'id', ID_PREFIX.nomination],
      ['nomination_confirmation', 'nomination_confirmed', CONFIRMED, 'nomination_id', ID_PREFIX.nomination],
      ['message', 'message', SENT_MESSAGE, 'id', ID_PREFIX.message],
    ] as const
  ).map(
    ([table, kind, select, column, prefix]): Tampering => ({
      what: `a deleted row of ${table}`,
      tables: [table],
      sql: `create table deleted as ${select}; delete from ${table} where ${column} = (table deleted)`,
      finds: async () => {
        const id = await idOf(prefix, 'table deleted');
        await owner.query('drop table deleted');
        return new RegExp(`^missing: ${kind} ${id}`, 'm');
      },
    }),
  ),
  {
    what: 'deleted entries of the audit trail',
    tables: ['audit'],
    sql: 'delete from audit where no = (select min(no) from audit)',
    finds: async () => /^missing: audit \d+ /m,
  },
  {
    what: 'deleted invalidations',
    tables: ['invalidation'],
    sql: 'delete from invalidation',
    finds: async () => /^missing: transactions_invalidated txn_/m,
  },
  {
    what: 'a row that no change made',
    tables: ['sheet'],
    sql: `insert into sheet select (left(id::text, 14) || '7fff-bfff-ffffffffff00')::uuid, created_at, contract_no,
            delivery_day + 30, revision, sender_position, receiver_position, sender_brp, receiver_brp, volumes
          from sheet where revision = 1 order by id limit 1`.replace(
      "left(id::text, 14) || '7fff",
      "left(id::text, 14) || '7fff",
    ),
    finds: async () =>
      new RegExp(`^not in the ledger: transactions txn_\\w+ \\(${contract.id}, 2026-11-2\\d`, 'm'),
  },
  {
    what: 'two rows with exchanged ids',
    tables: ['sheet'],
    sql: `create temp table pair as select id, row_number() over (order by id desc) as no
            from (select id from sheet where revision = 1 order by id limit 2) as two;
          create temp table content as select row_number() over (order by id) as no, s.* from sheet s
            where id in (select id from pair);
          delete from sheet where id in (select id from pair);
          insert into sheet select p.id, c.created_at, c.contract_no, c.delivery_day, c.revision, c.sender_position,
            c.receiver_position, c.sender_brp, c.receiver_brp, c.volumes, c.versions, c.previous, c.late_at
            from content c join pair p using (no);
          drop table pair; drop table content`,
    finds: async () => /^swapped: transactions txn_\w+ .* has the content of transactions txn_/m,
  },
  {
    what: 'a tree in another order',
    tables: ['ledger_batch'],
    sql: `update ledger_batch b set committed_at = o.committed_at, records = o.records, hashes = o.hashes
          from (select sequence, row_number() over (order by sequence) as no from ledger_batch limit 2) as mine,
            (select *, row_number() over (order by sequence desc) as no
             from (select * from ledger_batch order by sequence limit 2) as two) as o
          where b.sequence = mine.sequence and o.no = mine.no`,
    finds: async () =>
      /^tree reordered or rewritten: the seal of \d+ entries(.*\n)*.*every entry agrees with its record/m,
  },
  {
    what: 'a deleted batch',
    tables: ['ledger_batch'],
    sql: 'delete from ledger_batch where sequence = (select max(sequence) from ledger_batch)',
    finds: async () => /^not in the ledger: /m,
  },
  {
    what: 'a row that is dated before the ledger',
    tables: ['audit'],
    sql: `insert into audit (at, actor, action, subject) values ('2020-01-01', 'key_x', 'contract.created', 'con_x')`,
    finds: async () => /^not in the ledger: audit /m,
  },
  {
    what: 'an emptied ledger',
    tables: ['ledger_batch', 'ledger_seal', 'ledger_node'],
    sql: 'delete from ledger_seal; delete from ledger_node; delete from ledger_batch',
    finds: async () => /^not in the ledger: /m,
  },
];

for (const { what, tables, sql, finds } of tamperings) {
  test(`the program finds ${what}`, () =>
    tampered(tables, sql, async () => {
      const { code, out, err } = await verify();
      assert.match(out, await finds(), err);
      assert.match(out, /\d+ differences? found\./);
      assert.equal(code, 1);
    }));
}

test('nothing of this is left', async () => {
  const { code, out } = await verify();
  assert.equal(code, 0, out);
});

/** A seal as `GET /v1/ledger/seals` shows it. */
const SEALS = `
  select tree_size::int, encode(root_hash, 'hex') as root_hash, encode(signature, 'base64') as signature,
    to_char(sealed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as sealed_at,
    (select encode(public_key, 'base64') from ledger_key where no = key_no) as public_key
  from ledger_seal order by tree_size desc`;

/** Changes a confirmation together with its hash in the ledger, and seals the tree again with the platform's own key. */
async function rewriteEverything(): Promise<void> {
  const { rows } = await owner.query<{
    id: string;
    number: number;
    matched: string[];
    status: 'match';
    at: Date;
    confirmed_at: Date;
  }>(
    `select nomination_id as id, number, matched, status, recorded_at as at, confirmed_at from nomination_confirmation
     where confirmed_at is not null order by nomination_id limit 1`,
  );
  const row = rows[0] ?? assert.fail();
  const matched = row.matched.map((kw, at) => (at === 0 ? 7 : Number(kw)));
  for (const [table, id] of [
    ['nomination_confirmation', 'nomination_id'],
    ['nomination', 'id'],
  ])
    await owner.query(`update ${table} set matched = $2 where ${id} = $1 and confirmed_at is not null`, [
      row.id,
      matched,
    ]);
  const entry = nominationConfirmedEntry({
    nominationUuid: row.id,
    number: row.number,
    status: row.status,
    matched,
    confirmedAt: row.confirmed_at.getTime(),
    committedAt: row.at.getTime(),
  });
  const record = Buffer.alloc(RECORD_BYTES);
  writeRecord(record, 0, entry);
  const changed = await owner.query(
    `update ledger_batch
     set hashes = overlay(hashes placing $2 from (position($1 in records) - 1) / 21 * 32 + 1)
     where position($1 in records) > 0`,
    [record, hashOfEntry(entry.text)],
  );
  assert.equal(changed.rowCount, 1);
  await owner.query('delete from ledger_seal; delete from ledger_node');
  await sealAll(platform);
}

test('a tree that was rewritten as a whole contradicts a seal that was kept elsewhere', async () => {
  const kept = path.join(folder, 'seals.json');
  const { rows: seals } = await owner.query(SEALS);
  await writeFile(kept, JSON.stringify({ seals, pagination: { next_cursor: null } }));
  const before = await verify('--seals', kept);
  assert.equal(before.code, 0, before.out);
  const tables = ['nomination', 'nomination_confirmation', 'ledger_batch', 'ledger_seal', 'ledger_node'];
  await tampered(tables, 'select', async () => {
    await rewriteEverything();
    const alone = await verify();
    assert.equal(alone.code, 0, `the database agrees with itself: ${alone.out}`);
    const { code, out } = await verify('--seals', kept);
    assert.match(
      out,
      /^tree rewritten: the seal of \d+ entries \(.*\) was kept elsewhere, and is not a prefix/m,
    );
    assert.equal(code, 1);
  });
  await tampered(
    ['ledger_batch', 'ledger_seal', 'ledger_node'],
    'delete from ledger_seal; delete from ledger_batch',
    async () => {
      const { code, out } = await verify('--seals', kept);
      assert.match(out, /^behind: the seal of \d+ entries/m, 'a restored backup from before the seal');
      assert.equal(code, 1);
    },
  );
  await writeFile(kept, JSON.stringify({ ...seals[0], sealed_at: '2026-10-20T08:00:01.000Z' }));
  assert.match((await verify('--seals', kept)).out, /^seal forged: the kept copy/m);
  await writeFile(kept, '{}');
  const unusable = await verify('--seals', kept);
  assert.match(unusable.err, /^Not verified: .* has no seals/m);
  assert.equal(unusable.code, 3);
});

test('a database without a ledger and a wrong instant are errors', async () => {
  assert.equal((await verify('--since', 'yesterday')).code, 2);
  const env = { DATA_DIR: path.join(folder, 'nothing') };
  const { code, err } = await runCommand(['verify'], { folder, env });
  assert.match(err, /^Not verified: There is no database in /m);
  assert.equal(code, 3);
});
