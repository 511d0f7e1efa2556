import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import {
  HEAD_SEGMENTS,
  interchange,
  line,
  MALO,
  MELO,
  message,
  OTHER_MALO,
  profile,
  quantity,
  seg,
} from '../../test/mscons-documents.ts';
import { dayStart, SLOT_MS, slotCount } from '../delivery-day.ts';
import { EDIFACT_LIMITS } from './edifact.ts';
import { readInterchange } from './interchange.ts';
import { assignProfiles } from './load-profile.ts';
import { type MessageReading, readMessage } from './mscons.ts';

const DAY = '2026-11-17';
const START = dayStart(DAY);

/** Reads all messages of an interchange. */
function read(text: string): MessageReading[] {
  const found = readInterchange(text);
  if (found.kind === 'rejected') return [];
  return found.messages.map((place) => readMessage(text, found, place));
}

const readBody = (body: readonly string[]) => read(interchange([message(body)]))[0]!;

function profilesOf(body: readonly string[]) {
  const reading = readBody(body);
  assert.equal(reading.kind, 'read', JSON.stringify(reading));
  return reading.kind === 'read' ? reading.profiles : [];
}

/** Fault of a message whose line of the first market location has these segments. */
const faultOf = (segments: readonly string[]) => {
  const reading = readBody([...line(MALO, '1.29.0'), ...segments]);
  return reading.kind === 'rejected' ? reading.fault : null;
};
/** The number of the first segment after a line. */
const AFTER_LINE = HEAD_SEGMENTS + line(MALO, '1.29.0').length + 1;

test('a load profile has a value per slot on days with 92, 96 and 100 slots', () => {
  for (const day of ['2026-03-29', DAY, '2026-10-25']) {
    const [found, ...others] = profilesOf(profile(MALO, '2.29.0', day, (slot) => `${slot}.25`));
    assert.deepEqual(others, []);
    assert.deepEqual(found, {
      marketLocation: MALO,
      direction: 'feed_in',
      days: [
        {
          day,
          valuesWh: Array.from({ length: slotCount(day) }, (_, at) => (at + 1) * 1000 + 250),
          substituteSlots: [],
        },
      ],
    });
  }
});

test('the period of the message, a unit that is left out and status segments change nothing', () => {
  const [found] = profilesOf([
    ...line(MELO, '1.29.0').slice(0, 2),
    ...quantity(START, '').slice(1),
    ...line(MELO, '1.29.0').slice(2),
    ...quantity(START, '1.5').map((segment) => segment.replace(':KWH', '')),
    seg('STS', 'Z33', '', 'Z84'),
    seg('DTM', '9:20261117:102'),
  ]);
  assert.equal(found?.marketLocation, MELO);
  assert.equal(found.days[0]?.valuesWh[0], 1500);
});

test('hours fill four slots, and substitute values are named', () => {
  const [found] = profilesOf([
    ...line(MALO, '1.29.0'),
    ...quantity(START, '0.01', { minutes: 60, code: '67' }),
    ...quantity(START + 4 * SLOT_MS, '7'),
  ]);
  assert.deepEqual(found?.days[0]?.valuesWh.slice(0, 6), [3, 2, 3, 2, 7000, null]);
  assert.deepEqual(found?.days[0]?.substituteSlots, [1, 2, 3, 4]);
});

test('a local day in winter is one day although it starts at 23:00 UTC, and offsets other than UTC are read', () => {
  const local = quantity(START, '1').map((segment) =>
    segment.replace('202611162300?+00', '202611170000?+01').replace('202611162315?+00', '202611161815?-05'),
  );
  const [found] = profilesOf([...line(MALO, '1.29.0'), ...local]);
  assert.deepEqual(
    found?.days.map(({ day, valuesWh }) => [day, valuesWh[0]]),
    [[DAY, 1000]],
  );
});

test('the product decides the direction, on any channel and with any suffix', () => {
  for (const [obis, direction] of [
    ['1-1?:1.29.0', 'consumption'],
    ['1-0?:2.29.0', 'feed_in'],
    ['1-65?:1.29.0*255', 'consumption'],
    ['2.29.0', 'feed_in'],
  ] as const) {
    const body = [
      ...line(MALO, '1.29.0').slice(0, -1),
      seg('PIA', '5', `${obis}:SRW`),
      ...quantity(START, '1'),
    ];
    assert.equal(profilesOf(body)[0]?.direction, direction, obis);
  }
});

