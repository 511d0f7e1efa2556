import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorEndpoints } from '@saldo/api';
import { NO_CLIENT, recordAudit } from '../src/audit/store.ts';
import { statement } from '../src/platform/db/statement.ts';
import { signedIn } from './browser.ts';
import { type Answer, client, startTestPlatform, walk } from './harness.ts';
import { newEic } from './world.ts';

const NOON = '2026-10-20T12:00:00Z';
const platform = await startTestPlatform({ now: NOON });
const { world } = platform;
const operatorKey = await world.operatorKey();
const operator = client(platform.baseUrl, operatorKey);
const { id: actor, name: actorName } = (await operator('/operator/v1/api-keys')).body.api_keys[0];
const trail = (query = '') => walk(operator, `/operator/v1/audit?${query}`, 'entries', 100);

const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const answer = await operator(`/operator/v1${path}`, { method, ...(body === undefined ? {} : { body }) });
  assert.ok(answer.status < 300, answer.text);
  return answer;
};

/** Runs an action and returns its audit events, in order. */
async function noted(work: () => Promise<Answer>) {
  const before = (await trail()).length;
  const answer = await work();
  return { answer, entries: (await trail()).slice(before) };
}

/** Checks that there is one event, of this request and key. The test compares the rest. */
async function one(action: string, work: () => Promise<Answer>) {
  const { answer, entries } = await noted(work);
  assert.equal(entries.length, 1, action);
  const [{ before, after, subject, ...entry }] = entries;
  assert.match(entry.id, /^\d+$/);
  assert.deepEqual(entry, {
    id: entry.id,
    at: NOON,
    actor,
    actor_name: actorName,
    action,
    request_id: answer.headers.get('x-request-id'),
    address: '127.0.0.1',
    user_agent: 'node',
  });
  return { answer: answer.body, before, after, subject };
}

test('an audit event of a creation has the response, one of a change also the record before', async () => {
  const { answer: brp, ...brpNote } = await one('brp.created', () => send('POST', '/brps', { name: 'A' }));
  assert.deepEqual(brpNote, { before: null, after: brp, subject: brp.id });

  const eic = newEic();
  const group = { brp_id: brp.id, eic, name: 'Main', tsos: ['DE_TENNET'] };
  const made = await one('balance_group.created', () => send('POST', '/balance-groups', group));
  assert.deepEqual([made.before, made.after, made.subject], [null, made.answer, eic]);
  const changed = await one('balance_group.updated', () =>
    send('PATCH', `/balance-groups/${eic}`, { tsos: ['DE_AMPRION'] }),
  );
  assert.deepEqual([changed.before, changed.after, changed.subject], [made.answer, changed.answer, eic]);
  assert.deepEqual([changed.before.tsos, changed.after.tsos], [['DE_TENNET'], ['DE_AMPRION']]);

  const account = await one('account.created', () => send('POST', '/accounts', { name: 'H' }));
  assert.deepEqual(
    [account.before, account.after, account.subject],
    [null, account.answer, account.answer.id],
  );

  const place = { eic, tso: 'DE_AMPRION' };
  const customer = await one('customer.created', () =>
    send('POST', '/customers', { brp_id: brp.id, name: 'C', balance_group: place }),
  );
  assert.deepEqual([customer.before, customer.after], [null, customer.answer]);
  const renamed = await one('customer.updated', () =>
    send('PATCH', `/customers/${customer.answer.id}`, { name: 'D' }),
  );
  assert.deepEqual([renamed.before, renamed.after], [customer.answer, renamed.answer]);
  assert.equal(renamed.subject, customer.answer.id);

  const plant = { name: 'P', technology: 'solar', nominal_power: 1, tso: 'DE_TENNET' };
  const asset = await one('asset.created', () => send('POST', '/assets', plant));
  const bigger = await one('asset.updated', () =>
    send('PATCH', `/assets/${asset.answer.id}`, { nominal_power: 2 }),
  );
  assert.deepEqual([asset.before, bigger.before, bigger.after], [null, asset.answer, bigger.answer]);

  const buyer = await send('POST', '/customers', { brp_id: brp.id, name: 'E', balance_group: place });
  const contract = await one('contract.created', () =>
    send('POST', '/contracts', {
      external_id: 'X',
      type: 'ppa',
      seller_customer_id: customer.answer.id,
      buyer_customer_id: buyer.body.id,
    }),
  );
  const dated = await one('contract.updated', () =>
    send('PATCH', `/contracts/${contract.answer.id}`, { delivery_start: '2026-10-19T22:00:00Z' }),
  );
  assert.deepEqual([contract.before, dated.before, dated.after], [null, contract.answer, dated.answer]);
});

