import { test } from 'node:test';
import { brpEndpoints, type NominationMismatch, operatorEndpoints } from '@saldo/api';
import { dayStart, formatInstant, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { type Answers, find, findText, listOf, show } from '../../test/components.ts';

// 14 January, 8:45 in Berlin: the day-ahead gate of the 15th closes at 14:30.

const calendarOf = (day: string) => ({
  ...(brpEndpoints.getDeliveryDay.example.response as object),
  slots: Array.from({ length: 96 }, (_, at) => ({
    slot_number: at + 1,
    delivery_start: formatInstant(slotStart(day, at + 1)),
    delivery_end: formatInstant(slotStart(day, at + 1) + SLOT_MS),
  })),
  gates: [
    ['day_ahead', dayStart(day) - 9.5 * 3_600_000],
    ['wait', dayStart(day) - 8 * 3_600_000],
    ['intraday', slotStart(day, 96) - 900_000],
    ['day_after', dayStart(day) + 40 * 3_600_000],
  ].map(([phase, at]) => ({ phase, closes_at: formatInstant(at as number), open: true })),
});

const { mismatches } = operatorEndpoints.listMismatches.example.response as {
  mismatches: NominationMismatch[];
};

/** A mismatch in this slot on each of the days, and a pending nomination on the day `nominated`. */
function answersOf(days: readonly string[], nominated: string, slot_number = 61): Answers {
  const found = mismatches.map((mismatch) => ({
    ...mismatch,
    slots: mismatch.slots.map((slot) => ({ ...slot, slot_number })),
  }));
  const slots = [
    { delivery_start: formatInstant(dayStart(nominated)), slot_number: 1, amount: 1, matched_amount: null },
  ];
  const calendars = days.map((day) => [`GET /operator/v1/delivery-days/${day}`, calendarOf(day)]);
  return {
    ...Object.fromEntries(calendars),
    'GET /operator/v1/nominations': listOf(brpEndpoints.listNominations, 'nominations', [
      { id: 'nom_1', slots },
    ]),
    'GET /operator/v1/exchange/mismatches': ({ url }: { url: URL }) =>
      listOf(
        operatorEndpoints.listMismatches,
        'mismatches',
        days.includes(url.searchParams.get('delivery_date') ?? '') ? found : [],
      ),
  };
}

for (const [title, days, slot, opened] of [
  ['tomorrow, when today has none', ['2026-01-15', '2026-01-16'], 1, '15/01/2026'],
  ['today, if its quarter-hour closes at 14:15', ['2026-01-14', '2026-01-15'], 59, '14/01/2026'],
  ['tomorrow, if that of today closes at 14:45', ['2026-01-14', '2026-01-15'], 61, '15/01/2026'],
  ['tomorrow, when all gates of an earlier day have closed', ['2026-01-09', '2026-01-15'], 1, '15/01/2026'],
] as const)
  test(`mismatches open on the most urgent day: ${title}`, () =>
    show('/operator/mismatches', { role: 'operator', answers: answersOf(days, '2026-01-15', slot) }, () =>
      findText(new RegExp(`Balance groups on \\w+, ${opened}`)),
    ));

test('every day with a nomination has a row', () =>
  show('/operator/mismatches', { role: 'operator', answers: answersOf([], '2026-02-03') }, () =>
    find('main [role=application]', /^Deviations from Thu, 08\/01\/2026 to Tue, 03\/02\/2026/),
  ));
