import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type DeliveryDay, formatInstant } from './delivery-day.ts';
import { checkEic } from './eic.ts';
import { TSOS } from './enums.ts';
import { gatesOf } from './gates.ts';
import builtIn from './market-rules.json' with { type: 'json' };
import {
  controlAreas,
  type Dated,
  findAreaByParty,
  inForce,
  type MarketRules,
  tsoCodes,
} from './market-rules.ts';
import { BUILT_IN_RULES, parseMarketRules } from './market-rules-file.ts';

const anyDay = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01', days));

function parsed(file: unknown): MarketRules {
  const result = parseMarketRules(JSON.stringify(file));
  assert.ok(result.kind === 'ok', JSON.stringify(result));
  return result.rules;
}

function refusal(file: unknown): string {
  const result = parseMarketRules(typeof file === 'string' ? file : JSON.stringify(file));
  assert.ok(result.kind === 'invalid', 'the file was accepted');
  return result.message;
}

const [before, since] = builtIn.gates;
const [amprion] = builtIn.control_areas.DE_AMPRION;
const [holidays] = builtIn.holidays;
assert.ok(before && since && amprion && holidays);

test('the rule in force is the newest that starts on or before the day', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyDay, { maxLength: 6 }), anyDay, (starts, day) => {
      const entries: Dated<{ number: number }>[] = [null, ...starts.toSorted()].map((validFrom, number) => ({
        validFrom,
        number,
      }));
      const expected = starts.filter((start) => start <= day).length;
      assert.equal(inForce(entries, day).number, expected);
    }),
  );
});

test('the built-in rules have the codes of all TSOs in their order, and the known numbers', () => {
  const areas = controlAreas(BUILT_IN_RULES, '2026-11-15');
  assert.deepEqual(
    areas.map(({ tso }) => tso),
    [...TSOS],
  );
  for (const { area, party } of areas) assert.deepEqual([checkEic(area), checkEic(party)], [null, null]);
  assert.deepEqual(
    areas.map(({ partyNumber }) => partyNumber && `${partyNumber.authority} ${partyNumber.number}`),
    [null, 'GS1 4033872000058', 'BDEW 9911835000001', null],
  );
});

test('the wait phase ended at 18:00 until June 2024, and ends at 16:00 since', () => {
  const waitEnd = (day: DeliveryDay) => formatInstant(gatesOf(day, BUILT_IN_RULES).waitEnd);
  assert.equal(waitEnd('2024-06-13'), '2024-06-12T16:00:00Z');
  assert.equal(waitEnd('2024-06-14'), '2024-06-13T14:00:00Z');
});

test('a gate that changes on a date applies to the delivery days from that date on', () => {
  const rules = parsed({
    ...builtIn,
    gates: [before, since, { ...since, valid_from: '2027-04-01', day_ahead: '14:00' }],
  });
  const dayAhead = (day: DeliveryDay) => formatInstant(gatesOf(day, rules).dayAhead);
  assert.equal(dayAhead('2027-03-31'), '2027-03-30T12:30:00Z');
  assert.equal(dayAhead('2027-04-01'), '2027-03-31T12:00:00Z');
});

test('a holiday follows the rules of its own date', () => {
  // 2027-01-04 is a Monday.
  const added = {
    ...holidays,
    valid_from: '2027-01-01',
    yearly: { ...holidays.yearly, 'New Holiday': '01-04' },
  };
  const rules = parsed({ ...builtIn, holidays: [holidays, added] });
  const dayAfter = (day: DeliveryDay) => formatInstant(gatesOf(day, rules).dayAfter);
  assert.equal(dayAfter('2027-01-03'), '2027-01-05T15:00:00Z', 'Monday is a holiday');
  assert.equal(dayAfter('2026-01-03'), '2026-01-05T15:00:00Z', 'not a holiday in the year before');
  const ended = { ...holidays, valid_from: '2027-01-01', yearly: {} };
  assert.equal(
    formatInstant(gatesOf('2026-12-31', parsed({ ...builtIn, holidays: [holidays, ended] })).dayAfter),
    '2027-01-01T15:00:00Z',
  );
});

