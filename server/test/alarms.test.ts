import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ALARM_KINDS, type Alarm, type AlarmCounts, type Tso } from '@saldo/api';
import { readStatusRequest } from '@saldo/core/exchange/documents/status-request.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import pg from 'pg';
import { sendDue, sendRequested } from '../src/exchange/process/send.ts';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { readerConfig } from '../src/platform/db/connection.ts';
import type { Db } from '../src/platform/db/database.ts';
import { type Statement, statement } from '../src/platform/db/statement.ts';
import { agree, newPlace, operating, readSchedule } from './exchanging.ts';
import { assertProblem, assertRefused, client, startTestPlatform, walk } from './harness.ts';
import { flat, only } from './nominated.ts';
import { insertPlatformRows } from './platform-rows.ts';
import { newEic } from './world.ts';

/** Each test has its own days, and ends the alarms that it raised. 14:30 in winter is 13:30Z. */
const platform = await startTestPlatform({
  now: '2026-11-16T08:00:00Z',
  environment: { EXCHANGE_FORMATS: 'DE_AMPRION=cim' },
});
const large = await startTestPlatform();
const { clock, db, exchange, world } = platform;
const { outboxDir } = platform.config.exchange;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, messages, answer, outbox } = operating(platform, operator);
const place = (tso: Tso) => newPlace(platform, tso);
const [seller, buyer] = [await place('DE_TENNET'), await place('DE_TENNET')];
const contract = await agree(world, seller, buyer);

let freeBytes = 2 ** 40;
const watching = { ...exchange, disk: { host: 'one', freeBytes: async () => freeBytes } };
const watch = () => watchExchange(db, clock, watching);

const list = async (query = ''): Promise<Alarm[]> =>
  (await operator(`/operator/v1/exchange/alarms?limit=100${query}`)).body.alarms;
/** The open alarms after a run of the job, as kind, TSO and day. */
async function watched(): Promise<string[]> {
  await watch();
  return (await list()).map(({ kind, tso, delivery_date }) => `${kind} ${tso} ${delivery_date}`);
}
const counts = async (): Promise<AlarmCounts> => (await operator('/operator/v1/health')).body.alarms;
const acknowledge = (id: string | undefined, body: object = { note: 'seen' }) =>
  operator(`/operator/v1/exchange/alarms/${id}/acknowledge`, { method: 'POST', body });

/** Writes the volumes of a day at this instant, and sends its schedule. */
async function sendAt(instant: string, day: string, kwh: number): Promise<void> {
  clock.set(instant);
  await world.volumes(contract, day, flat(day, kwh));
  await world.nominate();
  await send({ delivery_date: day });
}

const rejecting = (day: string) => ({ rejections: [{ tso: 'DE_TENNET' as const, day }] });

test('a rejection at 14:04 raises an alarm until a newer version is accepted', async () => {
  const day = '2026-11-18';
  await sendAt('2026-11-17T13:00:00Z', day, 100);
  assert.deepEqual(await watched(), []);
  clock.set('2026-11-17T13:04:00Z');
  await answer(rejecting(day));
  assert.deepEqual(await watched(), [`rejected DE_TENNET ${day}`]);
  const [alarm] = await list();
  const [rejected] = await messages(`&delivery_date=${day}&state=rejected`);
  assert.equal(alarm?.message_id, rejected?.id);
  assert.deepEqual(
    [alarm?.severity, alarm?.since, alarm?.ended_at, alarm?.acknowledged_by, alarm?.note],
    ['critical', '2026-11-17T13:04:00Z', null, null, null],
  );
  assert.match(
    alarm?.text ?? '',
    /^Version 1 of the schedule of 18 Nov 2026 for TenneT was rejected\. .*A59/,
  );
  assert.deepEqual(await counts(), { ...zeros(), rejected: 1 });
  assert.deepEqual(await watch(), { begun: [], raised: [], ended: [], open: { ...zeros(), rejected: 1 } });
  assert.deepEqual(await list(), [alarm], 'a further run changes nothing');

  clock.set('2026-11-17T13:06:00Z');
  await send({ delivery_date: day });
  assert.deepEqual(await watched(), [`rejected DE_TENNET ${day}`], 'the new version has no answer yet');
  await answer(rejecting(day));
  await watch();
  const [second] = await list();
  assert.match(second?.text ?? '', /^Version 2 /, 'the alarm of the newer rejection replaces it');
  assert.deepEqual(await counts(), { ...zeros(), rejected: 1 });

  clock.set('2026-11-17T13:08:00Z');
  await send({ delivery_date: day });
  await answer();
  assert.deepEqual(await watched(), []);
  assert.deepEqual(await counts(), zeros());
  const past = await list(`&state=resolved&delivery_date=${day}`);
  assert.deepEqual(
    past.map(({ id, ended_at, acknowledged_by }) => [id, ended_at, acknowledged_by]),
    [
      [alarm?.id, '2026-11-17T13:06:00Z', null],
      [second?.id, '2026-11-17T13:08:00Z', null],
    ],
  );
});

