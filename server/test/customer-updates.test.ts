import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CUSTOMER_STATUSES, type CustomerStatus } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { statement } from '../src/platform/db/statement.ts';
import { untilBlockedFor } from './blocked.ts';
import { type Answer, assertProblem, client, problemOf, startTestPlatform } from './harness.ts';
import { newEic, type WorldCustomer } from './world.ts';

const NOON = '2026-10-20T12:00:00Z';
const UNKNOWN_ID = encodeId(ID_PREFIX.customer, '01890000-0000-7000-8000-000000000000');

const platform = await startTestPlatform({ now: NOON });
const { world } = platform;
const brp = await world.brp();
const group = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
const strangerGroup = await world.group(await world.brp());
const request = client(platform.baseUrl, brp.key);

const patch = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  request.patch(`/v1/customers/${id}`, body, { headers });
const read = async (id: string) => (await request(`/v1/customers/${id}`)).body;

const STORED = statement(
  'test_stored_customer',
  'select to_jsonb(c) as record from customer c where id = $1',
);
/** All stored columns of a customer, including those that the API does not show. */
const stored = async ({ uuid }: WorldCustomer) =>
  (await platform.db.query<{ record: Record<string, unknown> }>(STORED, [uuid]))[0]?.record;

async function customerThatIs(status: CustomerStatus): Promise<WorldCustomer> {
  const customer = await world.customer(brp, { group, metadata: { color: 'green' } });
  if (status !== 'pending') assert.equal((await patch(customer.id, { status })).status, 200);
  return customer;
}

const MOVES: Record<
  CustomerStatus,
  Record<CustomerStatus, 200 | 'already_active' | 'invalid_status_transition'>
> = {
  pending: { pending: 'invalid_status_transition', active: 200, deactivated: 200 },
  active: { pending: 'invalid_status_transition', active: 'already_active', deactivated: 200 },
  deactivated: {
    pending: 'invalid_status_transition',
    active: 200,
    deactivated: 'invalid_status_transition',
  },
};

test('a customer allows exactly the specified status transitions', async () => {
  for (const from of CUSTOMER_STATUSES) {
    for (const to of CUSTOMER_STATUSES) {
      const customer = await customerThatIs(from);
      const before = await stored(customer);
      const answer = await patch(customer.id, { status: to, metadata: { color: 'blue' } });
      const expected = MOVES[from][to];
      if (expected === 200) {
        assert.equal(answer.body.status, to, `${from} → ${to}`);
        assert.deepEqual(await read(customer.id), answer.body);
      } else {
        assertProblem(answer, 409, expected, [], `${from} → ${to}`);
        assert.deepEqual(await stored(customer), before, `${from} → ${to} changes nothing`);
      }
    }
  }
});

test('activated_at is the time of the last activation and stays after a deactivation', async () => {
  const customer = await world.customer(brp);
  const move = async (at: string, status: string) => {
    platform.clock.set(at);
    return (await patch(customer.id, { status })).body.activated_at;
  };
  assert.equal((await read(customer.id)).activated_at, null);
  assert.equal(
    await move('2026-10-21T09:30:00.999Z', 'active'),
    '2026-10-21T09:30:00Z',
    'activation needs no group',
  );
  assert.equal(await move('2026-10-22T10:00:00Z', 'deactivated'), '2026-10-21T09:30:00Z');
  assert.equal(await move('2026-10-23T11:00:00Z', 'active'), '2026-10-23T11:00:00Z');
  platform.clock.set('2026-10-24T00:00:00Z');
  const { body } = await patch(customer.id, { metadata: { a: 'b' } });
  assert.equal(body.activated_at, '2026-10-23T11:00:00Z', 'other changes keep it');
  const never = await world.customer(brp);
  assert.equal((await patch(never.id, { status: 'deactivated' })).body.activated_at, null);
  platform.clock.set(NOON);
});

test('an empty update succeeds and changes nothing', async () => {
  for (const status of CUSTOMER_STATUSES) {
    const customer = await customerThatIs(status);
    const before = { stored: await stored(customer), read: await read(customer.id) };
    for (const body of [{}, { metadata: {} }, { metadata: { absent: null } }]) {
      const answer = await patch(customer.id, body);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, before.read);
    }
    assert.deepEqual(await stored(customer), before.stored);
  }
});

