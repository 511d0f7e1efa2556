import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteText } from './byte-text.ts';

const piece = fc.oneof(
  fc.record({ ascii: fc.stringMatching(/^[ -~]{0,40}$/) }),
  fc.record({ utf8: fc.string({ unit: 'grapheme' }) }),
  fc.record({ thousandths: fc.oneof(fc.integer(), fc.integer({ min: -1e15, max: 1e15 })) }),
);

test('bytes read as if they had been put together from text, however little room was expected', () => {
  fc.assert(
    fc.property(fc.nat(64), fc.array(piece, { maxLength: 50 }), (expectedBytes, pieces) => {
      const text = new ByteText(expectedBytes);
      let expected = '';
      for (const given of pieces) {
        if ('ascii' in given) text.ascii(given.ascii);
        else if ('utf8' in given) text.append(Buffer.from(given.utf8));
        else text.thousandths(given.thousandths);
        expected += 'thousandths' in given ? given.thousandths / 1000 : Object.values(given)[0];
      }
      assert.deepEqual(text.written(), Buffer.from(expected));
    }),
  );
});

test('every fraction of a thousand is as short as it can be', () => {
  for (let value = -1000; value <= 1000; value++) {
    const text = new ByteText(0);
    text.thousandths(value);
    assert.equal(text.written().toString(), String(value / 1000));
  }
});

test('the largest safe integers are exact', () => {
  const text = new ByteText(0);
  text.thousandths(Number.MIN_SAFE_INTEGER);
  text.ascii(' ');
  text.thousandths(Number.MAX_SAFE_INTEGER);
  assert.equal(text.written().toString(), '-9007199254740.991 9007199254740.991');
});
