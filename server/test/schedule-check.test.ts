import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LIMITS, type ScheduleCheck } from '@saldo/api';
import { writeSchedule } from '@saldo/core/exchange/documents/write-document.ts';
import type { Schedule } from '@saldo/core/exchange/schedule.ts';
import { createBrpClient } from '@saldo/sdk';
import { statement } from '../src/platform/db/statement.ts';
import { readSchedule } from './exchanging.ts';
import {
  type Answer,
  assertProblem,
  assertRefused,
  bodyOf,
  type Client,
  startTestPlatform,
} from './harness.ts';
import { flat, listNominated, makeDeal, only } from './nominated.ts';

const platform = await startTestPlatform({ now: '2026-03-01T08:00:00Z' });
const { world } = platform;
const { seller, buyer, asSeller, asBuyer, contract, sellerGroup, buyerGroup, producer, consumer } =
  await makeDeal(platform);
const OPERATOR = '11XSALDO-------Z';
const LONG = '2026-10-25';
const DAYS = ['2026-03-29', '2026-03-30', LONG];
for (const day of DAYS) await world.volumes(contract, day, only(day, [1, 61], 1234, 7));
// On this day both directions are nominated.
const back = await world.contract(consumer, producer);
await world.volumes(back, '2026-03-31', only('2026-03-31', [1, 2], 500));
await world.volumes(contract, '2026-03-31', only('2026-03-31', [3, 4], 700));
await world.nominate();

const TYPES = { csv: 'text/csv', xml: 'application/xml' } as const;
const check = (
  ask: Client,
  body: string | Buffer<ArrayBuffer>,
  type: keyof typeof TYPES,
  options: { query?: string; headers?: Record<string, string> } = {},
): Promise<Answer> =>
  ask.post(`/v1/schedules/check${options.query ?? ''}`, body, {
    headers: { 'content-type': TYPES[type], ...options.headers },
  });

const checked = (ask: Client, body: string, type: keyof typeof TYPES): Promise<ScheduleCheck> =>
  bodyOf(check(ask, body, type));

const csvOf = async (ask: Client, day: string) =>
  (await ask(`/v1/nominations/schedule?delivery_date=${day}`)).text;
const xmlOf = async (ask: Client, eic: string, day: string, format: string, version = 1) =>
  (
    await ask(
      `/v1/nominations/schedule?delivery_date=${day}&eic=${eic}&tso=DE_AMPRION&format=${format}&message_version=${version}`,
    )
  ).text;

/** The ESS document of a schedule after a change. */
async function changedXml(ask: Client, eic: string, day: string, change: (schedule: Schedule) => Schedule) {
  const schedule = await readSchedule(Buffer.from(await xmlOf(ask, eic, day, 'ess')));
  return writeSchedule(change(schedule), 'ess', Date.parse('2026-03-01T08:00:00Z'));
}

const german = (csv: string) =>
  `\u{feff}${csv
    .split('\n')
    .map((line) => line.replaceAll(',', ';').replaceAll(/(\d)\.(\d{3})\b/g, '$1,$2'))
    .join('\r\n')}`;

const oneMessage = ({ body }: Answer): string => {
  assert.equal(body.errors.length, 1, JSON.stringify(body.errors));
  return body.errors[0].message;
};

test('the platform’s own export is all equal, in every format, on days of 92, 96 and 100 slots', async () => {
  for (const [day, slots] of [
    ['2026-03-29', 92],
    ['2026-03-30', 96],
    [LONG, 100],
  ] as const) {
    const [nomination] = await listNominated(asSeller, `&delivery_date=${day}`);
    const expected = {
      delivery_date: day,
      compared: [
        {
          nomination_id: nomination?.id,
          eic: sellerGroup.eic,
          tso: 'DE_AMPRION',
          direction: 'out',
          slots_equal: slots,
          slots: [],
        },
      ],
      missing: [],
      unknown: [],
      ignored: 0,
      rules: [],
    };
    const csv = await csvOf(asSeller, day);
    for (const file of [csv, german(csv)]) {
      assert.deepEqual(await checked(asSeller, file, 'csv'), { ...expected, message_version: null });
    }
    for (const format of ['ess', 'cim']) {
      const xml = await xmlOf(asSeller, sellerGroup.eic, day, format, 7);
      assert.deepEqual(await checked(asSeller, xml, 'xml'), { ...expected, message_version: 7 });
    }
  }
});

