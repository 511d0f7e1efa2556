import { assert } from './assert.ts';
import { parseDay } from './delivery-day.ts';
import { checkEic } from './eic.ts';
import { TSOS } from './enums.ts';
import builtIn from './market-rules.json' with { type: 'json' };
import {
  type Dated,
  type GateTimes,
  MAX_DAY_AFTER_DAYS,
  type MarketRules,
  NUMBER_AUTHORITIES,
} from './market-rules.ts';
import { formatMessage } from './messages/message.ts';

export type ParsedRules =
  | { kind: 'ok'; rules: MarketRules }
  /** The message names the place in the file and what it must be. */
  | { kind: 'invalid'; message: string };

const LIMITS = { leadMinutes: 240, daysFromEaster: 180, tagLength: 5, printedLength: 60 };
const TIME_FORM = /^([01]\d|2[0-3]):([0-5]\d)$/;
const MONTH_DAY_FORM = /^\d{2}-\d{2}$/;
const NUMBER_FORM = /^\d{13}$/;
const TAG_FORM = new RegExp(`^[A-Z0-9]{1,${LIMITS.tagLength}}$`);
const MINUTES_OF_DAY = 24 * 60;

/** Parses the text of a file with market rules. Members that are missing or unknown are faults too. */
export function parseMarketRules(text: string): ParsedRules {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason = (error as SyntaxError).message.replaceAll(/\s+/g, ' ');
    return { kind: 'invalid', message: `the file must be JSON (${reason})` };
  }
  return readRules(json);
}

function readRules(json: unknown): ParsedRules {
  try {
    const rules = rulesIn(json, '');
    checkUniqueCodes(rules);
    return { kind: 'ok', rules };
  } catch (error) {
    if (!(error instanceof RuleFault)) throw error;
    return { kind: 'invalid', message: error.message };
  }
}

class RuleFault extends Error {
  constructor(place: string, must: string, was?: unknown) {
    const text = was === undefined ? '' : `, but it was ${printed(was)}`;
    super(`${place === '' ? 'the file' : place} must be ${must}${text}`);
  }
}

function printed(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > LIMITS.printedLength ? `${json.slice(0, LIMITS.printedLength)}…` : json;
}

/** Reads a value of the file. `place` is its path: 'gates[1].day_ahead'. */
type Reader<Value> = (value: unknown, place: string) => Value;
type Readers = Readonly<Record<string, Reader<unknown>>>;
type ReadBy<Members extends Readers> = { -readonly [Name in keyof Members]: ReturnType<Members[Name]> };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberPlace = (place: string, name: string) => {
  const step = /^\w+$/.test(name) ? name : `[${printed(name)}]`;
  return place === '' || step.startsWith('[') ? place + step : `${place}.${step}`;
};

const object =
  <Members extends Readers>(members: Members): Reader<ReadBy<Members>> =>
  (value, place) => {
    const names = Object.keys(members);
    if (!isObject(value)) throw new RuleFault(place, `an object with ${names.join(', ')}`, value);
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name));
    if (unknown !== undefined) {
      throw new RuleFault(memberPlace(place, unknown), `removed: the members are ${names.join(', ')}`);
    }
    const entries = Object.entries(members).map(([name, read]) => {
      if (!Object.hasOwn(value, name)) throw new RuleFault(memberPlace(place, name), 'given');
      return [name, read(value[name], memberPlace(place, name))];
    });
    return Object.fromEntries(entries) as ReadBy<Members>;
  };

/** Names are for the reader of the file only. */
const named =
  <Value>(read: Reader<Value>): Reader<Value[]> =>
  (value, place) => {
    if (!isObject(value)) throw new RuleFault(place, 'an object of names and values', value);
    return Object.entries(value).map(([name, entry]) => read(entry, memberPlace(place, name)));
  };

const orNull =
  <Value>(read: Reader<Value>): Reader<Value | null> =>
  (value, place) =>
    value === null ? null : read(value, place);

const matching =
  (must: string, isRight: (text: string) => boolean): Reader<string> =>
  (value, place) => {
    if (typeof value !== 'string' || !isRight(value)) throw new RuleFault(place, must, value);
    return value;
  };

const wholeNumber =
  (min: number, max: number): Reader<number> =>
  (value, place) => {
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max)
      return value as number;
    throw new RuleFault(place, `a whole number from ${min} to ${max}`, value);
  };

const date = matching('a date such as "2027-04-01"', (text) => parseDay(text) !== null);
/** A day that every year has: not 29 February. */
const isMonthDay = (text: string) => MONTH_DAY_FORM.test(text) && parseDay(`2023-${text}`) !== null;
const monthDay = matching('a month and a day such as "12-25"', isMonthDay);

/** The week before it lies in the same year. */
const laterMonthDay = matching(
  'a month and a day such as "11-23", from "01-08" on',
  (text) => isMonthDay(text) && text >= '01-08',
);

const minutesOfDay: Reader<number> = (value, place) => {
  const [, hours, minutes] = (typeof value === 'string' && TIME_FORM.exec(value)) || [];
  if (hours === undefined) throw new RuleFault(place, 'a local time such as "14:30"', value);
  return Number(hours) * 60 + Number(minutes);
};

