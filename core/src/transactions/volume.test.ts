import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { formatFixed } from '../decimal.ts';
import { MAX_SLOT_KWH, mwhText } from '../energy.ts';
import { formatMessage } from '../messages/message.ts';
import { volumeFaultMessage, volumeFromJson, volumeFromText, volumesFromPower } from './volume.ts';

const kwhValues = fc.integer({ min: 0, max: MAX_SLOT_KWH });

test('every whole number of kWh is read from its number and from its text', () => {
  fc.assert(
    fc.property(kwhValues, (kwh) => {
      assert.equal(volumeFromJson(kwh / 1000), kwh);
      assert.equal(volumeFromText(mwhText(kwh)), kwh);
    }),
    { numRuns: runs(2000) },
  );
  assert.equal(volumeFromJson(MAX_SLOT_KWH / 1000), MAX_SLOT_KWH);
});

test('each fault has its own code', () => {
  assert.equal(volumeFromJson('1.25'), 'not_a_number');
  assert.equal(volumeFromJson(null), 'not_a_number');
  assert.equal(volumeFromJson(-0.001), 'negative');
  assert.equal(volumeFromJson(-1e300), 'negative');
  assert.equal(volumeFromJson(0.0001), 'too_precise');
  assert.equal(volumeFromJson(1e300), 'too_large');
  assert.equal(volumeFromJson((MAX_SLOT_KWH + 1) / 1000), 'too_large');
  assert.ok(Object.is(volumeFromJson(-0), 0));
  for (const text of ['', '-', '.5', '5.', '1,25', '+1', '1e3', ' 1', 'NaN'])
    assert.equal(volumeFromText(text), 'not_a_number', text);
  assert.equal(volumeFromText('-0.5'), 'negative');
  assert.equal(volumeFromText('-99999999999'), 'negative');
  assert.equal(volumeFromText('-0.0'), 0);
  assert.equal(volumeFromText('1.2345'), 'too_precise');
  assert.equal(volumeFromText('1.2500'), 1250);
  assert.equal(volumeFromText('99999999999'), 'too_large');
});

test('volumes of powers sum to the exact energy rounded half up, slot by slot', () => {
  const maxW = MAX_SLOT_KWH * 4000;
  const power = fc.option(
    fc.oneof(
      fc.nat({ max: 10_000 }),
      fc.nat({ max: 1000 }).map((kwh) => kwh * 4000),
      fc.maxSafeNat(),
    ),
  );
  fc.assert(
    fc.property(fc.array(power, { maxLength: 100 }), (given) => {
      const powers = given.map((watts) => (watts === null ? null : watts % (maxW + 1)));
      const volumes = volumesFromPower(powers);
      // W of quarter-hours are 4000ths of a kWh.
      let [exact, rounded] = [0n, 0n];
      for (const [at, watts] of powers.entries()) {
        const kwh = volumes[at]!;
        assert.equal(kwh === null, watts === null);
        if (watts === null) continue;
        exact += BigInt(watts);
        rounded += BigInt(kwh);
        assert.equal(rounded, (2n * exact + 4000n) / 8000n);
        assert.ok(kwh >= 0 && kwh <= MAX_SLOT_KWH);
      }
    }),
    { numRuns: runs(1000) },
  );
});

test('a power is read exactly in MW and kW, from text and JSON', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(), fc.integer({ min: 0, max: MAX_SLOT_KWH * 4000 })), (watts) => {
      for (const [unit, decimals] of [
        ['power_mw', 6],
        ['power_kw', 3],
      ] as const) {
        const text = formatFixed(watts, decimals);
        assert.equal(volumeFromText(text, unit), watts);
        assert.equal(volumeFromJson(Number(text), unit), watts);
      }
    }),
    { numRuns: runs(1000) },
  );
  for (const [text, fault] of [
    ['1.2345', 'too_precise'],
    ['-0.001', 'negative'],
    ['8589934588.001', 'too_large'],
    ['1,5', 'not_a_number'],
  ] as const) {
    assert.equal(volumeFromText(text, 'power_kw'), fault);
    assert.ok(formatMessage(volumeFaultMessage(fault, 'power_kw'), 'de').length > 10);
  }
  assert.equal(volumeFromJson(8_589_934_588.001, 'power_kw'), 'too_large');
  assert.equal(volumeFromText('0.0000005', 'power_mw'), 'too_precise');
});
