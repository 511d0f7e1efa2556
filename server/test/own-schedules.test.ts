import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnSchedule } from '@saldo/api';
import { recordSent } from '../src/nominations/actions.ts';
import { assertProblem, bodyOf, type Client, client, startTestPlatform, walk } from './harness.ts';
import { listNominated, makeDeal, type Nominated, nominationUuid } from './nominated.ts';

const MORNING = '2026-10-20T09:00:00Z';
const TODAY = '2026-10-20';
const DAY = '2026-10-21';

const platform = await startTestPlatform({ now: MORNING });
const { world, clock, db } = platform;

const schedulesOf = (ask: Client, query = ''): Promise<OwnSchedule[]> =>
  walk(ask, `/v1/schedules?${query}`, 'schedules', 100);
const mark = (ask: Client, step: string, nominations: readonly { id: string }[], more: object = {}) =>
  ask.post('/v1/schedules/marks', { step, nomination_ids: nominations.map(({ id }) => id), ...more });
const marked = async (...input: Parameters<typeof mark>): Promise<OwnSchedule[]> =>
  (await bodyOf(mark(...input))).schedules;
const current = async (ask: Client): Promise<Nominated> => {
  const versions = await listNominated(ask, `&delivery_date=${DAY}`);
  return versions.find(({ status }) => status !== 'superseded')!;
};
const send = (nomination: Nominated) =>
  db.transaction((tx) => recordSent(tx, [nominationUuid(nomination)], clock.now()));

/** A deal with a nomination of tomorrow, and a way to make its next version. */
async function nominatedDeal() {
  const deal = await makeDeal(platform);
  let kwh = 100;
  const next = async (): Promise<Nominated> => {
    await world.volumes(deal.contract, DAY, (kwh += 50));
    await world.nominate();
    return current(deal.asSeller);
  };
  return { ...deal, next, first: await next() };
}

test('a nomination that changes after it was sent is listed as changed until its new version is loaded', async () => {
  const { asSeller, first, next } = await nominatedDeal();
  const [before] = await schedulesOf(asSeller);
  assert.deepEqual(before, {
    nomination_id: first.id,
    version: 1,
    delivery_date: DAY,
    eic: first.eic,
    tso: first.tso,
    direction: 'out',
    sent_version: null,
    loaded: null,
    checked: null,
    submitted: null,
    changed_since: null,
  });
  await send(first);
  assert.deepEqual(await schedulesOf(asSeller, 'changed=true'), []);
  const second = await next();
  const [changed] = await schedulesOf(asSeller, 'changed=true');
  assert.deepEqual(
    [changed?.nomination_id, changed?.sent_version, changed?.changed_since],
    [second.id, 1, { nomination_id: first.id, version: 1 }],
  );
  await send(second);
  assert.equal((await schedulesOf(asSeller, 'changed=true')).length, 1, 'also when the operator sent it');
  clock.set('2026-10-20T09:05:00Z');
  const [loaded] = await marked(asSeller, 'loaded', [second]);
  clock.set(MORNING);
  assert.deepEqual([loaded?.changed_since, loaded?.sent_version], [null, 2]);
  const { actor_name, ...facts } = loaded!.loaded!;
  assert.deepEqual(facts, { nomination_id: second.id, version: 2, at: '2026-10-20T09:05:00Z' });
  assert.ok(actor_name, 'the name of the key');
  assert.deepEqual(await schedulesOf(asSeller, 'changed=true'), []);
});

test('a nomination that changes after the BRP has loaded it is changed since that version', async () => {
  const { asSeller, first, next } = await nominatedDeal();
  await marked(asSeller, 'loaded', [first]);
  await marked(asSeller, 'checked', [first]);
  await next();
  const third = await next();
  const [one] = await schedulesOf(asSeller, `delivery_date=${DAY}`);
  assert.deepEqual(one?.changed_since, { nomination_id: first.id, version: 1 });
  assert.deepEqual(
    [one?.version, one?.loaded?.version, one?.checked?.version, one?.submitted],
    [3, 1, 1, null],
  );
  assert.deepEqual(await schedulesOf(asSeller, 'changed=true'), [one]);
  const [after] = await marked(asSeller, 'submitted', [third]);
  assert.deepEqual([after?.loaded?.version, after?.submitted?.version, after?.changed_since], [1, 3, null]);
});