test('audit events of keys have no secrets', async () => {
  const brp = await world.brp();
  const body = { owner: { type: 'brp', id: brp.id }, name: 'k' };
  const made = await one('api_key.created', () => send('POST', '/api-keys', body));
  const { secret, ...shown } = made.answer;
  assert.deepEqual([made.before, made.after, made.subject], [null, shown, shown.id]);

  const { answer, entries } = await noted(() => send('POST', `/api-keys/${shown.id}/rotate`, {}));
  assert.deepEqual(
    entries.map(({ action, subject }) => [action, subject]),
    [
      ['api_key.rotated', shown.id],
      ['api_key.created', answer.body.id],
    ],
  );
  assert.deepEqual(entries[0].before, shown);
  assert.deepEqual(entries[0].after, { ...shown, revoked_at: NOON });

  const revoke = () => send('DELETE', `/api-keys/${answer.body.id}`);
  const revoked = await one('api_key.revoked', revoke);
  assert.deepEqual([revoked.before.revoked_at, revoked.after.revoked_at], [null, NOON]);
  assert.equal((await noted(revoke)).entries.length, 0, 'a second revocation has no event');

  const all = JSON.stringify(await trail());
  for (const text of [secret, answer.body.secret, operatorKey, brp.key, '"secret"'])
    assert.ok(!all.includes(text));
});

test('the audit event of an invalidation has its reason', async () => {
  const { producer, consumer } = await world.pair();
  const contract = await world.contract(producer, consumer);
  await world.volumes(contract, '2026-10-25', 250);
  const [transaction] = (await operator(`/operator/v1/transactions?contract_id=${contract.id}`)).body
    .transactions;
  const note = await one('transaction.invalidated', () =>
    send('POST', `/transactions/${transaction.id}/invalidate`, { reason: 'meter' }),
  );
  assert.equal(note.subject, transaction.id);
  assert.deepEqual(note.before, transaction);
  assert.deepEqual(note.after, { ...note.answer, reason: 'meter' });
});

test('a BRP’s change of a customer is recorded with the BRP’s key as actor', async () => {
  const brp = await world.brp();
  const customer = await world.customer(brp);
  const { answer, entries } = await noted(() =>
    client(platform.baseUrl, brp.key).patch(
      `/v1/customers/${customer.id}`,
      { status: 'active' },
      { headers: { 'x-request-id': 'mine-1' } },
    ),
  );
  assert.equal(answer.status, 200);
  const [key] = (await operator(`/operator/v1/api-keys?owner_id=${brp.id}`)).body.api_keys;
  const [entry] = entries;
  assert.deepEqual(
    [entries.length, entry.actor, entry.action, entry.subject, entry.request_id],
    [1, key.id, 'customer.updated', customer.id, 'mine-1'],
  );
  assert.deepEqual([entry.before.status, entry.after.status], ['pending', 'active']);
  assert.deepEqual(entry.after, { ...answer.body, brp_id: brp.id });
});

