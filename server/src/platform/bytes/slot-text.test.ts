import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addDays,
  type DeliveryDay,
  formatInstant,
  SLOT_MS,
  slotCount,
  slotStart,
} from '@saldo/core/delivery-day.ts';
import fc from 'fast-check';
import { SlotText } from './slot-text.ts';

/** Summer and winter days, clock-change days, and days in the distant past. */
const days = fc.oneof(
  fc.integer({ min: 0, max: 20_000 }).map((count): DeliveryDay => addDays('2000-01-01', count)),
  fc.constantFrom('2026-03-29', '2026-10-25', '2026-12-31', '2024-02-29', '1892-07-01', '1893-04-01'),
);

test('the members of a slot are its times and number, whatever day was requested before', () => {
  const members = new SlotText('{', ',"volume":1}');
  const asked = fc.array(fc.tuple(days, fc.integer({ min: 1, max: 100 })), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(asked, (slots) => {
      const ofDays = slots.map(([day, wished]) => ({
        slot: Math.min(wished, slotCount(day)),
        ofDay: members.of(day),
      }));
      for (const { slot, ofDay } of ofDays) {
        const start = slotStart(ofDay.day, slot);
        assert.equal(
          Buffer.from(members.bytesAt(ofDay, slot)).toString(),
          `{"delivery_start":"${formatInstant(start)}","delivery_end":"${formatInstant(start + SLOT_MS)}"` +
            `,"slot_number":${slot},"volume":1}`,
        );
      }
    }),
  );
});
