import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { slotCount } from '../delivery-day.ts';
import { TSOS } from '../enums.ts';
import { tsoCodes } from '../market-rules.ts';
import { BUILT_IN_RULES as rules } from '../market-rules-file.ts';
import { formatMessage } from '../messages/message.ts';
import { readDocumentInSteps } from './documents/read-document.ts';
import { writeSchedule } from './documents/write-document.ts';
import { ownSchedule } from './own-schedule.ts';
import { buildSchedules, type NominatedPosition, type Schedule, type Series } from './schedule.ts';
import type { ReadSchedule } from './schedule-check.ts';
import { findingOfFault, findingsOf, type RuleInput } from './schedule-rules.ts';
import { type SubmittedFile, submittedFile } from './submitted-file.ts';

const OPERATOR = '11XSALDO-------Z';
const GROUP = '11XNORDWIND----J';
const OTHER = '11XRHEINSTROM--O';
const FORECAST = '11XFC-PROD-----E';
const DAYS = ['2026-03-29', '2026-03-30', '2026-10-25'] as const;
const nothingBefore = { rules, exportedAgainst: null, previous: null, elsewhere: [] };
const FORMATS = ['ess', 'cim'] as const;

type Before = Partial<Pick<RuleInput, 'previous' | 'elsewhere' | 'exportedAgainst'>>;

function read(xml: string): ReadSchedule | string {
  const steps = readDocumentInSteps(new TextEncoder().encode(xml), rules, 'to_check');
  for (;;) {
    const step = steps.next();
    if (!step.done) continue;
    if (step.value.kind === 'unreadable') return findingOfFault(step.value.fault).code;
    assert.ok(step.value.document.kind === 'schedule');
    return step.value.document;
  }
}

