import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mwhText } from '@saldo/core/energy.ts';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { startTestPlatform } from './harness.ts';
import { importing } from './importing.ts';
import type { WorldContract } from './world.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { operator, newContract, send, stored } = await importing(platform);

/** The content of a line, and its fault. An unreadable line has no contract and day. */
type Line = { contract: number; day: string; slot: number; kwh: number; fault: 'none' | 'day' | 'line' };
type Block = { contract: number; day: string; cells: { slot: number; kwh: number }[]; fault: Line['fault'] };
type Counts = { rows: number; created: number; corrected: number; unchanged: number; rejected_days: number };

const DAYS = { '2026-03-29': 92, '2026-10-22': 96, '2026-10-25': 100 };
const CONTRACTS = 3;

const cells = (slots: number) =>
  fc.uniqueArray(
    fc.record({ slot: fc.integer({ min: 1, max: slots }), kwh: fc.integer({ min: 0, max: 3 }) }),
    {
      selector: ({ slot }) => slot,
      minLength: 1,
      maxLength: 5,
    },
  );
const block: fc.Arbitrary<Block> = fc.constantFrom(...Object.entries(DAYS)).chain(([day, slots]) =>
  fc.record({
    contract: fc.nat({ max: CONTRACTS - 1 }),
    day: fc.constant(day),
    cells: cells(slots),
    fault: fc.constantFrom(
      'none' as const,
      'none' as const,
      'none' as const,
      'day' as const,
      'line' as const,
    ),
  }),
);
const files = fc.array(fc.array(block, { maxLength: 12 }), { minLength: 1, maxLength: 3 });

function linesOf(blocks: readonly Block[]): Line[] {
  return blocks.flatMap(({ contract, day, cells: blockCells, fault }) => {
    const lines = blockCells.map((cell): Line => ({ contract, day, ...cell, fault: 'none' }));
    if (fault !== 'none') lines.splice(1, 0, { contract, day, slot: 1, kwh: 0, fault });
    return lines;
  });
}

/** The rules in their simplest form: all volumes written per contract-day and slot, newest last. */
class Model {
  readonly chains = new Map<string, number[]>();

  take(lines: readonly Line[]): Counts {
    const counts = { rows: lines.length, created: 0, corrected: 0, unchanged: 0, rejected_days: 0 };
    const readable = lines.map((line, at) => ({ ...line, at })).filter(({ fault }) => fault !== 'line');
    for (let from = 0; from < readable.length; ) {
      const key = keyOf(readable[from]!);
      let to = from;
      while (to < readable.length && keyOf(readable[to]!) === key) to++;
      const group = readable.slice(from, to);
      const isDouble = new Set(group.map(({ slot }) => slot)).size < group.length;
      const hasGap = group.at(-1)!.at - group[0]!.at >= group.length;
      from = to;
      // The slot of a faulty line does not count: the line rejects the day by itself.
      if (group.some(({ fault }) => fault === 'day') || isDouble || hasGap) counts.rejected_days++;
      else for (const { slot, kwh } of group) this.say(`${key} ${slot}`, kwh, counts);
    }
    return counts;
  }

  /** The contract-days of the lines that have slots without a volume, in no order. */
  incomplete(lines: readonly Line[], names: readonly string[]) {
    const readable = lines.filter(({ fault }) => fault !== 'line');
    return [...new Map(readable.map((line) => [keyOf(line), line])).values()]
      .map(({ contract, day }) => {
        const filled = [...this.chains.keys()].filter((cell) => cell.startsWith(`${contract} ${day} `));
        const missing = DAYS[day as keyof typeof DAYS] - filled.length;
        return { contract: names[contract]!, delivery_date: day, missing };
      })
      .filter(({ missing }) => missing > 0);
  }

  private say(cell: string, kwh: number, counts: Counts): void {
    const chain = this.chains.get(cell) ?? [];
    if (chain.length === 0) counts.created++;
    else if (chain.at(-1) === kwh) counts.unchanged++;
    else counts.corrected++;
    if (chain.at(-1) !== kwh) this.chains.set(cell, [...chain, kwh]);
  }
}

const keyOf = ({ contract, day }: Line) => `${contract} ${day}`;

const csvOf = (lines: readonly Line[], names: readonly string[]) =>
  `slot,volume,delivery_date,contract\n${lines
    .map(({ contract, day, slot, kwh, fault }) =>
      fault === 'line'
        ? 'unreadable'
        : `${slot},${fault === 'day' ? '-1' : mwhText(kwh)},${day},${names[contract]}`,
    )
    .join('\n')}`;
const plainCsvOf = (lines: readonly Line[], names: readonly string[]) =>
  `contract,delivery_date,slot,volume\n${lines
    .map(({ contract, day, slot, kwh, fault }) =>
      fault === 'line'
        ? 'unreadable'
        : `${names[contract]},${day},${slot},${fault === 'day' ? '1.2345' : mwhText(kwh)}`,
    )
    .join('\r\n')}`;
const ndjsonOf = (lines: readonly Line[], names: readonly string[]) =>
  lines
    .map(({ contract, day, slot, kwh, fault }) => {
      if (fault === 'line') return '{"contract":';
      const about = { contract: names[contract], delivery_date: day };
      if (fault === 'day') return JSON.stringify({ ...about, slot: 0, volume: 1 });
      // Every other slot is written as a day whose other slots are null.
      if (slot % 2 === 1) return JSON.stringify({ ...about, slot, volume: kwh / 1000 });
      const volumes: (number | null)[] = Array.from({ length: DAYS[day as keyof typeof DAYS] }, () => null);
      volumes[slot - 1] = kwh / 1000;
      return JSON.stringify({ ...about, volumes });
    })
    .join('\n');