test('every error of query and body is listed together, and nothing is changed', async () => {
  const customer = await customerThatIs('pending');
  const before = await stored(customer);
  const answer = await request.patch(
    `/v1/customers/${customer.id}?dry_run=1&__proto__=1`,
    '{"id":"x","name":"New","assigned_at":null,"activated_at":1,"created_at":"now","color":"red","__proto__":{},' +
      '"status":"gone","balance_group":{"eic":"11XNORDWIND----K","region":"north"},"metadata":{"ok":"ok","bad":7}}',
  );
  assertProblem(answer, 400, 'validation', [
    '__proto__ unknown_field',
    '__proto__ unknown_field',
    'activated_at read_only_field',
    'assigned_at read_only_field',
    'balance_group.eic invalid_format',
    'balance_group.region unknown_field',
    'balance_group.tso required',
    'color unknown_field',
    'created_at read_only_field',
    'dry_run unknown_field',
    'id read_only_field',
    'metadata.bad invalid_type',
    'name read_only_field',
    'status invalid_enum_value',
  ]);
  assert.deepEqual(await stored(customer), before);
});

test('each malformed member is reported with its path and code', async () => {
  const customer = await customerThatIs('pending');
  const before = await stored(customer);
  const cases: [body: unknown, error: string][] = [
    [{ status: null }, 'status invalid_type'],
    [{ status: 1 }, 'status invalid_type'],
    [{ status: 'Active' }, 'status invalid_enum_value'],
    [{ balance_group: null }, 'balance_group invalid_type'],
    [{ balance_group: 'x' }, 'balance_group invalid_type'],
    [{ balance_group: { tso: 'DE_AMPRION' } }, 'balance_group.eic required'],
    [{ balance_group: { eic: group.eic } }, 'balance_group.tso required'],
    [{ balance_group: { eic: group.eic, tso: 'DE' } }, 'balance_group.tso invalid_enum_value'],
    [{ balance_group: { eic: group.eic, tso: null } }, 'balance_group.tso invalid_type'],
    [{ balance_group: { eic: 5, tso: 'DE_AMPRION' } }, 'balance_group.eic invalid_type'],
    [{ balance_group: { eic: '', tso: 'DE_AMPRION' } }, 'balance_group.eic invalid_format'],
    [
      { balance_group: { eic: group.eic.toLowerCase(), tso: 'DE_AMPRION' } },
      'balance_group.eic invalid_format',
    ],
    [{ balance_group: { eic: strangerGroup.eic, tso: 'DE_AMPRION' } }, 'balance_group.eic validation_failed'],
    [{ balance_group: { eic: newEic(), tso: 'DE_AMPRION' } }, 'balance_group.eic validation_failed'],
    [{ metadata: null }, 'metadata invalid_type'],
    [{ metadata: [] }, 'metadata invalid_type'],
    [{ metadata: { a: { b: 'c' } } }, 'metadata.a invalid_type'],
    [{ metadata: { a: true } }, 'metadata.a invalid_type'],
    [{ metadata: { '': 'empty key' } }, 'metadata value_too_small'],
    [{ metadata: { ['k'.repeat(41)]: 'v' } }, 'metadata value_too_large'],
    [{ metadata: { ['k'.repeat(41)]: null } }, 'metadata value_too_large'],
    [{ metadata: { key: 'v'.repeat(501) } }, 'metadata.key value_too_large'],
    [{ metadata: { key: 'a\0b' } }, 'metadata.key invalid_format'],
    [{ metadata: { key: '\ud800' } }, 'metadata.key invalid_format'],
    [{ metadata: { 'k\0': 'v' } }, 'metadata invalid_format'],
    [{ metadata: { '\udfff': 'v' } }, 'metadata invalid_format'],
    [{ metadata: { 'a/b~c': 1 } }, 'metadata.a/b~c invalid_type'],
  ];
  for (const [body, error] of cases) {
    assertProblem(await patch(customer.id, body), 400, 'validation', [error], JSON.stringify(body));
  }
  assert.deepEqual(await stored(customer), before);
});

test('a mistyped EIC is reported with the expected check character', async () => {
  const customer = await customerThatIs('pending');
  const { body } = await patch(customer.id, {
    balance_group: { eic: '10YDE-VE-------3', tso: 'DE_50HERTZ' },
  });
  assert.match(body.errors[0].message, /"2", not "3"/);
});

