import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CopyText } from './copy-text.ts';

const integers = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const arrays = fc.array(fc.option(integers), { maxLength: 100 });

test('written rows equal the concatenated text', () => {
  const rows = fc.array(
    fc.tuple(fc.stringMatching(/^[\w-]{0,40}$/), integers, fc.option(arrays), fc.uint8Array()),
    {
      maxLength: 200,
    },
  );
  fc.assert(
    fc.property(rows, (given) => {
      const copy = new CopyText();
      let expected = '';
      for (const [text, integer, values, bytes] of given) {
        copy.field(text);
        copy.integer(integer);
        copy.integers(values);
        copy.binary(bytes);
        copy.endRow();
        const array = values === null ? '\\N' : `{${values.map((value) => value ?? 'NULL').join(',')}}`;
        const hex = Buffer.from(bytes).toString('hex');
        expected += `${text}\t${integer}\t${array}\t\\\\x${hex}\n`;
      }
      assert.equal(copy.written().toString(), expected);
    }),
  );
});
