import { type DeliveryDay, slotLabel, TIME_ZONE } from '@saldo/core/delivery-day.ts';
import { formatMw, formatMwh, kwFromKwh } from '@saldo/core/energy.ts';
import type { CsvForm } from '../domain/csv.ts';
import type { DateMark } from '../domain/date-input.ts';
import type { Language } from './languages.ts';

/** European English: day before month, 24 hours. */
const LOCALES: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

const DATE_MARKS: Readonly<Record<Language, DateMark>> = { de: '.', en: '/' };

const DECIMAL_MARKS: Readonly<Record<Language, string>> = { de: ',', en: '.' };

const CSV_FORMS: Readonly<Record<Language, CsvForm>> = { de: 'german', en: 'plain' };

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function bytesText(count: number, write: (value: number) => string): string {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** power;
  return `${write(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${UNITS[power]}`;
}

/** Calls `create` at the first use. All formatters together would take 20 ms at the start of every page. */
function lazy<T extends object>(create: () => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

export type Format = ReturnType<typeof formatOf>;

/** Formats of numbers and times per language. Times are in Berlin time unless marked as UTC. */
export function formatOf(language: Language) {
  const locale = LOCALES[language];
  const numbers = (options: Intl.NumberFormatOptions) => {
    const formatter = lazy(() => new Intl.NumberFormat(locale, options));
    return (value: number | Intl.StringNumericLiteral) => formatter().format(value);
  };
  const threeDecimals = numbers({ minimumFractionDigits: 3, maximumFractionDigits: 3 });
  const signed = numbers({ minimumFractionDigits: 3, maximumFractionDigits: 3, signDisplay: 'exceptZero' });
  const plain = numbers({ maximumFractionDigits: 3 });
  const regions = lazy(() => new Intl.DisplayNames(locale, { type: 'region' }));
  const times = (options: Intl.DateTimeFormatOptions, timeZone = TIME_ZONE) => {
    const formatter = lazy(() => new Intl.DateTimeFormat(locale, { timeZone, ...options }));
    return (instant: number | string) => formatter().format(new Date(instant));
  };
  // A day is not an instant: it is formatted without a time zone conversion.
  const days = (options: Intl.DateTimeFormatOptions) => {
    const write = times(options, 'UTC');
    return (day: DeliveryDay) => write(`${day}T00:00:00Z`);
  };
  const clock: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const date: Intl.DateTimeFormatOptions = { day: '2-digit', month: '2-digit', year: 'numeric' };
  const monthLong = days({ month: 'long', year: 'numeric' });
  const monthShort = days({ month: 'short' });

  return {
    language,
    locale,
    /** The decimal separator for input. */
    decimalMark: DECIMAL_MARKS[language],
    /** What a spreadsheet of the language opens. */
    csvForm: CSV_FORMS[language],
    /** The separator of typed dates. */
    dateMark: DATE_MARKS[language],
    /** Energy, from kWh: `1.234,567`. */
    mwh: (kwh: number) => threeDecimals(formatMwh(kwh)),
    /** A difference of energies, with its sign. */
    mwhSigned: (kwh: number) => signed(formatMwh(kwh)),
    /** The power of a quarter-hour's energy, from kWh. */
    mw: (kwh: number) => threeDecimals(formatMwh(kwFromKwh(kwh))),
    mwSigned: (kwh: number) => signed(formatMwh(kwFromKwh(kwh))),
    /** A power as files carry it, from kW. */
    power: (kw: number) => threeDecimals(formatMw(kw)),
    powerSigned: (kw: number) => signed(formatMwh(kw)),
    /** A number without trailing zeros, such as a plant's power or a chart's scale. */
    number: plain,
    /** A price per MWh. */
    price: numbers({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    /** A country name, from its two-letter code. */
    country: (code: string) => (/^[A-Z]{2}$/.test(code) ? (regions().of(code) ?? code) : code),
    /** A file size, in powers of 1000. */
    bytes: (count: number) => bytesText(count, plain),
    day: days({ weekday: 'short', ...date }),
    dayNumeric: days(date),
    dayShort: days({ weekday: 'short', day: '2-digit', month: '2-digit' }),
    dayLong: days({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
    month: (month: string) => monthLong(`${month}-01`),
    monthShort: (month: string) => monthShort(`${month}-01`),
    date: times(date),
    dateTime: times({ ...date, ...clock }),
    time: times(clock),
    timeWithSeconds: times({ ...clock, second: '2-digit' }),
    utcDateTime: times({ ...date, ...clock }, 'UTC'),
    utcTime: times(clock, 'UTC'),
    slot: slotLabel,
  };
}
