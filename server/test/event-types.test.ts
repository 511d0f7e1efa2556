import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_TYPE_NAMES, type EventType, type SaldoEvent } from '@saldo/api';
import { remindOfGates } from '../src/exchange/process/gate-reminders.ts';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { remindOfExpiringKeys } from '../src/parties/key-reminders.ts';
import { agree, newPlace, operating } from './exchanging.ts';
import { contentOf, followed } from './following.ts';
import { bodyOf, client, startTestPlatform } from './harness.ts';
import { flat, listNominated } from './nominated.ts';
import { OFFER } from './world.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { db, clock, config, world } = platform;
const operatorKey = await world.operatorKey();
const operator = client(platform.baseUrl, operatorKey);
const { send, receive, answer } = operating(platform, operator);
const [wind, city, other] = [
  await newPlace(platform, 'DE_AMPRION'),
  await newPlace(platform, 'DE_AMPRION'),
  await newPlace(platform, 'DE_TENNET'),
];
const accountKey = await world.accountKey();
const feeds = {
  wind: await followed(wind.ask),
  city: await followed(city.ask),
  other: await followed(other.ask),
  operator: await followed(operator, '/operator/v1/events'),
  account: await followed(client(platform.customerUrl, accountKey)),
};
type Feed = keyof typeof feeds;

/** Types that a test of this file has seen. */
const seen = new Set<EventType>();
const COMMON = { occurred_at: /^2026-\d\d-\d\dT[\d:]{8}Z$/, id: /^evt_[0-9a-z]{26}$/ };

/** What each feed has since the last call. Feeds without events are left out. */
async function news() {
  const found: Partial<Record<Feed, [EventType, object][]>> = {};
  for (const [name, read] of Object.entries(feeds) as [Feed, () => Promise<SaldoEvent[]>][]) {
    const events = await read();
    let last = 0;
    for (const event of events) {
      seen.add(event.type);
      assert.match(event.id, COMMON.id);
      assert.match(event.occurred_at, COMMON.occurred_at);
      assert.ok(event.sequence > last, 'sequences rise');
      assert.ok(JSON.stringify(event).length < 4096);
      last = event.sequence;
    }
    if (events.length > 0) found[name] = contentOf(events) as [EventType, object][];
  }
  return found;
}

const created = (answer: { status: number; text: string; body: { id: string } }) => {
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
};
const asOperator = (method: string, path: string, body?: unknown) =>
  operator(`/operator/v1${path}`, { method, ...(body === undefined ? {} : { body }) });

const windToCity = await agree(world, wind, city);

test('contract.created and contract.updated reach both BRPs, with the names of the changed members', async () => {
  const seller = await world.customer(wind.brp, { group: wind.group });
  const buyer = await world.customer(city.brp, { group: city.group });
  await news();
  const body = {
    external_id: 'PPA-events',
    type: 'ppa',
    seller_customer_id: seller.id,
    buyer_customer_id: buyer.id,
    delivery_start: '2025-12-31T23:00:00Z',
  };
  const id = created(await asOperator('POST', '/contracts', body));
  const made = [['contract.created', { object: 'contract', id }]];
  assert.deepEqual(await news(), { wind: made, city: made });
  const end = { delivery_end: '2026-12-31T23:00:00Z' };
  assert.equal((await asOperator('PATCH', `/contracts/${id}`, end)).status, 200);
  const changed = [['contract.updated', { object: 'contract', id, changed: ['delivery_end'] }]];
  assert.deepEqual(await news(), { wind: changed, city: changed });
  assert.equal((await asOperator('PATCH', `/contracts/${id}`, end)).status, 200);
  assert.deepEqual(await news(), {}, 'a change of nothing is no event');
});

test('customer.assigned and customer.updated reach the BRP; a former BRP learns of the new assignment', async () => {
  const id = created(await asOperator('POST', '/customers', { brp_id: wind.brp.id, name: 'Molkerei' }));
  assert.deepEqual(await news(), { wind: [['customer.assigned', { object: 'customer', id }]] });
  const update = { metadata: { color: 'green' }, status: 'active' };
  assert.equal((await wind.ask.patch(`/v1/customers/${id}`, update)).status, 200);
  const changed = ['status', 'metadata', 'activated_at'];
  assert.deepEqual(await news(), { wind: [['customer.updated', { object: 'customer', id, changed }]] });
  assert.equal((await wind.ask.patch(`/v1/customers/${id}`, {})).status, 200);
  assert.deepEqual(await news(), {}, 'a change of nothing is no event');
  assert.equal((await asOperator('PATCH', `/customers/${id}`, { brp_id: city.brp.id })).status, 200);
  assert.deepEqual(await news(), {
    wind: [['customer.updated', { object: 'customer', id, changed: ['brp_id'] }]],
    city: [['customer.assigned', { object: 'customer', id }]],
  });
});

