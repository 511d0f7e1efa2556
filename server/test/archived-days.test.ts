import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXPORT_FORMATS } from '@saldo/api';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { MONTH_LOCK_KEY } from '../src/archived-days/changes.ts';
import { addMonths, firstDayOf, firstKeptMonth, monthNumber } from '../src/archived-days/months.ts';
import { readDays } from '../src/archived-days/store.ts';
import { explainNomination } from '../src/nominations/explanation.ts';
import { nominationUuid } from '../src/nominations/routes.ts';
import { findNomination, findNominationHistory } from '../src/nominations/store.ts';
import { OPERATOR_VIEW } from '../src/platform/auth/viewer.ts';
import type { Database } from '../src/platform/db/database.ts';
import { transactionKey } from '../src/transactions/routes.ts';
import { findTransaction, findTransactionHistory } from '../src/transactions/store.ts';
import { dump, startArchivedWorld } from './archived-world.ts';
import { receiveAll } from './exchanging.ts';
import { type Answer, assertProblem, client, walk } from './harness.ts';

/** What the APIs answer while October 2025 is archived, and September and November are not. */

const { world, operator, db, asked, contract, moved, north, platform } = await startArchivedWorld();
const asBrp = north.ask;
const stranger = client(platform.baseUrl, (await world.brp()).key);

const DAY = '2025-10-26';
const everything = await walk(asBrp, '/v1/transactions', 'transactions', 100);
const nominations = await walk(asBrp, '/v1/nominations', 'nominations', 100);
const monthOf = ({ delivery_start }: { delivery_start: string }) =>
  dayOf(Date.parse(delivery_start)).slice(0, 7);
const october = everything.filter((one) => monthOf(one) === '2025-10');
const kept = everything.filter((one) => monthOf(one) !== '2025-10');
const archivedNomination = nominations.find(({ gate_closure }) => gate_closure.startsWith('2025-10-2')).id;
assert.ok(october.length > 200 && kept.length > 0);
/** A page of the month, whose walk goes on after the month was archived. */
const openWalk = await asBrp('/v1/transactions?limit=100');
const nominationWalk = await asBrp('/v1/nominations?limit=5');
const namedWalk = await asBrp(`/v1/transactions?delivery_start=2025-10-01T00:00:00Z&limit=100`);
const cursorOf = ({ body }: Answer) =>
  `&limit=${body.pagination.limit}&after=${encodeURIComponent(body.pagination.next_cursor)}`;
const before = await dump(db, '2025-10');

await asked('archive', '--before', '2025-11');
await asked('archive', 'restore', '2025-09');
const archived = (answer: Answer) => {
  assertProblem(answer, 410, 'archived');
  const files = ['sheets', 'invalidations', 'nominations'].map(
    (rows) => `2025-10-${rows}-[0-9a-f]{12}\\.parquet`,
  );
  assert.match(answer.body.detail, new RegExp(`^Archived months: 2025-10 \\(${files.join(', ')}\\)\\. `));
};

test('requests that name archived days get 410, and others do not', async () => {
  const overlapping = [
    `delivery_date=${DAY}`,
    'delivery_start=2025-09-15T00:00:00Z&delivery_end=2025-10-05T00:00:00Z',
    'delivery_start=2025-10-30T23:00:00Z&delivery_end=2025-12-01T00:00:00Z',
    'delivery_start=2025-01-01T00:00:00Z',
    'delivery_end=2025-11-05T00:00:00Z',
  ];
  for (const query of overlapping) {
    archived(await asBrp(`/v1/transactions?${query}`));
    archived(await asBrp(`/v1/contracts/${contract.id}/transactions?${query}`));
    archived(await asBrp(`/v1/nominations?${query}`));
    archived(await operator(`/operator/v1/transactions?${query}`));
    archived(await operator(`/operator/v1/nominations?${query}`));
    if (!/delivery_date|delivery_start.*delivery_end/.test(query)) continue;
    for (const list of ['transactions', 'nominations']) {
      for (const format of EXPORT_FORMATS) {
        const path = `/v1/exports/${list}?${query}&format=${format}`;
        archived(await asBrp(path));
        const head = await asBrp(path, { method: 'HEAD' });
        assert.deepEqual([head.status, head.headers.get('content-disposition')], [410, null], `HEAD ${path}`);
      }
    }
  }
  archived(await stranger(`/v1/transactions?delivery_date=${DAY}`));
  const ofContract = `/v1/contracts/${contract.id}/transactions?delivery_date=${DAY}`;
  assertProblem(await stranger(ofContract), 404, 'contract_not_found');
  archived(await asBrp(`/v1/nominations/schedule?delivery_date=${DAY}`));
  archived(await operator(`/operator/v1/exchange/mismatches?delivery_date=${DAY}`));
  archived(await operator(`/operator/v1/exchange/unsent?delivery_date=${DAY}`));
  const free = [
    'delivery_date=2025-09-30',
    'delivery_start=2025-11-01T00:00:00Z',
    'delivery_end=2025-09-20T00:00:00Z',
  ];
  for (const query of free) {
    assert.equal((await asBrp(`/v1/transactions?${query}`)).status, 200, query);
    assert.equal((await asBrp(`/v1/nominations?${query}`)).status, 200, query);
  }
});

