import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayStart, formatInstant, slotCount } from '@saldo/core/delivery-day.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { assertRefused, client, problemOf, startTestPlatform } from './harness.ts';
import { amountsOf, kwhOf, listNominated } from './nominated.ts';
import { sourcing, type TestSeries } from './sourcing.ts';

/** A day in the past, whose source cannot change, and coming days with 96, 100 and 92 slots. */
const DAYS = ['2026-03-29', '2026-10-22', '2026-10-25', '2027-03-28'] as const;
type Day = (typeof DAYS)[number];
/** 10:00 in Germany: changes apply from tomorrow on. */
const EFFECTIVE = '2026-10-21';
/** First days without delivery. */
const ENDS = ['2026-03-29', '2026-10-22', '2026-10-25', '2028-01-01'] as const;
/** One day of each span in which the shares of a series stay the same. */
const SPANS = ['2026-01-01', '2026-03-29', EFFECTIVE, '2026-10-22', '2026-10-25'] as const;
const KINDS = ['forecasted', 'produced', 'indexed'] as const;
type Name = 'forecast' | 'meter';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const { operator, series, store, contractBody, transactions } = await sourcing(platform);

type Source = { forecast: boolean; meter: boolean; millionths: number; maxKw: number | null };
/** `rests`: invalid because of a deactivation or an earlier end. `returns`: about to be valid again. */
type Status = 'valid' | 'invalid' | 'rests' | 'returns';
type Cell = { kwh: number; version: number; status: Status; source: Name | null };
type Cells = readonly { slot: number; value: number }[];

/** The rules of the specification in exact fractions, slot by slot. */
class Model {
  readonly values = { forecast: new Map<string, number>(), meter: new Map<string, number>() };
  readonly sources: { from: string; source: Source }[][] = KINDS.map(() => []);
  readonly cells: Map<string, Cell>[] = KINDS.map(() => new Map());
  readonly ends: string[] = KINDS.map(() => '2028-01-01');
  isActive = true;

  sourceOn(contract: number, day: string): Source | null {
    return this.sources[contract]!.findLast(({ from }) => from <= day)?.source ?? null;
  }

  /** Whether the shares of a series exceed 1 on any day. */
  exceeds(): boolean {
    return (['forecast', 'meter'] as const).some((name) =>
      SPANS.some((day) => {
        const shares = KINDS.map((_, contract) => {
          const source = day < this.ends[contract]! ? this.sourceOn(contract, day) : null;
          return source?.[name] ? source.millionths : 0;
        });
        return shares.reduce((sum, share) => sum + share, 0) > 1_000_000;
      }),
    );
  }

  takes = (contract: number, day: string) => day < this.ends[contract]! && (this.isActive || day < EFFECTIVE);

  /** `changed` are the slots of this delivery that have a new value, by series. */
  follow(contract: number, day: Day, changed: Record<Name, Set<number>>): void {
    const source = this.sourceOn(contract, day);
    if (source === null || !this.takes(contract, day)) return;
    let exact = 0n;
    let rounded = 0n;
    for (let slot = 1; slot <= slotCount(day); slot++) {
      const valueOf = (name: Name) => (source[name] ? this.values[name].get(`${day} ${slot}`) : undefined);
      const name: Name =
        KINDS[contract] !== 'forecasted' && valueOf('meter') !== undefined ? 'meter' : 'forecast';
      const wh = valueOf(name);
      if (wh === undefined) continue;
      // In units of 10^-9 kWh.
      const energy = BigInt(wh) * BigInt(source.millionths);
      const cap = source.maxKw === null ? null : (BigInt(source.maxKw) * 1_000_000_000n) / 4n;
      exact += cap !== null && cap < energy ? cap : energy;
      const total = (exact + 500_000_000n) / 1_000_000_000n;
      const kwh = Number(total - rounded);
      rounded = total;
      const cell = this.cells[contract]!.get(`${day} ${slot}`);
      const isInvalid = cell?.status === 'invalid' || cell?.status === 'rests';
      if (isInvalid && !changed[name].has(slot)) continue;
      this.write(contract, day, slot, kwh, name);
    }
    const error = rounded * 1_000_000_000n - exact;
    assert.ok(error <= 500_000_000n && error >= -500_000_000n, 'half a kWh a day');
  }