test('both directions of a day are compared', async () => {
  const { compared } = await checked(asBuyer, await csvOf(asBuyer, '2026-03-31'), 'csv');
  assert.deepEqual(
    compared.map(({ direction, slots_equal }) => [direction, slots_equal]),
    [
      ['out', 96],
      ['in', 96],
    ],
  );
});

test('one changed slot is named, to the kW', async () => {
  const csv = (await csvOf(asSeller, LONG)).replace(/,61,(.*),4\.936,1\.234\n/, ',61,$1,4.000,1.000\n');
  const [compared] = (await checked(asSeller, csv, 'csv')).compared;
  const slot = { slot_number: 61, amount: 1.234, yours: 1, difference: 0.234 };
  assert.deepEqual([compared?.slots_equal, compared?.slots], [99, [slot]]);

  const xml = await changedXml(asSeller, sellerGroup.eic, LONG, (schedule) => ({
    ...schedule,
    series: schedule.series.map((series) => ({
      ...series,
      powersKw: series.powersKw.map((powerKw, at) => (at === 60 ? powerKw + 1 : powerKw)),
    })),
  }));
  const [exact] = (await checked(asSeller, xml, 'xml')).compared;
  // One kW more is a quarter of a kWh.
  assert.deepEqual(exact?.slots, [{ slot_number: 61, amount: 1.234, yours: 1.23425, difference: -0.00025 }]);
});

const KEYS = ['delivery_date', 'eic', 'tso', 'direction', 'slot_number'];

/** The seller's day with these columns only, as the export has them. */
async function csvColumns(day: string, columns: readonly string[]): Promise<string[][]> {
  const [header = [], ...lines] = (await csvOf(asSeller, day))
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  const places = columns.map((column) => header.indexOf(column));
  return [header, ...lines].map((fields) => places.map((at) => fields[at] ?? ''));
}

test('amounts that are multiples of 0.00025 MWh are compared exactly, others have no power in kW', async () => {
  const lines = await csvColumns(LONG, [...KEYS, 'amount_mwh']);
  const withAmount = (amount: string) =>
    lines.map((fields) => (fields[4] === '61' ? fields.with(5, amount) : fields).join(',')).join('\n');
  for (const [amount, yours, difference] of [
    ['1.23425', 1.23425, -0.00025],
    ['1.2335', 1.2335, 0.0005],
    ['1.23375', 1.23375, 0.00025],
    ['0.00025', 0.00025, 1.23375],
    ['2147483.64675', 2_147_483.64675, -2_147_482.41275],
  ] as const) {
    const [compared] = (await checked(asSeller, withAmount(amount), 'csv')).compared;
    assert.deepEqual(compared?.slots, [{ slot_number: 61, amount: 1.234, yours, difference }], amount);
  }
  for (const amount of ['1.23400', '1.234000']) {
    const [compared] = (await checked(asSeller, withAmount(amount), 'csv')).compared;
    assert.deepEqual(compared?.slots, [], amount);
  }
  for (const [amount, message] of [
    ['1.2341', 'is not a multiple of 0.00025 MWh, which is 1 kW for a quarter-hour'],
    ['1.23401', 'is not a multiple of 0.00025 MWh, which is 1 kW for a quarter-hour'],
    ['1.234251', 'has more than five decimals'],
    ['-0.00025', 'is negative'],
    ['2147483.64725', 'is too large'],
  ] as const) {
    const answer = await check(asSeller, withAmount(amount), 'csv');
    assert.equal(oneMessage(answer), `line 62: amount_mwh "${amount}" ${message}`);
  }
});

