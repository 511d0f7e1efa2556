import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { MAX_SLOT_KWH } from '../energy.ts';
import {
  type Cell,
  type Choice,
  cellAt,
  chain,
  currentVolumes,
  type DayChange,
  invalidate,
  invalidateCell,
  type NewSheet,
  packVolumes,
  reissueDay,
  type Sheet,
  STATUS_BIT,
  type StatusChange,
  statusMask,
  sumValid,
  unfold,
  unpackVolumes,
  writeDay,
} from './sheet.ts';

const SLOTS = 5;

/** Simulates the store: appends the new sheet and replaces statuses. */
function stored(history: Sheet[], sheet: NewSheet | null, changes: StatusChange[]): Sheet[] {
  const updated = history.map((old) => {
    const change = changes.find(({ revision }) => revision === old.revision);
    return change === undefined ? old : { ...old, statuses: change.statuses };
  });
  return sheet === null
    ? updated
    : [...updated, { id: `sheet-${sheet.revision}`, createdAt: sheet.revision, statuses: null, ...sheet }];
}

function write(history: Sheet[], volumes: (number | null)[]): { history: Sheet[]; change: DayChange } {
  const change = writeDay(history, volumes);
  return { history: stored(history, change.sheet, change.superseded), change };
}

function written(...days: (number | null)[][]): Sheet[] {
  return days.reduce<Sheet[]>((history, volumes) => write(history, volumes).history, []);
}

function frozen(history: Sheet[]): Sheet[] {
  for (const sheet of history) {
    for (const array of [sheet.volumes, sheet.statuses, sheet.versions, sheet.previous]) Object.freeze(array);
    Object.freeze(sheet);
  }
  return Object.freeze(history) as Sheet[];
}

/** The same rules in their simplest form: a list of versions per slot. */
class Model {
  revision = 0;
  slots = new Map<number, Cell[]>();

  write(volumes: (number | null)[]): Omit<DayChange, 'sheet' | 'superseded'> {
    const counts = { created: 0, corrected: 0, unchanged: 0 };
    const revision = this.revision + 1;
    for (const [at, volumeKwh] of volumes.entries()) {
      if (volumeKwh === null) continue;
      const slot = at + 1;
      const versions = this.slots.get(slot) ?? [];
      const last = versions.at(-1);
      if (last?.status === 'valid' && last.volumeKwh === volumeKwh) {
        counts.unchanged++;
        continue;
      }
      if (last === undefined) counts.created++;
      else counts.corrected++;
      if (last !== undefined) last.status = 'superseded';
      const cell: Cell = {
        slot,
        version: versions.length + 1,
        status: 'valid',
        volumeKwh,
        revision,
        previousRevision: last?.revision ?? null,
      };
      this.slots.set(slot, [...versions, cell]);
      this.revision = revision;
    }
    return counts;
  }

  invalidate(slots: number[]): void {
    for (const slot of slots) {
      const last = this.slots.get(slot)?.at(-1);
      if (last?.status === 'valid') last.status = 'invalid';
    }
  }

  cells(): Cell[] {
    return Array.from({ length: SLOTS }, (_, at) => this.slots.get(at + 1) ?? []).flat();
  }
}

const anyVolumes = fc.array(fc.option(fc.integer({ min: 0, max: 2 }), { nil: null }), {
  minLength: SLOTS,
  maxLength: SLOTS,
});
const anySlots = fc.array(fc.integer({ min: 1, max: SLOTS }), { maxLength: 3 });
type Operation =
  | { kind: 'write'; volumes: (number | null)[] }
  | { kind: 'invalidate'; slots: number[] }
  | { kind: 'invalidateCell'; pick: number };

const anyOperations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), volumes: anyVolumes }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('invalidate' as const), slots: anySlots }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('invalidateCell' as const), pick: fc.nat() }) },
  ),
  { maxLength: 12 },
);