  write(contract: number, day: Day, slot: number, kwh: number, source: Name | null): void {
    const key = `${day} ${slot}`;
    const cell = this.cells[contract]!.get(key);
    if ((cell?.status === 'valid' || cell?.status === 'returns') && cell.kwh === kwh) return;
    this.cells[contract]!.set(key, { kwh, version: (cell?.version ?? 0) + 1, status: 'valid', source });
  }

  setActive(isActive: boolean): void {
    this.isActive = isActive;
    for (const contract of KINDS.keys()) {
      if (isActive) this.restore(contract, EFFECTIVE);
      else this.invalidate(contract, EFFECTIVE);
    }
  }

  setEnd(contract: number, end: string): void {
    const before = this.ends[contract]!;
    this.ends[contract] = end;
    if (end > before) this.restore(contract, before);
    else this.invalidate(contract, end);
  }

  private invalidate(contract: number, first: string): void {
    const cells = this.cells[contract]!;
    for (const [key, cell] of cells)
      if (key >= first && cell.status === 'valid') cells.set(key, { ...cell, status: 'rests' });
  }

  /** Volumes become valid again with the values of today. */
  private restore(contract: number, first: string): void {
    const cells = this.cells[contract]!;
    for (const [key, cell] of cells) {
      const isWanted = key >= first && this.takes(contract, key.slice(0, 10));
      if (isWanted && cell.status === 'rests') cells.set(key, { ...cell, status: 'returns' });
    }
    this.followAll(contract, first);
    for (const [key, cell] of cells)
      if (cell.status === 'returns') cells.set(key, { ...cell, status: 'valid', version: cell.version + 1 });
  }

  followAll(contract: number, first: string = EFFECTIVE): void {
    const nothing = { forecast: new Set<number>(), meter: new Set<number>() };
    for (const day of DAYS) if (day >= first) this.follow(contract, day, nothing);
  }
}

const anyDay = fc.constantFrom(...DAYS);
const anyContract = fc.nat({ max: KINDS.length - 1 });
const cellsOf = (value: fc.Arbitrary<number>): fc.Arbitrary<Cells> =>
  fc.oneof(
    fc.uniqueArray(fc.record({ slot: fc.integer({ min: 1, max: 100 }), value }), {
      selector: ({ slot }) => slot,
      minLength: 1,
      maxLength: 6,
    }),
    // A whole day, so that the remainders of many slots add up.
    value.map((whole) => Array.from({ length: 100 }, (_, at) => ({ slot: at + 1, value: whole }))),
  );