test('tabs separate fields, with a decimal point or comma, and days may be written as in Germany', async () => {
  const lines = await csvColumns(LONG, [...KEYS, 'power_mw', 'amount_mwh']);
  const written = (day: string, mark: string) =>
    lines
      .map((fields, at) =>
        (at === 0
          ? fields
          : fields.with(0, day).map((field, column) => (column > 4 ? field.replace('.', mark) : field))
        ).join('\t'),
      )
      .join('\r\n');
  for (const day of [LONG, '25.10.2026']) {
    for (const mark of ['.', ',']) {
      const result = await checked(asSeller, written(day, mark), 'csv');
      assert.equal(result.delivery_date, LONG);
      assert.deepEqual([result.compared[0]?.slots_equal, result.compared[0]?.slots], [100, []]);
    }
  }
  const commas = (day: string) => written(day, '.').replaceAll('\t', ',');
  assert.equal((await checked(asSeller, commas('25.10.2026'), 'csv')).delivery_date, LONG);
  for (const day of ['31.02.2026', '25.10.26', '10/25/2026', '25.10.2026 ', '2026-10-25 00:00']) {
    const answer = await check(asSeller, commas(day), 'csv');
    if (day.endsWith('26 ')) assert.equal(answer.status, 200, 'blanks around a value do not matter');
    else assert.match(answer.body.errors[0].message, /is no date such as 2026-10-25 or 25\.10\.2026$/);
  }
});

test('a line whose power and amount disagree is never equal', async () => {
  const csv = await csvOf(asSeller, LONG);
  for (const changed of [
    csv.replace(/,61,(.*),4\.936,1\.234\n/, ',61,$1,4.000,1.234\n'),
    csv.replace(/,61,(.*),4\.936,1\.234\n/, ',61,$1,4.936,1.000\n'),
  ]) {
    const [compared] = (await checked(asSeller, changed, 'csv')).compared;
    assert.deepEqual(compared?.slots, [{ slot_number: 61, amount: 1.234, yours: 1, difference: 0.234 }]);
  }
});

test('a missing series is named by its nomination', async () => {
  const nominations = await listNominated(asBuyer, '&delivery_date=2026-03-31');
  const missing = nominations.find(({ direction }) => direction === 'in');
  const lines = (await csvOf(asBuyer, '2026-03-31')).split('\n');
  const csv = lines.filter((line) => !line.includes(',in,')).join('\n');
  const xml = await changedXml(asBuyer, buyerGroup.eic, '2026-03-31', (schedule) => ({
    ...schedule,
    series: schedule.series.filter(({ outParty }) => outParty !== OPERATOR),
  }));
  for (const result of [await checked(asBuyer, csv, 'csv'), await checked(asBuyer, xml, 'xml')]) {
    assert.deepEqual(result.missing, [missing?.id]);
    assert.deepEqual(
      result.compared.map(({ direction }) => direction),
      ['out'],
    );
  }
});

test('a schedule without series lacks every nomination of its balance group', async () => {
  const xml = await changedXml(asSeller, sellerGroup.eic, LONG, (schedule) => ({ ...schedule, series: [] }));
  const [nomination] = await listNominated(asSeller, `&delivery_date=${LONG}`);
  assert.deepEqual((await checked(asSeller, xml, 'xml')).missing, [nomination?.id]);
});