/** Runs the operations on sheets and on the model, and compares every result. */
function play(operations: Operation[]): { history: Sheet[]; cells: Cell[] } {
  const model = new Model();
  let history: Sheet[] = [];
  for (const operation of operations) {
    frozen(history);
    if (operation.kind === 'write') {
      const { change, history: next } = write(history, operation.volumes);
      const { created, corrected, unchanged, sheet } = change;
      assert.deepEqual({ created, corrected, unchanged }, model.write(operation.volumes));
      assert.equal(sheet === null, created + corrected === 0);
      history = next;
    } else if (operation.kind === 'invalidate') {
      model.invalidate(operation.slots);
      history = stored(history, null, invalidate(history, operation.slots));
    } else {
      const cells = model.cells();
      const cell = cells[operation.pick % cells.length];
      if (cell === undefined) continue;
      const answer = invalidateCell(history, cell.revision, cell.slot);
      if (cell.status === 'valid') model.invalidate([cell.slot]);
      else assert.deepEqual(answer, { kind: 'not_valid', status: cell.status });
      if (answer.kind === 'done') history = stored(history, null, answer.changed);
    }
    assert.deepEqual(unfold(history), model.cells());
  }
  return { history, cells: model.cells() };
}

test('corrections and invalidations never lose, double or change a transaction', () => {
  fc.assert(
    fc.property(anyOperations, (operations) => {
      play(operations);
    }),
    { numRuns: runs(1000) },
  );
});

test('versions count from 1 without a gap, each naming the one before, and only the last is not superseded', () => {
  fc.assert(
    fc.property(anyOperations, (operations) => {
      const { history } = play(operations);
      for (let slot = 1; slot <= SLOTS; slot++) {
        const versions = chain(history, slot);
        for (const [index, cell] of versions.entries()) {
          const older = versions[index + 1];
          assert.equal(cell.version, versions.length - index);
          assert.equal(cell.previousRevision, older?.revision ?? null);
          assert.equal(cell.status === 'superseded', index > 0);
        }
      }
    }),
  );
});

test('the status mask names exactly the statuses in a sheet, also in every change', () => {
  fc.assert(
    fc.property(anyOperations, anyVolumes, (operations, volumes) => {
      const { history } = play(operations);
      for (const sheet of history) {
        const expected = unfold([sheet]).reduce((mask, { status }) => mask | STATUS_BIT[status], 0);
        assert.equal(statusMask(sheet), expected);
      }
      for (const { revision, ...change } of writeDay(history, volumes).superseded) {
        assert.equal(change.statusMask, statusMask({ ...history[revision - 1]!, statuses: change.statuses }));
      }
    }),
  );
});

test('writing the same day twice changes nothing the second time', () => {
  fc.assert(
    fc.property(anyOperations, anyVolumes, (operations, volumes) => {
      const once = write(play(operations).history, volumes);
      const twice = writeDay(once.history, volumes);
      const mentioned = volumes.filter((volume) => volume !== null).length;
      assert.deepEqual(twice, {
        created: 0,
        corrected: 0,
        unchanged: mentioned,
        sheet: null,
        superseded: [],
      });
    }),
  );
});

test('writing back the current volumes changes nothing', () => {
  fc.assert(
    fc.property(anyOperations, (operations) => {
      const { history } = play(operations);
      assert.equal(writeDay(history, currentVolumes(history, SLOTS)).sheet, null);
    }),
  );
});

test('the sum of a day is the sum of its valid transactions, in any order and with either sign', () => {
  fc.assert(
    fc.property(anyOperations, anyOperations, (one, other) => {
      const days = [play(one), play(other)];
      const expected = Array.from<number>({ length: SLOTS }).fill(0);
      for (const { slot, status, volumeKwh } of days.flatMap(({ cells }) => cells)) {
        if (status === 'valid') expected[slot - 1]! += volumeKwh;
      }
      const forth = new Float64Array(SLOTS);
      for (const { history } of days) sumValid(forth, history, 1);
      const back = Array.from<number>({ length: SLOTS }).fill(0);
      for (const { history } of days.toReversed()) sumValid(back, history.toReversed(), 1);
      assert.deepEqual(Array.from(forth), expected);
      assert.deepEqual(back, expected);
      for (const { history } of days) sumValid(forth, history, -1);
      assert.ok(forth.every((kwh) => kwh === 0));
    }),
  );
});