test('balance_group.updated reaches the BRP, by whomever it was changed', async () => {
  const { eic } = wind.group;
  const event = (changed: string[]) => ({
    wind: [['balance_group.updated', { object: 'balance_group', eic, changed }]],
  });
  const body = { enabled_tsos: ['DE_AMPRION', 'DE_50HERTZ'] };
  const own = await wind.ask.patch(`/v1/balance-groups/${eic}`, body);
  assert.equal(own.status, 200, own.text);
  assert.deepEqual(await news(), event(['enabled_tsos']));
  assert.equal((await wind.ask.patch(`/v1/balance-groups/${eic}`, body)).status, 200);
  assert.deepEqual(await news(), {}, 'a change of nothing is no event');
  const both = { name: 'New', tsos: ['DE_AMPRION'] };
  assert.equal((await asOperator('PATCH', `/balance-groups/${eic}`, both)).status, 200);
  assert.deepEqual(await news(), event(['name', 'enabled_tsos']));
});

const transactions = (change: string, day: string, slots: number, contractId = windToCity.id) => [
  `transactions.${change}`,
  { object: 'transactions', contract_id: contractId, delivery_date: day, slots },
];

test('transactions of a contract-day are one event per commit for both BRPs, with the number of slots', async () => {
  const day = '2026-11-02';
  const put = async (volumes: (number | null)[]) => {
    const path = `/contracts/${windToCity.id}/days/${day}`;
    assert.equal((await asOperator('PUT', path, { volumes })).status, 200);
  };
  await put(flat(day, 1));
  const first = [transactions('created', day, 96)];
  assert.deepEqual(await news(), { wind: first, city: first });
  await put(flat(day, 1));
  assert.deepEqual(await news(), {}, 'unchanged volumes are no event');
  await put([2, 2, ...flat(day, 1).slice(2)]);
  const corrected = [transactions('corrected', day, 2)];
  assert.deepEqual(await news(), { wind: corrected, city: corrected });

  const [one] = (await wind.ask(`/v1/transactions?delivery_date=${day}&limit=1&status=valid`)).body
    .transactions;
  const path = `/transactions/${one.id}/invalidate`;
  assert.equal((await asOperator('POST', path, { reason: 'meter failure' })).status, 200);
  const invalidated = [transactions('invalidated', day, 1)];
  assert.deepEqual(await news(), { wind: invalidated, city: invalidated });
  await put([2, 2, ...flat(day, 1).slice(2)]);
  const valid = [transactions('corrected', day, 1)];
  assert.deepEqual(await news(), { wind: valid, city: valid }, 'volumes that are valid again are corrected');
});

const importCsv = (rows: string[], query = '') => {
  const file = ['contract,delivery_date,slot,volume', ...rows, ''].join('\n');
  const headers = { 'content-type': 'text/csv' };
  return bodyOf(operator.post(`/operator/v1/volumes${query}`, file, { headers }));
};

test('an import appends one event per contract-day and kind of change, and a dry run none', async () => {
  const rows = ['2026-11-03,1,1.5', '2026-11-03,2,1.5', '2026-11-04,1,2'].map(
    (row) => `${windToCity.id},${row}`,
  );
  await importCsv(rows, '?dry_run=true');
  assert.deepEqual(await news(), {});
  await importCsv(rows);
  const made = [transactions('created', '2026-11-03', 2), transactions('created', '2026-11-04', 1)];
  assert.deepEqual(await news(), { wind: made, city: made });
  await importCsv([`${windToCity.id},2026-11-03,2,9`, `${windToCity.id},2026-11-03,3,9`]);
  const mixed = [transactions('created', '2026-11-03', 1), transactions('corrected', '2026-11-03', 1)];
  assert.deepEqual(await news(), { wind: mixed, city: mixed });
});

test('an early end of a contract invalidates its transactions, with one event per day', async () => {
  const contract = await agree(world, wind, city);
  for (const day of ['2026-11-05', '2026-11-06']) await world.volumes(contract, day, 100);
  await news();
  const end = { delivery_end: '2026-11-04T23:00:00Z' };
  assert.equal((await asOperator('PATCH', `/contracts/${contract.id}`, end)).status, 200);
  const found = [
    ['contract.updated', { object: 'contract', id: contract.id, changed: ['delivery_end'] }],
    transactions('invalidated', '2026-11-05', 96, contract.id),
    transactions('invalidated', '2026-11-06', 96, contract.id),
  ];
  assert.deepEqual(await news(), { wind: found, city: found });
});