test('a swapped direction is named with the nomination that it was meant for', async () => {
  const [nomination] = await listNominated(asSeller, `&delivery_date=${LONG}`);
  const csv = (await csvOf(asSeller, LONG)).replaceAll(',out,', ',in,');
  const xml = await changedXml(asSeller, sellerGroup.eic, LONG, (schedule) => ({
    ...schedule,
    series: schedule.series.map((series) => ({
      ...series,
      outParty: series.inParty,
      inParty: series.outParty,
    })),
  }));
  for (const [result, identification] of [
    [await checked(asSeller, csv, 'csv'), null],
    [await checked(asSeller, xml, 'xml'), `${OPERATOR}_OUT`],
  ] as const) {
    assert.deepEqual(result.compared, []);
    assert.deepEqual(result.missing, [nomination?.id]);
    assert.deepEqual(result.unknown, [
      {
        identification,
        eic: sellerGroup.eic,
        tso: 'DE_AMPRION',
        direction: 'in',
        opposite_nomination_id: nomination?.id,
      },
    ]);
  }
});

test('a file of 96 slots for a day of 100 is rejected with the slots that it lacks', async () => {
  const lines = (await csvOf(asSeller, LONG)).split('\n');
  const short = await check(asSeller, lines.slice(0, 97).join('\n'), 'csv');
  assertRefused(short, ' invalid_format');
  assert.equal(
    oneMessage(short),
    `the series out of ${sellerGroup.eic} at DE_AMPRION has 96 of the 100 slots of ${LONG}: 97, 98, 99, 100 are missing`,
  );
  // 96 slots that are counted from midnight do not have the times of their numbers after the clock change.
  const shifted = lines.filter((line) => !/,1[3-6],2026/.test(line));
  const renumbered = shifted.map((line) =>
    line.replace(
      /,(\d+),(2026-\d\d-\d\dT.*)/,
      (_, slot, rest) => `,${Number(slot) > 16 ? Number(slot) - 4 : slot},${rest}`,
    ),
  );
  const moved = await check(asSeller, renumbered.join('\n'), 'csv');
  assert.equal(moved.status, 400);
  assert.match(
    moved.body.errors[0].message,
    /^line 14: delivery_start "2026-10-25T02:00:00Z" is not that of slot 13 of 2026-10-25$/,
  );

  const positions = (await xmlOf(asSeller, sellerGroup.eic, LONG, 'ess')).replaceAll(
    /<Interval>\n<Pos v="(?:97|98|99|100)"\/>\n<Qty v="[^"]*"\/>\n<\/Interval>\n/g,
    '',
  );
  assert.match(
    oneMessage(await check(asSeller, positions, 'xml')),
    new RegExp(`^series "${OPERATOR}_OUT": It has 96 of 100 positions: position 97 is missing`),
  );
  const interval = positions.replaceAll('2026-10-25T23:00Z', '2026-10-25T22:00Z');
  assert.match(
    oneMessage(await check(asSeller, interval, 'xml')),
    /it has 96 quarter-hours, 2026-10-25 has 100/,
  );
});

