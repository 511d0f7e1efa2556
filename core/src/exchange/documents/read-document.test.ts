import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR, slotsOf } from '../../../test/schedule-worlds.ts';
import { slotCount } from '../../delivery-day.ts';
import type { MessageFormat } from '../../enums.ts';
import { tsoCodes } from '../../market-rules.ts';
import { BUILT_IN_RULES } from '../../market-rules-file.ts';
import { formatMessage } from '../../messages/message.ts';
import type { Acknowledgement, Anomaly, Confirmation } from '../answer.ts';
import type { Schedule } from '../schedule.ts';
import type { Recognised } from './document.ts';
import { readDocument, readDocumentInSteps } from './read-document.ts';
import { writeAnswer, writeSchedule } from './write-document.ts';

const day = '2026-10-25';
const createdAt = Date.parse('2026-10-24T13:00:00Z');
const tennet = '10XDE-EON-NETZ-C';
const messageId = '20261025_TPS_11XSALDO-------Z_TTG';
const series = {
  identification: '11XNORDWIND----J_OUT',
  version: 1,
  businessType: 'A02',
  outParty: '11XNORDWIND----J',
  outArea: '10YDE-EON------1',
  inParty: OPERATOR,
  inArea: '10YDE-EON------1',
  powersKw: slotsOf(day, { 1: 250, 5: 1250, 100: 777 }),
} as const;
const head = {
  id: 'ANSWER-1',
  createdAt,
  sender: tennet,
  receiver: OPERATOR,
  answers: { messageId, version: 3 },
};
const modified = { ...series, reasons: [{ code: 'A63', text: null }] };
const confirmation: Confirmation = {
  ...head,
  kind: 'confirmation',
  day,
  isFinal: true,
  outcome: 'partial',
  reasons: [{ code: 'A07', text: null }],
  series: [{ ...modified, slotReasons: [{ slot: 5, reasons: [{ code: 'A44', text: null }] }] }],
  imposed: [
    {
      ...modified,
      identification: 'IMPOSED-1',
      inParty: '11XALBSTROM----X',
      slotReasons: [{ slot: 50, reasons: [{ code: 'A43', text: null }] }],
    },
  ],
  unusable: [],
};
const acknowledgement: Acknowledgement = {
  ...head,
  kind: 'acknowledgement',
  outcome: 'rejected',
  reasons: [{ code: 'A02', text: null }],
  rejectedSeries: [],
};
const anomaly: Anomaly = {
  ...head,
  kind: 'anomaly',
  day,
  sides: [{ ...modified, party: OPERATOR, messageId, messageVersion: 3 }],
  unusable: [],
};
const schedule: Schedule = {
  operatorEic: OPERATOR,
  tso: 'DE_TENNET',
  codes: tsoCodes(BUILT_IN_RULES, 'DE_TENNET', day),
  day,
  messageId,
  version: 3,
  series: [series],
};

const texts: Readonly<Record<MessageFormat, string>> = {
  ess: writeAnswer(confirmation, 'ess'),
  cim: writeAnswer(confirmation, 'cim'),
};
const recognised: Recognised = {
  format: 'ess',
  type: 'confirmation',
  tso: 'DE_TENNET',
  day,
  messageId,
  version: 3,
};

const read = (text: string) => readDocument(Buffer.from(text), BUILT_IN_RULES);

function refusal(document: string | Uint8Array) {
  const result = readDocument(
    typeof document === 'string' ? Buffer.from(document) : document,
    BUILT_IN_RULES,
  );
  assert.ok(result.kind === 'unreadable', 'it should be refused');
  const reason = `${formatMessage(result.fault, 'en')}.`;
  assert.match(reason, /^[^\n]{10,400}\.$/);
  return { reason, recognised: result.recognised };
}

/** The fault of the single series that cannot be used. */
function seriesFault(text: string): string {
  const result = read(text);
  assert.ok(result.kind === 'ok' && 'unusable' in result.document, JSON.stringify(result));
  const [unusable, ...more] = result.document.unusable;
  assert.ok(unusable !== undefined && more.length === 0, JSON.stringify(result.document.unusable));
  const fault = formatMessage(unusable.fault, 'en');
  assert.match(fault, /^[^\n]{10,400}[^.]$/);
  return fault;
}