const nominationOf = async ({ ask, group, tso }: typeof wind, day: string) => {
  const [current] = (await listNominated(ask, `&delivery_date=${day}`)).filter(
    ({ status }) => status !== 'superseded',
  );
  assert.ok(current);
  const { id, direction, version, previous_nomination_id: previous } = current;
  const data = {
    ...{ object: 'nomination', id, eic: group.eic, tso, direction, delivery_date: day, version },
    previous_nomination_id: previous ?? null,
  };
  return { id, data };
};

/** Volumes of a day from wind to city, nominated. */
async function deliver(day: string, kwh = 1000) {
  await world.volumes(windToCity, day, kwh);
  await world.nominate();
  return { wind: (await nominationOf(wind, day)).data, city: (await nominationOf(city, day)).data };
}

const by = (one: [EventType, object], two: [EventType, object]) =>
  JSON.stringify(one) < JSON.stringify(two) ? -1 : 1;
/** The feeds when both nominations of a day get an event. The operator sees both, in no particular order. */
const both = (type: EventType, data: { wind: object; city: object }) => ({
  wind: [[type, data.wind]],
  city: [[type, data.city]],
  operator: (
    [
      [type, data.wind],
      [type, data.city],
    ] as [EventType, object][]
  ).toSorted(by),
});
const sorted = (found: Awaited<ReturnType<typeof news>>) =>
  found.operator ? { ...found, operator: found.operator.toSorted(by) } : found;

test('nominations have events when they are created, sent, and matched', async () => {
  const day = '2026-10-22';
  await world.nominate();
  await news();
  const first = await deliver(day);
  assert.equal(first.wind.version, 1);
  const added = [transactions('created', day, 96)];
  assert.deepEqual(await news(), {
    wind: [...added, ['nomination.created', first.wind]],
    city: [...added, ['nomination.created', first.city]],
  });
  const second = await deliver(day, 2000);
  assert.equal(second.wind.previous_nomination_id, first.wind.id);
  const corrected = [transactions('corrected', day, 96)];
  assert.deepEqual(await news(), {
    wind: [...corrected, ['nomination.created', second.wind]],
    city: [...corrected, ['nomination.created', second.city]],
  });
  await send({ delivery_date: day });
  assert.deepEqual(sorted(await news()), both('nomination.sent', second));
  await send({ delivery_date: day });
  assert.deepEqual(await news(), {}, 'nothing is sent twice');
  await answer({}, { isIntermediateOnly: true });
  const matched = (isFinal: boolean) => ({
    wind: { ...second.wind, is_final: isFinal },
    city: { ...second.city, is_final: isFinal },
  });
  assert.deepEqual(sorted(await news()), both('nomination.matched', matched(false)));
});

test('nomination.mismatched reaches the BRP whose values differ, with all others matched', async () => {
  const day = '2026-10-23';
  const data = await deliver(day);
  await send({ delivery_date: day });
  await news();
  const slots = [45, 46];
  await answer(
    { deviations: [{ eic: city.group.eic, tso: null, day, slots, differenceKw: -50 }] },
    { isIntermediateOnly: true },
  );
  const found = await news();
  assert.deepEqual(found.city, [['nomination.mismatched', { ...data.city, is_final: false }]]);
  assert.deepEqual(found.wind, [['nomination.matched', { ...data.wind, is_final: false }]]);
  assert.equal(found.operator?.length, 2);
});

test('nomination.rejected reaches every BRP of the schedule, with the codes of the TSO’s reasons', async () => {
  const day = '2026-10-24';
  const data = await deliver(day);
  await send({ delivery_date: day });
  await news();
  await answer({ rejections: [{ tso: 'DE_AMPRION', day }] });
  // The text of the whole schedule may be about another balance group.
  const reasons = ['A02', 'A59'];
  const rejected = { wind: { ...data.wind, reasons }, city: { ...data.city, reasons } };
  assert.deepEqual(sorted(await news()), both('nomination.rejected', rejected));
});

