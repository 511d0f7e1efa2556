import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { MAX_SLOT_KWH } from '../energy.ts';
import { SOURCE_KINDS } from '../enums.ts';
import {
  type AskedSource,
  checkSource,
  type OwnedSeries,
  type SourcedContract,
  type SourceTerms,
  shareFromJson,
  sourceVolumes,
  WHOLE_SHARE,
} from './source.ts';
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
    assert.deepEqual(shareFromJson(share), { key: 'field.share_range' }, String(share));
  }
  for (const share of [0.0000001, 0.3333333, 0.1 + 0.2]) {
    assert.deepEqual(shareFromJson(share), { key: 'field.max_decimals', max: 6 }, String(share));
  }
});

const ofAsset = (kind: OwnedSeries['kind']): OwnedSeries => ({ kind, ownerType: 'asset', ownerId: 'plant' });
const ofBuyer = (kind: OwnedSeries['kind']): OwnedSeries => ({
  kind,
  ownerType: 'customer',
  ownerId: 'buyer',
});
const produced: SourcedContract = {
  ppaType: 'produced',
  hasProfile: false,
  assetId: 'plant',
  buyerId: 'buyer',
};
const whole: AskedSource = { forecast: ofAsset('forecast'), meter: null, share: 1, maxPowerMw: null };

test('a contract takes the series of its asset, of its buyer, or of either, by its kind', () => {
  const accepted: [string, OwnedSeries][] = [
    ['forecasted', ofAsset('forecast')],
    ['produced', ofAsset('forecast')],
    ['consumed', ofBuyer('forecast')],
    ['indexed', ofAsset('forecast')],
    ['indexed', ofBuyer('forecast')],
  ];
  for (const [ppaType, forecast] of accepted) {
    const decision = checkSource({ ...produced, ppaType }, { ...whole, forecast, maxPowerMw: 1.234 });
    const terms = { kind: ppaType, shareMillionths: WHOLE_SHARE, maxPowerKw: 1234 };
    assert.deepEqual(decision, { kind: 'valid', terms });
  }
  const metered = { ...whole, forecast: null, meter: ofAsset('meter') };
  assert.equal(checkSource(produced, metered).kind, 'valid');
  assert.equal(checkSource(produced, { ...whole, meter: ofAsset('meter') }).kind, 'valid');
});

test('each rule of a source has its own field and sentence', () => {
  const refused: [Partial<SourcedContract>, Partial<AskedSource>, string][] = [
    [{ ppaType: 'baseload' }, {}, 'source field.source_kind'],
    [{ ppaType: null }, {}, 'source field.source_kind'],
    [{ hasProfile: true, ppaType: 'indexed' }, {}, 'source field.source_beside_profile'],
    [{ hasProfile: true, ppaType: 'baseload' }, {}, 'source field.source_beside_profile'],
    [{}, { forecast: null }, 'source field.source_without_series'],
    [{}, { forecast: 'unknown' }, 'source.forecast field.unknown_series'],
    [{}, { forecast: ofAsset('meter') }, 'source.forecast field.source_no_forecast'],
    [{}, { meter: ofAsset('forecast') }, 'source.meter field.source_no_meter'],
    [{ ppaType: 'forecasted' }, { meter: ofAsset('meter') }, 'source.meter field.source_meter_of_forecasted'],
    [{}, { forecast: ofBuyer('forecast') }, 'source.forecast field.source_owner_asset'],
    [{ assetId: null }, {}, 'source.forecast field.source_owner_asset'],
    [{ assetId: 'other' }, {}, 'source.forecast field.source_owner_asset'],
    [{ ppaType: 'consumed' }, {}, 'source.forecast field.source_owner_buyer'],
    [{ ppaType: 'indexed', assetId: 'other' }, {}, 'source.forecast field.source_owner'],
    [{}, { share: 0 }, 'source.share field.share_range'],
    [{}, { share: 0.1234567 }, 'source.share field.max_decimals'],
    [{}, { maxPowerMw: 1.2345 }, 'source.max_power_mw field.max_decimals'],
  ];
  for (const [contract, asked, expected] of refused) {
    const decision = checkSource({ ...produced, ...contract }, { ...whole, ...asked });
    const faults = decision.kind === 'valid' ? [] : decision.faults;
    assert.deepEqual(
      faults.map(({ field, message }) => `${field} ${message.key}`),
      [expected],
    );
  }
  const all = checkSource(produced, { ...whole, forecast: null, share: 2, maxPowerMw: 0.0001 });
  assert.equal(all.kind === 'invalid' && all.faults.length, 3, 'all faults are named at once');
});
