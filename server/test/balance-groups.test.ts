import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tso } from '@saldo/api';
import { checkCharacter } from '@saldo/core/eic.ts';
import { overlap } from './blocked.ts';
import { type Answer, assertProblem, assertRefused, client, startTestPlatform, walk } from './harness.ts';
import { newEic, type WorldBrp, type WorldCustomer } from './world.ts';

const NOON = '2026-10-20T12:00:00Z';
const ALL: Tso[] = ['DE_AMPRION', 'DE_TENNET', 'DE_TRANSNET_BW', 'DE_50HERTZ'];

const platform = await startTestPlatform({ now: NOON });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const brp = await world.brp();
const stranger = await world.brp();
const strangerGroup = await world.group(stranger);

const as = ({ key }: WorldBrp) => client(platform.baseUrl, key);
const request = as(brp);
const read = (eic: string) => request(`/v1/balance-groups/${eic}`);
const patch = (eic: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  request.patch(`/v1/balance-groups/${eic}`, body, { headers });
const enable = (eic: string, ...enabled_tsos: Tso[]) => patch(eic, { enabled_tsos });
const patchAsOperator = (eic: string, body: unknown, headers: Record<string, string> = {}) =>
  operator.patch(`/operator/v1/balance-groups/${eic}`, body, { headers });
const place = (customer: WorldCustomer, eic: string, tso: Tso) =>
  request.patch(`/v1/customers/${customer.id}`, { balance_group: { eic, tso } });
const enabledIn = async (eic: string) => (await read(eic)).body.enabled_tsos;

test('a BRP lists its own balance groups by EIC, page by page, and no others', async () => {
  const owner = await world.brp();
  const eics = ['11XZ-----------', '11XA--Z--------', '11XAB----------', '11X0-----------'].map(
    (stem) => stem + checkCharacter(stem),
  );
  for (const eic of eics) await world.group(owner, ['DE_50HERTZ', 'DE_AMPRION'], eic);
  const listed = await walk(as(owner), '/v1/balance-groups', 'balance_groups', 1);
  assert.deepEqual(
    listed,
    eics
      .toSorted()
      .map((eic) => ({ eic, name: eic, enabled_tsos: ['DE_AMPRION', 'DE_50HERTZ'], created_at: NOON })),
    'TSOs in their fixed order',
  );
  assert.deepEqual((await as(owner)(`/v1/balance-groups/${eics[0]}`)).body, listed.at(-1));
  const { pagination } = (await as(owner)('/v1/balance-groups?limit=2')).body;
  assert.deepEqual([pagination.limit, pagination.has_more], [2, true]);
  const after = encodeURIComponent(pagination.next_cursor);
  assertRefused(await as(stranger)(`/v1/balance-groups?after=${after}`), 'after invalid_format');
});

test('a foreign, an unknown and a malformed EIC are the same 404, for reading and for changing', async () => {
  const eics = [strangerGroup.eic, newEic(), 'x', '%00', strangerGroup.eic.toLowerCase()];
  for (const send of [read, (eic: string) => patch(eic, { enabled_tsos: ALL })]) {
    const texts = new Set<string>();
    for (const eic of eics) {
      const answer = await send(eic);
      assertProblem(answer, 404, 'balance_group_not_found');
      texts.add(JSON.stringify({ ...answer.body, instance: null }));
    }
    assert.equal(texts.size, 1);
  }
  const { body } = await as(stranger)(`/v1/balance-groups/${strangerGroup.eic}`);
  assert.deepEqual(body.enabled_tsos, ['DE_AMPRION'], 'nothing was changed');
});

test('an update sets the whole set of TSOs, and an empty one changes nothing', async () => {
  const { eic } = await world.group(brp, ['DE_AMPRION']);
  const before = (await read(eic)).body;
  const { status, body } = await enable(eic, 'DE_50HERTZ', 'DE_TENNET');
  assert.equal(status, 200);
  assert.deepEqual(body, { ...before, enabled_tsos: ['DE_TENNET', 'DE_50HERTZ'] });
  assert.deepEqual((await read(eic)).body, body);
  assert.deepEqual((await patch(eic, {})).body, body);
  const customer = await world.customer(brp);
  assertProblem(await place(customer, eic, 'DE_AMPRION'), 400, 'balance_group_tso_not_enabled');
  assert.deepEqual((await enable(eic, ...ALL)).body.enabled_tsos, ALL, 'a disabled TSO is enabled again');
  assert.equal((await place(customer, eic, 'DE_AMPRION')).status, 200);
});

test('every error of query and body is listed together, and nothing is changed', async () => {
  const { eic } = await world.group(brp, ['DE_AMPRION']);
  const answer = await request.patch(`/v1/balance-groups/${eic}?dry_run=1`, {
    eic,
    name: 'New',
    created_at: NOON,
    color: 'red',
    tsos: ALL,
    enabled_tsos: ['FR', 7],
  });
  assertRefused(
    answer,
    'color unknown_field',
    'created_at read_only_field',
    'dry_run unknown_field',
    'eic read_only_field',
    'enabled_tsos[0] invalid_enum_value',
    'enabled_tsos[1] invalid_type',
    'name read_only_field',
    'tsos unknown_field',
  );
  assertRefused(await patch(eic, { enabled_tsos: null }), 'enabled_tsos invalid_type');
  assertRefused(await enable(eic), 'enabled_tsos value_too_small');
  assertRefused(await enable(eic, 'DE_TENNET', 'DE_TENNET'), 'enabled_tsos validation_failed');
  assert.deepEqual(await enabledIn(eic), ['DE_AMPRION']);
  assertRefused(
    await request('/v1/balance-groups?tso=DE_TENNET&limit=0'),
    ...['limit value_too_small', 'tso unknown_field'],
  );
});

test('an ETag identifies a version, and a change with an old one is rejected, for BRP and operator', async () => {
  const { eic } = await world.group(brp, ['DE_AMPRION']);
  for (const [ask, path, change] of [
    [request, `/v1/balance-groups/${eic}`, (tso: Tso) => ({ enabled_tsos: ['DE_AMPRION', tso] })],
    [operator, `/operator/v1/balance-groups/${eic}`, (tso: Tso) => ({ tsos: ['DE_AMPRION', tso] })],
  ] as const) {
    const etag = (await ask(path)).headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]{22}"$/);
    assert.equal((await ask(path, { headers: { 'if-none-match': etag } })).status, 304);
    const send = (tag: string, tso: Tso) => ask.patch(path, change(tso), { headers: { 'if-match': tag } });
    const changed = await send(etag, 'DE_TENNET');
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.headers.get('etag'), (await ask(path)).headers.get('etag'));
    assertProblem(await send(etag, 'DE_50HERTZ'), 412, 'precondition_failed');
    assert.equal((await send('*', 'DE_50HERTZ')).status, 200);
    assert.deepEqual(await enabledIn(eic), ['DE_AMPRION', 'DE_50HERTZ']);
  }
});

