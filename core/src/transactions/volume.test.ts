import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { MAX_SLOT_KWH, mwhText } from '../energy.ts';
import { volumeFromJson, volumeFromText } from './volume.ts';

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