test('metadata is merged key by key, and null removes a key', async () => {
  const customer = await world.customer(brp, { metadata: { keep: '1', change: '2', remove: '3' } });
  const { body } = await patch(customer.id, {
    metadata: { change: 'two', remove: null, absent: null, add: '' },
  });
  assert.deepEqual(body.metadata, { keep: '1', change: 'two', add: '' });
  assert.deepEqual((await read(customer.id)).metadata, body.metadata);
});

test('metadata limits count code points and apply after the merge', async () => {
  const customer = await world.customer(brp);
  const atTheLimit = { ['𝔎'.repeat(40)]: '🌞'.repeat(500) };
  assert.deepEqual((await patch(customer.id, { metadata: atTheLimit })).body.metadata, atTheLimit);
  const many = Object.fromEntries(Array.from({ length: 49 }, (_, i) => [`key ${i}`, `${i}`]));
  assert.equal((await patch(customer.id, { metadata: many })).status, 200, '50 keys are allowed');
  const before = await stored(customer);
  const full = await patch(customer.id, { metadata: { 'one more': 'x' }, status: 'active' });
  assertProblem(full, 400, 'validation', ['metadata value_too_large']);
  assert.match(full.body.errors[0].message, /51 keys; at most 50/);
  assert.deepEqual(await stored(customer), before);
  const swapped = await patch(customer.id, { metadata: { 'one more': 'x', 'key 0': null } });
  assert.equal(swapped.status, 200, 'a new key may replace a removed one');
});

test('a metadata key is data, whatever its name is', async () => {
  const customer = await world.customer(brp);
  const text = '{"metadata":{"__proto__":"a","constructor":"b","toString":"c","10":"d","9":"e","ä.b":"f"}}';
  const sent = JSON.parse(text).metadata;
  assert.deepEqual((await patch(customer.id, text)).body.metadata, sent);
  assert.deepEqual((await read(customer.id)).metadata, sent);
  const removed = await patch(customer.id, '{"metadata":{"__proto__":null}}');
  assert.deepEqual(Object.keys(removed.body.metadata).toSorted(), [
    '10',
    '9',
    'constructor',
    'toString',
    'ä.b',
  ]);
});

test('a customer moves to any enabled TSO of its BRP’s balance groups, and to no other', async () => {
  const customer = await world.customer(brp);
  for (const tso of ['DE_AMPRION', 'DE_TENNET']) {
    const { body } = await patch(customer.id, { balance_group: { eic: group.eic, tso } });
    assert.deepEqual(body.balance_group, { eic: group.eic, tso });
    assert.deepEqual((await read(customer.id)).balance_group, body.balance_group);
  }
  const before = await stored(customer);
  const body = {
    balance_group: { eic: group.eic, tso: 'DE_50HERTZ' },
    status: 'active',
    metadata: { a: 'b' },
  };
  const never = await patch(customer.id, body);
  assertProblem(never, 400, 'balance_group_tso_not_enabled');
  assert.match(never.body.detail, /DE_50HERTZ.*must be enabled in the balance group settings first/);
  const disable = statement(
    'test_disable',
    "update position set enabled = false where eic = $1 and tso = 'DE_TENNET'",
  );
  await platform.db.transaction((tx) => tx.query(disable, [group.eic]));
  const noLonger = await patch(customer.id, { balance_group: { eic: group.eic, tso: 'DE_TENNET' } });
  assertProblem(noLonger, 400, 'balance_group_tso_not_enabled');
  assert.deepEqual(await stored(customer), before);
  assert.equal(
    (await patch(customer.id, { metadata: { a: 'b' } })).status,
    200,
    'a customer may keep a disabled TSO',
  );
});

test('of two concurrent activations one succeeds and one is a conflict', async () => {
  for (let round = 0; round < 40; round++) {
    const customer = await customerThatIs(round % 2 === 0 ? 'pending' : 'deactivated');
    const answers = await Promise.all([1, 2].map(() => patch(customer.id, { status: 'active' })));
    assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '409']);
    assert.equal(problemOf(answers.find(({ status }) => status === 409) as Answer).code, 'already_active');
  }
});