/** The codes of all findings, each once. A document that cannot be read has one fault. */
function codesOf(
  xml: string,
  { previous = null, elsewhere = [], exportedAgainst = null }: Before = {},
): string[] {
  const document = read(xml);
  if (typeof document === 'string') return [document];
  const findings = findingsOf({ ...document, rules, exportedAgainst, previous, elsewhere });
  for (const { text } of findings) {
    for (const language of ['en', 'de'] as const)
      assert.doesNotMatch(formatMessage(text, language), /[{}]|undefined|\[object/);
  }
  return [...new Set(findings.map(({ code }) => code))];
}

const written = (schedule: Schedule, format: (typeof FORMATS)[number]) =>
  writeSchedule(schedule, format, Date.parse('2026-03-01T08:00:00Z'));
const checked = (schedule: Schedule, before: Before = {}) => {
  const [ess, cim] = FORMATS.map((format) => codesOf(written(schedule, format), before));
  assert.deepEqual(ess, cim);
  return ess;
};

/** Nominations of four areas that net to zero over all of them. */
const nominated = fc
  .record({
    day: fc.constantFrom(...DAYS),
    kwh: fc.array(fc.nat(5000), { minLength: 100, maxLength: 100 }),
    from: fc.constantFrom(...TSOS),
    to: fc.constantFrom(...TSOS),
  })
  .map(({ day, kwh, from, to }) => {
    const amounts = kwh.slice(0, slotCount(day));
    const positions: NominatedPosition[] = [
      { eic: GROUP, tso: from, outKwh: amounts, inKwh: null },
      { eic: OTHER, tso: to, outKwh: null, inKwh: amounts },
    ];
    return { day, positions };
  });

function operatorSchedules(
  { day, positions }: { day: string; positions: NominatedPosition[] },
  previous: readonly Schedule[] = [],
): Schedule[] {
  const built = buildSchedules({ operatorEic: OPERATOR, day, rules, positions, previous, closedSlots: 0 });
  return built.flatMap((one) => (one.kind === 'schedule' ? [one.schedule] : []));
}

/** The platform's export for a balance group, with the forecast that balances it. */
function balanced(day: string, version = 1): Schedule {
  const tso = 'DE_AMPRION';
  const amountsKwh = Array.from({ length: slotCount(day) }, (_, at) => at * 7 + 1);
  const nomination = { eic: GROUP, tso, direction: 'out', amountsKwh } as const;
  const own = ownSchedule({ eic: GROUP, tso, day, version }, [nomination], OPERATOR, rules);
  const [series] = own.series;
  assert.ok(series);
  const forecast: Series = {
    ...series,
    identification: 'FORECAST',
    businessType: 'A01',
    outParty: FORECAST,
    inParty: GROUP,
  };
  return { ...own, series: [series, forecast] };
}

test('correct files of the operator break no rule, in every format and on every length of day, bridges included', () => {
  fc.assert(
    fc.property(nominated, (input) => {
      const files = operatorSchedules(input);
      const submitted = files.map(submittedFile);
      for (const file of files) {
        const elsewhere = submitted.filter(({ tso }) => tso !== file.tso);
        assert.deepEqual(checked(file, { elsewhere }), []);
      }
    }),
    { numRuns: runs(30) },
  );
});

test('the next version of a file breaks no rule of versions', () => {
  fc.assert(
    fc.property(nominated, fc.nat(4000), (input, kwh) => {
      const files = operatorSchedules(input);
      const raised = (amounts: readonly number[] | null) => amounts && amounts.map((one) => one + 1 + kwh);
      const positions = input.positions.map((one) => ({
        ...one,
        outKwh: raised(one.outKwh),
        inKwh: raised(one.inKwh),
      }));
      for (const next of operatorSchedules({ ...input, positions }, files)) {
        const before = files.find(({ tso }) => tso === next.tso);
        assert.deepEqual(checked(next, { previous: before ? submittedFile(before) : null }), []);
      }
    }),
    { numRuns: runs(30) },
  );
});

test('a balance group’s own export breaks no rule; once it has other series, they have to balance it', () => {
  for (const day of DAYS) {
    const whole = balanced(day);
    assert.deepEqual(checked(whole), []);
    const [series] = whole.series;
    assert.ok(series);
    assert.deepEqual(checked({ ...whole, series: [series] }, { exportedAgainst: OPERATOR }), []);
    assert.deepEqual(checked({ ...whole, series: [series] }), ['A54'], 'a TSO does not know the platform');
    const unbalanced = withSeries(whole, (one) =>
      one === series ? one : { ...one, powersKw: one.powersKw.map(() => 0) },
    );
    assert.deepEqual(checked(unbalanced, { exportedAgainst: OPERATOR }), ['A54']);
  }
});

const areaOf = (tso: (typeof TSOS)[number]) => tsoCodes(rules, tso, DAYS[0]).area;
const withSeries = (schedule: Schedule, change: (series: Series, at: number) => Series): Schedule => ({
  ...schedule,
  series: schedule.series.map(change),
});
const first = (change: (series: Series) => Partial<Series>) => (schedule: Schedule) =>
  withSeries(schedule, (series, at) => (at === 0 ? { ...series, ...change(series) } : series));
const addKw = (slot: number, kw: number) => (series: Series) => ({
  powersKw: series.powersKw.map((powerKw, at) => (at === slot - 1 ? powerKw + kw : powerKw)),
});

/** Each breaks a rule of a correct file, and no other rule unless it is named with its reason. */
const MUTATIONS: readonly (readonly [string, (schedule: Schedule) => Schedule, readonly string[]])[] = [
  ['a quantity is higher', first(addKw(5, 1)), ['A54']],
  ['a series version beyond the message', first(({ version }) => ({ version: version + 1 })), ['A50']],
  // The net of the sender lacks the series of others.
  ['a series of other parties', first(() => ({ outParty: OTHER })), ['A22', 'A54']],
  // A flow to itself nets to zero.
  ['the same party twice', first(({ outParty }) => ({ inParty: outParty })), ['A22', 'A54']],
  ['a wrong in area', first(() => ({ inArea: areaOf('DE_TENNET') })), ['A82']],
  // The energy does not leave the sender's area.
  ['a wrong out area', first(() => ({ outArea: areaOf('DE_TENNET') })), ['A54', 'A82']],
  ['external trade within an area', first(() => ({ businessType: 'A06' })), ['A82']],
  // The other direction nets to the double.
  [
    'a swapped direction',
    first(({ outParty, inParty }) => ({ outParty: inParty, inParty: outParty })),
    ['A54'],
  ],
  [
    'a flow twice',
    (schedule) => {
      const [series] = schedule.series;
      assert.ok(series);
      const zeros = series.powersKw.map(() => 0);
      return {
        ...schedule,
        series: [...schedule.series, { ...series, identification: 'TWICE', powersKw: zeros }],
      };
    },
    ['A55'],
  ],
  [
    'an identification twice',
    (schedule) => withSeries(schedule, (series) => ({ ...series, identification: 'SAME' })),
    ['A55'],
  ],
];

test('each mutation of a correct file is found by its rule and by no other', () => {
  for (const [name, mutate, codes] of MUTATIONS) {
    for (const day of DAYS) assert.deepEqual(checked(mutate(balanced(day))), codes, `${name} on ${day}`);
  }
});

/** Changes of the text, of which the pattern of each format occurs. */
const TEXT_MUTATIONS: readonly (readonly [string, RegExp, RegExp, string, string])[] = [
  ['message type', /(<MessageType v=")A01/, /(<type>)A01/, '$1A04', 'A59'],
  ['process', /(<ProcessType v=")A17/, /(<process.processType>)A17/, '$1A01', 'A79'],
  [
    'classification',
    /(<ScheduleClassificationType v=")A01/,
    /(<process.classificationType>)A01/,
    '$1A02',
    'A59',
  ],
  ['sender role', /(<SenderRole v=")A08/, /(<sender_MarketParticipant.marketRole.type>)A08/, '$1A01', 'A78'],
  [
    'receiver role',
    /(<ReceiverRole v=")A04/,
    /(<receiver_MarketParticipant.marketRole.type>)A04/,
    '$1A05',
    'A53',
  ],
  [
    'sender’s check character',
    /(<SenderIdentification v="11XNORDWIND----)J/,
    /(<sender_MarketParticipant.mRID codingScheme="A01">11XNORDWIND----)J/,
    '$1K',
    'A78',
  ],
  [
    'receiver’s coding scheme',
    /(<ReceiverIdentification v="[^"]*" codingScheme=")A01/,
    /(<receiver_MarketParticipant.mRID codingScheme=")A01/,
    '$1A10',
    'A53',
  ],
  [
    'unknown receiver',
    /(<ReceiverIdentification v=")10XDE-RWENET---W/,
    /(<receiver_MarketParticipant.mRID codingScheme="A01">)10XDE-RWENET---W/,
    '$111XRHEINSTROM--O',
    'A53',
  ],
  [
    'interval of the message',
    /(<ScheduleTimeInterval v="[^/]*\/2026-\d\d-\d\dT)2\d/,
    /(<schedule_Time_Period.timeInterval><start>[^<]*<\/start><end>2026-\d\d-\d\dT)2\d/,
    '$121',
    'A04',
  ],
  [
    'interval of a period',
    /(<TimeInterval v="[^/]*\/)2026/,
    /(<timeInterval><start>[^<]*<\/start><end>)2026/,
    '$12027',
    'A04',
  ],
  ['business type', /(<BusinessType v=")A01/, /(<businessType>)A01/, '$1A99', 'A62'],
  ['product', /(<Product v=")8716867000016/, /(<product>)8716867000016/, '$18716867000030', 'A59'],
  ['aggregation', /(<ObjectAggregation v=")A01/, /(<objectAggregation>)A01/, '$1A03', 'A59'],
  ['unit', /(<MeasurementUnit v=")MAW/, /(<measurement_Unit.name>)MAW/, '$1KWT', 'A59'],
  ['resolution', /(<Resolution v=")PT15M/, /(<resolution>)PT15M/, '$1PT1H', 'A41'],
  [
    'area’s check character',
    /(<InArea v="10YDE-RWENET---)I/,
    /(<in_Domain.mRID codingScheme="A01">10YDE-RWENET---)I/,
    '$1J',
    'A23',
  ],
  [
    'area’s coding scheme',
    /(<OutArea v="[^"]*" codingScheme=")A01/,
    /(<out_Domain.mRID codingScheme=")A01/,
    '$1A10',
    'A23',
  ],
  [
    'party’s check character',
    /(<InParty v="11XSALDO-------)Z/,
    /(<in_MarketParticipant.mRID codingScheme="A01">11XSALDO-------)Z/,
    '$1Y',
    'A22',
  ],
  ['position', /(<Pos v=")9"/, /(<position>)9</, '$18', 'A49'],
  ['position beyond the day', /(<Pos v=")92"/, /(<position>)92</, '$1101', 'A49'],
  ['position 0', /(<Pos v=")1"/, /(<position>)1</, '$10', 'A49'],
  [
    'slot missing',
    /<Interval>\s*<Pos v="92"\/>\s*<Qty[^>]*>\s*<\/Interval>/,
    /<Point>\s*<position>92<\/position>\s*<quantity>[^<]*<\/quantity>\s*<\/Point>/,
    '',
    'A49',
  ],
  ['decimals', /(<Qty v="\d+\.\d{3})/, /(<quantity>\d+\.\d{3})/, '$11', 'A42'],
  ['decimal comma', /(<Qty v="\d+)\./, /(<quantity>\d+)\./, '$1,', 'A42'],
  ['sign', /(<Qty v=")/, /(<quantity>)/, '$1-', 'A46'],
  [
    'party missing',
    /<OutParty [^>]*>\s*/,
    /<out_MarketParticipant.mRID[^>]*>[^<]*<\/out_MarketParticipant.mRID>\s*/,
    '',
    'A69',
  ],
  [
    'series version missing',
    /<SendersTimeSeriesVersion [^>]*>\s*/,
    /(<TimeSeries>\s*<mRID>[^<]*<\/mRID>)\s*<version>1<\/version>/,
    '',
    'A69',
  ],
  ['series version', /(<SendersTimeSeriesVersion v=")1/, /(<version>)1/, '$10', 'A50'],
  ['unknown element', /(<MeasurementUnit )/, /(<measurement_Unit.name>)/, '<Colour/>$1', 'A94'],
];

/** Replaces the first match; a position or text is closed as the format closes it. */
function mutated(xml: string, pattern: RegExp, replacement: string, format: string): string {
  const closing = pattern.source.endsWith('"') ? '"' : pattern.source.endsWith('<') ? '<' : '';
  const keepsGroup = replacement === '' && pattern.source.startsWith('(') ? '$1' : replacement;
  const changed = xml.replace(pattern, keepsGroup + closing);
  assert.notEqual(changed, xml, `${pattern} occurs in ${format}`);
  return changed;
}

test('each wrong code, area, interval, position and number of the document is found by its rule and by no other', () => {
  for (const day of DAYS) {
    const [ess, cim] = FORMATS.map((format) => written(balanced(day), format));
    for (const [name, inEss, inCim, replacement, code] of TEXT_MUTATIONS) {
      assert.deepEqual(codesOf(mutated(ess ?? '', inEss, replacement, 'ess')), [code], `${name}, ${day}`);
      assert.deepEqual(
        codesOf(mutated(cim ?? '', inCim, replacement, 'cim')),
        [code],
        `${name}, ${day}, CIM`,
      );
    }
  }
  const cim = written(balanced(DAYS[0]), 'cim');
  const domain = cim.replace(/(<domain.mRID codingScheme="A01">)[^<]*/, `$1${areaOf('DE_TENNET')}`);
  assert.deepEqual(codesOf(domain), ['A82']);
});

test('a finding has the series and the quarter-hours', () => {
  const document = read(written(balanced(DAYS[0]), 'ess').replace('<Qty v="0.032"/>', '<Qty v="0.0321"/>'));
  assert.ok(typeof document !== 'string');
  const [finding] = findingsOf({ ...document, ...nothingBefore });
  assert.ok(finding);
  assert.deepEqual([finding.code, finding.series, finding.slots], ['A42', `${OPERATOR}_OUT`, [2]]);
  assert.equal(
    formatMessage(finding.text, 'en'),
    'position 2: the quantity "0.0321" has more than three decimals.',
  );
  const unbalanced = first(addKw(5, 1))(balanced(DAYS[0]));
  const [net] = findingsOf({ schedule: unbalanced, unusable: [], headFaults: [], ...nothingBefore });
  assert.deepEqual([net?.code, net?.series, net?.slots], ['A54', null, [5]]);
});

test('versions are compared with the submitted file', () => {
  const day = DAYS[1];
  const before = balanced(day, 2);
  const previous: SubmittedFile = submittedFile(before);
  const later = (version: number, change = (series: Series): Partial<Series> => series): Schedule =>
    withSeries({ ...before, version }, (series) => ({ ...series, ...change(series) }));
  const changed = (series: Series) => addKw(3, 1)(series);
  const after = (schedule: Schedule) => checked(schedule, { previous });
  assert.deepEqual(after(before), [], 'the submitted file again');
  assert.deepEqual(after(later(3)), [], 'unchanged series keep their versions');
  assert.deepEqual(after(later(3, () => ({ version: 3 }))), [], 'or have that of the message');
  assert.deepEqual(after(later(3, (series) => ({ ...changed(series), version: 3 }))), []);
  assert.deepEqual(after(later(3, changed)), ['A50'], 'a changed series keeps its version');
  assert.deepEqual(after(later(4, (series) => ({ ...changed(series), version: 3 }))), ['A50']);
  assert.deepEqual(after(later(3, () => ({ version: 1 }))), ['A50'], 'a version falls');
  assert.deepEqual(after(later(2, changed)), ['A51'], 'the message version is not raised');
  assert.deepEqual(after(later(1, () => ({ version: 1 }))), ['A51'], 'the message version falls');
  assert.deepEqual(after({ ...later(3), messageId: 'OTHER' }), ['A51']);
  const zeros = (series: Series) => ({ powersKw: series.powersKw.map(() => 0), version: 3 });
  assert.deepEqual(after(later(3, zeros)), [], 'a series ends with zeros');
  assert.deepEqual(after({ ...later(3), series: [] }), ['A52'], 'and never disappears');
  const [own, forecast] = later(3).series;
  assert.ok(own && forecast);
  const added: Series = {
    ...own,
    identification: 'NEW',
    inParty: OTHER,
    version: 1,
    powersKw: own.powersKw.map(() => 0),
  };
  assert.deepEqual(after({ ...later(3), series: [own, forecast, added] }), ['A50'], 'a new series');
});

test('a bridge has the same values in the files of both areas', () => {
  const day = DAYS[2];
  const amounts = Array.from({ length: slotCount(day) }, (_, at) => at);
  const positions: NominatedPosition[] = [
    { eic: GROUP, tso: 'DE_AMPRION', outKwh: amounts, inKwh: null },
    { eic: OTHER, tso: 'DE_TENNET', outKwh: null, inKwh: amounts },
  ];
  const [amprion, tennet] = operatorSchedules({ day, positions });
  assert.ok(amprion && tennet);
  const elsewhere = [submittedFile(tennet)];
  assert.deepEqual(checked(amprion, { elsewhere }), []);
  // All series of the slot change, so that the file itself nets to zero.
  const moved = withSeries(amprion, (series) => ({ ...series, ...addKw(7, 4)(series) }));
  assert.deepEqual(checked(moved, { elsewhere }), ['A09']);
  const [finding] = findingsOf({
    schedule: moved,
    unusable: [],
    headFaults: [],
    ...nothingBefore,
    elsewhere,
  });
  assert.deepEqual([finding?.series, finding?.slots], ['BRIDGE_AMP_TTG', [7]]);
  const without = [submittedFile({ ...tennet, series: [] })];
  assert.deepEqual(checked(amprion, { elsewhere: without }), ['A09']);
  const foreign = withSeries(amprion, (series) =>
    series.businessType === 'A06' ? { ...series, inParty: GROUP } : series,
  );
  assert.deepEqual(checked(foreign), ['A22']);
});