test('a list without named days has what is stored, and a walk that ended in the month is rejected', async () => {
  assert.deepEqual(await walk(asBrp, '/v1/transactions', 'transactions', 100), kept);
  assert.equal(monthOf(openWalk.body.transactions.at(-1)), '2025-10', 'the cursor is in the month');
  archived(await asBrp(`/v1/transactions?${cursorOf(openWalk)}`));
  archived(await asBrp(`/v1/nominations?${cursorOf(nominationWalk)}`));
  archived(await asBrp(`/v1/transactions?delivery_start=2025-10-01T00:00:00Z${cursorOf(namedWalk)}`));
});

test('archived ids are 410 for their own BRP, and 404 for others like unknown ones', async () => {
  const [{ id }] = october;
  const unknown = encodeId(ID_PREFIX.transaction, '01890000-0000-7000-8000-000000000001');
  const bulk = (ids: string[], ask = asBrp) =>
    ask('/v1/transactions/bulk', { method: 'POST', body: { ids } });
  for (const path of ['', '/history']) {
    archived(await asBrp(`/v1/transactions/${id}${path}`));
    assertProblem(await stranger(`/v1/transactions/${id}${path}`), 404, 'transaction_not_found');
    assertProblem(await asBrp(`/v1/transactions/${unknown}${path}`), 404, 'transaction_not_found');
  }
  for (const path of ['', '/history', '/explanation', '/schedule', '/reconciliation']) {
    archived(await asBrp(`/v1/nominations/${archivedNomination}${path}`));
    assertProblem(
      await stranger(`/v1/nominations/${archivedNomination}${path}`),
      404,
      'nomination_not_found',
    );
  }
  archived(await operator(`/operator/v1/nominations/${archivedNomination}`));
  assert.deepEqual((await bulk([kept[0].id, id])).body.transactions, [kept[0]]);
  assert.deepEqual((await asBrp(`/v1/nominations/bulk?ids=${archivedNomination}`)).body.nominations, []);
  assert.deepEqual((await bulk([id, unknown], stranger)).body.transactions, []);
  assert.deepEqual((await bulk([unknown, kept[0].id])).body.transactions, [kept[0]]);
});

/** Like `saldo archive` and `saldo archive restore` while they run, or wait for a writer. */
async function whileBusy(month: string, work: () => Promise<void>) {
  await db.query('begin');
  await db.query(`select pg_advisory_xact_lock(${MONTH_LOCK_KEY})`, [monthNumber(month)]);
  await work().finally(() => db.query('rollback'));
}

async function appliedAnswer(day: string): Promise<string> {
  const confirmations = '/operator/v1/messages?type=confirmation&state=applied&limit=1';
  const [{ id }] = (await operator(`${confirmations}&delivery_date=${day}`)).body.messages;
  return (await operator(`/operator/v1/messages/${id}/raw`)).text;
}

/** A later, final answer like one that was applied. */
async function newAnswer(day: string): Promise<string> {
  const document = await appliedAnswer(day);
  const id = /<(?:\w+:)?mRID>([^<]+)<|MessageIdentification v="([^"]+)"/
    .exec(document)
    ?.slice(1)
    .find(Boolean);
  assert.ok(id, document.slice(0, 500));
  const later = document.replace(
    /(createdDateTime>|MessageDateTime v=")\d{4}/,
    (_, before: string) => `${before}2026`,
  );
  assert.notEqual(later, document);
  return later.replace(id, `${id.slice(0, -3)}new`).replace('MessageType v="A07"', 'MessageType v="A08"');
}
const headers = { 'content-type': 'application/xml' };
const receive = (document: string) =>
  operator('/operator/v1/exchange/receive', { method: 'POST', body: document, headers });