test('nomination.gate_closing comes once at 60 and once at 15 minutes before the gate', async () => {
  const day = '2026-10-28';
  const gate = '2026-10-27T13:30:00Z';
  const remind = async (now: string) => {
    clock.set(now);
    // Two processes run the job.
    await Promise.all([1, 2].map(() => remindOfGates(db, clock.now(), config.marketRules)));
    return news();
  };
  await remind('2026-10-27T12:00:00Z');
  const unsent = await deliver(day);
  await news();
  assert.deepEqual(await remind('2026-10-27T12:29:59Z'), {});
  const closing = (minutes: number, reason: string) => {
    const added = { gate_closure: gate, minutes_left: minutes, reason };
    return { wind: { ...unsent.wind, ...added }, city: { ...unsent.city, ...added } };
  };
  const found = sorted(await remind('2026-10-27T12:30:00Z'));
  assert.deepEqual(found, both('nomination.gate_closing', closing(60, 'not_sent')));
  assert.deepEqual(await remind('2026-10-27T12:30:10Z'), {}, 'once');

  await send({ delivery_date: day });
  await answer(
    { deviations: [{ eic: city.group.eic, tso: null, day, slots: [1], differenceKw: -50 }] },
    { isIntermediateOnly: true },
  );
  await news();
  const last = await remind('2026-10-27T13:20:00Z');
  assert.deepEqual(last.city, [['nomination.gate_closing', closing(15, 'differs').city]], 'late, but once');
  assert.equal(last.wind, undefined, 'sent, and nothing differs');
  assert.deepEqual(await remind('2026-10-27T13:30:00Z'), {}, 'the gate is closed');
  assert.deepEqual(await remind('2026-10-28T12:20:00Z'), {}, 'other days have no nominations');
});

test('a gate that closed while no process ran gives no event', async () => {
  await deliver('2026-10-30');
  await news();
  clock.set('2026-10-29T14:00:00Z');
  await remindOfGates(db, clock.now(), config.marketRules);
  assert.deepEqual(await news(), {});
});

test('api_key.expiring reaches the owner of the key once at 14 and once at 1 day before', async () => {
  clock.set('2026-11-01T00:00:00Z');
  await remindOfExpiringKeys(db, clock.now());
  const expiresAt = Date.parse('2026-11-20T12:00:00Z');
  const { id: uuid } = await world.key(wind.brp, [], expiresAt);
  const [key] = (await operator(`/operator/v1/api-keys?limit=100`)).body.api_keys.filter(
    (one: { expires_at: string | null }) => one.expires_at === '2026-11-20T12:00:00Z',
  );
  assert.ok(uuid && key);
  const soon = { owner: { type: 'account', id: await accountId() }, name: 'soon' };
  const own = { ...soon, expires_at: '2026-11-20T13:00:00Z' };
  const ofAccount = (await asOperator('POST', '/api-keys', own)).body.id;
  await news();
  const remind = async (now: string) => {
    clock.set(now);
    await Promise.all([1, 2].map(() => remindOfExpiringKeys(db, clock.now())));
    return news();
  };
  const event = (id: string, at: string, days: number) => [
    ['api_key.expiring', { object: 'api_key', id, expires_at: at, days_left: days }],
  ];
  assert.deepEqual(await remind('2026-11-06T11:59:59Z'), {});
  assert.deepEqual(await remind('2026-11-06T12:00:00Z'), { wind: event(key.id, key.expires_at, 14) });
  assert.deepEqual(await remind('2026-11-06T12:00:10Z'), {});
  assert.deepEqual(await remind('2026-11-06T13:00:00Z'), {}, 'of another account');
  await asOperator('DELETE', `/api-keys/${ofAccount}`);
  assert.deepEqual(await remind('2026-11-19T13:00:00Z'), { wind: event(key.id, key.expires_at, 1) });
  assert.deepEqual(await remind('2026-11-21T00:00:00Z'), {});
});

async function accountId(): Promise<string> {
  return created(await asOperator('POST', '/accounts', { name: 'Another' }));
}

test('an account reads the events of its own keys, and no other account does', async () => {
  clock.set('2026-12-01T00:00:00Z');
  await remindOfExpiringKeys(db, clock.now());
  const id = await accountId();
  const key = { owner: { type: 'account', id }, name: 'short', expires_at: '2026-12-20T00:00:00Z' };
  const { id: keyId, secret } = (await asOperator('POST', '/api-keys', key)).body;
  const own = await followed(client(platform.customerUrl, secret));
  await news();
  clock.set('2026-12-06T00:00:00Z');
  await remindOfExpiringKeys(db, clock.now());
  const data = { object: 'api_key', id: keyId, expires_at: key.expires_at, days_left: 14 };
  assert.deepEqual(contentOf(await own()), [['api_key.expiring', data]]);
  assert.deepEqual(await news(), {});
});