test('a TSO with a customer cannot be disabled, by BRP or operator', async () => {
  const { eic } = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
  const customer = await world.customer(brp);
  for (const status of ['pending', 'active', 'deactivated']) {
    assert.equal((await place(customer, eic, 'DE_TENNET')).status, 200);
    if (status !== 'pending') {
      const body = { status };
      assert.equal((await request.patch(`/v1/customers/${customer.id}`, body)).status, 200);
    }
    const refusal = await enable(eic, 'DE_AMPRION', 'DE_50HERTZ');
    assertProblem(refusal, 409, 'position_in_use');
    assert.match(refusal.body.detail, /in DE_TENNET\.$/);
    assertProblem(await patchAsOperator(eic, { name: 'X', tsos: ['DE_AMPRION'] }), 409, 'position_in_use');
    assert.deepEqual(await enabledIn(eic), ['DE_AMPRION', 'DE_TENNET'], 'all or nothing');
    assert.equal((await read(eic)).body.name, eic);
  }
});

test('a TSO stays in use until the day on which the new placements of its customers begin', async () => {
  const sold = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
  const bought = await world.group(brp, ['DE_AMPRION', 'DE_50HERTZ']);
  const seller = await world.customer(brp, { group: sold, tso: 'DE_TENNET' });
  const buyer = await world.customer(brp, { group: bought, tso: 'DE_50HERTZ' });
  await world.contract(seller, buyer);
  assert.equal((await place(seller, sold.eic, 'DE_AMPRION')).status, 200);
  assert.equal((await place(buyer, bought.eic, 'DE_AMPRION')).status, 200);
  const disable = () => Promise.all([enable(sold.eic, 'DE_AMPRION'), enable(bought.eic, 'DE_AMPRION')]);
  for (const now of [NOON, '2026-10-20T21:59:59Z']) {
    platform.clock.set(now);
    const [ofSeller, ofBuyer] = await disable();
    assertProblem(ofSeller, 409, 'position_in_use');
    assertProblem(ofBuyer, 409, 'position_in_use');
    assert.match(ofSeller.body.detail, /in DE_TENNET\.$/);
    assert.match(ofBuyer.body.detail, /in DE_50HERTZ\.$/);
  }
  platform.clock.set('2026-10-20T22:00:00Z');
  for (const { status, text } of await disable()) assert.equal(status, 200, text);
  platform.clock.set(NOON);
});

test('all TSOs in use are named, of placements in force and of coming ones', async () => {
  const group = await world.group(brp, ALL);
  const seller = await world.customer(brp, { group, tso: 'DE_TENNET' });
  await world.customer(brp, { group, tso: 'DE_50HERTZ' });
  assert.equal((await place(seller, group.eic, 'DE_AMPRION')).status, 200);
  const refusal = await enable(group.eic, 'DE_TRANSNET_BW');
  assertProblem(refusal, 409, 'position_in_use');
  assert.match(refusal.body.detail, /in DE_AMPRION, DE_TENNET, DE_50HERTZ\.$/);
  assert.equal((await enable(group.eic, 'DE_AMPRION', 'DE_TENNET', 'DE_50HERTZ')).status, 200);
});