const zeros = () => Object.fromEntries(ALARM_KINDS.map((kind) => [kind, 0])) as AlarmCounts;

test('an unreadable answer raises an alarm that ends by acknowledgement only, and does not return', async () => {
  clock.set('2026-11-17T14:00:00Z');
  assertProblem(await receive('<nonsense/>'), 400, 'unreadable_message');
  assert.deepEqual(await watched(), ['unreadable null null']);
  const [alarm] = await list();
  const [failed] = await messages('&state=failed');
  assert.equal(alarm?.message_id, failed?.id);
  assert.match(alarm?.text ?? '', /^An incoming message cannot be read\. .*nonsense/);
  clock.set('2026-11-29T14:00:00Z');
  assert.deepEqual(await watched(), ['unreadable null null'], 'it stays, however old it is');
  clock.set('2026-11-17T14:05:00Z');

  const acknowledged = await acknowledge(alarm?.id, { note: 'Sent again by the TSO.' });
  assert.equal(acknowledged.status, 200, acknowledged.text);
  const { ended_at, acknowledged_by, note } = acknowledged.body;
  assert.deepEqual([ended_at, note], ['2026-11-17T14:05:00Z', 'Sent again by the TSO.']);
  assert.match(acknowledged_by, /^key_/);
  assert.deepEqual(await watched(), []);
  assertProblem(await acknowledge(alarm?.id), 409, 'invalid_status_transition');
  assert.deepEqual(await list('&state=resolved&kind=unreadable'), [acknowledged.body]);
  const { body } = await operator(`/operator/v1/audit?subject=${alarm?.id}`);
  assert.deepEqual(
    body.entries.map((entry: Record<string, unknown>) => [entry['action'], entry['before'], entry['after']]),
    [['alarm.acknowledged', alarm, acknowledged.body]],
  );
});

test('an acknowledgement needs a note and an alarm that exists', async () => {
  for (const id of ['alm_01jhm5b2m8f4t9v6q3w7x1y0zk', 'msg_01jhm5b2m8f4t9v6q3w7x1y0zk', 'x']) {
    assertProblem(await acknowledge(id), 404, 'alarm_not_found');
  }
  assertRefused(await acknowledge('x', {}), 'note required');
  assertRefused(await acknowledge('x', { note: '' }), 'note value_too_small');
});

