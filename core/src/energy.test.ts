import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { findUnits, parseDecimal } from './decimal.ts';
import {
  exactMwh,
  findKw,
  formatExactMwh,
  formatMw,
  formatMwh,
  formatSlotMwh,
  kwFromExactMwh,
  kwFromKwh,
  kwhFromMatchedKw,
  kwhFromMwh,
  MAX_SLOT_KWH,
  mwhNumber,
  mwhText,
  parseExactMwh,
  parseMw,
  sumKwh,
} from './energy.ts';
import { formatMessage } from './messages/message.ts';

const parseMwh = (text: string) => parseDecimal(text, 3, MAX_SLOT_KWH);
const findKwh = (mwh: number) => findUnits(mwh, 3);

const cellKwh = fc.integer({ min: -MAX_SLOT_KWH, max: MAX_SLOT_KWH });
const saldoKwh = fc.integer({ min: -1e15, max: 1e15 });

test('a formatted volume is parsed unchanged', () => {
  fc.assert(
    fc.property(cellKwh, (kwh) => {
      assert.equal(parseMwh(mwhText(kwh)), kwh);
      assert.equal(kwhFromMwh(mwhNumber(kwh)), kwh);
      assert.equal(kwhFromMwh(JSON.parse(mwhText(kwh))), kwh);
    }),
    { numRuns: runs(2000) },
  );
});

test('decimal text is read exactly: its digits are the digits of the kWh', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2_147_482 }),
      fc.stringMatching(/^\d{0,3}$/),
      fc.stringMatching(/^0{0,5}$/),
      fc.stringMatching(/^0{0,3}$/),
      (whole, decimals, trailing, leading) => {
        const fraction = decimals + (decimals.length === 3 ? trailing : '');
        const text = leading + whole + (fraction === '' ? '' : `.${fraction}`);
        const expected = BigInt(whole) * 1000n + BigInt(decimals.padEnd(3, '0'));
        assert.equal(parseMwh(text), Number(expected));
        assert.equal(parseMwh(`-${text}`), expected === 0n ? 0 : -Number(expected));
      },
    ),
  );
});

test('text and JSON number of a volume are the same text', () => {
  fc.assert(
    fc.property(fc.oneof(cellKwh, saldoKwh, fc.integer({ min: -3000, max: 3000 })), (kwh) => {
      assert.equal(mwhText(kwh), JSON.stringify(mwhNumber(kwh)));
    }),
    { numRuns: runs(5000) },
  );
  const examples: [number, string][] = [
    [1250, '1.25'],
    [0, '0'],
    [12_500, '12.5'],
    [-1, '-0.001'],
    [-0, '0'],
    [3000, '3'],
  ];
  for (const [kwh, text] of examples) assert.equal(mwhText(kwh), text);
});

test('text that is no plain decimal is malformed', () => {
  const malformed = [
    '',
    '-',
    '.',
    '1.',
    '.5',
    '-.5',
    '+1',
    '1e3',
    '1E-3',
    ' 1',
    '1 ',
    '1,5',
    '1.2.3',
    '--1',
    '0x10',
  ];
  for (const text of [...malformed, 'NaN', 'Infinity', '1_000', '١', '1.2345x', '-1-']) {
    assert.equal(parseMwh(text), 'malformed', JSON.stringify(text));
  }
});

test('arbitrary text is malformed unless it is a plain decimal', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+.0-9e]{0,8}$/)), (text) => {
      const plain = /^-?\d+(\.\d+)?$/.test(text);
      assert.equal(parseMwh(text) === 'malformed', !plain);
    }),
  );
});

test('a fraction of a kWh is rejected, zeros after the third decimal are not', () => {
  assert.equal(parseMwh('1.2345'), 'too_precise');
  assert.equal(parseMwh('0.0001'), 'too_precise');
  assert.equal(parseMwh('-0.00000000001'), 'too_precise');
  assert.equal(parseMwh('1.25000000'), 1250);
});

test('a volume beyond int32 is refused, however long its text', () => {
  assert.equal(parseMwh('2147483.647'), MAX_SLOT_KWH);
  assert.equal(parseMwh('2147483.648'), 'too_large');
  assert.equal(parseMwh('-2147483.648'), 'too_large');
  assert.equal(parseMwh('9'.repeat(1000)), 'too_large');
  assert.equal(parseMwh(`${'0'.repeat(1000)}1`), 1000);
});

test('a JSON number counts by its decimal value, exponent forms included', () => {
  assert.equal(findKwh(JSON.parse('1e-3')), 1);
  assert.equal(findKwh(JSON.parse('12.5E1')), 125_000);
  assert.equal(findKwh(JSON.parse('-0')), 0);
  assert.equal(findKwh(1.005), 1005);
  for (const value of [1e-4, 1e-7, 5e-324, 0.1 + 0.2, 1e21, 1e300, Number.NaN, Infinity, -Infinity]) {
    assert.equal(findKwh(value), null, String(value));
    assert.throws(() => kwhFromMwh(value), String(value));
  }
});