test('a step keeps its first time, and can be taken back', async () => {
  const { asSeller, first } = await nominatedDeal();
  await marked(asSeller, 'submitted', [first]);
  clock.set('2026-10-20T09:07:00Z');
  const [again] = await marked(asSeller, 'submitted', [first, first]);
  clock.set(MORNING);
  assert.equal(again?.submitted?.at, MORNING);
  const [undone] = await marked(asSeller, 'submitted', [first], { done: false });
  assert.equal(undone?.submitted, null);
});

test('reads of schedules and checks record nothing', async () => {
  const { asSeller, first } = await nominatedDeal();
  const file = await asSeller(`/v1/nominations/schedule?delivery_date=${DAY}`);
  await asSeller(`/v1/nominations/${first.id}/schedule`);
  const headers = { 'content-type': 'text/csv' };
  const check = await asSeller('/v1/schedules/check', { method: 'POST', headers, body: file.text });
  assert.equal(check.status, 200);
  const [one] = await schedulesOf(asSeller);
  assert.deepEqual([one?.loaded, one?.checked, one?.submitted], [null, null, null]);
});

test('a BRP neither reads nor marks the nominations of others; one foreign id rejects all', async () => {
  const [mine, other] = [await nominatedDeal(), await nominatedDeal()];
  const answer = await mark(mine.asSeller, 'loaded', [mine.first, other.first]);
  assertProblem(answer, 404, 'nomination_not_found');
  assertProblem(await mark(mine.asSeller, 'loaded', [{ id: 'nom_x' }]), 404, 'nomination_not_found');
  for (const { asSeller, first } of [mine, other]) {
    const all = await schedulesOf(asSeller);
    assert.deepEqual(
      all.map(({ nomination_id, loaded }) => [nomination_id, loaded]),
      [[first.id, null]],
    );
  }
});

test('a key without schedules:write records nothing, and the audit trail has every step', async () => {
  const { asSeller, seller, first } = await nominatedDeal();
  const reader = client(platform.baseUrl, (await world.key(seller, ['nominations:read'])).secret);
  assertProblem(await mark(reader, 'loaded', [first]), 403, 'insufficient_scopes');
  await marked(asSeller, 'checked', [first]);
  await marked(asSeller, 'checked', [first]);
  const operator = client(platform.baseUrl, await world.operatorKey());
  const { body } = await operator('/operator/v1/audit?action=schedules.marked&order=newest_first&limit=100');
  const ofFirst = body.entries.filter(({ after }: { after: { nomination_ids: string[] } }) =>
    after.nomination_ids.includes(first.id),
  );
  assert.deepEqual(
    ofFirst.map(({ after }: { after: object }) => after),
    [{ step: 'checked', done: true, nomination_ids: [first.id] }],
  );
});

