import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tso } from '@saldo/api';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { bodyOf, type Client, client, startTestPlatform, walk } from './harness.ts';
import { kwhOf } from './nominated.ts';
import { newEic } from './world.ts';

/** A market created only through the operator API, and read by its BRPs. */

const DAY = '2026-10-25';
const SLOTS = 100;
const platform = await startTestPlatform({ now: '2026-10-01T08:00:00Z' });
const operator = client(platform.baseUrl, await platform.world.operatorKey());

const post = (path: string, body: unknown): Promise<{ id: string; secret: string }> =>
  bodyOf(operator.post(`/operator/v1${path}`, body), 201);

type Brp = { id: string; request: Client; eics: string[] };
type Party = { brp: Brp; eic: string; tso: Tso; customer: string };
type Deal = { id: string; externalId: string; seller: Party; buyer: Party };

async function foundMarket(): Promise<{ brps: Brp[]; parties: Party[]; deals: Deal[] }> {
  const brps: Brp[] = [];
  const parties: Party[] = [];
  for (const name of ['North', 'West', 'South']) {
    const { id } = await post('/brps', { name });
    const { secret } = await post('/api-keys', { owner: { type: 'brp', id }, name: 'all' });
    const brp: Brp = { id, request: client(platform.baseUrl, secret), eics: [] };
    brps.push(brp);
    const eic = newEic();
    brp.eics.push(eic);
    await post('/balance-groups', { brp_id: id, eic, name, tsos: ['DE_TENNET', 'DE_50HERTZ'] });
    for (const tso of ['DE_TENNET', 'DE_50HERTZ', 'DE_50HERTZ'] as const) {
      const customer = await post('/customers', {
        brp_id: id,
        name: `${name} ${tso}`,
        balance_group: { eic, tso },
      });
      const activation = await brp.request.patch(`/v1/customers/${customer.id}`, { status: 'active' });
      assert.equal(activation.status, 200);
      parties.push({ brp, eic, tso, customer: customer.id });
    }
  }
  const deals: Deal[] = [];
  // Across BRPs and areas, within a BRP across areas, and within one position.
  for (const [from, to] of [
    [0, 3],
    [3, 7],
    [6, 1],
    [1, 0],
    [4, 5],
    [7, 0],
  ] as const) {
    const [seller, buyer] = [parties[from], parties[to]];
    assert.ok(seller && buyer);
    const externalId = `${newEic()}-${deals.length}`;
    const { id } = await post('/contracts', {
      external_id: externalId,
      type: 'ppa',
      seller_customer_id: seller.customer,
      buyer_customer_id: buyer.customer,
      delivery_start: '2025-12-31T23:00:00Z',
      delivery_end: '2026-12-31T23:00:00Z',
      ppa_type: 'forecasted',
    });
    deals.push({ id, externalId, seller, buyer });
  }
  return { brps, parties, deals };
}

/** The newest volume of a contract's slot, and whether it counts. */
type Known = Map<string, { kwh: number; valid: boolean }>;

