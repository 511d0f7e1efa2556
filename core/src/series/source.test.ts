import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { MAX_SLOT_KWH } from '../energy.ts';
import { SOURCE_KINDS } from '../enums.ts';
import { type SourceTerms, shareFromJson, sourceVolumes, WHOLE_SHARE } from './source.ts';
import { MAX_SLOT_WH } from './value.ts';

const anyWh = fc.oneof(
  fc.nat({ max: 3000 }),
  fc.integer({ min: 0, max: MAX_SLOT_WH }),
  fc.constantFrom(0, MAX_SLOT_WH),
);
const anyTerms: fc.Arbitrary<SourceTerms> = fc.record({
  kind: fc.constantFrom(...SOURCE_KINDS),
  shareMillionths: fc.oneof(
    fc.integer({ min: 1, max: WHOLE_SHARE }),
    fc.constantFrom(1, WHOLE_SHARE, 333_333),
  ),
  maxPowerKw: fc.option(fc.oneof(fc.nat({ max: 20 }), fc.integer({ min: 0, max: 999_999_999_999 })), {
    nil: null,
  }),
});
const anyDay = fc.constantFrom(92, 96, 100).chain((slotCount) => {
  const values = fc.option(
    fc.array(fc.option(anyWh, { nil: null }), { minLength: slotCount, maxLength: slotCount }),
    { nil: null },
  );
  return fc.record({ slotCount: fc.constant(slotCount), forecastWh: values, meterWh: values });
});

/** Numerators over 10^9 kWh of the exact energies, and the rounding of the specification, in its own words. */
function model({ shareMillionths, maxPowerKw }: SourceTerms, wh: readonly (number | null)[]) {
  const rounded = (sum: bigint) => (2n * sum + 1_000_000_000n) / 2_000_000_000n;
  let sum = 0n;
  const volumes = wh.map((value) => {
    if (value === null) return null;
    const before = rounded(sum);
    const exact = BigInt(value) * BigInt(shareMillionths);
    const cap = maxPowerKw === null ? null : (BigInt(maxPowerKw) * 1_000_000_000n) / 4n;
    sum += cap !== null && cap < exact ? cap : exact;
    return Number(rounded(sum) - before);
  });
  return { volumes, sum };
}

test('volumes equal exact fractions rounded cumulatively, from the meter where the contract takes it, else the forecast', () => {
  fc.assert(
    fc.property(anyTerms, anyDay, (terms, { slotCount, forecastWh, meterWh }) => {
      const { volumesKwh, origins } = sourceVolumes(terms, { forecastWh, meterWh }, slotCount);
      const expectedOrigins = Array.from({ length: slotCount }, (_, at) => {
        if (terms.kind !== 'forecasted' && meterWh !== null && meterWh[at] !== null) return 'meter';
        return forecastWh !== null && forecastWh[at] !== null ? 'forecast' : null;
      });
      assert.deepEqual(origins, expectedOrigins);
      const wh = expectedOrigins.map((origin, at) =>
        origin === null ? null : (origin === 'meter' ? meterWh : forecastWh)![at]!,
      );
      const { volumes, sum } = model(terms, wh);
      assert.deepEqual(volumesKwh, volumes);
      const total = volumes.reduce<bigint>((all, kwh) => all + BigInt(kwh ?? 0), 0n);
      const error = total * 1_000_000_000n - sum;
      assert.ok(
        error <= 500_000_000n && error >= -500_000_000n,
        'a day is within half a kWh of its exact energy',
      );
      assert.ok(volumesKwh.every((kwh) => kwh === null || (kwh >= 0 && kwh <= MAX_SLOT_KWH)));
    }),
    { numRuns: runs(2000) },
  );
});

test('a gap leaves the sum as it is: the slots around it have the volumes that they have without it', () => {
  fc.assert(
    fc.property(anyTerms, anyDay, (terms, { slotCount, forecastWh }) => {
      if (forecastWh === null) return;
      const withGaps = sourceVolumes(terms, { forecastWh, meterWh: null }, slotCount).volumesKwh;
      const present = forecastWh.filter((wh) => wh !== null);
      const without = sourceVolumes(terms, { forecastWh: present, meterWh: null }, present.length).volumesKwh;
      assert.deepEqual(
        withGaps.filter((kwh) => kwh !== null),
        without,
      );
    }),
  );
});

test('quarter-hours of 600 Wh alternate, a half is rounded up, and the maximum power cuts after the share', () => {
  const whole = { kind: 'produced', shareMillionths: WHOLE_SHARE, maxPowerKw: null } as const;
  const forecastWh = Array.from({ length: 96 }, () => 600);
  const { volumesKwh } = sourceVolumes(whole, { forecastWh, meterWh: null }, 96);
  assert.deepEqual(volumesKwh.slice(0, 6), [1, 0, 1, 0, 1, 1]);
  const half = { ...whole, shareMillionths: 500_000 };
  assert.deepEqual(sourceVolumes(half, { forecastWh: [1000, 1000], meterWh: null }, 2).volumesKwh, [1, 0]);
  const capped = { ...half, maxPowerKw: 4 };
  assert.deepEqual(sourceVolumes(capped, { forecastWh: [2000, 8000], meterWh: null }, 2).volumesKwh, [1, 1]);
});

test('a share is a decimal above 0 and up to 1 with at most six places', () => {
  assert.equal(shareFromJson(1), WHOLE_SHARE);
  assert.equal(shareFromJson(0.000001), 1);
  assert.equal(shareFromJson(0.3), 300_000);
  for (const share of [0, -0.5, 1.000001, 2, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.deepEqual(shareFromJson(share), { key: 'series.share_range' }, String(share));
  }
  for (const share of [0.0000001, 0.3333333, 0.1 + 0.2]) {
    assert.deepEqual(shareFromJson(share), { key: 'series.share_decimals' }, String(share));
  }
});