test('other products and quantities are remarks with their first segment, and the rest is read', () => {
  const reading = readBody([
    ...line(MALO, '3.29.0'),
    ...quantity(START, 'anything', { minutes: 7 }),
    ...line(MALO, '1.29.0').slice(2),
    ...quantity(START, '1'),
    ...quantity(START, 'x', { code: '201' }),
    ...quantity(START + SLOT_MS, 'x', { code: '201' }),
  ]);
  assert.ok(reading.kind === 'read');
  assert.equal(reading.profiles[0]?.days[0]?.valuesWh[0], 1000);
  assert.deepEqual(reading.remarks, [
    {
      key: 'mscons.product_ignored',
      segment: HEAD_SEGMENTS + 4,
      marketLocation: MALO,
      found: '1-1:3.29.0',
      count: 1,
    },
    {
      key: 'mscons.quantity_ignored',
      segment: HEAD_SEGMENTS + 4 + 3 + 2 + 3 + 1,
      marketLocation: MALO,
      found: '201',
      count: 2,
    },
  ]);
});

test('remarks beyond the limit are counted', () => {
  const codes = Array.from({ length: EDIFACT_LIMITS.messageRemarks + 5 }, (_, at) => seg('QTY', `X${at}:1`));
  const reading = readBody([...line(MALO, '1.29.0'), ...codes]);
  assert.ok(reading.kind === 'read');
  assert.equal(reading.remarks.length, EDIFACT_LIMITS.messageRemarks);
  assert.equal(reading.furtherRemarks, 5);
});

test('the decimal mark is the one of UNA', () => {
  const body = [...line(MALO, '1.29.0'), ...quantity(START, '1,5')];
  const comma = read(interchange([message(body)], 'R1', "UNA:+,? '"))[0];
  assert.ok(comma?.kind === 'read');
  assert.equal(comma.profiles[0]?.days[0]?.valuesWh[0], 1500);
  assert.deepEqual(read(interchange([message(body)]))[0], {
    kind: 'rejected',
    segment: AFTER_LINE,
    fault: { key: 'series.not_a_number' },
  });
  for (const value of ['1.5', '1.500,5', '1,5,0']) {
    const wrong = [...line(MALO, '1.29.0'), ...quantity(START, value)];
    assert.equal(read(interchange([message(wrong)], 'R1', "UNA:+,? '"))[0]?.kind, 'rejected', value);
  }
});

test('a message that cannot be applied is rejected with segment and reason', () => {
  const at = (segment: number, fault: object, body: readonly string[]) =>
    assert.deepEqual(readBody(body), { kind: 'rejected', segment, fault });
  const inLine = (offset: number, fault: object, segments: readonly string[]) =>
    at(AFTER_LINE + offset, fault, [...line(MALO, '1.29.0'), ...segments]);
  inLine(0, { key: 'series.negative' }, quantity(START, '-1'));
  for (const text of ['', '1\n2', '1\0', '1 000', '1\u00812', '+1']) {
    inLine(0, { key: 'series.not_a_number' }, quantity(START, text.replace('+', '?+')));
  }
  inLine(0, { key: 'series.no_whole_wh' }, quantity(START, '1.2345'));
  inLine(0, { key: 'series.too_large', maxWh: 2_147_483_647 }, quantity(START, '2147483.648'));
  inLine(
    0,
    { key: 'mscons.unit', found: 'KVR' },
    quantity(START, '1').map((one) => one.replace('KWH', 'KVR')),
  );
  inLine(0, { key: 'mscons.interval_length', minutes: 30 }, quantity(START, '1', { minutes: 30 }));
  inLine(0, { key: 'mscons.interval_length', minutes: -15 }, quantity(START, '1', { minutes: -15 }));
  inLine(0, { key: 'series.interval_start', resolution: 'PT15M' }, quantity(START + 60_000, '1'));
  inLine(
    0,
    { key: 'series.interval_start', resolution: 'PT60M' },
    quantity(START + SLOT_MS, '1', { minutes: 60 }),
  );
  inLine(0, { key: 'mscons.no_interval' }, quantity(START, '1').slice(0, 2));
  inLine(3, { key: 'mscons.duplicate_slot', day: DAY, slot: 1 }, [
    ...quantity(START, '1'),
    ...quantity(START, '1'),
  ]);
  inLine(3, { key: 'mscons.repeated_time' }, [...quantity(START, '1'), quantity(START, '1')[1]!]);
  inLine(1, { key: 'mscons.time', found: '20261116:102' }, [
    seg('QTY', '220:1'),
    seg('DTM', '163:20261116:102'),
  ]);
  const noDay = quantity(START, '1').map((one) => one.replace('202611162300', '202602302300'));
  inLine(1, { key: 'mscons.time', found: '202602302300+00:303' }, noDay);
  inLine(0, { key: 'mscons.no_values' }, []);
  at(HEAD_SEGMENTS + 2, { key: 'series.location_check_digit', expected: '3' }, line('12345678914', '1.29.0'));
  at(HEAD_SEGMENTS + 2, { key: 'series.location_form' }, line('', '1.29.0'));
  at(HEAD_SEGMENTS + 4, { key: 'mscons.no_location' }, [
    ...line(MALO, '1.29.0').map((one) => one.replace('LOC+172', 'LOC+237')),
    ...quantity(START, '1'),
  ]);
  at(HEAD_SEGMENTS + 4, { key: 'mscons.no_product' }, [
    ...line(MALO, '1.29.0').slice(0, 3),
    ...quantity(START, '1'),
  ]);
  at(HEAD_SEGMENTS + 1, { key: 'mscons.no_location' }, quantity(START, '1'));
});

