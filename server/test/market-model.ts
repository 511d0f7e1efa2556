import assert from 'node:assert/strict';
import type { Tso } from '@saldo/api';
import { slotCount } from '@saldo/core/delivery-day.ts';
import fc from 'fast-check';
import { type Answer, type Client, client, type TestPlatform, walk } from './harness.ts';
import { amountsOf, type Nominated } from './nominated.ts';
import type { WorldBrp, WorldContract, WorldCustomer } from './world.ts';

/** The slots that have volumes. */
export const SLOTS = [1, 50, 92];

export type Position = { brp: number; eic: string; tso: Tso };
type Version = {
  kwh: number;
  from: Position;
  to: Position;
  status: 'valid' | 'invalid' | 'superseded';
  /** Invalid because a customer was deactivated. */
  rests: boolean;
};
/** A customer: where it is placed from which day on, and what is known of its status. */
type Placed = { first: string; position: Position };
type Customer = {
  brp: number;
  placements: Placed[];
  status: 'pending' | 'active' | 'deactivated';
  wasActive: boolean;
  restsFrom: string | null;
};
type Deal = { seller: number; buyer: number };

export const DEALS: readonly Deal[] = [
  { seller: 0, buyer: 1 },
  { seller: 1, buyer: 2 },
  { seller: 2, buyer: 0 },
  { seller: 3, buyer: 0 },
];

/** Changes that a test makes at random, with their weights. */
export const changes = (days: number) => [
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      deal: fc.nat(DEALS.length - 1),
      day: fc.nat(days - 1),
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
      day: fc.nat(days - 1),
    }),
  },
];
type Change = ReturnType<typeof changes>[number]['arbitrary'] extends fc.Arbitrary<infer T> ? T : never;

/** What the platform should hold: every version of every cell, and the customers. */
export class Model {
  readonly customers: Customer[];
  readonly cells = new Map<string, Version[]>();
  readonly days: readonly string[];

