import { formatFixed } from '@saldo/core/decimal.ts';
import {
  type DeliveryDay,
  formatInstant,
  formatLocalTime,
  slotLabel,
  weekday,
} from '@saldo/core/delivery-day.ts';
import { formatMw, formatMwh, formatSlotMwh, kwFromKwh } from '@saldo/core/energy.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { COUNTRIES } from './countries.ts';

/** How a language separates day, month and year in a typed date. */
export type DateMark = '.' | '/';

/** `plain` as in RFC 4180, with decimal points. `german` with semicolons and decimal commas, for a German Excel. */
export type CsvForm = 'plain' | 'german';

/** European English: day before month, 24 hours. */
const LOCALES: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

type Form = {
  readonly decimalMark: string;
  readonly groupMark: string;
  readonly dateMark: DateMark;
  readonly csvForm: CsvForm;
  /** From Monday on. */
  readonly weekdays: readonly string[];
  readonly months: readonly string[];
  readonly dayShort: (weekday: string, date: string) => string;
  readonly day: (weekday: string, date: string) => string;
  readonly dayLong: (weekday: string, day: number, month: string, year: string) => string;
};

/**
 * Numbers and dates as `Intl` writes them. The first uses of `Intl` in a page take 60 ms, half of the time in which the
 * overview is rendered; hence only rare formats use it.
 */
const FORMS: Readonly<Record<Language, Form>> = {
  de: {
    decimalMark: ',',
    groupMark: '.',
    dateMark: '.',
    csvForm: 'german',
    weekdays: ['Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag', 'Sonntag'],
    // biome-ignore format: one line per half of the year
    months: [
      'Januar', 'Februar', 'März', 'April', 'Mai', 'Juni',
      'Juli', 'August', 'September', 'Oktober', 'November', 'Dezember',
    ],
    dayShort: (weekday, date) => `${weekday.slice(0, 2)}., ${date}.`,
    day: (weekday, date) => `${weekday.slice(0, 2)}., ${date}`,
    dayLong: (weekday, day, month, year) => `${weekday}, ${day}. ${month} ${year}`,
  },
  en: {
    decimalMark: '.',
    groupMark: ',',
    dateMark: '/',
    csvForm: 'plain',
    weekdays: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
    // biome-ignore format: one line per half of the year
    months: [
      'January', 'February', 'March', 'April', 'May', 'June',
      'July', 'August', 'September', 'October', 'November', 'December',
    ],
    dayShort: (weekday, date) => `${weekday.slice(0, 3)} ${date}`,
    day: (weekday, date) => `${weekday.slice(0, 3)}, ${date}`,
    dayLong: (weekday, day, month, year) => `${weekday}, ${day} ${month} ${year}`,
  },
};

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function bytesText(count: number, write: (value: number) => string): string {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** power;
  return `${write(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${UNITS[power]}`;
}

/** Calls `create` at the first use. */
function lazy<T extends object>(create: () => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

/** Wh are thousandths of a kWh. */
const formatKwh = (wh: number): `${number}` => formatFixed(wh, 3);

/** A decimal number such as `-1234.500`, with the marks of the language and a minus sign, which is as wide as a plus. */
const withMarks =
  ({ groupMark, decimalMark }: Form) =>
  (text: string): string => {
    const [whole = '', decimals] = text.replace('-', '−').split('.');
    const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, groupMark);
    return decimals === undefined ? grouped : grouped + decimalMark + decimals;
  };

/** `16/11/2026`, and the parts of it, from `2026-11-16`. */
function datesOf({ dateMark, weekdays, months, ...form }: Form) {
  const partsOf = (day: DeliveryDay) => {
    const [year = '', month = '', date = ''] = day.split('-');
    return { year, month, date, weekdayName: weekdays[weekday(day) - 1] ?? '' };
  };
  const numeric = (day: DeliveryDay) => {
    const { year, month, date } = partsOf(day);
    return [date, month, year].join(dateMark);
  };
  return {
    numeric,
    day: (day: DeliveryDay) => form.day(partsOf(day).weekdayName, numeric(day)),
    dayShort: (day: DeliveryDay) => {
      const { weekdayName, month, date } = partsOf(day);
      return form.dayShort(weekdayName, date + dateMark + month);
    },
    dayLong: (day: DeliveryDay) => {
      const { year, month, date, weekdayName } = partsOf(day);
      return form.dayLong(weekdayName, Number(date), months[Number(month) - 1] ?? '', year);
    },
    month: (month: string) => {
      const [year = '', number = ''] = month.split('-');
      return `${months[Number(number) - 1] ?? ''} ${year}`;
    },
  };
}