const eic =
  (type: 'X' | 'Y', must: string): Reader<string> =>
  (value, place) => {
    if (typeof value !== 'string') throw new RuleFault(place, must, value);
    const fault = checkEic(value);
    if (fault !== null) throw new RuleFault(place, `${must} (${formatMessage(fault, 'en')})`, value);
    if (value.charAt(2) !== type) throw new RuleFault(place, must, value);
    return value;
  };

const authority: Reader<(typeof NUMBER_AUTHORITIES)[number]> = (value, place) => {
  const found = NUMBER_AUTHORITIES.find((known) => known === value);
  if (found === undefined) throw new RuleFault(place, `one of ${NUMBER_AUTHORITIES.join(', ')}`, value);
  return found;
};

const partyNumber = orNull(
  object({ number: matching('13 digits', (text) => NUMBER_FORM.test(text)), authority }),
);

/** A list of rules, each with the first delivery day that it applies to. */
const dated =
  <Members extends Readers, Rule>(
    members: Members,
    ruleOf: (read: ReadBy<Members>, place: string) => Rule,
  ): Reader<Dated<Rule>[]> =>
  (value, place) => {
    if (!Array.isArray(value) || value.length === 0) throw new RuleFault(place, 'a list of entries', value);
    const entry = object({ valid_from: orNull(date), ...members });
    let last: string | null = null;
    return value.map((one: unknown, at) => {
      const entryPlace = `${place}[${at}]`;
      const read = entry(one, entryPlace);
      const validFrom = read.valid_from as string | null;
      const fromPlace = memberPlace(entryPlace, 'valid_from');
      if (at === 0 && validFrom !== null) {
        throw new RuleFault(fromPlace, 'null in the first entry, so that all days have rules', validFrom);
      }
      if (at > 0 && (validFrom === null || (last !== null && validFrom <= last))) {
        throw new RuleFault(fromPlace, last === null ? 'a date' : `a date after ${printed(last)}`, validFrom);
      }
      last = validFrom;
      return { validFrom, ...ruleOf(read, entryPlace) };
    });
  };

const gates = dated(
  {
    day_ahead: minutesOfDay,
    wait_end: minutesOfDay,
    intraday_lead_minutes: wholeNumber(0, LIMITS.leadMinutes),
    day_after: minutesOfDay,
    day_after_max_days: wholeNumber(1, MAX_DAY_AFTER_DAYS),
  },
  (read, place): GateTimes => {
    if (read.wait_end < read.day_ahead) {
      throw new RuleFault(memberPlace(place, 'wait_end'), 'a time not before day_ahead');
    }
    if (read.wait_end > MINUTES_OF_DAY - read.intraday_lead_minutes) {
      throw new RuleFault(memberPlace(place, 'wait_end'), 'a time before the first intraday gate');
    }
    return {
      dayAheadMinutes: read.day_ahead,
      waitEndMinutes: read.wait_end,
      intradayLeadMinutes: read.intraday_lead_minutes,
      dayAfterMinutes: read.day_after,
      dayAfterMaxDays: read.day_after_max_days,
    };
  },
);

const holidays = dated(
  {
    yearly: named(monthDay),
    days_from_easter: named(wholeNumber(-LIMITS.daysFromEaster, LIMITS.daysFromEaster)),
    weekday_before: named(object({ weekday: wholeNumber(1, 7), before: laterMonthDay })),
    once: named(date),
  },
  ({ yearly, days_from_easter, weekday_before, once }) => ({
    yearly,
    daysFromEaster: days_from_easter,
    weekdayBefore: weekday_before,
    once,
  }),
);

const tsoEntries = dated(
  {
    area: eic('Y', 'the EIC of an area, a Y code'),
    party: eic('X', 'the EIC of a party, an X code'),
    tag: matching(`1 to ${LIMITS.tagLength} of A-Z and 0-9`, (text) => TAG_FORM.test(text)),
    party_number: partyNumber,
  },
  ({ area, party, tag, party_number }) => ({ area, party, tag, partyNumber: party_number }),
);

const operator = dated({ party_number: partyNumber }, ({ party_number }) => ({ partyNumber: party_number }));

const rulesIn: Reader<MarketRules> = (value, place) => {
  const read = object({
    gates,
    holidays,
    control_areas: object({
      DE_AMPRION: tsoEntries,
      DE_TENNET: tsoEntries,
      DE_TRANSNET_BW: tsoEntries,
      DE_50HERTZ: tsoEntries,
    }),
    operator,
  })(value, place);
  const { control_areas: controlAreas, ...rest } = read;
  return { ...rest, controlAreas };
};

/** A code identifies its TSO on every day, so that an answer is recognised before its day is known. */
function checkUniqueCodes({ controlAreas }: MarketRules): void {
  for (const code of ['area', 'party', 'tag'] as const) {
    const ownerOf = new Map<string, string>();
    for (const tso of TSOS) {
      for (const [at, entry] of controlAreas[tso].entries()) {
        const owner = ownerOf.get(entry[code]) ?? tso;
        if (owner !== tso) {
          const place = `control_areas.${tso}[${at}].${code}`;
          throw new RuleFault(place, `another one than that of ${owner}`, entry[code]);
        }
        ownerOf.set(entry[code], tso);
      }
    }
  }
}

const parsed = readRules(builtIn);
assert(parsed.kind === 'ok', 'the built-in rules are valid');

/** The rules of the German market, which `MARKET_RULES` can replace. */
export const BUILT_IN_RULES: MarketRules = parsed.rules;