test('a missing acknowledgement raises an alarm after ACK_MINUTES and makes one status request', async () => {
  const day = '2026-11-19';
  await sendAt('2026-11-18T13:00:00Z', day, 100);
  clock.set('2026-11-18T13:09:59Z');
  assert.deepEqual(await watched(), []);
  clock.set('2026-11-18T13:10:00Z');
  const runs = await Promise.all(Array.from({ length: 8 }, watch));
  assert.equal(runs.flatMap(({ begun }) => begun).length, 1, 'one process begins it');
  const behind = await watchExchange(db, { now: () => clock.now() - 1_000 }, watching);
  assert.deepEqual(behind.ended, [], 'a process whose clock is behind does not end it');
  assert.deepEqual(await watched(), [`answer_overdue DE_TENNET ${day}`]);
  const [alarm] = await list();
  const [sent] = await messages(`&delivery_date=${day}&type=schedule`);
  assert.deepEqual([alarm?.severity, alarm?.message_id], ['warning', sent?.id]);
  assert.equal(
    alarm?.text,
    'TenneT has not answered version 1 of the schedule of 19 Nov 2026 within 10 minutes. It was sent on 18 Nov 2026 at 14:00 German time.',
  );

  await sendDue(db, clock, exchange);
  const [request, ...more] = await messages(`&delivery_date=${day}&type=status_request`);
  assert.deepEqual(more, []);
  const fileName = '20261119_SRQ_11XSALDO-------Z_10XDE-EON-NETZ-C.XML';
  assert.deepEqual(
    [request?.direction, request?.state, request?.tso, request?.version, request?.format, request?.file_name],
    ['out', 'sent', 'DE_TENNET', null, 'ess', fileName],
  );
  const file = (await outbox()).get(fileName)?.toString() ?? '';
  assert.equal((await operator(`/operator/v1/messages/${request?.id}/raw`)).text, file);
  const asked = readStatusRequest(file, exchange.rules);
  assert.deepEqual([asked?.tso, asked?.day], ['DE_TENNET', day]);

  clock.set('2026-11-18T13:12:00Z');
  await sendAt('2026-11-18T13:12:00Z', day, 101);
  assert.deepEqual(await watched(), [`answer_overdue DE_TENNET ${day}`], 'a new version is no answer');
  assert.equal((await messages(`&delivery_date=${day}&type=schedule`)).at(-1)?.state, 'sent');
  await answer();
  assert.deepEqual(await watched(), []);
  assert.equal((await messages(`&delivery_date=${day}&type=status_request`)).length, 1);
});

test('a new version every few minutes does not hide that the TSO is silent', async () => {
  const day = '2026-11-20';
  for (const minute of ['00', '05', '09']) {
    await sendAt(`2026-11-19T13:${minute}:00Z`, day, 100 + Number(minute));
    assert.deepEqual(await watched(), []);
  }
  clock.set('2026-11-19T13:10:00Z');
  assert.deepEqual(await watched(), [`answer_overdue DE_TENNET ${day}`]);
  const [alarm] = await list();
  assert.equal((await acknowledge(alarm?.id)).status, 200);
  clock.set('2026-11-19T13:20:00Z');
  assert.deepEqual(await watched(), [], 'the other versions are part of the same silence');
  await answer();
  await sendAt('2026-11-19T13:25:00Z', day, 120);
  clock.set('2026-11-19T13:35:00Z');
  assert.deepEqual(await watched(), [`answer_overdue DE_TENNET ${day}`], 'after an answer it is a new one');
  await answer();
  assert.deepEqual(await watched(), []);
});

test('a version without an answer is overdue also when a newer one was rejected', async () => {
  const day = '2026-12-22';
  await sendAt('2026-12-21T13:00:00Z', day, 100);
  for (const name of (await outbox()).keys()) await rm(path.join(outboxDir, name));
  await sendAt('2026-12-21T13:05:00Z', day, 101);
  await answer(rejecting(day));
  clock.set('2026-12-21T13:10:00Z');
  assert.deepEqual((await watched()).toSorted(), [
    `answer_overdue DE_TENNET ${day}`,
    `rejected DE_TENNET ${day}`,
  ]);
  const overdue = (await list()).find(({ kind }) => kind === 'answer_overdue');
  assert.match(overdue?.text ?? '', / version 1 /);
  await send({ delivery_date: day });
  await answer();
  assert.deepEqual(await watched(), []);
});