test('messages of another type, version or function, and segments that are too long, reject their message only', () => {
  const good = message([...line(MALO, '1.29.0'), ...quantity(START, '1')], 'M2');
  const readings = (bad: string) => read(interchange([bad, good]));
  const bad = message([...line(MALO, '1.29.0'), ...quantity(START, '2')]);
  for (const [wrong, segment, fault] of [
    [bad.replace('2.4c', '2.3'), 1, { key: 'mscons.message_type', found: 'MSCONS:D:04B:UN:2.3' }],
    [bad.replace('MSCONS:D', 'UTILMD:D'), 1, { key: 'mscons.message_type', found: 'UTILMD:D:04B:UN:2.4c' }],
    [bad.replace("DOCM1+9'", "DOCM1+1'"), 2, { key: 'mscons.message_function', found: '1' }],
    [
      bad.replace('UNS+D', `UNS+D${'+'.repeat(EDIFACT_LIMITS.segmentCharacters)}`),
      5,
      { key: 'mscons.segment_too_long', maxCharacters: EDIFACT_LIMITS.segmentCharacters },
    ],
  ] as const) {
    const [first, second] = readings(wrong);
    assert.deepEqual(first, { kind: 'rejected', segment, fault });
    assert.equal(second?.kind, 'read');
  }
  assert.equal(readings(bad.replace("DOCM1+9'", "DOCM1'"))[0]?.kind, 'read');
});

test('a message with more days than a market location has in years is rejected', () => {
  const days = Array.from({ length: EDIFACT_LIMITS.messageDays + 1 }, (_, at) =>
    quantity(START + at * 96 * SLOT_MS, '1'),
  );
  assert.deepEqual(faultOf(days.flat()), { key: 'mscons.too_many_days', max: EDIFACT_LIMITS.messageDays });
});

test('a plant takes feed-in and a customer consumption, the other direction is a remark, the rest is unknown', () => {
  const profiles = profilesOf(
    [MALO, OTHER_MALO, MELO].flatMap((location) =>
      ['1.29.0', '2.29.0'].flatMap((obis) => [...line(location, obis), ...quantity(START, '1')]),
    ),
  );
  const { applied, unknown, remarks } = assignProfiles(profiles, (location) =>
    location === MALO ? 'asset' : location === MELO ? 'customer' : null,
  );
  assert.deepEqual(
    applied.map(({ marketLocation, direction }) => [marketLocation, direction]),
    [
      [MALO, 'feed_in'],
      [MELO, 'consumption'],
    ],
  );
  assert.deepEqual(unknown, [OTHER_MALO]);
  assert.deepEqual(remarks, [
    { key: 'mscons.direction_ignored', marketLocation: MALO, direction: 'consumption' },
    { key: 'mscons.direction_ignored', marketLocation: MELO, direction: 'feed_in' },
  ]);
});

