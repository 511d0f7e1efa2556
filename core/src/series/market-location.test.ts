import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkMarketLocation, maloCheckDigit } from './market-location.ts';

test('a MaLo has eleven digits, the last one a check digit', () => {
  // 1+3+5+7+9 = 25 and twice 2+4+6+8+1 = 42 sum to 67.
  assert.equal(maloCheckDigit('1234567891'), '3');
  assert.equal(maloCheckDigit('0000000000'), '0');
  assert.equal(checkMarketLocation('12345678913'), null);
  assert.deepEqual(checkMarketLocation('12345678914'), {
    key: 'series.location_check_digit',
    expected: '3',
  });
});

test('one wrong digit of a MaLo is found, whichever it is', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^\d{10}$/),
      fc.nat({ max: 10 }),
      fc.integer({ min: 1, max: 9 }),
      (body, position, change) => {
        const malo = body + maloCheckDigit(body);
        assert.equal(checkMarketLocation(malo), null);
        const digit = (Number(malo[position]) + change) % 10;
        const wrong = malo.slice(0, position) + digit + malo.slice(position + 1);
        // Twice 5 is a multiple of ten: the check digit cannot tell digits at even positions that differ by 5.
        const isUndetectable = position % 2 === 1 && position < 10 && change === 5;
        assert.equal(checkMarketLocation(wrong) === null, isUndetectable, wrong);
      },
    ),
  );
});

test('a MeLo has 33 capital letters and digits, DE first', () => {
  assert.equal(checkMarketLocation(`DE${'0'.repeat(13)}${'AB12'.repeat(4)}99`), null);
  for (const text of ['', '1234567891', '123456789133', 'DE', `DE${'0'.repeat(30)}`, `DE${'0'.repeat(32)}`]) {
    assert.deepEqual(checkMarketLocation(text), { key: 'series.location_form' }, text);
  }
  for (const text of [
    `AT${'0'.repeat(31)}`,
    `DE${'0'.repeat(30)}a`,
    `DE${'0'.repeat(30)}\n`,
    '1234567891３',
  ]) {
    assert.deepEqual(checkMarketLocation(text), { key: 'series.location_form' }, text);
  }
});