test('series with others are counted, whatever they are', async () => {
  const xml = await changedXml(asSeller, sellerGroup.eic, LONG, (schedule) => {
    const [own] = schedule.series;
    assert.ok(own);
    const other = { ...own, inParty: '11XNORDWIND----J', identification: 'OTHER' };
    return { ...schedule, series: [own, other, { ...other, identification: 'FORECAST' }] };
  });
  const forecast = xml.replace(
    /(<SendersTimeSeriesIdentification v="FORECAST"\/>[^]*?<BusinessType v=")A02/,
    '$1A01',
  );
  assert.notEqual(forecast, xml);
  const result = await checked(asSeller, forecast, 'xml');
  assert.deepEqual([result.ignored, result.compared[0]?.slots_equal], [2, 100]);
  const lines = (await csvOf(asSeller, LONG)).trimEnd().split('\n');
  const others = lines.slice(1).map((line) => line.replace(OPERATOR, '11XNORDWIND----J'));
  assert.equal((await checked(asSeller, [...lines, ...others].join('\n'), 'csv')).ignored, 1);
});

test('a faulty series with the operator is rejected by name', async () => {
  const xml = await xmlOf(asSeller, sellerGroup.eic, LONG, 'ess');
  const faulty = xml.replace('<Pos v="5"/>\n<Qty v="0.028"/>', '<Pos v="5"/>\n<Qty v="0,028"/>');
  assert.match(
    oneMessage(await check(asSeller, faulty, 'xml')),
    /position 5: the quantity "0,028" has a comma/,
  );
  const area = xml.replaceAll('10YDE-RWENET---I', '10YDE-EON------1');
  assert.match(
    oneMessage(await check(asSeller, area, 'xml')),
    /the control area of DE_AMPRION is 10YDE-RWENET---I/,
  );
});

test('a CSV that could be read in two ways is refused with the question, and the answer decides', async () => {
  await world.volumes(contract, '2026-04-01', flat('2026-04-01', 1234));
  await world.nominate();
  const csv = (await csvOf(asSeller, '2026-04-01')).replaceAll(',', ';');
  const asked = await check(asSeller, csv, 'csv');
  assertRefused(asked, 'decimal required');
  assert.match(oneMessage(asked), /^line 2: is 4\.936 a number with a decimal point, or 4936 with/);
  const point = await check(asSeller, csv, 'csv', { query: '?decimal=point' });
  assert.deepEqual(point.body.compared[0].slots_equal, 96);
  const comma = await check(asSeller, csv, 'csv', { query: '?decimal=comma' });
  assert.deepEqual(comma.body.compared[0].slots[0].yours, 1234);
  const xml = await xmlOf(asSeller, sellerGroup.eic, '2026-04-01', 'cim');
  assertRefused(await check(asSeller, xml, 'xml', { query: '?decimal=comma' }), 'decimal validation_failed');
});

test('faults of a CSV have their line', async () => {
  const [header = '', first = '', ...rest] = (await csvOf(asSeller, LONG)).trimEnd().split('\n');
  const faultsOf = async (...lines: string[]) =>
    (await check(asSeller, lines.join('\n'), 'csv')).body.errors.map(
      ({ message }: { message: string }) => message,
    );
  assert.deepEqual(await faultsOf(header, first, first.replace('DE_AMPRION', 'AMPRION'), ...rest), [
    'line 3: tso "AMPRION" is not one of DE_AMPRION, DE_TENNET, DE_TRANSNET_BW, DE_50HERTZ',
  ]);
  assert.match((await faultsOf(header, first, first, ...rest))[0], /^line 3: slot 1 stands twice$/);
  assert.match(
    (await faultsOf(header, first.replace(/,1\.234$/, ',-1')))[0],
    /^line 2: amount_mwh "-1" is negative$/,
  );
  assert.match((await faultsOf(header, `${first},x`))[0], /^line 2: the line has 13 fields, the header 12$/);
  assert.match(
    (await faultsOf(header, first, first.replace(LONG, '2026-10-24')))[0],
    /^line 3: .*a file is of one day$/,
  );
  assert.match(
    (await faultsOf(header.replace('eic', 'bilanzkreis')))[0],
    /^line 1: "bilanzkreis" is no column/,
  );
  assert.match((await faultsOf(header))[0], /^the file has no series with the operator/);
});

test('another BRP’s schedule is unknown, like that of a balance group that does not exist', async () => {
  const csv = await csvOf(asSeller, LONG);
  const foreign = await checked(asBuyer, csv, 'csv');
  assert.deepEqual([foreign.compared, foreign.missing, foreign.unknown.length], [[], [], 1]);
  assert.equal(foreign.unknown[0]?.opposite_nomination_id, null);
});

const COUNT = statement(
  'count_stored',
  'select (select count(*)::int from message) as messages, (select count(*)::int from audit) as events',
);

test('nothing is stored', async () => {
  const before = await platform.db.query(COUNT, []);
  await checked(asSeller, await xmlOf(asSeller, sellerGroup.eic, LONG, 'ess'), 'xml');
  assert.deepEqual(await platform.db.query(COUNT, []), before);
});

const FORECAST = '11XFC-PROD-----E';

/** The seller's file with the forecast that balances its series with the operator, and its changes. */
const wholeXml = (change: (schedule: Schedule) => Schedule = (schedule) => schedule, day = LONG) =>
  changedXml(asSeller, sellerGroup.eic, day, (schedule) => {
    const forecast = schedule.series.map((series) => ({
      ...series,
      identification: 'FORECAST',
      businessType: 'A01' as const,
      outParty: FORECAST,
      inParty: sellerGroup.eic,
    }));
    return change({ ...schedule, series: [...schedule.series, ...forecast] });
  });
const rulesOf = async (xml: string, query = '') => {
  const answer = await check(asSeller, xml, 'xml', { query });
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as ScheduleCheck).rules;
};
const codesOf = async (xml: string, query = '') => (await rulesOf(xml, query)).map(({ code }) => code);