test('unsent changes raise an alarm 15 minutes before their gate, until they are sent or the gate closes', async () => {
  const day = '2026-11-27';
  clock.set('2026-11-26T08:00:00Z');
  await world.volumes(contract, day, 100);
  await world.nominate();
  clock.set('2026-11-26T13:14:59Z');
  assert.deepEqual(await watched(), []);
  clock.set('2026-11-26T13:15:00Z');
  assert.deepEqual(await watched(), [`unsent_before_gate DE_TENNET ${day}`]);
  const [alarm] = await list();
  assert.deepEqual([alarm?.severity, alarm?.message_id], ['critical', null]);
  assert.match(
    alarm?.text ?? '',
    /^2 nominations of 27 Nov 2026 for TenneT are not sent, .* gate closes on 26 Nov 2026 at 14:30 German time\.$/,
  );
  await sendDue(db, clock, exchange);
  assert.deepEqual(await watched(), []);
  await answer();

  // The job sends the next change together with others after five minutes: that is no fault.
  clock.set('2026-11-26T13:16:00Z');
  await world.volumes(contract, day, 101);
  await world.nominate();
  clock.set('2026-11-26T13:19:59Z');
  assert.deepEqual((await sendDue(db, clock, exchange)).messageIds, []);
  assert.deepEqual(await watched(), []);
  clock.set('2026-11-26T13:20:30Z');
  assert.deepEqual(await watched(), [`unsent_before_gate DE_TENNET ${day}`], 'it was due for half a minute');
  clock.set('2026-11-26T13:30:00Z');
  assert.deepEqual(await watched(), []);
  clock.set('2026-11-26T15:00:00Z');
  await sendDue(db, clock, exchange);
  await answer();
});

test('a failed delivery raises the alarm at once within these 15 minutes, with the reason', async () => {
  const day = '2026-12-01';
  const [north, south] = [await place('DE_50HERTZ'), await place('DE_AMPRION')];
  clock.set('2026-11-30T13:16:00Z');
  await world.volumes(await agree(world, north, south), day, 100);
  await world.nominate();
  await rm(outboxDir, { recursive: true });
  await writeFile(outboxDir, 'a file where the folder should be');
  await sendDue(db, clock, exchange);
  clock.set('2026-11-30T13:16:30Z');
  assert.deepEqual((await watched()).toSorted(), [
    `unsent_before_gate DE_50HERTZ ${day}`,
    `unsent_before_gate DE_AMPRION ${day}`,
  ]);
  for (const { text } of await list()) {
    assert.match(
      text,
      /^1 nomination of 1 Dec 2026 for (50Hertz|Amprion) is not sent, and its gate closes on 30 Nov 2026 at 14:30 German time\. .* the outbox cannot be written/,
    );
  }
  await rm(outboxDir);
  await sendDue(db, clock, exchange);
  assert.deepEqual(await watched(), []);
  await answer();
});

const TAMPER = statement(
  'test_tamper',
  `update nomination set amounts[7] = amounts[7] + $3
   where delivery_day = $1 and eic = $2 and status <> 'superseded'`,
);
const tamper = (day: string, kwh: number) =>
  db.transaction((tx) => tx.query(TAMPER, [day, seller.group.eic, kwh]));

test('a schedule that does not net to zero raises an alarm until it is balanced and sent', async () => {
  const day = '2026-12-02';
  clock.set('2026-11-30T14:00:00Z');
  await world.volumes(contract, day, flat(day, 100));
  await world.nominate();
  await tamper(day, 1);
  await send({ delivery_date: day });
  assert.deepEqual(await watched(), [`out_of_balance DE_TENNET ${day}`]);
  const [alarm] = await list();
  assert.equal(alarm?.severity, 'critical');
  assert.match(alarm?.text ?? '', /does not net to zero and is not sent: slot 7 by \+4 kW/);
  assert.equal((await acknowledge(alarm?.id)).status, 200);
  assert.deepEqual(await watched(), []);
  await tamper(day, 1);
  await send({ delivery_date: day });
  assert.deepEqual(
    await watched(),
    [`out_of_balance DE_TENNET ${day}`],
    'another imbalance is another cause',
  );
  await tamper(day, -2);
  await send({ delivery_date: day });
  assert.deepEqual(await watched(), []);
  await answer();
});