test('a month that is being archived or restored is not called archived', async () => {
  const volumes = Array.from({ length: 96 }, () => 3);
  const put = () =>
    operator(`/operator/v1/contracts/${contract.id}/days/2025-11-02`, { method: 'PUT', body: { volumes } });
  await whileBusy('2025-11', async () => {
    const rejected = await put();
    assertProblem(rejected, 409, 'days_archived');
    assert.equal(rejected.body.detail, 'Months are being archived or restored; try again: 2025-11.');
    const imported = await operator('/operator/v1/volumes', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: `contract,delivery_date,slot,volume\n${contract.id},2025-11-02,1,7\n`,
    });
    const message = '2025-11 is being archived or restored; try again';
    assert.deepEqual(imported.body.rejected, [{ line: 2, code: 'day_archived', message }]);
  });
  assert.equal((await put()).status, 200);
});

test('an answer for a month that is being archived or restored is read afterwards', async () => {
  const document = await newAnswer(DAY);
  let id = '';
  await whileBusy('2025-10', async () => {
    const { status, body } = await receive(document);
    assert.deepEqual([status, body.message.state], [200, 'stored']);
    id = body.message.id;
  });
  await receiveAll(platform);
  assert.equal((await operator(`/operator/v1/messages/${id}`)).body.state, 'failed');
});

const other = await world.pair();

test('nothing is written into an archived month', async () => {
  const volumes = Array.from({ length: 100 }, () => 1);
  const put = `/operator/v1/contracts/${contract.id}/days/${DAY}`;
  assertProblem(await operator(put, { method: 'PUT', body: { volumes } }), 409, 'days_archived');
  const lines = ['2025-09-30', DAY, '2025-11-02'].map((day) => `${contract.id},${day},1,7\n`);
  for (const dryRun of ['true', 'false']) {
    const imported = await operator(`/operator/v1/volumes?dry_run=${dryRun}`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: `contract,delivery_date,slot,volume\n${lines.join('')}`,
    });
    assert.deepEqual(
      [imported.body.created + imported.body.corrected, imported.body.rejected],
      [2, [{ line: 3, code: 'day_archived', message: '2025-10 is archived' }]],
    );
  }
  const invalidate = `/operator/v1/transactions/${october[0].id}/invalidate`;
  archived(await operator(invalidate, { method: 'POST', body: { reason: 'meter failure' } }));
  const end = (instant: string) =>
    operator(`/operator/v1/contracts/${moved.id}`, { method: 'PATCH', body: { delivery_end: instant } });
  assertProblem(await end('2025-10-14T22:00:00Z'), 409, 'days_archived');
  assert.equal((await end('2026-10-14T22:00:00Z')).status, 200);
  const ended = await world.contract(other.producer, other.consumer, {
    first: '2025-01-01',
    last: '2025-10-01',
  });
  const endOf = (instant: string) =>
    operator(`/operator/v1/contracts/${ended.id}`, { method: 'PATCH', body: { delivery_end: instant } });
  assert.equal((await endOf('2025-10-09T22:00:00Z')).status, 200, 'a later end');
  assertProblem(await endOf('2025-09-14T22:00:00Z'), 409, 'days_archived');
  const early = await world.contract(other.producer, other.consumer, {
    first: '2025-01-01',
    last: '2025-09-30',
  });
  const shortened = { method: 'PATCH', body: { delivery_end: '2025-08-31T22:00:00Z' } } as const;
  assert.equal(
    (await operator(`/operator/v1/contracts/${early.id}`, shortened)).status,
    200,
    'nothing there',
  );
  const send = { method: 'POST', body: { delivery_date: DAY } };
  assert.deepEqual((await operator('/operator/v1/exchange/send', send)).body.messages, []);
});

test('an answer of a TSO for an archived day is kept as failed and changes nothing', async () => {
  const answer = await receive(await newAnswer(DAY));
  assert.equal(answer.status, 400, answer.text);
  assertProblem(answer, 400, 'unreadable_message');
  assert.match(
    answer.body.detail,
    /^2025-10 is archived\. Restore it, and pass the answer on again\. It is kept/,
  );
  const failed = '/operator/v1/messages?type=confirmation&state=failed';
  const [{ version, tso }] = (await operator(`${failed}&delivery_date=${DAY}`)).body.messages;
  assert.deepEqual([typeof version, typeof tso], ['number', 'string']);
});

