import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ASSET_TYPES,
  CONTRACT_TYPES,
  CUSTOMER_STATUSES,
  NOMINATION_STATUSES,
  OFFER_PPA_TYPES,
  type OperatorContract,
  type OperatorTransaction,
  PPA_TYPES,
  type Series,
  type SeriesValues,
  TRANSACTION_STATUSES,
  TSOS,
} from '@saldo/api';
import { addDays, dayOf, localInstant, SLOT_MS, slotCount } from '@saldo/core/delivery-day.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { loadDemo } from '../src/demo/load.ts';
import { statement } from '../src/platform/db/statement.ts';
import { client, startTestPlatform, walk } from './harness.ts';

/** The demo must be complete for every start time: in winter, on a clock-change day, early and late. */
const STARTS = [
  '2026-11-15T05:00:00Z',
  '2026-11-15T20:00:00Z',
  '2026-01-03T00:10:00Z',
  '2026-03-29T00:30:00Z',
  '2026-10-25T22:59:00Z',
  '2028-02-29T12:00:00Z',
];

const OPERATOR = { key: 'operator', eic: '11XSALDO-------Z' };
const worlds = [];
for (const now of STARTS) {
  const platform = await startTestPlatform({ now });
  const access = await platform.db.transaction((tx) =>
    loadDemo(tx, OPERATOR, platform.config.marketRules, platform.clock.now()),
  );
  worlds.push({ now, platform, access });
}