test('concurrent changes are all applied', async () => {
  const customer = await world.customer(brp);
  const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`);
  const answers = await Promise.all(keys.map((key) => patch(customer.id, { metadata: { [key]: 'x' } })));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.deepEqual(Object.keys((await read(customer.id)).metadata).toSorted(), keys.toSorted());
});

test('a change that waited for another one responds with the effects of both', async () => {
  const customer = await world.customer(brp, { group });
  const target = await world.group(brp, ['DE_50HERTZ']);
  const MOVE = statement(
    'test_move',
    'update customer set position_no = (select no from position where eic = $2) where id = $1',
  );
  const waited = await platform.db.transaction(async (tx) => {
    await tx.query(MOVE, [customer.uuid, target.eic]);
    const answer = patch(customer.id, { metadata: { late: 'yes' } });
    await untilBlockedFor(tx, 0);
    return { answer };
  });
  const { body } = await waited.answer;
  assert.deepEqual(body.balance_group, { eic: target.eic, tso: 'DE_50HERTZ' });
  assert.deepEqual(await read(customer.id), body);
});

test('a read and the change before it carry the same ETag and the same bytes', async () => {
  const customer = await world.customer(brp, { metadata: { middle: '1', last: '2' } });
  const updates = [
    { metadata: { z: '1', first: '2' } },
    { status: 'active' },
    { balance_group: { eic: group.eic, tso: 'DE_AMPRION' } },
    {},
  ];
  const tags = new Set<string | null>();
  for (const update of updates) {
    const changed = await patch(customer.id, update);
    const again = await request(`/v1/customers/${customer.id}`);
    assert.equal(again.text, changed.text);
    assert.equal(again.headers.get('etag'), changed.headers.get('etag'));
    assert.match(again.headers.get('etag') ?? '', /^"[\w-]+"$/);
    tags.add(again.headers.get('etag'));
  }
  assert.equal(tags.size, 3, 'the tag changes exactly with the record');
});

test('a change with If-Match applies only to the version that it names', async () => {
  const customer = await world.customer(brp);
  const change = (tags: string, value: string) =>
    patch(customer.id, { metadata: { value } }, { 'if-match': tags });
  const old = (await request(`/v1/customers/${customer.id}`)).headers.get('etag') as string;
  const current = (await change(old, '1')).headers.get('etag') as string;
  const before = await stored(customer);
  for (const tags of [old, `W/${current}`, '"x", "y"', current.replaceAll('"', '')]) {
    assertProblem(await change(tags, '2'), 412, 'precondition_failed', [], tags);
  }
  assert.deepEqual(await stored(customer), before);
  assert.equal((await change(`${old}, ${current}`, '2')).status, 200);
  assert.equal((await change('*', '3')).status, 200);
  const latest = (await change('*', '4')).headers.get('etag') as string;
  const racing = await Promise.all(['5', '6', '7'].map((value) => change(latest, value)));
  assert.deepEqual(racing.map(({ status }) => String(status)).toSorted(), ['200', '412', '412']);
});

test('errors are reported in this order: form, existence, precondition, then what depends on the record', async () => {
  const customer = await customerThatIs('active');
  const stale = { 'if-match': '"stale"' };
  const notEnabled = { eic: group.eic, tso: 'DE_TRANSNET_BW' };
  const tooMany = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, '']));
  const both = {
    balance_group: { ...notEnabled, eic: strangerGroup.eic },
    metadata: tooMany,
    status: 'active',
  };
  const cases: [answer: Promise<Answer>, status: number, code: string, errors?: string[]][] = [
    [patch(UNKNOWN_ID, { status: 'x' }, stale), 400, 'validation', ['status invalid_enum_value']],
    [patch(UNKNOWN_ID, { status: 'active' }, stale), 404, 'customer_not_found'],
    [patch(UNKNOWN_ID, { status: 'active' }, { 'if-match': '*' }), 404, 'customer_not_found'],
    [patch(customer.id, both, stale), 412, 'precondition_failed'],
    [
      patch(customer.id, both),
      400,
      'validation',
      ['balance_group.eic validation_failed', 'metadata value_too_large'],
    ],
    [
      patch(customer.id, { balance_group: notEnabled, metadata: tooMany }),
      400,
      'validation',
      ['metadata value_too_large'],
    ],
    [
      patch(customer.id, { balance_group: notEnabled, status: 'active' }),
      400,
      'balance_group_tso_not_enabled',
    ],
    [patch(customer.id, { status: 'active', metadata: { a: 'b' } }), 409, 'already_active'],
  ];
  for (const [answer, status, code, errors] of cases) assertProblem(await answer, status, code, errors, code);
});
