import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, dayStart, TIME_ZONE } from '@saldo/core/delivery-day.ts';
import { LANGUAGES } from '@saldo/core/messages/language.ts';
import { COUNTRIES } from './countries.ts';
import { formatOf } from './format.ts';

/** Two years with their clock changes and a 29 February. */
const DAYS = Array.from({ length: 730 }, (_, at) => addDays('2027-12-20', at));
const DATE = { day: '2-digit', month: '2-digit', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const INSTANTS = DAYS.flatMap((day) =>
  [0, 59_999, 3_599_000, 7_261_000, 11_111_111].map((ms) => dayStart(day) + ms),
);
const NUMBERS = [0, 0.001, 0.5, 1, 12.25, 999.999, 1000, 1234.5, 100_000, 1_234_567.891, 1e9];

for (const language of LANGUAGES) {
  const format = formatOf(language);

  test(`days are written as Intl writes them: ${language}`, () => {
    const forms = {
      day: { weekday: 'short', ...DATE },
      dayNumeric: DATE,
      dayShort: { weekday: 'short', day: '2-digit', month: '2-digit' },
      dayLong: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    } as const;
    for (const [name, options] of Object.entries(forms)) {
      const intl = new Intl.DateTimeFormat(format.locale, { timeZone: 'UTC', ...options });
      for (const day of DAYS)
        assert.equal(format[name as keyof typeof forms](day), intl.format(new Date(`${day}T00:00:00Z`)));
    }
    const months = new Intl.DateTimeFormat(format.locale, {
      timeZone: 'UTC',
      month: 'long',
      year: 'numeric',
    });
    for (const day of DAYS)
      assert.equal(format.month(day.slice(0, 7)), months.format(new Date(`${day}T00:00:00Z`)));
  });

  test(`instants are written as Intl writes them: ${language}`, () => {
    const forms = {
      date: [TIME_ZONE, DATE],
      dateTime: [TIME_ZONE, { ...DATE, ...CLOCK }],
      time: [TIME_ZONE, CLOCK],
      timeWithSeconds: [TIME_ZONE, { ...CLOCK, second: '2-digit' }],
      utcDateTime: ['UTC', { ...DATE, ...CLOCK }],
      utcTime: ['UTC', CLOCK],
    } as const;
    for (const [name, [timeZone, options]] of Object.entries(forms)) {
      const intl = new Intl.DateTimeFormat(format.locale, { timeZone, ...options });
      for (const instant of INSTANTS) {
        const expected = intl.format(new Date(instant));
        assert.equal(format[name as keyof typeof forms](instant), expected);
        assert.equal(format[name as keyof typeof forms](new Date(instant).toISOString()), expected);
      }
    }
  });

  test(`numbers are written as Intl writes them, with a minus sign instead of a hyphen: ${language}`, () => {
    const minus = (text: string) => text.replace('-', '−');
    const fixed = (digits: number, options: Intl.NumberFormatOptions = {}) =>
      new Intl.NumberFormat(format.locale, {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
        ...options,
      });
    const plain = new Intl.NumberFormat(format.locale, { maximumFractionDigits: 3 });
    for (const value of NUMBERS.flatMap((number) => [number, -number])) {
      // Intl writes a negative zero with its sign.
      const exact = value === 0 ? 0 : value;
      assert.equal(format.number(value), minus(plain.format(exact)));
      assert.equal(format.price(value), minus(fixed(2).format(exact)));
      const kwh = Math.round(exact * 1000);
      assert.equal(format.mwh(kwh), minus(fixed(3).format(exact)));
      assert.equal(format.mwhSigned(kwh), minus(fixed(3, { signDisplay: 'exceptZero' }).format(exact)));
    }
  });

  test(`countries are named as Intl names them: ${language}`, () => {
    const intl = new Intl.DisplayNames(format.locale, { type: 'region' });
    for (const code of [...Object.keys(COUNTRIES), 'JP']) assert.equal(format.country(code), intl.of(code));
    assert.equal(format.country('Berlin'), 'Berlin');
  });
}