/** The seller's own message of the day, and a check that marks it as submitted. */
async function submission({ asSeller, first }: Awaited<ReturnType<typeof nominatedDeal>>) {
  const position = `eic=${first.eic}&tso=${first.tso}`;
  const read = async (version: number): Promise<string> =>
    (
      await asSeller(
        `/v1/nominations/schedule?delivery_date=${DAY}&${position}&format=ess&message_version=${version}`,
      )
    ).text;
  const check = (ask: Client, body: string, query = '') =>
    ask(`/v1/schedules/check${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/xml' },
      body,
    });
  const codesOf = async (body: string): Promise<string[]> =>
    (await bodyOf(check(asSeller, body))).rules.map(({ code }: { code: string }) => code);
  return { read, codesOf, submit: (body: string, ask = asSeller) => check(ask, body, '?submitted=true') };
}

const auditOf = async (action: string, id: string): Promise<Record<string, unknown>[]> => {
  const operator = client(platform.baseUrl, await world.operatorKey());
  const { body } = await operator(`/operator/v1/audit?action=${action}&order=newest_first&limit=100`);
  return body.entries
    .map(({ after }: { after: { nomination_ids: string[] } }) => after)
    .filter(({ nomination_ids }: { nomination_ids: string[] }) => nomination_ids.includes(id));
};

test('a submitted file is the step of the versions that it has, with one audit event', async () => {
  const deal = await nominatedDeal();
  const { read, submit, codesOf } = await submission(deal);
  const file = await read(2);
  const second = await deal.next();
  assert.equal((await submit(file)).status, 200);
  const [other] = await schedulesOf(deal.asSeller);
  assert.equal(other?.submitted, null, 'the file has the values of an earlier version');
  assert.equal((await submit(await read(3))).status, 200);
  const [one] = await schedulesOf(deal.asSeller);
  const { actor_name, ...facts } = one!.submitted!;
  assert.deepEqual(facts, { nomination_id: second.id, version: 2, at: MORNING });
  assert.ok(actor_name, 'the name of the key');
  assert.deepEqual(await codesOf(file), ['A51'], 'later checks know the file');
  const [event, ...more] = await auditOf('schedule.submitted', second.id);
  const { message_id, ...submitted } = event!;
  assert.equal(typeof message_id, 'string');
  assert.deepEqual(submitted, {
    delivery_date: DAY,
    eic: second.eic,
    tso: second.tso,
    message_version: 3,
    nomination_ids: [second.id],
  });
  assert.deepEqual(more, []);
});

test('a step that is taken back forgets the file that was submitted with it', async () => {
  const deal = await nominatedDeal();
  const { read, submit, codesOf } = await submission(deal);
  const [low, high] = [await read(2), await read(3)];
  await submit(high);
  await marked(deal.asSeller, 'checked', [deal.first]);
  await marked(deal.asSeller, 'checked', [deal.first], { done: false });
  assert.deepEqual(await codesOf(low), ['A51'], 'another step');
  await marked(deal.asSeller, 'submitted', [deal.first], { done: false });
  assert.deepEqual(await codesOf(low), []);
  // A file that was submitted before the step was recorded stays.
  clock.set('2026-10-20T09:07:00Z');
  await submit(high);
  const second = await deal.next();
  clock.set('2026-10-20T09:08:00Z');
  await marked(deal.asSeller, 'submitted', [second]);
  await marked(deal.asSeller, 'submitted', [second], { done: false });
  clock.set(MORNING);
  assert.deepEqual(await codesOf(await read(2)), ['A51']);
});

test('a key without schedules:write submits no file', async () => {
  const deal = await nominatedDeal();
  const { read, submit } = await submission(deal);
  const reader = client(platform.baseUrl, (await world.key(deal.seller, ['nominations:read'])).secret);
  assertProblem(await submit(await read(1), reader), 403, 'insufficient_scopes');
  assert.equal((await schedulesOf(deal.asSeller))[0]?.submitted, null);
  assert.deepEqual(await auditOf('schedule.submitted', deal.first.id), []);
});

test('without a day the list has today and later', async () => {
  const { contract, asSeller } = await makeDeal(platform);
  clock.set('2026-10-18T09:00:00Z');
  for (const day of ['2026-10-19', TODAY, DAY]) await world.volumes(contract, day, 250);
  await world.nominate();
  clock.set(MORNING);
  const days = async (query: string) => (await schedulesOf(asSeller, query)).map((one) => one.delivery_date);
  assert.deepEqual(await days(''), [TODAY, DAY]);
  assert.deepEqual(await days('delivery_date=2026-10-19'), ['2026-10-19']);
});