  constructor({ positions }: Market, days: readonly string[]) {
    this.days = days;
    const starts = STARTS.map((start) => positions[start] as Position);
    this.customers = starts.map((position) => ({
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
      for (const day of this.days) {
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

  /** The number of versions of each deal in a slot: the same as long as nothing in the slot changes. */
  chainLengths(day: string, slot: number): string {
    const chains = DEALS.map((_, deal) => this.cells.get(Model.key(deal, day, slot)) ?? []);
    return chains.map((chain) => `${chain.length} ${chain.at(-1)?.status}`).join();
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
  saldos(): Saldos {
    const saldos: Saldos = new Map();
    for (const [key, chain] of this.cells) {
      const [, day = '', slot = ''] = key.split(' ');
      for (const { status, kwh, from, to } of chain) {
        if (status !== 'valid') continue;
        for (const [{ eic, tso }, sign] of [
          [from, 1],
          [to, -1],
        ] as const) {
          const saldo = saldos.getOrInsertComputed(saldoKey(eic, tso, day), () => SLOTS.map(() => 0));
          saldo[SLOTS.indexOf(Number(slot))]! += sign * kwh;
        }
      }
    }
    return nonZero(saldos);
  }
}

export type Market = {
  platform: TestPlatform;
  operator: Client;
  brps: { brp: WorldBrp; request: Client }[];
  positions: Position[];
  customers: WorldCustomer[];
  contracts: WorldContract[];
};

/** Three BRPs with balance groups in three control areas, and customers with contracts between all of them. */
export async function makeMarket(platform: TestPlatform, operator: Client): Promise<Market> {
  const { world } = platform;
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
    contracts.push(await world.contract(customers[seller]!, customers[buyer]!, PERIOD));
  return { platform, operator, brps, positions, customers, contracts };
}

/** The first positions of the four customers; 6 and 7 belong to the third BRP. */
const STARTS = [0, 4, 6, 1];
/** Tests of many runs take other days for each of them. */
const PERIOD = { first: '2026-01-01', last: '2039-12-31' };

/**
 * Makes a change on the platform and in the model. Volumes of days before `firstDay` are not changed; a change of a
 * customer has effect from the day `effective` on.
 */
export async function take(
  { platform, operator, brps, positions, customers, contracts }: Market,
  model: Model,
  one: Change,
  { firstDay, effective }: { firstDay: string; effective: string },
): Promise<void> {
  const patch = (request: Client, base: string, at: number, body: object): Promise<Answer> =>
    request.patch(`${base}/customers/${customers[at]?.id}`, body);
  if (one.kind === 'write') {
    const day = [model.days[one.day] as string, firstDay].toSorted().at(-1) as string;
    const volumes = Array.from<number | null>({ length: slotCount(day) }).fill(null);
    for (const [at, kwh] of one.kwh.entries()) volumes[SLOTS[at]! - 1] = kwh === null ? null : kwh / 1000;
    const path = `/operator/v1/contracts/${contracts[one.deal]?.id}/days/${day}`;
    const { status, text } = await operator.put(path, { volumes });
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
    model.move(one.customer, position, effective);
  } else if (one.kind === 'status') {
    const owner = model.customers[one.customer]?.brp as number;
    const answer = await patch(brps[owner]!.request, '/v1', one.customer, { status: one.to });
    assert.equal(answer.status, model.setStatus(one.customer, one.to, effective), answer.text);
  } else {
    const day = [model.days[one.day] as string, firstDay].toSorted().at(-1) as string;
    const last = model.cells.get(Model.key(one.deal, day, SLOTS[0]!))?.at(-1);
    const query = `contract_id=${contracts[one.deal]?.id}&delivery_date=${day}&status=valid&slot_number_to=1`;
    const [found] = (await operator(`/operator/v1/transactions?${query}`)).body.transactions;
    assert.equal(found !== undefined, last?.status === 'valid');
    if (!last || found === undefined) return;
    await platform.world.invalidate(found.id, 'customer_deactivated');
    last.status = 'invalid';
  }
}

/** Volumes of all deals for these days, so that every change has something to correct. */
export async function fill(
  { platform, contracts }: Market,
  model: Model,
  days: readonly string[],
): Promise<void> {
  for (const day of days) {
    const volumes = Array.from({ length: slotCount(day) }, (_, at) => (SLOTS.includes(at + 1) ? 4 : null));
    for (const [deal, contract] of contracts.entries()) {
      await platform.world.volumes(contract, day, volumes);
      for (const slot of SLOTS) model.write(deal, day, slot, 4);
    }
  }
}

/** kWh in the three slots, signed, by balance group, TSO and day. */
export type Saldos = Map<string, number[]>;

export const saldoKey = (eic: string, tso: Tso, day: string) => `${eic} ${tso} ${day}`;

/** Sorted, without the saldos that are zero in all slots. */
export const nonZero = (saldos: Saldos): Saldos =>
  new Map([...saldos].filter(([, saldo]) => saldo.some((kwh) => kwh !== 0)).toSorted());

export type NominatedOn = Nominated & { day: string };

/** All versions of all nominations of the market. */
export async function listVersions({ brps }: Market, days: readonly string[]): Promise<NominatedOn[]> {
  const versions: NominatedOn[] = [];
  for (const { request } of brps) {
    for (const day of days) {
      const path = `/v1/nominations?include_slots=true&delivery_date=${day}`;
      const ofDay: Nominated[] = await walk(request, path, 'nominations', 100);
      versions.push(...ofDay.map((one) => ({ ...one, day })));
    }
  }
  return versions;
}

/** What is nominated for each position, by the current ones of these versions. */
export function nominatedSaldos(versions: readonly NominatedOn[]): Saldos {
  const saldos: Saldos = new Map();
  for (const one of versions) {
    if (one.status === 'superseded') continue;
    const amounts = amountsOf(one);
    const key = saldoKey(one.eic, one.tso, one.day);
    const saldo = saldos.getOrInsertComputed(key, () => SLOTS.map(() => 0));
    for (const [index, slot] of SLOTS.entries())
      saldo[index]! += (one.direction === 'out' ? 1 : -1) * (amounts[slot - 1] ?? 0);
  }
  return saldos;
}

export function assertNetsToZero(saldos: Saldos, days: readonly string[]): void {
  for (const day of days) {
    const ofDay = [...saldos].filter(([key]) => key.endsWith(day));
    for (const [index, slot] of SLOTS.entries()) {
      const sum = ofDay.reduce((kwh, [, saldo]) => kwh + saldo[index]!, 0);
      assert.equal(sum, 0, `slot ${slot} of ${day} nets to zero`);
    }
  }
}