/** A confirmation with one replacement. */
function broken(format: MessageFormat, found: string | RegExp, replacement: string): string {
  const text = texts[format].replace(found, replacement);
  assert.notEqual(text, texts[format], `${found} is in the document`);
  return text;
}

const point = (format: MessageFormat, position: number, quantity: string) =>
  format === 'ess'
    ? `<Interval>\n<Pos v="${position}"/>\n<Qty v="${quantity}"/>\n`
    : `<Point>\n<position>${position}</position>\n<quantity>${quantity}</quantity>\n`;
const pointEnd = { ess: '</Interval>\n', cim: '</Point>\n' };

for (const format of ['ess', 'cim'] as const) {
  test(`${format}: a quantity that is no power names its series and position`, () => {
    const faults: [string, RegExp][] = [
      ['-1.250', /is negative/],
      ['1,250', /has a comma/],
      ['1.2505', /more than three decimals/],
      ['1e3', /is not a decimal/],
      ['99999999999', /is too large/],
    ];
    for (const [quantity, expected] of faults) {
      const text = broken(format, point(format, 5, '1.250'), point(format, 5, quantity));
      const fault = seriesFault(text);
      assert.match(fault, expected);
      assert.match(fault, /^series "IMPOSED-1": position 5: the quantity/);
    }
  });

  test(`${format}: zeros after the third decimal do not change a quantity`, () => {
    const text = broken(format, point(format, 5, '1.250'), point(format, 5, '1.2500000'));
    assert.deepEqual(read(text), read(texts[format]));
  });

  test(`${format}: every position of the day occurs exactly once`, () => {
    const whole = (position: number, quantity: string) =>
      point(format, position, quantity) + pointEnd[format];
    const faults: [string, RegExp][] = [
      [broken(format, whole(7, '0.000'), ''), /99 of 100 positions: position 7 is missing/],
      [broken(format, whole(100, '0.777'), ''), /99 of 100 positions: position 100 is missing/],
      [broken(format, point(format, 7, '0.000'), point(format, 6, '0.000')), /position 6: it stands twice/],
      [broken(format, point(format, 100, '0.777'), point(format, 101, '0.777')), /position 101: .* only 100/],
      [broken(format, point(format, 7, '0.000'), point(format, 0, '0.000')), /position "0" is not/],
      [broken(format, whole(100, '0.777'), whole(100, '0.777') + whole(101, '1.000')), /position 101/],
    ];
    for (const [text, expected] of faults) {
      const fault = seriesFault(text);
      assert.match(fault, expected);
      assert.match(fault, /^series "IMPOSED-1"/);
    }
  });

  const code = (value: string) => (format === 'ess' ? `<ReasonCode v="${value}"/>` : `<code>${value}</code>`);
  const value = (ess: string, cim: string, text: string) =>
    format === 'ess' ? `<${ess} v="${text}"/>` : `<${cim}>${text}</${cim}>`;

  test(`${format}: reasons that the platform does not know are kept`, () => {
    const last = (text: string) => new RegExp(`${text}(?![\\s\\S]*${text})`);
    const texts = [
      broken(format, code('A44'), code('A45')),
      broken(format, last(code('A63')), code('X-UNHEARD-OF')),
      broken(format, code('A07'), `${code('A07')}</Reason><Reason>${code('A95')}`),
    ];
    const [inSlot, inSeries, inHead] = texts.map((text) => {
      const result = read(text);
      assert.ok(result.kind === 'ok' && result.document.kind === 'confirmation', JSON.stringify(result));
      assert.deepEqual(result.document.unusable, []);
      return result.document;
    });
    const [series] = confirmation.series;
    const reason = (known: string) => [{ code: known, text: null }];
    assert.deepEqual(inSlot!.series, [{ ...series, slotReasons: [{ slot: 5, reasons: reason('A45') }] }]);
    assert.deepEqual(inSeries!.series, [{ ...series, reasons: reason('X-UNHEARD-OF') }]);
    assert.deepEqual(inHead!.reasons, [...reason('A07'), ...reason('A95')]);
    assert.equal(inHead!.outcome, 'partial');
  });

  test(`${format}: types A07, A08 and A09 are confirmations, the last two final`, () => {
    const typed = (type: string) =>
      read(texts[format].replace(value('MessageType', 'type', 'A08'), value('MessageType', 'type', type)));
    for (const [type, isFinal] of [
      ['A07', false],
      ['A08', true],
      ['A09', true],
    ] as const) {
      const result = typed(type);
      assert.ok(result.kind === 'ok' && result.document.kind === 'confirmation');
      assert.deepEqual(result.document, { ...confirmation, isFinal });
    }
    const unknown = typed('A10');
    assert.ok(unknown.kind === 'unreadable');
    assert.match(
      formatMessage(unknown.fault, 'en'),
      /type of the confirmation is "A10", known are A07, A08, A09/,
    );
  });

  test(`${format}: series of business types that we never send are read`, () => {
    const text = broken(
      format,
      value('BusinessType', 'businessType', 'A02'),
      value('BusinessType', 'businessType', 'A04'),
    );
    const result = read(text);
    assert.ok(result.kind === 'ok' && result.document.kind === 'confirmation');
    assert.deepEqual(result.document.imposed, [{ ...confirmation.imposed[0], businessType: 'A04' }]);
  });

  test(`${format}: a series in another unit, product or resolution cannot be used`, () => {
    const units = ['MeasurementUnit', 'measure_Unit.name'] as const;
    const faults: [string, RegExp][] = [
      [broken(format, value(...units, 'MAW'), value(...units, 'KWH')), /unit is "KWH"/],
      [
        broken(
          format,
          value('Product', 'product', '8716867000016'),
          value('Product', 'product', '8716867000030'),
        ),
        /product is "8716867000030"/,
      ],
      [
        broken(
          format,
          value('Resolution', 'resolution', 'PT15M'),
          value('Resolution', 'resolution', 'PT60M'),
        ),
        /resolution must be PT15M, not "PT60M"/,
      ],
    ];
    for (const [text, expected] of faults) assert.match(seriesFault(text), expected);
  });

  test(`${format}: a series with missing, unknown or repeated elements cannot be used`, () => {
    const product =
      format === 'ess' ? '<Product v="8716867000016"/>\n' : '<product>8716867000016</product>\n';
    const faults: [string, RegExp][] = [
      [broken(format, product, ''), /^series "IMPOSED-1": \w+ lacks [pP]roduct$/],
      [broken(format, product, product + product), /[pP]roduct stands twice/],
      [broken(format, product, `${product}<Price/>`), /has no element "Price"/],
      [
        broken(
          format,
          product,
          '<Product v=""/>'.replace('P', format === 'ess' ? 'P' : 'p').replace(/(p\w+) v=""/, '$1'),
        ),
        /has no value/,
      ],
      [broken(format, '11XALBSTROM----X', '11XALBSTROM----8'), /check character of this EIC must be "X"/],
    ];
    for (const [text, expected] of faults) assert.match(seriesFault(text), expected);
  });

  test(`${format}: a faulty head is rejected with the place of its fault`, () => {
    const faults: [string, RegExp][] = [
      [broken(format, /codingScheme="A01"/, 'codingScheme="A10"'), /must be an EIC/],
      [broken(format, 'codingScheme="A01"', 'codingScheme="A01" x="1"'), /has no attribute "x"/],
      [broken(format, code('A07'), `${code('A07')}<Price/>`), /has no element "Price"/],
      [broken(format, tennet, '10XDE-EON-NETZ-D'), /check character of this EIC must be "C"/],
    ];
    for (const [text, expected] of faults) {
      const { reason, recognised: known } = refusal(text);
      assert.match(reason, expected);
      assert.match(reason, /\(line \d+, column \d+\)\.$/);
      assert.equal(known.format, format);
    }
  });

  test(`${format}: a document that is truncated or continues after its end is rejected`, () => {
    const text = texts[format];
    for (let length = 0; length < text.length - 1; length += 997) refusal(text.slice(0, length));
    assert.match(refusal(text.slice(0, -3)).reason, /cut off/);
    assert.match(refusal(`${text}<more/>`).reason, /follows after the end/);
    assert.match(refusal(`${text}\0`).reason, /follows after the end/);
    assert.match(refusal(text + text).reason, /Processing instructions/);
  });

  test(`${format}: a repeated series cannot be used`, () => {
    const twice = { ...confirmation, series: [...confirmation.series, ...confirmation.series] };
    assert.match(seriesFault(writeAnswer(twice, format)), /^series "11XNORDWIND----J_OUT": It stands twice/);
    const [imposed] = confirmation.imposed;
    const other = { ...confirmation, imposed: [imposed!, { ...imposed!, identification: 'IMPOSED-2' }] };
    assert.match(seriesFault(writeAnswer(other, format)), /"IMPOSED-2": It stands twice/);
  });

  test(`${format}: an answer with several overall results, or none, is rejected`, () => {
    const judged = (...codes: string[]) => codes.map((code) => ({ code, text: null }));
    const twice = writeAnswer({ ...confirmation, reasons: judged('A06', 'A08') }, format);
    assert.match(refusal(twice).reason, /reasons among A06, .*, A87 contradict each other/);
    const both = writeAnswer({ ...acknowledgement, reasons: judged('A01', 'A02') }, format);
    assert.match(refusal(both).reason, /reasons among A01, A02, A03 contradict each other/);
    const none = writeAnswer(acknowledgement, format).replace('A02', 'A54');
    assert.match(refusal(none).reason, /None of its reasons is one of A01, A02, A03/);
  });

  test(`${format}: a version is a whole number from 1 to 999`, () => {
    for (const version of ['0', '000', '1000', '-1', '1.0', 'one']) {
      const text = texts[format].replace(/(ConfirmedMessageVersion v="|revisionNumber>)3/, `$1${version}`);
      assert.match(refusal(text).reason, /version ".*" is not a whole number from 1 to 999/);
    }
    const padded = texts[format].replace(/(ConfirmedMessageVersion v="|revisionNumber>)3/, '$1003');
    assert.equal(read(padded).kind, 'ok');
  });

  test(`${format}: the interval is a German delivery day, with its own number of positions`, () => {
    const interval = (start: string, end: string) =>
      format === 'ess' ? `${start}/${end}` : `<start>${start}</start><end>${end}</end>`;
    const right = interval('2026-10-24T22:00Z', '2026-10-25T23:00Z');
    const faults: [string, RegExp][] = [
      [interval('2026-10-25T00:00Z', '2026-10-26T00:00Z'), /not a German delivery day/],
      [
        interval('2026-10-24T22:00Z', '2026-10-25T22:00Z'),
        /not a German delivery day from midnight to midnight: it has 96 quarter-hours, 2026-10-25 has 100/,
      ],
      [interval('2026-10-24T22:00Z', '2026-10-26T23:00Z'), /not a German delivery day/],
      [interval('2026-10-24T22:00', '2026-10-25T23:00'), /not two UTC times/],
      [interval('2026-10-32T22:00Z', '2026-10-25T23:00Z'), /not two UTC times/],
    ];
    for (const [wrong, expected] of faults) {
      assert.match(refusal(broken(format, right, wrong)).reason, expected);
    }
    const single = writeAnswer({ ...confirmation, imposed: [] }, format);
    const otherDay = single.replace(right, interval('2026-10-25T23:00Z', '2026-10-26T23:00Z'));
    assert.match(seriesFault(otherDay), /does not lie within 2026-10-26/);
    const allOther = single.replaceAll(right, interval('2026-10-25T23:00Z', '2026-10-26T23:00Z'));
    assert.match(seriesFault(allOther), /position 97: the period has only 96 positions/);
  });

  test(`${format}: consecutive periods form a day, others are rejected`, () => {
    const split = (second: string) => {
      const [end, start] =
        format === 'ess'
          ? ['</Period>', `<Period>\n<TimeInterval v="${second}"/>\n<Resolution v="PT15M"/>\n`]
          : [
              '</Period>',
              `<Period>\n<timeInterval><start>${second.replace('/', '</start><end>')}</end></timeInterval>\n<resolution>PT15M</resolution>\n`,
            ];
      const first = format === 'ess' ? '2026-10-24T22:00Z/2026-10-24T23:00Z' : '<end>2026-10-24T23:00Z</end>';
      const whole = format === 'ess' ? '2026-10-24T22:00Z/2026-10-25T23:00Z' : '<end>2026-10-25T23:00Z</end>';
      const text = writeAnswer({ ...confirmation, imposed: [] }, format);
      const at = text.indexOf('Period>');
      return (
        text.slice(0, at) +
        text
          .slice(at)
          .replace(whole, first)
          .replace(point(format, 5, '1.250'), `${end}\n${start}${point(format, 5, '1.250')}`)
          .replaceAll(
            /(<Pos v="|<position>)(\d+)/g,
            (_, tag, position) => `${tag}${position < 5 ? position : position - 4}`,
          )
      );
    };
    const result = read(split('2026-10-24T23:00Z/2026-10-25T23:00Z'));
    assert.ok(result.kind === 'ok' && result.document.kind === 'confirmation', JSON.stringify(result));
    assert.deepEqual(result.document.series[0]!.powersKw, series.powersKw);
    assert.deepEqual(result.document.series[0]!.slotReasons[0]!.slot, 5);
    const overlapping = seriesFault(split('2026-10-24T22:45Z/2026-10-25T22:45Z'));
    assert.match(overlapping, /position 1: it stands twice/);
    const askew = seriesFault(split('2026-10-24T23:05Z/2026-10-25T23:00Z'));
    assert.match(askew, /does not lie within/);
    const outside = seriesFault(split('2026-10-24T23:15Z/2026-10-25T23:15Z'));
    assert.match(outside, /does not lie within/);
    const backwards = seriesFault(split('2026-10-25T23:00Z/2026-10-24T23:00Z'));
    assert.match(backwards, /does not lie within/);
  });
}

test('elements of an answer may stand in any order, also within a series', () => {
  const shuffled = (element: string) =>
    element.replace(/^(<Product .*\n)((?:<.*\n)*?)(<MeasurementUnit .*\n)/gm, '$3$2$1');
  const moved = shuffled(texts.ess).replace(/(<Pos .*\n)(<Qty .*\n)/g, '$2$1');
  assert.notEqual(moved, texts.ess);
  assert.deepEqual(read(moved), read(texts.ess));
  const own = writeSchedule(schedule, 'ess', createdAt);
  assert.match(refusal(shuffled(own)).reason, /lacks Product/, 'a TSO would reject this schedule');
});

test('series before the interval are read once it is known, in bounded steps', () => {
  const interval = /^<ScheduleTimeInterval .*\n/m;
  const [line = ''] = interval.exec(texts.ess) ?? [];
  const late = texts.ess
    .replace(interval, '')
    .replace('</ConfirmationReport>', `${line}</ConfirmationReport>`);
  assert.deepEqual(read(late), read(texts.ess));
  const between = texts.ess.replace(interval, '').replace('<TimeSeriesConfirmation>', `${line}$&`);
  assert.deepEqual(read(between), read(texts.ess));
  assert.match(refusal(texts.ess.replace(interval, '')).reason, /lacks ScheduleTimeInterval/);
});

test('unknown elements of an answer are named, those of a schedule are an error', () => {
  const result = read(texts.ess.replace('<Reason>', '<Hint v="1"/><Other><A/></Other><Hint v="2"/><Reason>'));
  assert.deepEqual(result, { ...read(texts.ess), unknownElements: ['Hint', 'Other'] });
  const many = Array.from({ length: 1000 }, (_, at) => `<Hint${at}/>`).join('');
  const crowded = read(texts.ess.replace('<Reason>', `${many}<Reason>`));
  assert.ok(crowded.kind === 'ok');
  assert.equal(crowded.unknownElements.length, 20);
  const own = writeSchedule(schedule, 'ess', createdAt).replace('<ScheduleTimeSeries>', '<Hint v="1"/>$&');
  assert.match(refusal(own).reason, /has no element "Hint"/);
});

test('a period must contain every slot of its part of the day', () => {
  const text = writeAnswer({ ...confirmation, imposed: [] }, 'ess');
  const at = text.indexOf('<Period>');
  const short = text
    .slice(at)
    .replace('2026-10-25T23:00Z', '2026-10-25T22:45Z')
    .replace(`${point('ess', 100, '0.777')}${pointEnd.ess}`, '');
  assert.match(seriesFault(text.slice(0, at) + short), /Slot 100 of 2026-10-25 is in none of the periods/);
});

test('an acknowledgement may name the file of the schedule only', () => {
  const unnamed = writeAnswer({ ...acknowledgement, answers: null }, 'ess');
  const named = (file: string) =>
    read(unnamed.replace(/(<ReceiverRole v="A08"\/>\n)/, `$1<ReceivingPayloadName v="${file}"/>\n`));
  const result = named('20261025_TPS_11XSALDO-------Z_10XDE-EON-NETZ-C_003.XML');
  assert.ok(result.kind === 'ok');
  assert.deepEqual(result.document, acknowledgement);
  const unknown = named('letter.xml');
  assert.ok(unknown.kind === 'ok');
  assert.deepEqual(unknown.document, { ...acknowledgement, answers: null });
});

test('only UTF-8 is accepted, with or without a byte order mark, and declared ISO-8859-1', () => {
  const text = texts.ess;
  assert.equal(readDocument(Buffer.from(`\ufeff${text}`), BUILT_IN_RULES).kind, 'ok');
  const swapped = Buffer.from(text, 'utf16le').swap16();
  for (const bytes of [
    Buffer.from(`\ufeff${text}`, 'utf16le'),
    Buffer.from(text, 'utf16le'),
    swapped,
    Buffer.concat([Buffer.from([0xfe, 0xff]), swapped]),
  ]) {
    assert.match(refusal(bytes).reason, /UTF-16/);
  }
  const withText = writeAnswer({ ...confirmation, reasons: [{ code: 'A07', text: 'für Müller' }] }, 'ess');
  assert.match(refusal(Buffer.from(withText, 'latin1')).reason, /not in UTF-8, whatever it declares/);
  const declared = readDocument(
    Buffer.from(withText.replace('UTF-8', 'iso-8859-1'), 'latin1'),
    BUILT_IN_RULES,
  );
  assert.ok(declared.kind === 'ok' && declared.document.kind === 'confirmation');
  assert.deepEqual(declared.document.reasons, [{ code: 'A07', text: 'für Müller' }]);
  assert.match(refusal(text.replace('UTF-8', 'UTF-16')).reason, /declares the encoding "UTF-16"/);
  assert.match(refusal(Buffer.from([0xef, 0xbb, 0xbf])).reason, /empty/);
  assert.match(refusal(Buffer.from([0xc3])).reason, /not in UTF-8/);
});

test('dangerous features of XML are rejected before any content is used', () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n';
  const withBomb = texts.ess.replace(/<!DOCTYPE[^>]*>\n/, bomb);
  assert.match(
    refusal(withBomb).reason,
    /^The document type declaration is malformed or has an internal subset \(line 2, column 1\)/,
  );
  const external = texts.ess.replace('"ANSWER-1"', '"&xxe;"');
  assert.match(refusal(external).reason, /entity "&xxe;" is not accepted/);
  const million = `${texts.ess.slice(0, texts.ess.indexOf('<Interval>'))}${'<Interval>'.repeat(1_000_000)}`;
  assert.match(refusal(million).reason, /nested deeper than 8/);
});

test('a document of an unknown kind is distinguished from a faulty one', () => {
  const nothing: Recognised = {
    format: null,
    type: 'unknown',
    tso: null,
    day: null,
    messageId: null,
    version: null,
  };
  for (const text of [
    '<html/>',
    '<StatusRequest DtdVersion="2" DtdRelease="3"/>',
    '<constructor/>',
    'hello',
    '',
  ]) {
    const { recognised } = refusal(text);
    assert.deepEqual(recognised, nothing, text);
  }
  assert.match(refusal('<html/>').reason, /"html" is no schedule message and no answer to one/);
  const stranger = texts.cim.replace('urn:iec62325.351', 'urn:example');
  assert.match(refusal(stranger).reason, /namespace of Confirmation_MarketDocument must begin with urn:iec/);
  const marked = texts.ess.replace('DtdRelease', 'evil="1" DtdRelease');
  assert.match(refusal(marked).reason, /has no attribute "evil"/);
});

test('another schema version, a namespace prefix and schema hints are accepted', () => {
  const expected = { kind: 'ok', format: 'cim', document: confirmation, unknownElements: [] };
  const newer = texts.cim.replace('confirmationdocument:5:0', 'confirmationdocument:5:1');
  assert.deepEqual(read(newer), expected);
  assert.deepEqual(read(texts.cim.replaceAll('measure_Unit', 'measurement_Unit')), expected);
  const prefixed = texts.cim.replaceAll(/<(\/?)(?=\w)/g, '<$1ns0:').replace('xmlns=', 'xmlns:ns0=');
  assert.deepEqual(read(prefixed), expected);
  const hinted = texts.ess.replace(
    ' DtdVersion',
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="x.xsd" DtdVersion',
  );
  assert.deepEqual(read(hinted), { ...expected, format: 'ess' });
});

test('the day of an acknowledgement comes from the answered message', () => {
  const text = writeAnswer(acknowledgement, 'ess').replace('A02', '???');
  assert.deepEqual(refusal(text).recognised, { ...recognised, type: 'acknowledgement' });
  const odd = writeAnswer(
    { ...acknowledgement, answers: { messageId: '99999999_TPS_X', version: 1 } },
    'ess',
  );
  assert.equal(refusal(odd.replace('A02', '???')).recognised.day, null);
});

test('an answer without a reference to a message is read', () => {
  for (const format of ['ess', 'cim'] as const) {
    const result = read(writeAnswer({ ...confirmation, answers: null }, format));
    assert.deepEqual(result, {
      kind: 'ok',
      format,
      document: { ...confirmation, answers: null },
      unknownElements: [],
    });
  }
});

test('errors of intervals are part of the reasons', () => {
  const error =
    '<TimeIntervalError><QuantityTimeInterval v="2026-10-24T22:00Z/2026-10-24T22:15Z"/><Reason><ReasonCode v="A46"/><ReasonText v="too high"/></Reason></TimeIntervalError>';
  const rejection = `<TimeSeriesRejection><SendersTimeSeriesIdentification v="X"/>${error}<Reason><ReasonCode v="A50"/></Reason></TimeSeriesRejection>`;
  const text = writeAnswer(acknowledgement, 'ess')
    .replace('<Reason>', `${rejection}<Reason>`)
    .replace('</AcknowledgementMessage>', `${error}</AcknowledgementMessage>`);
  const inError = { code: 'A46', text: 'too high (2026-10-24T22:00Z/2026-10-24T22:15Z)' };
  assert.deepEqual(read(text), {
    kind: 'ok',
    format: 'ess',
    document: {
      ...acknowledgement,
      reasons: [...acknowledgement.reasons, inError],
      rejectedSeries: [{ identification: 'X', reasons: [{ code: 'A50', text: null }, inError] }],
    },
    unknownElements: [],
  });
});

test('an anomaly report answers the message that its own side names', () => {
  const [own] = anomaly.sides;
  const theirs = { ...own!, party: own!.outParty!, messageId: 'THEIRS', messageVersion: 9 };
  const both = { ...anomaly, sides: [theirs, own!] };
  assert.deepEqual(read(writeAnswer(both, 'ess')), {
    kind: 'ok',
    format: 'ess',
    document: both,
    unknownElements: [],
  });
  const alone = read(writeAnswer({ ...anomaly, sides: [theirs] }, 'cim'));
  assert.ok(alone.kind === 'ok' && alone.document.kind === 'anomaly');
  assert.equal(alone.document.answers, null);
});

test('a schedule whose receiver is no TSO, or without parties, is rejected', () => {
  const text = writeSchedule(schedule, 'ess', createdAt);
  assert.match(refusal(text.replace(tennet, '11XALBSTROM----X')).reason, /receiver .* is no TSO/);
  assert.match(refusal(text.replace(/<InParty.*\n/, '')).reason, /names both parties and both areas/);
  const other = refusal(text.replace('<ProcessType v="A17"/>', '<ProcessType v="A01"/>'));
  assert.match(other.reason, /process is "A01", known are A17/);
  assert.deepEqual(other.recognised, { ...recognised, type: 'schedule' });
});

test('a huge document is read in many steps', () => {
  const many = Array.from({ length: 2000 }, (_, at) => ({ ...series, identification: `S${at}` }));
  const text = writeSchedule({ ...schedule, series: many }, 'ess', createdAt);
  const steps = readDocumentInSteps(Buffer.from(text), BUILT_IN_RULES);
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  assert.ok(step.value.kind === 'ok' && step.value.document.kind === 'schedule');
  assert.equal(step.value.document.schedule.series.length * slotCount(day), 200_000);
  // Each part of the text takes one step to decode and one to read.
  assert.ok(count >= text.length / 45_000, `${count} steps`);
});
