import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deviationOf } from './deviation.ts';

test('the deviation of a day counts the slots that have both values', () => {
  assert.deepEqual(deviationOf([1000, 500, null, 0, 800], [900, 700, 50, null, 800]), {
    slotsPresent: 3,
    slotCount: 5,
    forecastWh: 2300,
    meterWh: 2400,
    errorWh: 100,
    absoluteErrorWh: 300,
  });
  assert.deepEqual(deviationOf([null], [null]), {
    slotsPresent: 0,
    slotCount: 1,
    forecastWh: 0,
    meterWh: 0,
    errorWh: 0,
    absoluteErrorWh: 0,
  });
});

test('exchanging forecast and meter turns the sign of the error and nothing else', () => {
  const slot = fc.tuple(fc.option(fc.nat(), { nil: null }), fc.option(fc.nat(), { nil: null }));
  fc.assert(
    fc.property(fc.array(slot, { minLength: 92, maxLength: 100 }), (slots) => {
      const forecast = slots.map(([wh]) => wh);
      const meter = slots.map(([, wh]) => wh);
      const one = deviationOf(forecast, meter);
      const other = deviationOf(meter, forecast);
      assert.equal(one.errorWh, one.meterWh - one.forecastWh);
      assert.equal(one.errorWh + other.errorWh, 0);
      assert.equal(one.absoluteErrorWh, other.absoluteErrorWh);
      assert.ok(one.absoluteErrorWh >= Math.abs(one.errorWh));
    }),
  );
});