test('a change of the settings is an audit event of the key, in the operator’s representation', async () => {
  const { eic } = await world.group(brp, ['DE_AMPRION']);
  await enable(eic, 'DE_TENNET');
  assertProblem(await patch(eic, { enabled_tsos: ALL }, { 'if-match': '"old"' }), 412, 'precondition_failed');
  const { entries } = (await operator(`/operator/v1/audit?subject=${eic}`)).body;
  assert.deepEqual(
    entries.map(({ action, actor, before, after }: Record<string, { tsos: Tso[] } & string>) => [
      action,
      actor?.split('_')[0],
      before?.tsos,
      after?.tsos,
    ]),
    [['balance_group.updated', 'key', ['DE_AMPRION'], ['DE_TENNET']]],
  );
});

test('a key without the new scopes stays without them, also when it is rotated', async () => {
  const { secret } = await world.key(brp, ['customers:read', 'customers:write']);
  const withKey = client(platform.baseUrl, secret);
  assertProblem(await withKey('/v1/balance-groups'), 403, 'insufficient_scopes');
  const { api_keys: keys } = (await operator(`/operator/v1/api-keys?owner_id=${brp.id}&limit=100`)).body;
  const old = keys.find(({ prefix }: { prefix: string }) => secret.startsWith(prefix));
  assert.ok(old);
  const rotated = await operator.post(`/operator/v1/api-keys/${old.id}/rotate`, {});
  assert.deepEqual(rotated.body.scopes, ['customers:read', 'customers:write']);
});

test('of a move onto a TSO and its disabling at the same time, exactly the first succeeds', async () => {
  for (const disableIn of [
    (eic: string) => enable(eic, 'DE_AMPRION'),
    (eic: string) => patchAsOperator(eic, { tsos: ['DE_AMPRION'] }),
  ]) {
    const { eic } = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
    const customer = await world.customer(brp);
    const move = () => place(customer, eic, 'DE_TENNET');
    const disable = () => disableIn(eic);
    const [disabled, refused] = await overlap(platform, disable, move);
    assert.equal(disabled.status, 200, disabled.text);
    assertProblem(refused, 400, 'balance_group_tso_not_enabled');

    assert.equal((await enable(eic, 'DE_AMPRION', 'DE_TENNET')).status, 200);
    const [moved, inUse] = await overlap(platform, move, disable);
    assert.equal(moved.status, 200, moved.text);
    assertProblem(inUse, 409, 'position_in_use');
  }
});

test('of a new customer in a TSO and its disabling at the same time, exactly the first succeeds', async () => {
  const { eic } = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
  const create = () =>
    operator.post('/operator/v1/customers', {
      brp_id: brp.id,
      name: 'New',
      balance_group: { eic, tso: 'DE_TENNET' },
    });
  const disable = () => enable(eic, 'DE_AMPRION');
  const [disabled, refused] = await overlap(platform, disable, create);
  assert.equal(disabled.status, 200, disabled.text);
  assertProblem(refused, 400, 'balance_group_tso_not_enabled');
  assert.equal((await enable(eic, 'DE_AMPRION', 'DE_TENNET')).status, 200);
  const [created, inUse] = await overlap(platform, create, disable);
  assert.equal(created.status, 201, created.text);
  assertProblem(inUse, 409, 'position_in_use');
});

test('many moves and changes of the settings at once end consistently and without a deadlock', async () => {
  const { eic } = await world.group(brp, ['DE_AMPRION', 'DE_TENNET']);
  const customers: WorldCustomer[] = [];
  for (let count = 0; count < 4; count++) customers.push(await world.customer(brp));
  const sides = ['DE_AMPRION', 'DE_TENNET'] as const;
  for (let round = 0; round < 15; round++) {
    const side = sides[round % 2] ?? 'DE_AMPRION';
    const answers = await Promise.all([
      ...customers.map((customer) => place(customer, eic, side)),
      enable(eic, 'DE_AMPRION'),
      ...customers.map((customer) => place(customer, eic, 'DE_AMPRION')),
      patchAsOperator(eic, { tsos: ['DE_AMPRION', 'DE_TENNET'] }),
      enable(eic, 'DE_TENNET'),
    ]);
    for (const { status, text } of answers) assert.ok([200, 400, 409].includes(status), text);
    const enabled = await enabledIn(eic);
    for (const { id } of customers) {
      const { balance_group: group } = (await request(`/v1/customers/${id}`)).body;
      assert.ok(group === null || enabled.includes(group.tso), `${group?.tso} is disabled`);
    }
  }
});