for (const { now, platform, access } of worlds) {
  const recordsOfAll = async (path: string, member: string) => {
    const byId = new Map<string, Record<string, unknown>>();
    for (const { api_key } of access.brps) {
      for (const record of await walk(client(platform.baseUrl, api_key), path, member, 100)) {
        byId.set(record.id, record);
      }
    }
    return [...byId.values()];
  };
  const valuesOf = (records: Record<string, unknown>[], name: string) =>
    [
      ...new Set(
        records.map((record) => record[name]).filter((value) => value !== undefined && value !== null),
      ),
    ].toSorted();

  test(`the keys of a BRP in the demo world of ${now} have every scope, and every scope to read`, async () => {
    for (const { api_key, read_only_key, eics } of access.brps) {
      for (const [key, status] of [
        [api_key, 200],
        [read_only_key, 403],
      ] as const) {
        const request = client(platform.baseUrl, key);
        const [customer] = (await request('/v1/customers?limit=1')).body.customers;
        const [group] = (await request('/v1/balance-groups?limit=1')).body.balance_groups;
        assert.ok(eics.includes(group.eic));
        for (const path of [`/v1/customers/${customer.id}`, `/v1/balance-groups/${group.eic}`])
          assert.equal((await request.patch(path, {})).status, status, path);
      }
    }
  });

  test(`the demo world of ${now} has parties, contracts and customers of every kind`, async () => {
    assert.ok(access.brps.length >= 3);
    assert.ok(access.accounts.length >= 1);
    const contracts = await recordsOfAll('/v1/contracts', 'contracts');
    assert.ok(contracts.length >= 20);
    assert.deepEqual(valuesOf(contracts, 'type'), [...CONTRACT_TYPES].toSorted());
    assert.deepEqual(valuesOf(contracts, 'ppa_type'), [...PPA_TYPES].toSorted());
    assert.deepEqual(valuesOf(contracts, 'status'), ['completed', 'in_progress', 'pending']);
    const openEnded = contracts.filter(
      ({ status, delivery_end }) => status === 'in_progress' && delivery_end === null,
    );
    assert.equal(openEnded.length, 1);
    const active = await recordsOfAll(`/v1/contracts?active_on=${dayOf(platform.clock.now())}`, 'contracts');
    assert.ok(active.some(({ id }) => id === openEnded[0]?.['id']));
    const customers = await recordsOfAll('/v1/customers', 'customers');
    assert.ok(customers.length >= 12);
    assert.deepEqual(valuesOf(customers, 'status'), [...CUSTOMER_STATUSES].toSorted());
  });

  test(`the demo world of ${now} has offers and demands of every kind`, async () => {
    const [account] = access.accounts;
    const browse = client(platform.customerUrl, account?.api_key ?? null);
    const { assets } = (await browse('/v1/assets?limit=100')).body;
    const { demands } = (await browse('/v1/demands?limit=100')).body;
    for (const list of [assets, demands]) {
      assert.ok(list.length >= 25);
      assert.ok(valuesOf(list, 'country').length >= 5);
      assert.ok(valuesOf(list, 'state').length >= 15);
    }
    assert.deepEqual(valuesOf(assets, 'assetType'), [...ASSET_TYPES].toSorted());
    assert.deepEqual(valuesOf(assets, 'ppaType'), [...OFFER_PPA_TYPES].toSorted());
    for (const { deliveryStart, pricing } of assets) {
      assert.ok(Date.parse(deliveryStart) > platform.clock.now());
      assert.ok(pricing.length > 0);
    }
    for (const url of valuesOf(assets, 'coverUrl')) {
      const cover = await fetch(String(url));
      assert.deepEqual([cover.status, cover.headers.get('content-type')], [200, 'image/svg+xml']);
    }
    const operator = client(platform.baseUrl, await platform.world.operatorKey());
    for (const { offer } of await walk(operator, '/operator/v1/assets?offered=true', 'assets', 100)) {
      assert.ok(Date.parse(offer.published_at) <= platform.clock.now());
    }
  });

  test(`the demo world of ${now} has volumes from a week ago to tomorrow and on both clock-change days`, async () => {
    const rows = await platform.db.query<{ status: string; delivery_day: string; newest: number }>(
      statement(
        'demo_days',
        'select status, delivery_day, max(created_at) as newest from transaction group by status, delivery_day',
      ),
    );
    assert.deepEqual(valuesOf(rows, 'status'), [...TRANSACTION_STATUSES].toSorted());
    const today = new Date(platform.clock.now()).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });
    const year = today.slice(0, 4);
    const expected = new Set(Array.from({ length: 9 }, (_, at) => addDays(today, at - 7)));
    for (let day = `${year}-01-01`; day.startsWith(year); day = addDays(day, 1)) {
      if (slotCount(day) !== 96) expected.add(day);
    }
    assert.deepEqual(valuesOf(rows, 'delivery_day'), [...expected].toSorted());
    for (const { newest } of rows) assert.ok(newest <= platform.clock.now());
  });

  test(`the demo world of ${now} has nominations of every status in all control areas, none from the future`, async () => {
    const nominations = await recordsOfAll('/v1/nominations?include_slots=true', 'nominations');
    assert.deepEqual(valuesOf(nominations, 'status'), [...NOMINATION_STATUSES].toSorted());
    assert.deepEqual(valuesOf(nominations, 'tso'), [...TSOS].toSorted());
    assert.deepEqual(valuesOf(nominations, 'direction'), ['in', 'out']);
    for (const { created_at, sent_at, confirmed_at, gate_closure } of nominations) {
      for (const time of [created_at, sent_at, confirmed_at]) {
        if (time !== null) assert.ok(Date.parse(String(time)) <= platform.clock.now());
      }
      assert.ok(
        Date.parse(String(created_at)) < Date.parse(String(gate_closure)),
        'every version met its gate',
      );
    }
  });

  test(`in the demo world of ${now} the dispatcher has a mismatch that can still be corrected`, async () => {
    const [nordwind] = access.brps;
    assert.ok(nordwind);
    const path = '/v1/nominations?status=partial_match&include_slots=true';
    const nominations = await walk(client(platform.baseUrl, nordwind.api_key), path, 'nominations', 100);
    const open = nominations
      .flatMap(({ slots }) => slots)
      .filter(({ amount, matched_amount }) => matched_amount !== null && matched_amount !== amount)
      .filter(({ delivery_start }) => Date.parse(delivery_start) - SLOT_MS > platform.clock.now());
    assert.ok(open.length > 0);
  });

  test(`in the demo world of ${now} a customer has changed its balance group, with all that follows`, async () => {
    let moves = 0;
    for (const { api_key, eics } of access.brps) {
      const request = client(platform.baseUrl, api_key);
      for (const { id, balance_group } of await walk(request, '/v1/customers', 'customers', 100)) {
        const { placements } = (await request(`/v1/customers/${id}/placements`)).body;
        if (placements.length < 2) continue;
        moves++;
        const [{ first_day: day, ...newest }, former] = placements;
        assert.deepEqual(newest, { balance_group, last_day: null });
        assert.deepEqual([former.first_day, former.last_day], [null, addDays(day, -1)]);
        assert.ok(eics.includes(former.balance_group.eic));
        const { tso } = former.balance_group;
        const [from, to] = [former.balance_group.eic, balance_group.eic];
        const slot = '&slot_number_from=49&slot_number_to=49';
        const sold = async (date: string, eic: string) => {
          const path = `/v1/transactions?sender_eic=${eic}&delivery_date=${date}${slot}`;
          const found = await walk(request, path, 'transactions', 100);
          return found.filter(({ sender }) => sender.tso === tso);
        };
        const [corrected] = await sold(day, from);
        assert.deepEqual([corrected.status, corrected.version], ['superseded', 1]);
        const { transactions } = (await request(`/v1/transactions/${corrected.id}/history`)).body;
        const moved = transactions.find(({ version }: { version: number }) => version === 2);
        assert.deepEqual([moved.sender.eic, moved.volume], [to, corrected.volume]);
        assert.ok(Date.parse(moved.created_at) < gatesOf(day, platform.config.marketRules).dayAhead);
        const earlier = await sold(addDays(day, -1), from);
        assert.ok(earlier.length > 0);
        for (const { version } of earlier) assert.equal(version, 1, 'earlier days keep their balance group');
        for (const eic of [from, to]) {
          const path = `/v1/nominations?eic=${eic}&tso=${tso}&delivery_date=${day}`;
          const versions = (await walk(request, path, 'nominations', 100)).map(({ version }) => version);
          assert.ok(versions.includes(2), `${eic} was nominated again`);
        }
      }
    }
    assert.equal(moves, 1);
  });

  test(`the demo world of ${now} has forecasts of tomorrow, meters with one gap, and volumes that follow them`, async () => {
    const operator = client(platform.baseUrl, await platform.world.operatorKey());
    const today = dayOf(platform.clock.now());
    const valuesOn = async (id: string, day: string): Promise<SeriesValues['values']> =>
      (await operator(`/operator/v1/series/${id}/values?delivery_date=${day}`)).body.values;
    const series: Series[] = await walk(operator, '/operator/v1/series', 'series', 100);
    const tomorrow = addDays(today, 1);
    for (const { id, name } of series.filter(({ kind }) => kind === 'forecast')) {
      const values = await valuesOn(id, tomorrow);
      assert.equal(values.length, slotCount(tomorrow), name);
      if (!/solar/i.test(name)) continue;
      for (const { slot_number, energy_wh } of values) {
        if (slot_number <= 20 || slot_number > 80) assert.equal(energy_wh, 0, `${name} at night`);
        if (slot_number > 40 && slot_number < 60) assert.ok(energy_wh > 0, `${name} at noon`);
      }
    }
    // The meters of yesterday arrive at 08:00.
    const isMorning = platform.clock.now() < localInstant(today, 8 * 60);
    const [metered, notYet] = isMorning
      ? [addDays(today, -2), addDays(today, -1)]
      : [addDays(today, -1), today];
    let gaps = 0;
    for (const { id } of series.filter(({ kind }) => kind === 'meter')) {
      gaps += slotCount(metered) - (await valuesOn(id, metered)).length;
      assert.equal((await valuesOn(id, notYet)).length, 0);
    }
    assert.equal(gaps, isMorning ? 0 : 4);

    const contracts: OperatorContract[] = await walk(operator, '/operator/v1/contracts', 'contracts', 100);
    const sourced = contracts.filter((contract) => 'source' in contract && contract.source !== null);
    assert.deepEqual(valuesOf(sourced, 'ppa_type'), ['consumed', 'forecasted', 'produced']);
    for (const contract of sourced) {
      const list = `/operator/v1/transactions?contract_id=${contract.id}&delivery_date=${metered}&status=valid`;
      const transactions: OperatorTransaction[] = await walk(operator, list, 'transactions', 100);
      assert.equal(transactions.length, slotCount(metered));
      const fromMeter = transactions.filter(({ source }) => source === 'meter');
      assert.ok(transactions.every(({ source }) => source !== null));
      // A metered value that makes the same kWh, as that of a solar plant at night, is no new version.
      assert.equal(fromMeter.length > 0, contract.ppa_type !== 'forecasted');
      for (const { version } of fromMeter) assert.ok(version > 1);
    }
  });

  test(`in the demo world of ${now} only contracts of activated customers have volumes`, async () => {
    const resting = statement(
      'demo_resting',
      `select from customer u join contract c on u.id in (c.seller_customer, c.buyer_customer)
       where u.activated_at is null and exists (select from sheet s where s.contract_no = c.no)`,
    );
    assert.equal((await platform.db.query(resting)).length, 0);
  });

  test(`the demo world of ${now} got its states from messages of every kind, none from the future`, async () => {
    const unscheduled = await platform.db.query(
      statement(
        'demo_unscheduled',
        `select from nomination n where n.sent_at is not null
           and not exists (select from schedule_series s where s.nomination_id = n.id)`,
      ),
    );
    assert.equal(unscheduled.length, 0, 'every sent nomination is part of a schedule');
    const messages = await platform.db.query<Record<string, unknown> & { created_at: number }>(
      statement('demo_messages', 'select direction, type, format, state, created_at from message'),
    );
    for (const { created_at } of messages) assert.ok(created_at <= platform.clock.now());
    assert.deepEqual(valuesOf(messages, 'type'), ['acknowledgement', 'anomaly', 'confirmation', 'schedule']);
    assert.deepEqual(valuesOf(messages, 'format'), ['cim', 'ess']);
    const states = new Set(valuesOf(messages, 'state'));
    for (const state of ['acknowledged', 'rejected', 'confirmed', 'applied']) {
      assert.ok(states.has(state), state);
    }
    for (const state of ['stored', 'failed']) assert.ok(!states.has(state), state);
  });
}