test('power is exact to the kW or rejected', () => {
  assert.deepEqual([48.301, 0.001, 1e6].map(findKw), [48_301, 1, 1_000_000_000]);
  for (const value of [0.0005, 48.3001, 1e21]) assert.equal(findKw(value), null, String(value));
});

test('no volume comes back as negative zero', () => {
  for (const kwh of [parseMwh('-0'), parseMwh('-0.000'), kwhFromMwh(-0)]) assert.ok(Object.is(kwh, 0));
});

test('matched power becomes energy rounded half up, and whole energy survives the way through power', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map(kwhFromMatchedKw), [0, 0, 1, 1, 1, 1, 2, 2, 2]);
  fc.assert(fc.property(saldoKwh, (kwh) => assert.equal(kwhFromMatchedKw(kwFromKwh(kwh)), kwh)));
});

test('a fraction of a unit is a programming error', () => {
  assert.throws(() => mwhText(0.5));
  assert.throws(() => formatMwh(0.5));
  assert.throws(() => mwhNumber(Number.NaN));
  assert.throws(() => kwhFromMatchedKw(1.5));
});

test('formatted power has three decimals and is parsed unchanged', () => {
  fc.assert(
    fc.property(fc.nat({ max: 999_999_999_999 }), (powerKw) => {
      const text = formatMw(powerKw);
      assert.match(text, /^\d+\.\d{3}$/);
      assert.equal(parseMw(text), powerKw);
    }),
  );
  assert.deepEqual([0, 250, 1000, 12_345].map(formatMw), ['0.000', '0.250', '1.000', '12.345']);
});

test('power with fewer than three decimals is accepted', () => {
  assert.deepEqual(['1', '1.5', '0.25', '007.100'].map(parseMw), [1000, 1500, 250, 7100]);
});

test('text that is no power of whole kW is rejected with the reason', () => {
  const faults: [string, RegExp][] = [
    ['-1', /negative/],
    ['-0.000', /negative/],
    ['1,5', /comma/],
    ['1.2501', /more than three decimals/],
    ['1234567890', /too large/],
  ];
  for (const text of ['', '.5', '5.', '1e3', '+1', ' 1', '1 ', 'NaN', '0x10', '1.2.3', '١']) {
    faults.push([text, /not a decimal number/]);
  }
  for (const [text, expected] of faults) {
    const read = parseMw(text);
    assert.ok(typeof read === 'object', text);
    assert.match(formatMessage(read.fault, 'en'), expected, text);
  }
});

test('a fraction of a kW or negative power is a programming error', () => {
  for (const powerKw of [0.5, -1, Number.NaN]) assert.throws(() => formatMw(powerKw));
});

test('sums are exact where floating point is not', () => {
  assert.notEqual(0.1 + 0.2, 0.3);
  assert.equal(formatMwh(sumKwh([0.1, 0.2].map(kwhFromMwh))), '0.300');
  const day = Array.from({ length: 100 }, () => kwhFromMwh(0.001));
  assert.equal(formatMwh(sumKwh(day)), '0.100');
});

test('energy in files has three decimals and its sign', () => {
  assert.equal(formatMwh(0), '0.000');
  assert.equal(formatMwh(7), '0.007');
  assert.equal(formatMwh(1_234_567), '1234.567');
  assert.equal(formatMwh(-50), '-0.050');
});

test('any power of a slot is exact in MWh, and is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -999_999_999, max: 999_999_999 }), (kw) => {
      const mwh = exactMwh(kw);
      assert.match(String(mwh), /^-?\d+(?:\.\d{1,5}|e-5)?$/);
      assert.equal(kwFromExactMwh(mwh), kw);
      assert.equal(parseExactMwh(String(mwh)), kw);
    }),
  );
  assert.deepEqual([exactMwh(1), exactMwh(4), exactMwh(-3)], [0.00025, 0.001, -0.00075]);
  assert.deepEqual(
    ['1.2341', '0.00001', '1.234251', '1.2340000', '2147483.647', '2147483.64725', '1,5'].map(parseExactMwh),
    ['no_whole_kw', 'no_whole_kw', 'too_precise', 4936, MAX_SLOT_KWH * 4, 'too_large', 'malformed'],
  );
});

test('the energy of a slot at a power has five decimals, or three if they are exact', () => {
  assert.deepEqual([7000, 6999, 0, -1].map(formatExactMwh), ['1.75000', '1.74975', '0.00000', '-0.00025']);
  assert.deepEqual([7000, 6999, 0, -1].map(formatSlotMwh), ['1.750', '1.74975', '0.000', '-0.00025']);
});