const CLOCK = 'hh:mm'.length;
const CLOCK_WITH_SECONDS = 'hh:mm:ss'.length;

/** An instant as `2026-11-16` and `14:05:09`, in Berlin time. */
function localParts(instant: number | string): [date: DeliveryDay, clock: string] {
  const at = new Date(instant).getTime();
  const [date = '', clock = ''] = formatLocalTime(at).split(' ');
  // Offsets are whole hours.
  return [date, clock + formatInstant(at).slice(-':ssZ'.length, -1)];
}

function utcParts(instant: number | string): [date: DeliveryDay, clock: string] {
  const [date = '', clock = ''] = formatInstant(new Date(instant).getTime()).split('T');
  return [date, clock];
}

export type Format = ReturnType<typeof formatOf>;

/** Formats of numbers and times per language. Times are in Berlin time unless marked as UTC. */
export function formatOf(language: Language) {
  const locale = LOCALES[language];
  const form = FORMS[language];
  const decimal = withMarks(form);
  const signed = (text: `${number}`) => (Number(text) > 0 ? '+' : '') + decimal(text);
  const number = (value: number) => decimal(String(Number(value.toFixed(3))));
  const dates = datesOf(form);
  const dateTime = ([date, clock]: [DeliveryDay, string]) =>
    `${dates.numeric(date)}, ${clock.slice(0, CLOCK)}`;
  const regions = lazy(() => new Intl.DisplayNames(locale, { type: 'region' }));
  const monthShort = lazy(() => new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' }));

  return {
    language,
    locale,
    /** The decimal separator for input. */
    decimalMark: form.decimalMark,
    /** What a spreadsheet of the language opens. */
    csvForm: form.csvForm,
    /** The separator of typed dates. */
    dateMark: form.dateMark,
    /** Energy, from kWh: `1.234,567`. */
    mwh: (kwh: number) => decimal(formatMwh(kwh)),
    /** A difference of energies, with its sign. */
    mwhSigned: (kwh: number) => signed(formatMwh(kwh)),
    /** The power of a quarter-hour's energy, from kWh. */
    mw: (kwh: number) => decimal(formatMwh(kwFromKwh(kwh))),
    mwSigned: (kwh: number) => signed(formatMwh(kwFromKwh(kwh))),
    /** A power as files carry it, from kW. */
    power: (kw: number) => decimal(formatMw(kw)),
    powerSigned: (kw: number) => signed(formatMwh(kw)),
    /** The energy of a quarter-hour that a TSO confirms to the kW, from kW: `1,750`, or exact as `1,74975`. */
    slotMwh: (kw: number) => decimal(formatSlotMwh(kw)),
    slotMwhSigned: (kw: number) => signed(formatSlotMwh(kw)),
    /** The energy of a quarter-hour as meters send it, from Wh: `1.234,500`. */
    kwh: (wh: number) => decimal(formatKwh(wh)),
    kwhSigned: (wh: number) => signed(formatKwh(wh)),
    /** A share up to 1 with at most six decimals, exact: `33,3333 %`. */
    percent: (share: number) => `${decimal(String(Number((share * 100).toFixed(4))))} %`,
    /** A number without trailing zeros, such as a plant's power or a chart's scale. */
    number,
    /** A price per MWh. */
    price: (value: number) => decimal(value.toFixed(2)),
    /** A country name, from its two-letter code. */
    country: (code: string) =>
      COUNTRIES[code]?.[language] ?? (/^[A-Z]{2}$/.test(code) ? (regions().of(code) ?? code) : code),
    /** A file size, in powers of 1000. */
    bytes: (count: number) => bytesText(count, number),
    day: dates.day,
    dayNumeric: dates.numeric,
    dayShort: dates.dayShort,
    dayLong: dates.dayLong,
    month: dates.month,
    monthShort: (month: string) => monthShort().format(new Date(`${month}-01T00:00:00Z`)),
    date: (instant: number | string) => dates.numeric(localParts(instant)[0]),
    dateTime: (instant: number | string) => dateTime(localParts(instant)),
    time: (instant: number | string) => localParts(instant)[1].slice(0, CLOCK),
    timeWithSeconds: (instant: number | string) => localParts(instant)[1].slice(0, CLOCK_WITH_SECONDS),
    utcDateTime: (instant: number | string) => dateTime(utcParts(instant)),
    utcTime: (instant: number | string) => utcParts(instant)[1].slice(0, CLOCK),
    slot: slotLabel,
  };
}