const wh = fc.oneof(fc.nat({ max: 3000 }), fc.integer({ min: 0, max: 50_000_000 }));
const anySource: fc.Arbitrary<Source> = fc
  .record({
    forecast: fc.boolean(),
    meter: fc.boolean(),
    millionths: fc.constantFrom(1, 100_000, 333_333, 500_000, 999_999),
    maxKw: fc.constantFrom(null, null, 1, 3, 4001),
  })
  .filter(({ forecast, meter }) => forecast || meter);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('values' as const),
      name: fc.constantFrom<Name>('forecast', 'meter'),
      days: fc.uniqueArray(fc.record({ day: anyDay, cells: cellsOf(wh) }), {
        selector: ({ day }) => day,
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('source' as const),
      contract: anyContract,
      source: fc.option(anySource),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      contract: anyContract,
      day: anyDay,
      cells: cellsOf(fc.nat({ max: 3 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('invalidate' as const),
      contract: anyContract,
      day: anyDay,
      slot: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('status' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      contract: anyContract,
      end: fc.constantFrom(...ENDS),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const anySourced = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean());

const spread = (day: Day, given: Cells): (number | null)[] => {
  const bySlot = new Map(given.map(({ slot, value }) => [slot, value]));
  return Array.from({ length: slotCount(day) }, (_, at) => bySlot.get(at + 1) ?? null);
};

const sourceInput = (owned: Record<Name, TestSeries>, source: Source) => ({
  forecast: source.forecast ? owned.forecast.id : null,
  meter: source.meter ? owned.meter.id : null,
  share: source.millionths / 1_000_000,
  max_power_mw: source.maxKw === null ? null : source.maxKw / 1000,
});

/** `isSourced`: which contracts have a source from their creation on. */
async function makeMarket(model: Model, isSourced: readonly boolean[]) {
  const parties = await world.pair();
  const asset = await world.asset();
  const owned = {
    forecast: await series('forecast', { asset }),
    meter: await series('meter', { asset }),
  };
  const contracts: string[] = [];
  for (const [at, ppa_type] of KINDS.entries()) {
    const meter = ppa_type !== 'forecasted';
    const source: Source = { forecast: true, meter, millionths: 333_333, maxKw: null };
    if (isSourced[at]) model.sources[at]!.push({ from: '-infinity', source });
    const terms = {
      ...{ ppa_type, asset_id: asset.id, last: '2027-12-31' },
      source: isSourced[at] ? sourceInput(owned, source) : null,
    };
    const answer = await operator.post(
      '/operator/v1/contracts',
      contractBody(parties.producer, parties.consumer, terms),
    );
    assert.equal(answer.status, 201, answer.text);
    contracts.push(answer.body.id);
  }
  return { ...parties, owned, contracts };
}
type Market = Awaited<ReturnType<typeof makeMarket>>;

async function takeValues({ owned }: Market, model: Model, one: Extract<Step, { kind: 'values' }>) {
  const changes = await store(
    ...one.days.map(({ day, cells }) => [owned[one.name], day, spread(day, cells)] as const),
  );
  for (const [index, { day, cells }] of one.days.entries()) {
    const values = model.values[one.name];
    const changed = cells.filter(
      ({ slot, value }) => slot <= slotCount(day) && values.get(`${day} ${slot}`) !== value,
    );
    for (const { slot, value } of changed) values.set(`${day} ${slot}`, value);
    const stored = changes.changes[index]!;
    assert.equal(stored.created + stored.corrected, changed.length, 'a repeated value has no version');
    const slots = { forecast: new Set<number>(), meter: new Set<number>() };
    for (const { slot } of changed) slots[one.name].add(slot);
    if (changed.length === 0) continue;
    for (const contract of KINDS.keys())
      if (model.sourceOn(contract, day)?.[one.name]) model.follow(contract, day, slots);
  }
}

async function takeSource(
  { owned, contracts }: Market,
  model: Model,
  one: Extract<Step, { kind: 'source' }>,
) {
  const { contract, source } = one;
  const before = model.sources[contract]!;
  const { status, text } = await operator.patch(`/operator/v1/contracts/${contracts[contract]}`, {
    source: source && sourceInput(owned, source),
  });
  if (source !== null && source.meter && KINDS[contract] === 'forecasted')
    return assert.equal(status, 400, text);
  const isSame = JSON.stringify(before.at(-1)?.source ?? null) === JSON.stringify(source);
  if (!isSame)
    model.sources[contract] =
      source === null ? [] : [...before.filter(({ from }) => from < EFFECTIVE), { from: EFFECTIVE, source }];
  if (model.exceeds()) {
    model.sources[contract] = before;
    return assert.equal(status, 409, text);
  }
  assert.equal(status, 200, text);
  if (!isSame && source !== null) model.followAll(contract);
}

async function takeEnd({ contracts }: Market, model: Model, one: Extract<Step, { kind: 'end' }>) {
  const { contract, end } = one;
  const before = model.ends[contract]!;
  const { status, text } = await operator.patch(`/operator/v1/contracts/${contracts[contract]}`, {
    delivery_end: formatInstant(dayStart(end)),
  });
  model.ends[contract] = end;
  const exceeds = model.exceeds();
  model.ends[contract] = before;
  assert.equal(status, exceeds ? 409 : 200, text);
  if (!exceeds) model.setEnd(contract, end);
}

async function takeImport({ contracts }: Market, model: Model, one: Extract<Step, { kind: 'import' }>) {
  const { contract, day, cells } = one;
  const volumes = spread(day, cells);
  const answer = await operator.put(`/operator/v1/contracts/${contracts[contract]}/days/${day}`, {
    volumes: volumes.map((kwh) => (kwh === null ? null : kwh / 1000)),
  });
  if (day >= model.ends[contract]!) return assertRefused(answer, 'delivery_date validation_failed');
  if (model.sourceOn(contract, day) !== null)
    return assert.equal(problemOf(answer).code, 'contract_has_source');
  if (!model.takes(contract, day)) return assert.equal(problemOf(answer).code, 'customer_not_active');
  assert.equal(answer.status, 200, answer.text);
  for (const [at, kwh] of volumes.entries()) if (kwh !== null) model.write(contract, day, at + 1, kwh, null);
}

async function take(market: Market, model: Model, one: Step): Promise<void> {
  if (one.kind === 'values') return takeValues(market, model, one);
  if (one.kind === 'source') return takeSource(market, model, one);
  if (one.kind === 'import') return takeImport(market, model, one);
  if (one.kind === 'end') return takeEnd(market, model, one);
  if (one.kind === 'status') {
    const status = model.isActive ? 'deactivated' : 'active';
    const path = `/operator/v1/customers/${market.consumer.id}`;
    assert.equal((await operator.patch(path, { status })).status, 200);
    return model.setActive(!model.isActive);
  }
  const { contract, day, slot } = one;
  const cell = model.cells[contract]!.get(`${day} ${slot}`);
  if (cell?.status !== 'valid') return;
  const found = (await transactions(market.contracts[contract]!, day)).find(
    ({ slot_number, status }) => slot_number === slot && status === 'valid',
  );
  assert.ok(found);
  await world.invalidate(found.id);
  model.cells[contract]!.set(`${day} ${slot}`, { ...cell, status: 'invalid' });
}

async function compareDay({ contracts, seller, buyer }: Market, model: Model, day: Day): Promise<void> {
  const saldo = spread(day, []).map(() => 0);
  for (const [contract, id] of contracts.entries()) {
    const found = new Map<string, Cell>();
    for (const { slot_number, volume, version, status, source } of await transactions(id, day)) {
      const before = found.get(`${day} ${slot_number}`);
      assert.equal(version, (before?.version ?? 0) + 1, 'versions have no gaps');
      const isValid = status === 'valid';
      if (isValid) saldo[slot_number - 1]! += kwhOf(volume);
      const cell = { kwh: kwhOf(volume), version, status: isValid ? 'valid' : 'invalid', source } as const;
      found.set(`${day} ${slot_number}`, cell);
    }
    const expected = [...model.cells[contract]!]
      .filter(([key]) => key.startsWith(day))
      .map(
        ([key, cell]) => [key, { ...cell, status: cell.status === 'valid' ? 'valid' : 'invalid' }] as const,
      );
    assert.deepEqual(found, new Map(expected), `${KINDS[contract]} ${day}`);
  }
  // A nomination of the past is too late.
  if (day < EFFECTIVE) return;
  const nominated = async (key: string, direction: 'in' | 'out') => {
    const all = await listNominated(client(platform.baseUrl, key), `&delivery_date=${day}`);
    const current = all.find((one) => one.status !== 'superseded' && one.direction === direction);
    return current ? amountsOf(current) : saldo.map(() => 0);
  };
  assert.deepEqual(await nominated(seller.key, 'out'), saldo);
  assert.deepEqual(await nominated(buyer.key, 'in'), saldo, 'every slot nets to zero');
}

test('volumes equal a model in exact fractions, whatever the order of values, sources, imports, statuses and ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 22 }),
      anySourced,
      async (steps, isSourced) => {
        const model = new Model();
        const market = await makeMarket(model, isSourced);
        for (const one of steps) await take(market, model, one);
        await world.nominate();
        for (const day of DAYS) await compareDay(market, model, day);
      },
    ),
    { numRuns: runs(100) },
  );
});