const FORMATS = [
  ['text/csv', csvOf],
  ['text/csv', plainCsvOf],
  ['application/x-ndjson', ndjsonOf],
] as const;

type Transaction = {
  delivery_date: string;
  slot_number: number;
  version: number;
  volume: number;
  status: string;
};

async function chainsOf(contracts: readonly WorldContract[]): Promise<Map<string, number[]>> {
  const chains = new Map<string, number[]>();
  for (const [index, { id }] of contracts.entries()) {
    for (const day of Object.keys(DAYS)) {
      const found: Transaction[] = await stored({ id }, day);
      for (const { slot_number, volume, version, status } of found) {
        const key = `${index} ${day} ${slot_number}`;
        const chain = chains.get(key) ?? [];
        chains.set(key, [...chain, Math.round(volume * 1000)]);
        assert.equal(version, chain.length + 1, 'versions have no gaps');
        const isLast = found.every((other) => other.slot_number !== slot_number || other.version <= version);
        assert.equal(status, isLast ? 'valid' : 'superseded');
      }
    }
  }
  return chains;
}

const inOrder = (days: readonly { contract: string; delivery_date: string }[]) =>
  days.toSorted((one, other) =>
    `${one.contract} ${one.delivery_date}` < `${other.contract} ${other.delivery_date}` ? -1 : 1,
  );

const sorted = (chains: Map<string, number[]>) =>
  [...chains].toSorted(([one], [other]) => (one < other ? -1 : 1));

let tried = 0;
test('random files in every format have the result of the model, cell by cell, and so have dry runs', async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.nat({ max: 2 }), fc.boolean(), async (given, format, byId) => {
      const run = ++tried;
      const contracts: WorldContract[] = [];
      for (let at = 0; at < CONTRACTS; at++) {
        contracts.push(await newContract({ externalId: `MODEL-${run}-${at}` }));
      }
      const names = contracts.map(({ id }, at) => (byId ? id : `MODEL-${run}-${at}`));
      const model = new Model();
      for (const [at, blocks] of given.entries()) {
        const [type, write] = FORMATS[(format + at) % FORMATS.length]!;
        const lines = linesOf(blocks);
        const body = write(lines, names);
        if (body === '') continue;
        const expected = model.take(lines);
        for (const query of ['?dry_run=true', '']) {
          const answer = await send(type, body, { query });
          assert.equal(answer.status, 200, answer.text);
          const { rows, created, corrected, unchanged, rejected_days } = answer.body;
          assert.deepEqual({ rows, created, corrected, unchanged, rejected_days }, expected, body);
          const { count, days } = answer.body.incomplete_days;
          assert.equal(count, days.length);
          assert.deepEqual(inOrder(days), inOrder(model.incomplete(lines, names)), body);
        }
      }
      assert.deepEqual(sorted(await chainsOf(contracts)), sorted(model.chains));
    }),
    { numRuns: runs(40) },
  );
});

test('concurrent imports and single days neither lose nor duplicate anything, in any order', async () => {
  const contracts: WorldContract[] = [];
  for (let at = 0; at < 40; at++) {
    contracts.push(await newContract({ externalId: `RACE-${at}` }));
  }
  const days = Array.from({ length: 20 }, (_, at) => `2026-06-${String(at + 1).padStart(2, '0')}`);
  const pairs = contracts.flatMap(({ id }) => days.map((day) => ({ id, day })));
  const file = (kwh: number, list: typeof pairs) =>
    list
      .map(({ id, day }) => {
        const volumes = Array.from({ length: 96 }, () => kwh / 1000);
        return `${JSON.stringify({ contract: id, delivery_date: day, volumes })}\n`;
      })
      .join('');
  const writers = 4;
  const orders = [pairs, pairs.toReversed(), pairs.toSorted((a, b) => (a.day < b.day ? -1 : 1)), pairs];
  const single = contracts.slice(0, 10).map(({ id }) =>
    operator.put(`/operator/v1/contracts/${id}/days/2026-06-10`, {
      volumes: Array.from({ length: 96 }, () => 0.009),
    }),
  );
  const imports = orders.map((list, at) => send('application/x-ndjson', file(at + 1, list)));
  const [answers, puts] = [await Promise.all(imports), await Promise.all(single)];
  for (const answer of [...answers, ...puts]) assert.equal(answer.status, 200, answer.text);
  const total = (name: string) => [...answers, ...puts].reduce((sum, { body }) => sum + body[name], 0);
  assert.equal(total('created'), pairs.length * 96);
  assert.equal(total('corrected'), pairs.length * 96 * (writers - 1) + 10 * 96);
  assert.equal(total('unchanged'), 0);
  for (const { id, day } of pairs.filter((_, at) => at % 37 === 0)) {
    const all: Transaction[] = await stored({ id }, day);
    const valid = all.filter(({ status }) => status === 'valid');
    assert.equal(valid.length, 96);
    assert.equal(new Set(valid.map(({ volume }) => volume)).size, 1, 'a day is from one import');
    assert.equal(all.length % 96, 0);
  }
});