test('rejected requests and reads leave no audit event', async () => {
  const { entries } = await noted(async () => {
    const brp = await world.brp();
    const customer = await world.customer(brp);
    const asBrp = client(platform.baseUrl, brp.key);
    await asBrp.patch(`/v1/customers/${customer.id}`, { status: 'pending' });
    await operator.post('/operator/v1/brps', {});
    await operator.patch(`/operator/v1/customers/${customer.id}`, { brp_id: 'x' });
    await operator(`/operator/v1/customers/${customer.id}`);
    return operator('/operator/v1/brps/brp_x');
  });
  assert.deepEqual(entries, []);
});

test('the audit trail is listed oldest first, in pages, by subject, actor and action', async () => {
  const all = await walk(operator, '/operator/v1/audit', 'entries', 3);
  const ids = all.map((entry) => Number(entry.id));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  for (const name of ['subject', 'actor', 'action']) {
    const { [name]: value } = all[2];
    const expected = all.filter((entry) => entry[name] === value);
    assert.deepEqual(await trail(`${name}=${encodeURIComponent(value)}`), expected, name);
    assert.deepEqual(await trail(`${name}=unknown`), []);
  }
});

test('the database rejects changes and deletions of audit events', async () => {
  const before = await trail();
  for (const text of ["update audit set actor = 'me'", 'delete from audit', 'truncate audit']) {
    const name = `test_${text.split(' ', 1)[0]}_audit`;
    await assert.rejects(
      platform.db.transaction((tx) => tx.query(statement(name, text))),
      /append-only/,
    );
  }
  assert.deepEqual(await trail(), before);
  const methods = Object.values(operatorEndpoints).filter(({ path }) => path.includes('/audit'));
  assert.deepEqual(
    methods.map(({ method }) => method),
    ['GET'],
  );
});

test('the audit trail can be listed newest first, with the same events', async () => {
  const forward = await trail();
  const backward = await walk(operator, '/operator/v1/audit?order=newest_first', 'entries', 2);
  assert.ok(forward.length > 2);
  assert.deepEqual(backward, forward.toReversed());
  const { subject } = forward[0];
  const filtered = await trail(`subject=${subject}&order=newest_first`);
  assert.deepEqual(filtered, forward.filter((entry) => entry.subject === subject).toReversed());
});

const PLAIN = { action: 'brp.created', subject: 'thing', before: null, after: null } as const;

test('an audit event has the name of its user or key, and none of a job', async () => {
  const { browser, state } = await signedIn(platform, { type: 'operator' });
  const created = await browser.request.post('/operator/v1/brps', { name: 'Named' });
  assert.equal(created.status, 201);
  const [byUser] = await trail(`subject=${created.body.id}`);
  assert.deepEqual([byUser.actor, byUser.actor_name], [state.user.id, state.user.name]);
  const [byKey] = await trail(`actor=${actor}`);
  assert.equal(byKey.actor_name, actorName);
  await platform.db.transaction((tx) =>
    recordAudit(tx, { actor: 'migration', request: { id: 'r', ...NO_CLIENT } }, PLAIN, platform.clock.now()),
  );
  const [byJob] = await trail('actor=migration');
  assert.equal(byJob.actor_name, null);
});

test('the audit trail is read by period, in pages, in the order of time, with the other filters', async () => {
  const at = (minute: number) => `2031-01-01T00:0${minute}:00Z`;
  for (const [index, minute] of [0, 5, 3, 3, 9].entries()) {
    const by = { actor: index % 2 === 0 ? 'even' : 'odd', request: { id: 'r', ...NO_CLIENT } };
    await platform.db.transaction((tx) => recordAudit(tx, by, PLAIN, Date.parse(at(minute))));
  }
  const timesOf = async (query: string) =>
    (await walk(operator, `/operator/v1/audit?${query}`, 'entries', 1)).map((entry) => entry.at);
  assert.deepEqual(await timesOf(`since=${at(0)}`), [0, 3, 3, 5, 9].map(at));
  assert.deepEqual(await timesOf(`since=${at(0)}&order=newest_first`), [9, 5, 3, 3, 0].map(at));
  assert.deepEqual(await timesOf(`since=${at(3)}&until=${at(9)}`), [3, 3, 5].map(at));
  assert.deepEqual(await timesOf(`since=${at(0)}&actor=odd`), [3, 5].map(at));
  const ofSubject = `subject=${PLAIN.subject}`;
  assert.deepEqual(await timesOf(`since=${at(3)}&until=${at(9)}&${ofSubject}`), [5, 3, 3].map(at));
  const past = (await trail()).filter((entry) => entry.at < at(0));
  assert.deepEqual(await trail(`until=${at(0)}`), past);
});