test('the largest volumes are summed exactly', () => {
  const day = written([MAX_SLOT_KWH]);
  const sum = new Float64Array(1);
  for (let count = 0; count < 1000; count++) sumValid(sum, day, 1);
  assert.equal(BigInt(sum[0]!), BigInt(MAX_SLOT_KWH) * 1000n);
});

test('a range of slots is the same part of the whole day', () => {
  const bound = fc.integer({ min: 1, max: SLOTS + 2 });
  fc.assert(
    fc.property(anyOperations, bound, bound, (operations, from, to) => {
      const { history } = play(operations);
      const expected = unfold(history).filter(({ slot }) => slot >= from && slot <= to);
      assert.deepEqual(unfold(history, from, to), expected);
    }),
  );
});

test('transactions come by slot, then version, also when some sheets are left out', () => {
  fc.assert(
    fc.property(anyOperations, fc.func(fc.boolean()), (operations, isKept) => {
      const { history } = play(operations);
      const revisions = new Set(history.map(({ revision }) => revision).filter(isKept));
      const expected = unfold(history).filter(({ revision }) => revisions.has(revision));
      assert.deepEqual(unfold(history.filter(({ revision }) => revisions.has(revision))), expected);
    }),
  );
});

test('a first import and later additions store no arrays of defaults', () => {
  const first = writeDay([], [1, 2, null]);
  assert.deepEqual(first.sheet, { revision: 1, volumes: [1, 2, null], versions: null, previous: null });
  const addition = writeDay(written([1, 2, null]), [null, 2, 7]);
  assert.deepEqual(addition.sheet, { revision: 2, volumes: [null, null, 7], versions: null, previous: null });
  assert.deepEqual(addition.superseded, []);
});

test('a correction has the changed cells only and supersedes them in their sheets', () => {
  assert.deepEqual(writeDay(written([1, 2, null]), [1, 5, 7]), {
    created: 1,
    corrected: 1,
    unchanged: 1,
    sheet: { revision: 2, volumes: [null, 5, 7], versions: [0, 2, 1], previous: [null, 1, null] },
    superseded: [{ revision: 1, statuses: [0, 2, 0], statusMask: STATUS_BIT.valid | STATUS_BIT.superseded }],
  });
});

test('a correction of cells from several sheets changes them all, by revision', () => {
  const { superseded } = writeDay(written([null, 1, 1], [1, null, null], [null, null, 2]), [3, 3, 3]);
  assert.deepEqual(
    superseded.map(({ revision }) => revision),
    [1, 2, 3],
  );
});

test('repeating the volume of an invalid transaction creates a valid new version', () => {
  const day = written([4]);
  const invalid = stored(day, null, invalidate(day, [1]));
  assert.deepEqual(currentVolumes(invalid, 1), [null]);
  const { history, change } = write(invalid, [4]);
  assert.equal(change.corrected, 1);
  assert.deepEqual(
    chain(history, 1).map(({ version, status }) => [version, status]),
    [
      [2, 'valid'],
      [1, 'superseded'],
    ],
  );
});

test('an empty day and a day of nulls change nothing', () => {
  const nothing = { created: 0, corrected: 0, unchanged: 0, sheet: null, superseded: [] };
  assert.deepEqual(writeDay([], [null, null]), nothing);
  assert.deepEqual(writeDay(written([1, 2]), [null, null]), nothing);
  assert.deepEqual(invalidate([], [1, 2]), []);
  assert.deepEqual(unfold([]), []);
});

test('invalidating slots without a valid transaction changes nothing', () => {
  const day = written([1, null]);
  assert.deepEqual(invalidate(day, [2, 99]), []);
  const invalid = stored(day, null, invalidate(day, [1, 1]));
  assert.deepEqual(invalidate(invalid, [1]), []);
  assert.deepEqual(invalidateCell(invalid, 1, 1), { kind: 'not_valid', status: 'invalid' });
});

test('a slot without a volume is no transaction', () => {
  const [sheet] = written([1, null]);
  assert.equal(cellAt(sheet!, 2), null);
  assert.equal(cellAt(sheet!, 3), null);
  assert.throws(() => invalidateCell([sheet!], 1, 2));
  assert.throws(() => invalidateCell([sheet!], 2, 1));
});