test('rules: a whole file nets to zero, and a slot that does not is named', async () => {
  assert.deepEqual(await rulesOf(await wholeXml()), []);
  const more = await wholeXml((schedule) => ({
    ...schedule,
    series: schedule.series.map((series) =>
      series.identification === 'FORECAST'
        ? { ...series, powersKw: series.powersKw.map((kw, at) => (at === 60 ? kw + 5 : kw)) }
        : series,
    ),
  }));
  assert.deepEqual(await rulesOf(more), [
    {
      code: 'A54',
      series: null,
      slots: [61],
      text: `The series of ${sellerGroup.eic} at DE_AMPRION do not net to zero: slot 61 by +5 kW.`,
    },
  ]);
  const german = await check(asSeller, more, 'xml', { headers: { 'accept-language': 'de' } });
  assert.match(german.body.rules[0].text, /sind nicht ausgeglichen: Viertelstunde 61 um \+5 kW\.$/);
});

test('rules: a CSV with series of other parties nets to zero too, and their faults are findings', async () => {
  const lines = (await csvOf(asSeller, LONG)).trimEnd().split('\n');
  const others = lines
    .slice(1)
    .map((line) => line.replace(OPERATOR, '11XNORDWIND----J').replace(',out,', ',in,'));
  const rules = async (...all: string[]) => (await checked(asSeller, all.join('\n'), 'csv')).rules;
  assert.deepEqual(await rules(...lines, ...others), []);
  const more = others.map((line) => line.replace(/,4\.936,1\.234$/, ',5.936,1.484'));
  const [net, ...rest] = await rules(...lines, ...more);
  assert.deepEqual([net?.code, net?.slots, rest], ['A54', [1, 61], []]);
  const faulty = others.map((line) => line.replace(/,61,(.*),4\.936,1\.234$/, ',61,$1,4.9361,1.234'));
  const [decimals] = await rules(...lines, ...faulty);
  assert.deepEqual(
    [decimals?.code, decimals?.text],
    ['A42', 'line 162: power_mw "4.9361" has more than three decimals.'],
  );
  const [short] = await rules(...lines, ...others.slice(0, 99));
  assert.equal(short?.code, 'A49');
});