test('a period ends before its last instant, to the millisecond, in both orders and at the edge of a page', async () => {
  const second = '2032-01-01T00:00:00';
  const by = { actor: 'edge', request: { id: 'r', ...NO_CLIENT } };
  const written: { subject: string; instant: number }[] = [];
  for (const millis of ['000', '001', '001', '002', '002', '003']) {
    const subject = `${written.length} at ${millis}`;
    const instant = Date.parse(`${second}.${millis}Z`);
    await platform.db.transaction((tx) => recordAudit(tx, by, { ...PLAIN, subject }, instant));
    written.push({ subject, instant });
  }
  const begins = ['.000Z', '.0005Z', '.001Z', '.0010001Z'];
  const ends = ['.000Z', '.0005Z', '.001Z', '.0015Z', '.0020000Z', '.0020001Z', '.004Z'];
  const toMillis = (edge: string) => Number(edge.slice(1, -1)) / 10 ** (edge.length - 5);
  const start = Date.parse(`${second}Z`);
  for (const since of begins) {
    for (const until of ends) {
      const inside = written.filter(
        ({ instant }) => instant - start >= toMillis(since) && instant - start < toMillis(until),
      );
      const expected = inside.map(({ subject }) => subject);
      for (const limit of [1, 2]) {
        const query = `since=${second}${since}&until=${second}${until}`;
        const subjectsOf = async (order: string) =>
          (await walk(operator, `/operator/v1/audit?${query}&order=${order}`, 'entries', limit)).map(
            (entry) => entry.subject,
          );
        assert.deepEqual(await subjectsOf('oldest_first'), expected, query);
        assert.deepEqual(await subjectsOf('newest_first'), expected.toReversed(), query);
      }
    }
  }
});

test('a period may begin and end at the limits of the calendar', async () => {
  const [first, last] = ['0001-01-01T00:00:00%2B14:00', '9999-12-31T23:59:59-12:00'];
  const all = await trail();
  for (const query of [`since=${first}`, `until=${last}`, `since=${first}&until=${last}`]) {
    assert.equal((await trail(query)).length, all.length, query);
    assert.equal((await trail(`${query}&order=newest_first`)).length, all.length, query);
  }
  assert.deepEqual(await trail(`until=${first}`), []);
  assert.deepEqual(await trail(`since=${last}`), []);
});

const INSERT_BY_MIGRATION = statement(
  'test_insert_audit',
  `insert into audit (at, actor, action, subject)
   select '2033-01-01T00:00:00.000400Z', 'migration', 'customer.updated', 'subject ' || number
   from generate_series(1, 5) number`,
);

test('entries of a migration, whose times have microseconds, are read by period in pages', async () => {
  await platform.db.transaction((tx) => tx.query(INSERT_BY_MIGRATION));
  const subjects = [1, 2, 3, 4, 5].map((number) => `subject ${number}`);
  for (const limit of [1, 2, 5]) {
    const subjectsOf = async (order: string) => {
      const period = `since=2033-01-01T00:00:00Z&until=2034-01-01T00:00:00Z&order=${order}`;
      return (await walk(operator, `/operator/v1/audit?${period}`, 'entries', limit)).map(
        (entry) => entry.subject,
      );
    };
    assert.deepEqual(await subjectsOf('newest_first'), subjects.toReversed(), `limit ${limit}`);
    assert.deepEqual(await subjectsOf('oldest_first'), subjects, `limit ${limit}`);
  }
});