test('a TSO is found by any party code that it ever had, and each day uses the code in force', () => {
  const renamed = { ...amprion, valid_from: '2027-04-01', party: '11XNORDWIND----J' };
  const rules = parsed({
    ...builtIn,
    control_areas: { ...builtIn.control_areas, DE_AMPRION: [amprion, renamed] },
  });
  assert.equal(findAreaByParty(rules, '10XDE-RWENET---W')?.tso, 'DE_AMPRION');
  assert.equal(findAreaByParty(rules, '11XNORDWIND----J')?.tso, 'DE_AMPRION');
  assert.equal(findAreaByParty(rules, '11XSALDO-------Z'), null);
  assert.equal(tsoCodes(rules, 'DE_AMPRION', '2027-03-31').party, '10XDE-RWENET---W');
  assert.equal(tsoCodes(rules, 'DE_AMPRION', '2027-04-01').party, '11XNORDWIND----J');
});

test('a wrong file is refused with the place and what it must be', () => {
  const gates = (...changes: object[]) => ({
    ...builtIn,
    gates: [before, ...changes.map((change) => ({ ...since, ...change }))],
  });
  const area = (change: object) => ({
    ...builtIn,
    control_areas: { ...builtIn.control_areas, DE_AMPRION: [{ ...amprion, ...change }] },
  });
  const holiday = (change: object) => ({ ...builtIn, holidays: [{ ...holidays, ...change }] });
  const { DE_50HERTZ: _, ...threeTsos } = builtIn.control_areas;
  const { operator: __, ...withoutOperator } = builtIn;
  const wrong: [unknown, string | RegExp][] = [
    ['', /^the file must be JSON \(Unexpected end of JSON input\)$/],
    ['{\n\n"gates": [,]}', /^the file must be JSON \([^\n]+\)$/],
    ['[]', 'the file must be an object with gates, holidays, control_areas, operator, but it was []'],
    [withoutOperator, 'operator must be given'],
    [
      { ...builtIn, gate: [] },
      'gate must be removed: the members are gates, holidays, control_areas, operator',
    ],
    [{ ...builtIn, gates: [] }, 'gates must be a list of entries, but it was []'],
    [
      { ...builtIn, gates: [since] },
      'gates[0].valid_from must be null in the first entry, so that all days have rules, but it was "2024-06-14"',
    ],
    [gates({ valid_from: null }), 'gates[1].valid_from must be a date, but it was null'],
    [gates({}, {}), 'gates[2].valid_from must be a date after "2024-06-14", but it was "2024-06-14"'],
    [
      gates({ valid_from: '2026-02-30' }),
      'gates[1].valid_from must be a date such as "2027-04-01", but it was "2026-02-30"',
    ],
    [
      gates({ day_ahead: '24:00' }),
      'gates[1].day_ahead must be a local time such as "14:30", but it was "24:00"',
    ],
    [gates({ day_ahead: 870 }), 'gates[1].day_ahead must be a local time such as "14:30", but it was 870'],
    [gates({ wait_end: '14:29' }), 'gates[1].wait_end must be a time not before day_ahead'],
    [gates({ wait_end: '23:46' }), 'gates[1].wait_end must be a time before the first intraday gate'],
    [
      gates({ intraday_lead_minutes: 1.5 }),
      'gates[1].intraday_lead_minutes must be a whole number from 0 to 240, but it was 1.5',
    ],
    [
      gates({ day_after_max_days: 0 }),
      'gates[1].day_after_max_days must be a whole number from 1 to 14, but it was 0',
    ],
    [
      gates({ day_after_days: 3 }),
      /^gates\[1\]\.day_after_days must be removed: the members are valid_from, day_ahead/,
    ],
    [
      holiday({ yearly: { Leap: '02-29' } }),
      'holidays[0].yearly.Leap must be a month and a day such as "12-25", but it was "02-29"',
    ],
    [
      holiday({ yearly: { "New Year's Eve": '12-32' } }),
      /^holidays\[0\]\.yearly\["New Year's Eve"\] must be a month and a day/,
    ],
    [
      holiday({ yearly: ['12-25'] }),
      'holidays[0].yearly must be an object of names and values, but it was ["12-25"]',
    ],
    [
      holiday({ weekday_before: { Day: { weekday: 8, before: '11-23' } } }),
      'holidays[0].weekday_before.Day.weekday must be a whole number from 1 to 7, but it was 8',
    ],
    [
      holiday({ weekday_before: { Day: { weekday: 3, before: '01-07' } } }),
      /^holidays\[0\]\.weekday_before\.Day\.before must be .*from "01-08" on/,
    ],
    [holiday({ once: { Day: '2025-13-01' } }), /^holidays\[0\]\.once\.Day must be a date/],
    [{ ...builtIn, control_areas: threeTsos }, 'control_areas.DE_50HERTZ must be given'],
    [
      { ...builtIn, control_areas: { ...builtIn.control_areas, AT_APG: [] } },
      /^control_areas\.AT_APG must be removed/,
    ],
    [
      area({ party: '10XDE-RWENET---V' }),
      'control_areas.DE_AMPRION[0].party must be the EIC of a party, an X code (The check character of this EIC must be "W", not "V".), but it was "10XDE-RWENET---V"',
    ],
    [
      area({ party: '10YDE-RWENET---I' }),
      'control_areas.DE_AMPRION[0].party must be the EIC of a party, an X code, but it was "10YDE-RWENET---I"',
    ],
    [
      area({ area: null }),
      'control_areas.DE_AMPRION[0].area must be the EIC of an area, a Y code, but it was null',
    ],
    [
      area({ area: '10YDE-EON------1' }),
      'control_areas.DE_TENNET[0].area must be another one than that of DE_AMPRION, but it was "10YDE-EON------1"',
    ],
    [
      area({ tag: 'TTG' }),
      'control_areas.DE_TENNET[0].tag must be another one than that of DE_AMPRION, but it was "TTG"',
    ],
    [
      area({ tag: 'AMPRION' }),
      'control_areas.DE_AMPRION[0].tag must be 1 to 5 of A-Z and 0-9, but it was "AMPRION"',
    ],
    [
      area({ party_number: { number: '123', authority: 'BDEW' } }),
      'control_areas.DE_AMPRION[0].party_number.number must be 13 digits, but it was "123"',
    ],
    [
      area({ party_number: { number: '9911835000001', authority: 'bdew' } }),
      'control_areas.DE_AMPRION[0].party_number.authority must be one of BDEW, GS1, DVGW, but it was "bdew"',
    ],
    [
      { ...builtIn, operator: [{ valid_from: null, party_number: 'x'.repeat(100) }] },
      /^operator\[0\]\.party_number must be an object with number, authority, but it was "x{59}…$/,
    ],
  ];
  for (const [file, expected] of wrong) {
    const message = refusal(file);
    if (typeof expected === 'string') assert.equal(message, expected);
    else assert.match(message, expected);
  }
});

test('no value anywhere in the file is accepted with another type', () => {
  const replaced = (nth: number, value: unknown) => {
    let at = 0;
    const text = JSON.stringify(builtIn, (_, was: unknown) => (at++ === nth ? value : was));
    return { text, count: at };
  };
  const { count } = replaced(-1, null);
  assert.ok(count > 80);
  for (let nth = 0; nth < count; nth++) {
    for (const value of [true, { unexpected: true }, [[]]])
      assert.match(refusal(replaced(nth, value).text), / must be /);
  }
});