test('sheets that are superseded as a whole may be missing in a history, and change nothing', () => {
  const anyChoice = fc.tuple(fc.constantFrom('valid', 'any'), fc.constantFrom(0, SLOTS));
  fc.assert(
    fc.property(anyOperations, anyVolumes, anyChoice, (operations, volumes, [status, omitted]) => {
      const { history } = play(operations);
      const rest = history.filter((sheet) => statusMask(sheet) !== STATUS_BIT.superseded);
      const isChosen: Choice = (_holder, slot, actual) =>
        slot !== omitted && (status === 'any' || status === actual);
      assert.deepEqual(writeDay(rest, volumes), writeDay(history, volumes));
      assert.deepEqual(reissueDay(rest, isChosen), reissueDay(history, isChosen));
    }),
    { numRuns: runs(1000) },
  );
});

test('a broken history or an impossible volume is a programming error', () => {
  const day = written([1, 2], [3, null]);
  assert.throws(() => writeDay(day.toReversed(), [1, 2]));
  assert.throws(() => writeDay(day, [1, 2, 3]));
  assert.throws(() => sumValid(new Float64Array(3), day, 1));
  for (const volume of [-1, 0.5, Number.NaN, MAX_SLOT_KWH + 1]) assert.throws(() => writeDay([], [volume]));
});

/** The largest volume in two bytes, which also have a mark for no volume. */
const NARROW_KWH = 65_534;

test('packed volumes of any size are unpacked unchanged', () => {
  const edges = fc.constantFrom(0, 255, 256, 32_767, 32_768, NARROW_KWH, NARROW_KWH + 1, MAX_SLOT_KWH);
  const small = fc.nat({ max: NARROW_KWH });
  const day = (volume: fc.Arbitrary<number>) => fc.array(fc.option(volume), { maxLength: 100 });
  fc.assert(
    fc.property(fc.oneof(day(small), day(edges), day(fc.nat({ max: MAX_SLOT_KWH }))), (volumes) => {
      assert.deepEqual(unpackVolumes(packVolumes(volumes)), volumes);
    }),
  );
});

test('a cell takes two bytes, and four only in a sheet that has a volume too large for two', () => {
  const sizeWith = (volume: number | null) => packVolumes([...Array<number>(95).fill(1), volume]).length;
  for (const volume of [0, null, 32_768, NARROW_KWH]) assert.equal(sizeWith(volume), 1 + 96 * 2);
  for (const volume of [NARROW_KWH + 1, MAX_SLOT_KWH]) assert.equal(sizeWith(volume), 1 + 96 * 4);
});

test('bytes that are no packed volumes are rejected', () => {
  for (const bytes of [[], [0, 1], [3, 0, 0, 1]]) assert.throws(() => unpackVolumes(Uint8Array.from(bytes)));
});

test('a single element stands for equal ones', () => {
  const slots = (values: (number | null)[] | null) =>
    values?.length === 1 ? Array.from<number | null>({ length: SLOTS }).fill(values[0]!) : values;
  const long = (sheet: Sheet): Sheet => ({
    ...sheet,
    statuses: slots(sheet.statuses) as number[] | null,
    versions: slots(sheet.versions) as number[] | null,
    previous: slots(sheet.previous),
  });
  const volumes = fc.array(fc.option(fc.nat(3)), { minLength: SLOTS, maxLength: SLOTS });
  fc.assert(
    fc.property(fc.array(volumes, { minLength: 1, maxLength: 5 }), volumes, (days, next) => {
      const history = written(...days);
      const longHistory = history.map(long);
      assert.deepEqual(unfold(longHistory), unfold(history));
      assert.deepEqual(writeDay(longHistory, next), writeDay(history, next));
      assert.deepEqual(longHistory.map(statusMask), history.map(statusMask));
      const [sums, longSums] = [new Float64Array(SLOTS), new Float64Array(SLOTS)];
      sumValid(sums, history, 1);
      sumValid(longSums, longHistory, 1);
      assert.deepEqual(longSums, sums);
    }),
  );
  const [first, second] = written([1, 1, 1, null, 1], [2, 2, 2, null, 2]);
  assert.deepEqual([first?.statuses, second?.versions, second?.previous], [[2], [2], [1]]);
});
