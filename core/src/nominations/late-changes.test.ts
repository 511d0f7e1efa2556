import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { TSOS } from '../enums.ts';
import { type ContractDay, type PlacedSheet, sendableCells, sendableSaldo } from './late-changes.ts';

const SLOTS = 3;
/** The slots close at these instants; changes are from 0 to 40. */
const CLOSINGS = [10, 20, 30];
/** Two positions in each control area. */
const POSITIONS = TSOS.flatMap((tso) => [tso, tso]);

const anyChange = fc.record({
  contract: fc.nat(4),
  at: fc.integer({ min: 0, max: 40 }),
  slot: fc.integer({ min: 1, max: SLOTS }),
  /** Null invalidates the transaction. */
  kwh: fc.option(fc.nat(9), { nil: null }),
});
const anyContracts = fc.array(
  fc.record({ sender: fc.nat(POSITIONS.length - 1), receiver: fc.nat(POSITIONS.length - 1) }),
  { minLength: 5, maxLength: 5 },
);
type Change = { contract: number; at: number; slot: number; kwh: number | null };
type Parties = { sender: number; receiver: number };

const zeros = () => Array.from<number>({ length: SLOTS }).fill(0);

/** Applies the changes one after the other, as the store would. */
function storedDays(contracts: readonly Parties[], changes: readonly Change[]): ContractDay[] {
  const days = contracts.map(() => ({
    sheets: [] as PlacedSheet[],
    invalidated: [] as { revision: number; slot: number; invalidatedAt: number }[],
  }));
  for (const { contract, at, slot, kwh } of changes) {
    const { sheets, invalidated } = days[contract]!;
    const { sender, receiver } = contracts[contract]!;
    const newest = sheets.findLast(({ volumes }) => volumes[slot - 1] !== null);
    if (kwh === null && newest) invalidated.push({ revision: newest.revision, slot, invalidatedAt: at });
    if (kwh === null) continue;
    sheets.push({
      revision: sheets.length + 1,
      createdAt: at,
      volumes: Array.from({ length: SLOTS }, (_, index) => (index === slot - 1 ? kwh : null)),
      senderPosition: sender,
      receiverPosition: receiver,
      senderTso: POSITIONS[sender]!,
      receiverTso: POSITIONS[receiver]!,
    });
  }
  return days;
}

/** The model: volumes of now, and volumes as they were when their slot closed. */
function simulate(changes: readonly Change[]) {
  const now = Array.from({ length: 5 }, zeros);
  const closed = Array.from({ length: 5 }, zeros);
  for (const { contract, at, slot, kwh } of changes) {
    now[contract]![slot - 1] = kwh ?? 0;
    if (at < CLOSINGS[slot - 1]!) closed[contract]![slot - 1] = kwh ?? 0;
  }
  return { now, closed };
}

const saldosOf = (contracts: readonly Parties[], volumeOf: (contract: number, at: number) => number) => {
  const saldos = POSITIONS.map(zeros);
  for (const [contract, { sender, receiver }] of contracts.entries()) {
    for (let at = 0; at < SLOTS; at++) {
      saldos[sender]![at]! += volumeOf(contract, at);
      saldos[receiver]![at]! -= volumeOf(contract, at);
    }
  }
  return saldos;
};

test('in random histories changes within an area always count, others only before the closing of their slot', () => {
  fc.assert(
    fc.property(anyContracts, fc.array(anyChange, { maxLength: 25 }), (contracts, unordered) => {
      const changes = unordered.toSorted((one, other) => one.at - other.at);
      const { now, closed } = simulate(changes);
      const isWithinArea = ({ sender, receiver }: Parties) => POSITIONS[sender] === POSITIONS[receiver];
      const saldos = saldosOf(contracts, (contract, at) => now[contract]![at]!);
      const expected = saldosOf(
        contracts,
        (contract, at) => (isWithinArea(contracts[contract]!) ? now : closed)[contract]![at]!,
      );
      const days = storedDays(contracts, changes);
      const total = zeros();
      const ofAreas = new Map(TSOS.map((tso) => [tso, zeros()]));
      for (const [position, tso] of POSITIONS.entries()) {
        const sendable = sendableSaldo(saldos[position]!, position, days, CLOSINGS);
        assert.deepEqual(sendable, expected[position]);
        for (const [at, kwh] of sendable.entries()) {
          total[at]! += kwh;
          ofAreas.get(tso)![at]! += kwh;
        }
      }
      assert.deepEqual(total, zeros(), 'over all positions every slot nets to zero');
      const atClosing = saldosOf(contracts, (contract, at) => closed[contract]![at]!);
      for (const [tso, area] of ofAreas) {
        for (const [at, kwh] of area.entries()) {
          const frozen = atClosing.reduce(
            (sum, saldo, no) => sum + (POSITIONS[no] === tso ? saldo[at]! : 0),
            0,
          );
          assert.equal(kwh, frozen, 'the saldo of an area stays as it was at the closing');
        }
      }
    }),
    { numRuns: runs(1000) },
  );
});

const sheet = (createdAt: number, kwh: number, parties: Partial<PlacedSheet> = {}): PlacedSheet => ({
  revision: createdAt,
  createdAt,
  volumes: [kwh],
  senderPosition: 1,
  receiverPosition: 2,
  senderTso: 'DE_AMPRION',
  receiverTso: 'DE_TENNET',
  ...parties,
});
const counted = (sheets: PlacedSheet[], invalidated: ContractDay['invalidated'] = []) =>
  sendableCells({ sheets, invalidated }, [10])[0]?.sheet.createdAt ?? null;

test('a change at the instant of the closing is late, one before it is in time', () => {
  assert.equal(counted([sheet(1, 5), sheet(9, 6)]), 9);
  assert.equal(counted([sheet(1, 5), sheet(10, 6)]), 1);
  assert.equal(counted([sheet(10, 6)]), null, 'a first volume too');
});

test('a late change back to the volume of the closing counts again', () => {
  assert.equal(counted([sheet(1, 5), sheet(11, 6), sheet(12, 5)]), 12);
});

test('a late invalidation does not count between areas', () => {
  const invalidatedAt = (instant: number) => [{ revision: 1, slot: 1, invalidatedAt: instant }];
  assert.equal(counted([sheet(1, 5)], invalidatedAt(9)), null);
  assert.equal(counted([sheet(1, 5)], invalidatedAt(10)), 1);
});

test('a late change of parties counts if every control area keeps its saldo', () => {
  assert.equal(counted([sheet(1, 5), sheet(11, 5, { senderPosition: 3 })]), 11);
  assert.equal(counted([sheet(1, 5), sheet(11, 5, { senderTso: 'DE_50HERTZ' })]), 1);
  const within = { receiverTso: 'DE_AMPRION' } as const;
  assert.equal(counted([sheet(1, 5), sheet(11, 5, within)]), 1);
  assert.equal(counted([sheet(1, 5, within), sheet(11, 7, within)]), 11);
});
