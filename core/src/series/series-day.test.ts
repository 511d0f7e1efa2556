import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { packVolumes, unpackVolumes } from '../transactions/sheet.ts';
import { type SeriesRevision, valuesAsOf, versionsOfSlot, writeValues } from './series-day.ts';
import { MAX_SLOT_WH } from './value.ts';

const SLOTS = 4;
const anyValues = fc.array(fc.option(fc.constantFrom(0, 1, 2, MAX_SLOT_WH), { nil: null }), {
  minLength: SLOTS,
  maxLength: SLOTS,
});

/** The values of a series' day in their simplest form: per slot every version with the time of its arrival. */
type Model = { wh: number; at: number }[][];

test('values make versions: a new one is created, another one corrected, the same one unchanged, at any instant', () => {
  fc.assert(
    fc.property(fc.array(anyValues, { maxLength: 8 }), (deliveries) => {
      const model: Model = Array.from({ length: SLOTS }, () => []);
      const history: SeriesRevision[] = [];
      for (const [index, values] of deliveries.entries()) {
        const expected = { created: 0, corrected: 0, unchanged: 0 };
        for (const [at, wh] of values.entries()) {
          const newest = model[at]!.at(-1);
          if (wh === null) continue;
          if (newest?.wh === wh) expected.unchanged++;
          else expected[newest === undefined ? 'created' : 'corrected']++;
          if (newest?.wh !== wh) model[at]!.push({ wh, at: 10 * index });
        }
        const { next, ...counts } = writeValues(history, values);
        assert.deepEqual(counts, expected);
        assert.equal(next === null, expected.created + expected.corrected === 0);
        if (next === null) continue;
        assert.equal(next.revision, history.length + 1);
        assert.deepEqual(unpackVolumes(packVolumes(next.valuesWh)), next.valuesWh);
        history.push({ ...next, createdAt: 10 * index });
      }
      for (const instant of [-1, 0, 5, 10, 35, 70, 1000]) {
        const expected = model.map((versions, at) => {
          const known = versions.filter((version) => version.at <= instant);
          return known.length === 0 ? null : { slot: at + 1, wh: known.at(-1)!.wh, version: known.length };
        });
        assert.deepEqual(valuesAsOf(history, SLOTS, instant), expected);
      }
      for (const [at, versions] of model.entries()) {
        assert.deepEqual(
          versionsOfSlot(history, at + 1),
          versions.map(({ wh }, index) => ({ slot: at + 1, wh, version: index + 1 })).reverse(),
        );
      }
    }),
    { numRuns: runs(2000) },
  );
});