test('publications and withdrawals reach all accounts, and no others', async () => {
  const asset = { name: 'Park', technology: 'solar', nominal_power: 10, tso: 'DE_AMPRION' };
  const id = created(await asOperator('POST', '/assets', asset));
  assert.deepEqual(await news(), {}, 'an asset without an offer is not published');
  await asOperator('PATCH', `/assets/${id}`, { offer: OFFER });
  assert.deepEqual(await news(), { account: [['asset.published', { object: 'asset', id }]] });
  await asOperator('PATCH', `/assets/${id}`, { offer: { country: 'AT' } });
  assert.deepEqual(await news(), {}, 'it keeps its place in the list');
  await asOperator('PATCH', `/assets/${id}`, { offer: null });
  assert.deepEqual(await news(), { account: [['asset.withdrawn', { object: 'asset', id }]] });

  const body = { contract_period: 10, delivery_volume: 24_000, country: 'DE' };
  const demand = created(await asOperator('POST', '/demands', body));
  assert.deepEqual(await news(), { account: [['demand.published', { object: 'demand', id: demand }]] });
  await asOperator('DELETE', `/demands/${demand}`);
  assert.deepEqual(await news(), { account: [['demand.withdrawn', { object: 'demand', id: demand }]] });
});

test('changed values of a series are one event per day for the operator', async () => {
  const owner = { type: 'asset', id: (await world.asset()).id };
  await news();
  const id = created(await asOperator('POST', '/series', { kind: 'forecast', owner, name: 'Heide' }));
  assert.deepEqual(await news(), {}, 'a series without values has changed nothing');
  const day = '2026-12-12';
  const put = async (energy_kwh: (number | null)[]) => {
    assert.equal((await asOperator('PUT', `/series/${id}/days/${day}`, { energy_kwh })).status, 200);
  };
  const event = (slots: number) => ['series.updated', { object: 'series', id, delivery_date: day, slots }];
  await put(flat(day, 1));
  assert.deepEqual(await news(), { operator: [event(96)] });
  await put(flat(day, 1));
  assert.deepEqual(await news(), {}, 'unchanged values are no event');
  await put([2, ...flat(day, 1).slice(1)]);
  assert.deepEqual(await news(), { operator: [event(1)] });
});

test('alarms reach the operator when they begin, when they end and when they are acknowledged', async () => {
  const watch = () => watchExchange(db, clock, platform.exchange);
  await watch();
  await news();
  await receive('<nonsense/>');
  await Promise.all([watch(), watch()]);
  const [alarm] = (await operator('/operator/v1/exchange/alarms?kind=unreadable')).body.alarms;
  const data = {
    ...{ object: 'alarm', id: alarm.id, kind: 'unreadable', severity: 'warning' },
    ...{ tso: null, delivery_date: null, contract_id: null },
  };
  assert.deepEqual(await news(), { operator: [['exchange.alarm', data]] });
  await asOperator('POST', `/exchange/alarms/${alarm.id}/acknowledge`, { note: 'seen' });
  assert.deepEqual(await news(), { operator: [['exchange.alarm_resolved', data]] });

  const day = '2026-12-10';
  await deliver(day);
  await send({ delivery_date: day });
  await answer({ rejections: [{ tso: 'DE_AMPRION', day }] });
  await news();
  await watch();
  const [begun] = (await news()).operator ?? [];
  assert.equal(begun?.[0], 'exchange.alarm');
  await deliver(day, 2000);
  await send({ delivery_date: day });
  await answer();
  await news();
  await watch();
  assert.deepEqual((await news()).operator, [['exchange.alarm_resolved', begun?.[1]]]);
});

test('a rejected request appends no event', async () => {
  await news();
  const missing = await asOperator('POST', '/customers', { brp_id: 'brp_x', name: 'x' });
  assert.equal(missing.status, 400);
  const inUse = await asOperator('PATCH', `/balance-groups/${wind.group.eic}`, { tsos: ['DE_TENNET'] });
  assert.equal(inUse.status, 409);
  assert.deepEqual(await news(), {});
});

test('every type of event occurs in a test of this file', () => {
  // Disabled endpoints are in webhooks.test.ts.
  assert.deepEqual(
    EVENT_TYPE_NAMES.filter((type) => !seen.has(type)),
    ['webhook.disabled'],
  );
});
