import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvFields, DecimalNotation, delimiterOf } from './csv.ts';
import { parseDecimal } from './decimal.ts';
import { formatMwh, MAX_SLOT_KWH } from './energy.ts';

const parseMwh = (text: string) => parseDecimal(text, 3, MAX_SLOT_KWH);

const read = (numbers: readonly string[], notation = new DecimalNotation(';', null)) => {
  const values = numbers.map((text) => parseMwh(notation.normalise(text)));
  return { values, mark: notation.mark, question: notation.question };
};

test('the header decides the delimiter', () => {
  assert.equal(delimiterOf('contract;delivery_date;slot;volume'), ';');
  assert.equal(delimiterOf('contract,delivery_date,slot,volume'), ',');
  assert.equal(delimiterOf('contract,delivery_date;slot,volume'), ',');
  assert.equal(delimiterOf('contract\tdelivery_date\tslot\tvolume'), '\t');
  assert.equal(delimiterOf('contract'), ',');
  assert.deepEqual(csvFields('"a;""b""";c;1,5', ';'), ['a;"b"', 'c', '1,5']);
  assert.deepEqual(csvFields('"a",b', ';'), { key: 'import.text_after_quote' });
});

test('a comma is the decimal mark of a file with semicolons', () => {
  assert.deepEqual(read(['12', '1,234', '0,5', '-0,5']), {
    values: [12_000, 1234, 500, -500],
    mark: 'comma',
    question: null,
  });
});

test('a point that cannot separate thousands is a decimal point', () => {
  for (const text of ['0.125', '12.5', '1234.567', '1.23', '1.2345']) {
    assert.equal(read([text]).mark, 'point', text);
  }
  assert.deepEqual(read(['1.234', '0.5']), { values: [1234, 500], mark: 'point', question: null });
});

test('a number with two readings is a question until another number decides for the point', () => {
  for (const numbers of [
    ['1.234'],
    ['12', '28.500', '7'],
    ['1.234', '0,5'],
    ['0,5', '1.234'],
    ['1.234', '1.234.567'],
  ]) {
    assert.notEqual(read(numbers).question, null, numbers.join(' '));
  }
  assert.equal(read(['12', '7']).question, null);
});

test('the stated mark answers the question', () => {
  assert.deepEqual(read(['1.234', '1.234,5'], new DecimalNotation(';', 'comma')), {
    values: [1_234_000, 1_234_500],
    mark: 'comma',
    question: null,
  });
  assert.deepEqual(read(['1.234', '1,5'], new DecimalNotation(';', 'point')), {
    values: [1234, 'malformed'],
    mark: 'point',
    question: null,
  });
  assert.deepEqual(read(['1,5'], new DecimalNotation(',', 'comma')).values, [1500]);
});

test('a file has one notation', () => {
  assert.deepEqual(read(['0,5', '12.5', '12,5,1']).values, [500, 'malformed', 'malformed']);
  assert.deepEqual(read(['0.5', '12,5']).values, [500, 'malformed']);
  assert.deepEqual(read(['1.234,5', '0,5']).values, [1_234_500, 500]);
  assert.deepEqual(read(['1.23,5'], new DecimalNotation(';', 'comma')).values, ['malformed']);
});

test('numbers are read as written, or the file has an open question', () => {
  const kwh = fc.integer({ min: 0, max: 9_999_999 });
  const german = (value: number) => formatMwh(value).replace('.', ',');
  fc.assert(
    fc.property(fc.array(kwh, { minLength: 1, maxLength: 8 }), fc.boolean(), (values, isGerman) => {
      const texts = values.map(isGerman ? german : formatMwh);
      const result = read(texts);
      if (result.question === null) assert.deepEqual(result.values, values, texts.join(' '));
      else assert.equal(isGerman, false, `decimal commas have one reading: ${texts.join(' ')}`);
    }),
  );
});