test('a version that cannot be delivered, or is delivered late, neither ends nor repeats the alarm of a later imbalance', async () => {
  const day = '2026-12-04';
  clock.set('2026-11-30T15:00:00Z');
  await rm(outboxDir, { recursive: true });
  await writeFile(outboxDir, 'a file where the folder should be');
  await world.volumes(contract, day, flat(day, 100));
  await world.nominate();
  await sendRequested(db, clock, exchange, { day, tso: null });
  await tamper(day, 1);
  for (const minute of [10, 20, 30]) {
    clock.set(`2026-11-30T15:${minute}:00Z`);
    const { faults } = await sendRequested(db, clock, exchange, { day, tso: null });
    assert.deepEqual(
      faults.map(({ error, isNews }) => [formatMessage(error, 'en').split(/ \(|:/)[0], isNews]),
      [
        ['The schedule of 4 Dec 2026 for TenneT does not net to zero and is not sent', minute === 10],
        ['the outbox cannot be written', false],
      ],
    );
    assert.deepEqual(await watched(), [`out_of_balance DE_TENNET ${day}`]);
  }
  await tamper(day, -1);
  assert.equal((await sendRequested(db, clock, exchange, { day, tso: null })).faults.length, 1);
  assert.deepEqual(await watched(), []);
  await tamper(day, 1);
  await sendRequested(db, clock, exchange, { day, tso: null });
  assert.deepEqual(await watched(), [`out_of_balance DE_TENNET ${day}`]);
  await rm(outboxDir);
  const { faults, messageIds } = await sendRequested(db, clock, exchange, { day, tso: null });
  assert.deepEqual([faults.length, messageIds.length], [1, 1]);
  assert.deepEqual(await watched(), [`out_of_balance DE_TENNET ${day}`]);
  await tamper(day, -1);
  await sendRequested(db, clock, exchange, { day, tso: null });
  assert.deepEqual(await watched(), []);
  assert.equal((await list(`&state=resolved&kind=out_of_balance&delivery_date=${day}`)).length, 2);
  await answer();
});

test('series that a TSO reports and our schedule lacks raise one alarm for all its answers', async () => {
  const day = '2026-12-03';
  await sendAt('2026-12-02T13:00:00Z', day, 100);
  const [file = Buffer.alloc(0)] = (await outbox()).values();
  const { intermediate, final } = answersTo(await readSchedule(file), CONFORMING, clock.now());
  assert.ok(intermediate !== null && final !== null);
  const outParty = newEic();
  for (const confirmation of [intermediate, final]) {
    const [series] = confirmation.series.filter(({ inParty }) => inParty === exchange.operatorEic);
    assert.ok(series);
    const unknown = { ...series, identification: `${outParty}_OUT`, outParty };
    const document = { ...confirmation, series: [...confirmation.series, unknown] };
    const { body } = await receive(writeAnswer(document, 'ess'));
    assert.equal(body.message.state, 'applied');
    assert.deepEqual(await watched(), [`unknown_series DE_TENNET ${day}`]);
  }
  const [alarm] = await list();
  assert.match(alarm?.text ?? '', new RegExp(`^TenneT reports series .* 3 Dec 2026 .*: .*${outParty}`));
  assert.match(alarm?.message_id ?? '', /^msg_/);
  assert.equal((await acknowledge(alarm?.id)).status, 200);
  assert.deepEqual(await watched(), []);
  await answer();
});

test('a nearly full disk raises an alarm that only a process of the same machine ends', async () => {
  clock.set('2026-12-04T10:00:00Z');
  freeBytes = 500 * 1024 ** 2;
  assert.deepEqual(await watched(), ['disk null null']);
  const [alarm] = await list();
  assert.equal(alarm?.severity, 'critical');
  assert.match(alarm?.text ?? '', /on one has 500 MB free, less than 1024 MB/);
  const other = { ...watching, disk: { host: 'other', freeBytes: async () => 2 ** 40 } };
  assert.deepEqual((await watchExchange(db, clock, other)).ended, []);
  assert.equal((await acknowledge(alarm?.id)).status, 200);
  assert.deepEqual(await watched(), []);
  clock.set('2026-12-05T10:00:00Z');
  assert.deepEqual(await watched(), ['disk null null'], 'it is raised again the next day');
  freeBytes = 2 ** 40;
  assert.deepEqual(await watched(), []);
  assert.ok((await exchange.disk.freeBytes()) > 0);
});

test('alarms are listed by state, kind, TSO and day, from either end', async () => {
  const all = await walk(operator, '/operator/v1/exchange/alarms?state=resolved', 'alarms', 3);
  assert.ok(all.length > 8);
  const backwards = await walk(
    operator,
    '/operator/v1/exchange/alarms?state=resolved&order=newest_first',
    'alarms',
    4,
  );
  assert.deepEqual(backwards.toReversed(), all);
  const rejected = await list('&state=resolved&kind=rejected&tso=DE_TENNET');
  assert.deepEqual(
    rejected,
    all.filter(({ kind }) => kind === 'rejected'),
  );
  assert.deepEqual(await list('&state=resolved&tso=DE_TRANSNET_BW'), []);
  assert.deepEqual(await list('&state=open'), []);
  assertRefused(await operator('/operator/v1/exchange/alarms?state=ended'), 'state invalid_enum_value');
});

test('a rejected schedule in the wait phase is reported, and not sent', async () => {
  const day = '2026-12-09';
  await sendAt('2026-12-08T13:00:00Z', day, 100);
  await answer(rejecting(day));
  clock.set('2026-12-08T13:45:00Z');
  const { messages: sent, faults } = await send({ delivery_date: day });
  assert.deepEqual(sent, []);
  assert.deepEqual(
    faults.map(({ tso }) => tso),
    ['DE_TENNET'],
  );
  assert.match(
    faults[0]?.error ?? '',
    /until the wait phase ends on 8 Dec 2026 at 16:00 German time\..*rejected schedules on request/,
  );
  clock.set('2026-12-08T15:00:00Z');
  await world.volumes(contract, day, only(day, [90], 50, 100));
  await world.nominate();
  await sendDue(db, clock, exchange);
  await answer();
  assert.deepEqual(await watched(), []);
});

type PlanNode = { readonly [name: string]: unknown; readonly Plans?: readonly PlanNode[] };
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Indexes whose rows are all open now. They are read whole. */
const OF_OPEN_ROWS = ['alarm_open', 'alarm_open_once'];

test('the cost of watching follows what is open, not the history', async (t) => {
  const session = new pg.Client(readerConfig(large.databaseUrl));
  await session.connect();
  t.after(() => session.end());
  const writer = new pg.Client({ connectionString: large.databaseUrl });
  await writer.connect();
  await insertPlatformRows(writer, { brps: 50, rowsPerBrp: 200, days: 4 }).finally(() => writer.end());
  const asked: [Statement, readonly unknown[]][] = [];
  const recording: Db['query'] = (one, values = []) => {
    asked.push([one, values]);
    return large.db.query(one, values);
  };
  await watchExchange({ ...large.db, query: recording }, large.clock, watching);
  assert.equal(asked.length, 2);
  for (const [{ name, text }, values] of asked) {
    const literal = (value: unknown) =>
      session.escapeLiteral(Array.isArray(value) ? `{${value.join()}}` : String(value));
    await session.query(`prepare ${name} as ${text}`);
    const { rows } = await session.query(
      `explain (format json) execute ${name}(${values.map(literal).join(', ')})`,
    );
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'] as [{ Plan: PlanNode }];
    const scans = nodesOf(plan).filter((node) => node['Relation Name'] !== undefined || node['Index Name']);
    for (const scan of scans) {
      const what = `${name}: ${JSON.stringify(scan, null, 1)}`;
      if (scan['Node Type'] === 'Bitmap Heap Scan') continue;
      assert.match(String(scan['Node Type']), /^(?:Bitmap )?Index (?:Only )?Scan$/, what);
      assert.ok(scan['Index Cond'] || OF_OPEN_ROWS.includes(String(scan['Index Name'])), what);
    }
  }
});