test('rules: wrong codes of the head and faulty series of other parties are listed, and the rest is compared', async () => {
  const xml = (await wholeXml())
    .replace('<SenderRole v="A08"/>', '<SenderRole v="A01"/>')
    .replace(/(<SendersTimeSeriesIdentification v="FORECAST"\/>[^]*?<BusinessType v=")A01/, '$1A77');
  const result = await checked(asSeller, xml, 'xml');
  assert.deepEqual(
    result.rules.map(({ code, series }) => [code, series]),
    [
      ['A62', 'FORECAST'],
      ['A78', null],
    ],
  );
  assert.deepEqual([result.compared[0]?.slots_equal, result.ignored], [100, 1]);
});

test('rules: later checks compare with the file that was marked as submitted, and only with that one', async () => {
  const day = '2026-03-30';
  const first = await wholeXml(undefined, day);
  const withVersion = (version: number) => (schedule: Schedule) => ({ ...schedule, version });
  const without = (schedule: Schedule) => ({
    ...schedule,
    version: 2,
    series: schedule.series.map((series) => ({ ...series, powersKw: series.powersKw.map(() => 0) })).slice(1),
  });
  assert.deepEqual(await codesOf(await wholeXml(without, day)), [], 'nothing is known of the first file');
  assert.deepEqual(await codesOf(first, '?submitted=true'), []);
  assert.deepEqual(await codesOf(first, '?submitted=true'), [], 'marked twice');
  const [vanished, ...changed] = (await rulesOf(await wholeXml(without, day))).toReversed();
  assert.deepEqual([vanished?.code, vanished?.series], ['A52', `${OPERATOR}_OUT`]);
  assert.deepEqual(
    changed.map(({ code }) => code),
    ['A50'],
    'the forecast has changed under its old version',
  );
  assert.deepEqual(await codesOf(await wholeXml(withVersion(2), day)), []);
  // Other BRPs and days do not see it.
  const foreign = await check(asBuyer, await wholeXml(without, day), 'xml');
  assert.deepEqual(foreign.body.rules, []);
  assert.deepEqual(await codesOf(await wholeXml(undefined, LONG)), []);
  assert.deepEqual(await codesOf(await wholeXml(withVersion(2), day), '?submitted=true'), []);
  assert.deepEqual(await codesOf(first), ['A51'], 'version 1 after version 2');
  // An older version that is marked late replaces nothing.
  await rulesOf(first, '?submitted=true');
  assert.deepEqual(await codesOf(first), ['A51']);
});

const STORED = statement(
  'stored_submissions',
  'select delivery_day::text as day from submitted_schedule order by delivery_day',
);

test('rules: only own balance groups, readable messages and days with open gates are marked, and past ones are forgotten', async () => {
  const refused = async (ask: Client, body: string, type: keyof typeof TYPES, reason: RegExp) => {
    const answer = await check(ask, body, type, { query: '?submitted=true' });
    assertRefused(answer, 'submitted validation_failed');
    assert.match(oneMessage(answer), reason);
  };
  await refused(asSeller, await csvOf(asSeller, LONG), 'csv', /CSV/);
  await refused(asBuyer, await wholeXml(), 'xml', /is not a balance group of yours/);
  const faulty = (await wholeXml()).replace(
    /(<SendersTimeSeriesIdentification v="FORECAST"\/>[^]*?<BusinessType v=")A01/,
    '$1A77',
  );
  await refused(asSeller, faulty, 'xml', /cannot be read/);
  const days = async () => (await platform.db.query<{ day: string }>(STORED, [])).map(({ day }) => day);
  assert.deepEqual(await days(), ['2026-03-30']);
  platform.clock.set('2026-04-14T08:00:00Z');
  await refused(asSeller, await wholeXml(undefined, '2026-03-29'), 'xml', /14 days before today/);
  await rulesOf(await wholeXml(), '?submitted=true');
  assert.deepEqual(await days(), [LONG]);
  platform.clock.set('2026-03-01T08:00:00Z');
});

test('the schedule of a day can have only the nominations that differ', async () => {
  const [first, second] = await listNominated(asBuyer, '&delivery_date=2026-03-31');
  const only = await asBuyer(
    `/v1/nominations/schedule?delivery_date=2026-03-31&nomination_ids=${second?.id}`,
  );
  const ids = new Set(
    only.text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[0]),
  );
  assert.deepEqual([...ids], [second?.id]);
  const both = await asBuyer(
    `/v1/nominations/schedule?delivery_date=2026-03-31&eic=${buyerGroup.eic}&tso=DE_AMPRION&format=ess&message_version=2&nomination_ids=${first?.id},${second?.id}`,
  );
  assert.equal((await readSchedule(Buffer.from(both.text))).series.length, 2);
  const foreign = await asSeller(
    `/v1/nominations/schedule?delivery_date=2026-03-31&nomination_ids=${first?.id}`,
  );
  assert.equal(foreign.text.trimEnd().split('\n').length, 1, 'only the header');
});

test('a body is required, of a known type and at most 16 MB, also unpacked', async () => {
  assertRefused(await asSeller.post('/v1/schedules/check'), ' required');
  const json = await check(asSeller, '{}', 'csv', { headers: { 'content-type': 'application/json' } });
  assertProblem(json, 415, 'unsupported_media_type');
  const large = Buffer.alloc(LIMITS.scheduleBytes + 1, 'x');
  assertProblem(await check(asSeller, large, 'csv'), 413, 'payload_too_large');
  const packed = await check(asSeller, gzipSync(large), 'csv', { headers: { 'content-encoding': 'gzip' } });
  assertProblem(packed, 413, 'payload_too_large');
  const csv = await csvOf(asSeller, LONG);
  const small = await check(asSeller, gzipSync(csv), 'csv', { headers: { 'content-encoding': 'gzip' } });
  assert.equal(small.body.compared[0].slots_equal, 100);
});

test('uploads of one BRP that stall do not delay the check of another one', async () => {
  const csv = await csvOf(asSeller, LONG);
  const stalled = Array.from({ length: 12 }, () => {
    const sending = request(`${platform.baseUrl}/v1/schedules/check`, {
      method: 'POST',
      headers: { 'x-api-key': seller.key, 'content-type': 'text/csv' },
    });
    sending.write(csv.slice(0, 100));
    return { sending, answered: once(sending, 'response') };
  });
  assert.equal((await checked(asBuyer, await csvOf(asBuyer, LONG), 'csv')).compared.length, 1);
  for (const { sending } of stalled) sending.end(csv.slice(100));
  for (const { answered } of stalled) {
    const [answer] = (await answered) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, 200);
  }
});

test('hostile XML is refused', async () => {
  const bomb = '<!DOCTYPE ScheduleMessage [<!ENTITY a "b">]><ScheduleMessage/>';
  assertRefused(await check(asSeller, bomb, 'xml'), ' invalid_format');
  assert.match(oneMessage(await check(asSeller, '<AcknowledgementMessage/>', 'xml')), /lacks/);
  // Each would be a fault with a long text.
  const xml = await xmlOf(asSeller, sellerGroup.eic, LONG, 'ess');
  const many = xml.replace(
    '<ScheduleTimeSeries>',
    `${'<ScheduleTimeSeries/>'.repeat(500_000)}<ScheduleTimeSeries>`,
  );
  assert.match(
    oneMessage(await check(asSeller, many, 'xml')),
    /^a ScheduleTimeSeries without identification/,
  );
});

test('the SDK checks a schedule', async () => {
  const { nominations, schedules } = createBrpClient({ baseUrl: platform.baseUrl, apiKey: seller.key });
  const csv = await nominations.daySchedule({ delivery_date: LONG });
  const result = await schedules.check(csv, { format: 'csv' });
  assert.equal(result.compared[0]?.slots_equal, 100);
  const xml = await nominations.daySchedule({
    delivery_date: LONG,
    eic: sellerGroup.eic,
    tso: 'DE_AMPRION',
    format: 'cim',
    message_version: 3,
  });
  assert.equal((await schedules.check(xml, { format: 'xml' })).message_version, 3);
  const other = createBrpClient({ baseUrl: platform.baseUrl, apiKey: buyer.key });
  assert.equal((await other.schedules.check(csv, { format: 'csv', decimal: 'point' })).unknown.length, 1);
});