/** Two messages with a market location each and values of two hours. */
const values = (location: string, obis: string) => [
  ...line(location, obis),
  ...Array.from({ length: 8 }, (_, at) => quantity(START + at * SLOT_MS, `${at}.5`)).flat(),
];
const WHOLE = interchange([
  message(values(MALO, '1.29.0'), 'M1'),
  message(values(OTHER_MALO, '2.29.0'), 'M2'),
]);

test('a truncated interchange is never applied, wherever it ends', () => {
  assert.deepEqual(
    read(WHOLE).map(({ kind }) => kind),
    ['read', 'read'],
  );
  for (let length = 0; length < WHOLE.length; length++) {
    assert.equal(readInterchange(WHOLE.slice(0, length)).kind, 'rejected', String(length));
  }
});

test('a message that lost any part is rejected, or has all of its values, or says what was not read', () => {
  const check = (from: number, length: number) => {
    for (const reading of read(WHOLE.slice(0, from) + WHOLE.slice(from + length))) {
      if (reading.kind === 'rejected' || reading.remarks.length > 0) continue;
      const slots = reading.profiles.flatMap(({ days }) => days.flatMap(({ valuesWh }) => valuesWh));
      assert.equal(slots.filter((wh) => wh !== null).length, 8, `${from}, ${length}`);
    }
  };
  for (let from = 0; from < WHOLE.length; from++)
    for (let length = 1; length < 4; length++) check(from, length);
  fc.assert(fc.property(fc.nat({ max: WHOLE.length }), fc.integer({ min: 2, max: WHOLE.length }), check), {
    numRuns: runs(2000),
  });
});

test('text that only looks like the end of a message does not end it', () => {
  for (const fake of ["UNT:9+M1'", "?UNT+9+M1'", "UNTX+9+M1'", "\tUNT+9+M1'"]) {
    const body = [...line(MALO, '1.29.0'), ...quantity(START, '1'), fake, ...quantity(START + SLOT_MS, '1')];
    assert.deepEqual(readBody(body), {
      kind: 'rejected',
      segment: AFTER_LINE + 3,
      fault: { key: 'mscons.unknown_segment', found: '' },
    });
  }
});

const latin1 = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);

test('random text and random changes of a real interchange never throw', () => {
  const anyPiece = fc.oneof(
    fc.uint8Array({ maxLength: 5 }).map(latin1),
    fc.constantFrom(
      "'",
      '?',
      '+',
      ':',
      '\n',
      '\0',
      "UNT+1+M1'",
      "UNH+M1'",
      "UNZ+2+R1'",
      "LIN+1'",
      "QTY+220:1'",
    ),
  );
  const anyChanges = fc.array(fc.tuple(fc.nat({ max: WHOLE.length }), fc.nat({ max: 3 }), anyPiece), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(anyChanges, (changes) => {
      let text = WHOLE;
      for (const [at, removed, piece] of changes) text = text.slice(0, at) + piece + text.slice(at + removed);
      read(text);
    }),
    { numRuns: runs(500) },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      read(`UNA:+.? 'UNB+UNOC:3+1+2+261117:0600+R1'${latin1(bytes)}`);
      readInterchange(latin1(bytes));
    }),
    { numRuns: runs(1000) },
  );
});

test('megabytes without sense are rejected: quadratic time would exceed the limit of a test', () => {
  const size = 2 ** 21;
  const head = WHOLE.slice(0, WHOLE.indexOf('UNH'));
  const opened = `${head}${seg('UNH', 'M1', 'MSCONS:D:04B:UN:2.4c')}`;
  for (const piece of ['?', "'", "?'", '??', "QTY'", '+', ':', '\n', "UNH+1'", 'UNZ']) {
    const filling = piece.repeat(size / piece.length);
    for (const text of [
      filling,
      head + filling,
      opened + filling,
      `${opened}FTX+${filling}'${seg('UNT', '3', 'M1')}`,
    ]) {
      assert.equal(readInterchange(text).kind, 'rejected', piece);
    }
  }
  const long = read(`${opened}FTX+${'x'.repeat(size)}'${seg('UNT', '3', 'M1')}${seg('UNZ', '1', 'R1')}`);
  assert.deepEqual(long, [
    {
      kind: 'rejected',
      segment: 2,
      fault: { key: 'mscons.segment_too_long', maxCharacters: EDIFACT_LIMITS.segmentCharacters },
    },
  ]);
});
