import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction, Tso } from '@saldo/api';
import { slotCount } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { type Answer, type Client, client, startTestPlatform, walk } from './harness.ts';
import { amountsOf, listNominated } from './nominated.ts';
import type { WorldBrp, WorldContract, WorldCustomer } from './world.ts';

/** Around the end of summer time: the day-ahead gate is at 12:30 UTC before it, and at 13:30 UTC from the 25th on. */
const DAYS = ['2026-10-24', '2026-10-25', '2026-10-26', '2026-10-27', '2026-10-28'] as const;
const SLOTS = [1, 50, 92];
const TIMES = ['09:00:00Z', '12:29:59Z', '12:30:00Z', '13:29:59Z', '13:30:00Z', '20:00:00Z'];
const CLOCK = DAYS.slice(0, 4).flatMap((day) => TIMES.map((time) => `${day}T${time}`));

const platform = await startTestPlatform({ now: CLOCK[0] ?? '' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());

type Position = { brp: number; eic: string; tso: Tso };
type Version = {
  kwh: number;
  from: Position;
  to: Position;
  status: 'valid' | 'invalid' | 'superseded';
  /** Invalid because a customer was deactivated. */
  rests: boolean;
};
/** The model of a customer: where it is placed from which day on, and what is known of its status. */
type Placed = { first: string; position: Position };
type Customer = {
  brp: number;
  placements: Placed[];
  status: 'pending' | 'active' | 'deactivated';
  wasActive: boolean;
  restsFrom: string | null;
};
type Deal = { seller: number; buyer: number };

const DEALS: readonly Deal[] = [
  { seller: 0, buyer: 1 },
  { seller: 1, buyer: 2 },
  { seller: 2, buyer: 0 },
  { seller: 3, buyer: 0 },
];

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), steps: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      deal: fc.nat(DEALS.length - 1),
      day: fc.nat(DAYS.length - 1),
      kwh: fc.array(fc.option(fc.nat(3)), { minLength: SLOTS.length, maxLength: SLOTS.length }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('move' as const), customer: fc.nat(3), to: fc.nat(6) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      customer: fc.nat(3),
      to: fc.constantFrom('active' as const, 'deactivated' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('invalidate' as const),
      deal: fc.nat(DEALS.length - 1),
      day: fc.nat(DAYS.length - 1),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

/** The first day whose gate is open, written down and not computed by the calendar that is tested. */
function firstOpenDay(now: string): string {
  const isOpen = (day: string) => {
    const eve = dayBefore(day);
    return now < `${eve}T${eve >= '2026-10-25' ? '13:30:00Z' : '12:30:00Z'}`;
  };
  const day = [...DAYS, '2026-10-29', '2026-10-30'].find(isOpen);
  assert.ok(day);
  return day;
}

/** What the platform should hold: every version of every cell, and the customers. */
class Model {
  readonly customers: Customer[];
  readonly cells = new Map<string, Version[]>();

  constructor(positions: readonly Position[]) {
    this.customers = positions.map((position) => ({
      brp: position.brp,
      placements: [{ first: '', position }],
      status: 'active',
      wasActive: true,
      restsFrom: null,
    }));
  }

  static key = (deal: number, day: string, slot: number) => `${deal} ${day} ${slot}`;

  placement(customer: number, day: string): Position {
    const found = this.customers[customer]?.placements.findLast(({ first }) => first <= day);
    assert.ok(found);
    return found.position;
  }

  private parties(deal: number, day: string) {
    const { seller, buyer } = DEALS[deal] as Deal;
    return { from: this.placement(seller, day), to: this.placement(buyer, day) };
  }

  takes(deal: number, day: string): boolean {
    const { seller, buyer } = DEALS[deal] as Deal;
    return [seller, buyer].every((at) => {
      const { wasActive, restsFrom } = this.customers[at] as Customer;
      return wasActive && (restsFrom === null || day < restsFrom);
    });
  }

  private add(deal: number, day: string, slot: number, kwh: number): void {
    const chain = this.cells.get(Model.key(deal, day, slot)) ?? [];
    const last = chain.at(-1);
    if (last) last.status = 'superseded';
    chain.push({ kwh, ...this.parties(deal, day), status: 'valid', rests: false });
    this.cells.set(Model.key(deal, day, slot), chain);
  }

  write(deal: number, day: string, slot: number, kwh: number): void {
    const last = this.cells.get(Model.key(deal, day, slot))?.at(-1);
    if (last?.status === 'valid' && last.kwh === kwh) return;
    this.add(deal, day, slot, kwh);
  }

  /** Every newest version from a day on, of the deals of a customer. */
  private *newest(customer: number, first: string) {
    for (const [deal, { seller, buyer }] of DEALS.entries()) {
      if (seller !== customer && buyer !== customer) continue;
      for (const day of DAYS) {
        if (day < first) continue;
        for (const slot of SLOTS) {
          const last = this.cells.get(Model.key(deal, day, slot))?.at(-1);
          if (last) yield { deal, day, slot, last };
        }
      }
    }
  }

  move(at: number, position: Position, first: string): void {
    const customer = this.customers[at] as Customer;
    customer.brp = position.brp;
    if (customer.placements.at(-1)?.position === position) return;
    const kept = customer.placements.filter((placed) => placed.first < first);
    if (kept.at(-1)?.position !== position) kept.push({ first, position });
    customer.placements = kept;
    for (const { deal, day, slot, last } of [...this.newest(at, first)]) {
      const { from, to } = this.parties(deal, day);
      if (last.status === 'valid' && (last.from !== from || last.to !== to))
        this.add(deal, day, slot, last.kwh);
    }
  }

  setStatus(at: number, status: 'active' | 'deactivated', first: string): 200 | 409 {
    const customer = this.customers[at] as Customer;
    if (customer.status === status) return 409;
    customer.status = status;
    customer.restsFrom = status === 'deactivated' ? first : null;
    for (const { deal, day, slot, last } of [...this.newest(at, first)]) {
      if (status === 'deactivated' && last.status === 'valid') {
        last.status = 'invalid';
        last.rests = true;
      }
      if (status === 'active' && last.rests && last.status === 'invalid' && this.takes(deal, day))
        this.add(deal, day, slot, last.kwh);
    }
    return 200;
  }

  /** All versions, with what the API shows of them. */
  *versions() {
    for (const [key, chain] of this.cells) {
      const [deal = '', day = '', slot = ''] = key.split(' ');
      for (const [at, version] of chain.entries()) {
        const { from, to, status, kwh } = version;
        const parties = `${from.eic} ${from.tso} ${to.eic} ${to.tso}`;
        const shown = `${day} ${deal} ${slot} v${at + 1} ${status} ${parties} ${kwh}`;
        yield { deal: Number(deal), brps: [from.brp, to.brp], shown };
      }
    }
  }

  /** The saldo of each position and day in the three slots, zeros omitted. */
  saldos(): Map<string, number[]> {
    const saldos = new Map<string, number[]>();
    for (const [key, chain] of this.cells) {
      const [, day = '', slot = ''] = key.split(' ');
      for (const { status, kwh, from, to } of chain) {
        if (status !== 'valid') continue;
        for (const [{ eic, tso }, sign] of [
          [from, 1],
          [to, -1],
        ] as const) {
          const saldo = saldos.getOrInsertComputed(`${eic} ${tso} ${day}`, () => SLOTS.map(() => 0));
          saldo[SLOTS.indexOf(Number(slot))]! += sign * kwh;
        }
      }
    }
    return new Map([...saldos].filter(([, saldo]) => saldo.some((kwh) => kwh !== 0)));
  }
}

type Market = {
  brps: { brp: WorldBrp; request: Client }[];
  positions: Position[];
  customers: WorldCustomer[];
  contracts: WorldContract[];
};

async function makeMarket(): Promise<Market> {
  const brps = [];
  const positions: Position[] = [];
  const groups = [];
  for (const [at, tsos] of (
    [['DE_AMPRION', 'DE_TENNET'], ['DE_AMPRION'], ['DE_50HERTZ']] as const
  ).entries()) {
    const brp = await world.brp();
    brps.push({ brp, request: client(platform.baseUrl, brp.key) });
    for (let count = 0; count < 2; count++) {
      const group = await world.group(brp, tsos);
      for (const tso of tsos) {
        positions.push({ brp: at, eic: group.eic, tso });
        groups.push(group);
      }
    }
  }
  const customers = [];
  for (const at of STARTS) {
    const { brp, tso } = positions[at] as Position;
    const owner = brps[brp]?.brp as WorldBrp;
    customers.push(await world.customer(owner, { status: 'active', group: groups[at]!, tso }));
  }
  const contracts = [];
  for (const { seller, buyer } of DEALS)
    contracts.push(await world.contract(customers[seller]!, customers[buyer]!));
  return { brps, positions, customers, contracts };
}

/** The first positions of the four customers; 6 and 7 belong to the third BRP. */
const STARTS = [0, 4, 6, 1];

/** Makes a step on the platform and in the model. Returns the days that it must not touch. */
async function take(
  { brps, positions, customers, contracts }: Market,
  model: Model,
  one: Exclude<Step, { kind: 'wait' }>,
  now: string,
): Promise<void> {
  const tomorrow = DAYS.find((day) => day > now.slice(0, 10)) ?? DAYS[4];
  const patch = (request: Client, base: string, at: number, body: object): Promise<Answer> =>
    request(`${base}/customers/${customers[at]?.id}`, { method: 'PATCH', body });
  if (one.kind === 'write') {
    // Only coming days: changes of slots that have closed are another subject.
    const day = [DAYS[one.day] as string, tomorrow].toSorted().at(-1) as string;
    const volumes = Array.from<number | null>({ length: slotCount(day) }).fill(null);
    for (const [at, kwh] of one.kwh.entries()) volumes[SLOTS[at]! - 1] = kwh === null ? null : kwh / 1000;
    const path = `/operator/v1/contracts/${contracts[one.deal]?.id}/days/${day}`;
    const { status, text } = await operator(path, { method: 'PUT', body: { volumes } });
    if (!model.takes(one.deal, day)) {
      assert.equal(status, 409, text);
      return;
    }
    assert.equal(status, 200, text);
    for (const [at, kwh] of one.kwh.entries()) if (kwh !== null) model.write(one.deal, day, SLOTS[at]!, kwh);
  } else if (one.kind === 'move') {
    const position = positions[one.to] as Position;
    const { eic, tso, brp } = position;
    const balance_group = { eic, tso };
    const owner = model.customers[one.customer]?.brp as number;
    const answer =
      owner === brp
        ? await patch(brps[owner]!.request, '/v1', one.customer, { balance_group })
        : await patch(operator, '/operator/v1', one.customer, { balance_group, brp_id: brps[brp]?.brp.id });
    assert.equal(answer.status, 200, answer.text);
    model.move(one.customer, position, firstOpenDay(now));
  } else if (one.kind === 'status') {
    const owner = model.customers[one.customer]?.brp as number;
    const answer = await patch(brps[owner]!.request, '/v1', one.customer, { status: one.to });
    assert.equal(answer.status, model.setStatus(one.customer, one.to, firstOpenDay(now)), answer.text);
  } else {
    const day = [DAYS[one.day] as string, tomorrow].toSorted().at(-1) as string;
    const last = model.cells.get(Model.key(one.deal, day, SLOTS[0]!))?.at(-1);
    const query = `contract_id=${contracts[one.deal]?.id}&delivery_date=${day}&status=valid&slot_number_to=1`;
    const [found] = (await operator(`/operator/v1/transactions?${query}`)).body.transactions;
    assert.equal(found !== undefined, last?.status === 'valid');
    if (!last || found === undefined) return;
    await world.invalidate(found.id, 'customer_deactivated');
    last.status = 'invalid';
  }
}

/** Transactions and nominations of the days before this one, as every BRP reads them. */
async function textsBefore({ brps }: Market, day: string): Promise<string[]> {
  const texts = [];
  for (const { request } of brps) {
    for (const past of DAYS.filter((one) => one < day)) {
      texts.push((await request(`/v1/transactions?delivery_date=${past}&limit=100`)).text);
      texts.push((await request(`/v1/nominations?delivery_date=${past}&limit=100&include_slots=true`)).text);
    }
  }
  return texts;
}

async function compare({ brps, positions, contracts }: Market, model: Model): Promise<void> {
  const numbers = new Map(contracts.map(({ id }, at) => [id, at]));
  const nominated = new Map<string, number[]>();
  for (const [at, { request }] of brps.entries()) {
    const found: Transaction[] = await walk(request, '/v1/transactions', 'transactions', 100);
    const own = [...model.versions()].filter((version) => version.brps.includes(at));
    const shown = found.map(({ delivery_start, contract_id, slot_number, version, status, ...rest }) => {
      const day = new Date(Date.parse(delivery_start) + 7_200_000).toISOString().slice(0, 10);
      const parties = `${rest.sender.eic} ${rest.sender.tso} ${rest.receiver.eic} ${rest.receiver.tso}`;
      const head = `${day} ${numbers.get(contract_id)} ${slot_number} v${version} ${status}`;
      return `${head} ${parties} ${kwhFromMwh(rest.volume)}`;
    });
    assert.deepEqual(shown.toSorted(), own.map((version) => version.shown).toSorted());
    assertChains(found);
    const seen: { id: string }[] = await walk(request, '/v1/contracts', 'contracts', 100);
    const wanted = DEALS.keys().filter(
      (deal) =>
        own.some((version) => version.deal === deal) ||
        [DEALS[deal]!.seller, DEALS[deal]!.buyer].some((customer) =>
          model.customers[customer]!.placements.some(({ position }) => position.brp === at),
        ),
    );
    assert.deepEqual(seen.map(({ id }) => numbers.get(id)).toSorted(), [...wanted], 'visible contracts');
    for (const day of DAYS) {
      for (const one of await listNominated(request, `&delivery_date=${day}`)) {
        if (one.status === 'superseded') continue;
        const amounts = amountsOf(one);
        const id = `${one.eic} ${one.tso} ${day}`;
        const saldo = nominated.getOrInsertComputed(id, () => SLOTS.map(() => 0));
        for (const [index, slot] of SLOTS.entries())
          saldo[index]! += (one.direction === 'out' ? 1 : -1) * (amounts[slot - 1] ?? 0);
      }
    }
  }
  assert.ok(positions.length > 0);
  const known = new Map([...nominated].filter(([, saldo]) => saldo.some((kwh) => kwh !== 0)));
  assert.deepEqual(
    new Map([...known].toSorted()),
    new Map([...model.saldos()].toSorted()),
    'nominations are the net of the valid transactions',
  );
  for (const day of DAYS) {
    const ofDay = [...nominated].filter(([id]) => id.endsWith(day));
    for (const [index] of SLOTS.entries())
      assert.equal(
        ofDay.reduce((sum, [, saldo]) => sum + saldo[index]!, 0),
        0,
        'every slot nets to zero',
      );
  }
}

/** Every version but the first names the one before it; versions that the BRP cannot see are missing. */
function assertChains(transactions: readonly Transaction[]): void {
  const byCell = Map.groupBy(transactions, (one) => `${one.contract_id} ${one.delivery_start}`);
  for (const chain of byCell.values()) {
    for (const [at, one] of chain.entries()) {
      const before = chain[at - 1];
      assert.equal(one.previous_transaction_id === null, one.version === 1);
      if (before?.version === one.version - 1) assert.equal(one.previous_transaction_id, before.id);
    }
  }
}

/** Volumes of all deals for the coming days, so that every change has something to correct. */
async function fill({ contracts }: Market, model: Model): Promise<void> {
  for (const day of DAYS.slice(1)) {
    const volumes = Array.from({ length: slotCount(day) }, (_, at) => (SLOTS.includes(at + 1) ? 4 : null));
    for (const [deal, contract] of contracts.entries()) {
      await world.volumes(contract, day, volumes);
      for (const slot of SLOTS) model.write(deal, day, slot, 4);
    }
  }
}

test('imports, moves and changes of status around the gate equal an independent model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
      let at = 0;
      platform.clock.set(CLOCK[at]!);
      const market = await makeMarket();
      const model = new Model(STARTS.map((start) => market.positions[start]!));
      await fill(market, model);
      await world.nominate();
      for (const one of steps) {
        if (one.kind === 'wait') {
          at = Math.min(at + one.steps, CLOCK.length - 1);
          platform.clock.set(CLOCK[at]!);
          continue;
        }
        const isChange = one.kind === 'move' || one.kind === 'status';
        const first = firstOpenDay(CLOCK[at]!);
        const before = isChange ? await textsBefore(market, first) : [];
        await take(market, model, one, CLOCK[at]!);
        await world.nominate();
        if (isChange) assert.deepEqual(await textsBefore(market, first), before, 'earlier days stay');
      }
      await compare(market, model);
    }),
    { numRuns: runs(15) },
  );
});