test('an answer that is repeated after its day was archived is ignored', async () => {
  const { status, body } = await receive(await appliedAnswer(DAY));
  assert.deepEqual([status, body.message?.state], [200, 'ignored']);
});

test('after its return the month is as before', async () => {
  await asked('archive', 'restore', '2025-10');
  assert.deepEqual(await dump(db, '2025-10'), before);
  const { status, body } = await asBrp(`/v1/transactions/${october[0].id}`);
  assert.deepEqual([status, body], [200, october[0]]);
  assert.equal((await asBrp(`/v1/transactions?delivery_date=${DAY}`)).status, 200);
});

test('a record whose month is restored during a read by its id is found', async () => {
  await world.nominate();
  await asked('archive', '--before', '2025-11');
  let waiting = 0;
  const [allWait, restored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: Database = {
    ...platform.db,
    async query(...[sql, values]: Parameters<Database['query']>) {
      if (sql.name.includes('find_archived_month_of_id')) {
        if (++waiting === 5) allWait.resolve();
        await restored.promise;
      }
      return platform.db.query(sql, values) as never;
    },
  };
  const nomination = nominationUuid(archivedNomination);
  const transaction = transactionKey(october[0].id);
  assert.ok(transaction);
  const reads = Promise.all([
    findNomination(slow, OPERATOR_VIEW, nomination),
    findNominationHistory(slow, OPERATOR_VIEW, nomination),
    explainNomination(slow, OPERATOR_VIEW, nomination, BUILT_IN_RULES),
    findTransaction(slow, OPERATOR_VIEW, transaction),
    findTransactionHistory(slow, OPERATOR_VIEW, transaction),
  ]);
  await Promise.race([allWait.promise, reads]);
  for (const month of ['2025-09', '2025-10']) await asked('archive', 'restore', month);
  restored.resolve();
  const [one, versions, explained, cell, cells] = await reads;
  assert.equal(one?.id, nomination);
  assert.ok(versions.some(({ id }) => id === nomination));
  assert.equal(explained?.nomination_id, archivedNomination);
  assert.equal(cell?.row.sheet.id, transaction.sheetId);
  assert.ok(cells.some(({ row }) => row.sheet.id === transaction.sheetId));
});

test('days that cannot be archived yet are read without a look at the archived months', async () => {
  const first = firstDayOf(addMonths(firstKeptMonth(), 1));
  await db.query('alter table archive rename to hidden_archive');
  try {
    assert.equal((await asBrp(`/v1/transactions?delivery_date=${first}`)).status, 200);
    assert.equal((await asBrp('/v1/transactions')).status, 200);
    assert.equal((await asBrp(`/v1/transactions?delivery_date=${DAY}`)).status, 500);
  } finally {
    await db.query('alter table hidden_archive rename to archive');
  }
});

test('a month that is archived or restored during a read is not read as empty', async () => {
  const days = { first: '2020-02-01', last: '2020-02-29' };
  const archiving = readDays(platform.db, days, () => world.markArchived('2020-02'));
  await assert.rejects(archiving, { code: 'archived' });
  const restoring = readDays(platform.db, days, () =>
    db.query("delete from archive where month = '2020-02-01'"),
  );
  await assert.rejects(restoring, { code: 'archived' });
});

test('a rejection names at most twelve months', async () => {
  for (let month = '2019-01'; month <= '2020-01'; month = addMonths(month, 1))
    await world.markArchived(month);
  const { status, body } = await asBrp('/v1/transactions?delivery_start=2019-01-01T00:00:00Z');
  assert.equal(status, 410);
  assert.match(body.detail, /^Archived months: 2019-01 \(.*, 2019-12 \([^)]*\) and later ones\. /);
  assert.doesNotMatch(body.detail, /2020-01/);
});

test('months are counted across years', () => {
  assert.equal(addMonths('2025-12', 1), '2026-01');
  assert.equal(addMonths('2026-01', -13), '2024-12');
  assert.equal(monthNumber('2026-01') - monthNumber('2025-12'), 1);
});