const cell = fc.record({ slot: fc.integer({ min: 1, max: SLOTS }), kwh: fc.nat(3000) });
const cells = fc.uniqueArray(cell, { minLength: 1, maxLength: 12, selector: ({ slot }) => slot });
const step = fc.oneof(
  fc.record({
    kind: fc.constantFrom('put' as const, 'csv' as const, 'ndjson' as const),
    deal: fc.nat(5),
    cells,
  }),
  fc.record({
    kind: fc.constant('invalidate' as const),
    deal: fc.nat(5),
    slot: fc.integer({ min: 1, max: SLOTS }),
  }),
  fc.record({ kind: fc.constant('run' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(deal: Deal, say: Extract<Step, { cells: unknown }>): Promise<void> {
  const mwh = (kwh: number) => kwh / 1000;
  if (say.kind === 'put') {
    const bySlot = new Map(say.cells.map(({ slot, kwh }) => [slot, mwh(kwh)]));
    const volumes = Array.from({ length: SLOTS }, (_, at) => bySlot.get(at + 1) ?? null);
    const answer = await operator.put(`/operator/v1/contracts/${deal.id}/days/${DAY}`, { volumes });
    assert.equal(answer.status, 200, answer.text);
    return;
  }
  const isCsv = say.kind === 'csv';
  const lines = say.cells.map(({ slot, kwh }) =>
    isCsv
      ? `${deal.externalId},${DAY},${slot},${mwh(kwh)}`
      : JSON.stringify({ contract: deal.id, delivery_date: DAY, slot, volume: mwh(kwh) }),
  );
  const answer = await operator.post(
    '/operator/v1/volumes',
    `${[...(isCsv ? ['contract,delivery_date,slot,volume'] : []), ...lines].join('\n')}\n`,
    { headers: { 'content-type': isCsv ? 'text/csv' : 'application/x-ndjson' } },
  );
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body.rejected, []);
  assert.equal(answer.body.rows, say.cells.length);
}

async function invalidate(deal: Deal, slot: number, known: Known): Promise<void> {
  const query = `contract_id=${deal.id}&status=valid&slot_number_from=${slot}&slot_number_to=${slot}`;
  const [found] = (await operator(`/operator/v1/transactions?${query}`)).body.transactions;
  const expected = known.get(`${deal.id} ${slot}`);
  assert.equal(found !== undefined, expected?.valid === true);
  if (!found || !expected) return;
  const answer = await operator.post(`/operator/v1/transactions/${found.id}/invalidate`, { reason: 'test' });
  assert.equal(answer.body.status, 'invalid');
  expected.valid = false;
}

test('nominations of a market created through the operator API equal a brute-force netting, for each BRP', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const market = await foundMarket();
      const known: Known = new Map();
      for (const one of steps) {
        if (one.kind === 'run') {
          await operator.post('/operator/v1/nominations/run', {});
          continue;
        }
        const deal = market.deals[one.deal];
        assert.ok(deal);
        if (one.kind === 'invalidate') {
          await invalidate(deal, one.slot, known);
          continue;
        }
        await take(deal, one);
        for (const { slot, kwh } of one.cells) known.set(`${deal.id} ${slot}`, { kwh, valid: true });
      }
      await operator.post('/operator/v1/nominations/run', {});
      const again = await operator.post('/operator/v1/nominations/run', {});
      assert.deepEqual(again.body, { positions: 0, created: 0, unchanged: 0, too_late: 0 });
      for (const brp of market.brps) await checkBrp(brp, market, known);
    }),
    { numRuns: runs(10) },
  );
});

async function checkBrp(brp: Brp, { parties, deals }: { parties: Party[]; deals: Deal[] }, known: Known) {
  const visible = deals.filter(({ seller, buyer }) => seller.brp === brp || buyer.brp === brp);
  const contracts = await walk(brp.request, '/v1/contracts', 'contracts', 3);
  assert.deepEqual(contracts.map(({ id }) => id).toSorted(), visible.map(({ id }) => id).toSorted());

  const transactions = await walk(brp.request, '/v1/transactions', 'transactions', 100);
  const current = transactions.filter(({ status }) => status !== 'superseded');
  assert.deepEqual(
    current
      .map(
        (each) => `${each.contract_id} ${each.slot_number} ${kwhOf(each.volume)} ${each.status === 'valid'}`,
      )
      .toSorted(),
    [...known]
      .filter(([key]) => visible.some(({ id }) => key.startsWith(id)))
      .map(([key, { kwh, valid }]) => `${key} ${kwh} ${valid}`)
      .toSorted(),
  );

  const nominations = await walk(brp.request, '/v1/nominations?include_slots=true', 'nominations', 100);
  for (const { eic } of nominations) assert.ok(brp.eics.includes(eic), 'only own nominations are visible');
  for (const { eic, tso } of parties.filter((party) => party.brp === brp)) {
    const expected = bruteForce(deals, known, eic, tso);
    const own = nominations.filter(
      (each) => each.eic === eic && each.tso === tso && each.status !== 'superseded',
    );
    const found = Array.from({ length: SLOTS }, () => 0);
    for (const { direction, slots } of own) {
      for (const [at, { amount }] of slots.entries())
        found[at] = (found[at] ?? 0) + (direction === 'out' ? 1 : -1) * kwhOf(amount);
    }
    assert.deepEqual(found, expected);
  }
}

function bruteForce(deals: Deal[], known: Known, eic: string, tso: Tso): number[] {
  return Array.from({ length: SLOTS }, (_, at) =>
    deals.reduce((saldo, { id, seller, buyer }) => {
      const cell = known.get(`${id} ${at + 1}`);
      if (!cell?.valid) return saldo;
      const sends = seller.eic === eic && seller.tso === tso ? cell.kwh : 0;
      const receives = buyer.eic === eic && buyer.tso === tso ? cell.kwh : 0;
      return saldo + sends - receives;
    }, 0),
  );
}
