import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/runs.ts';
import { checkCharacter, checkEic, isBalanceGroupEic } from './eic.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-';

/** Codes of the TSOs, whose check characters come from others, and ours. */
const REAL_CODES = [
  '10YDE-RWENET---I',
  '10YDE-EON------1',
  '10YDE-ENBW-----N',
  '10YDE-VE-------2',
  '10XDE-RWENET---W',
  '10XDE-EON-NETZ-C',
  '10XDE-ENBW--TNGX',
  '10XDE-VE-TRANSMK',
  '11XSALDO-------Z',
];

test('the codes in use pass', () => {
  for (const code of REAL_CODES) {
    assert.equal(checkEic(code), null, code);
    assert.equal(isBalanceGroupEic(code), true, code);
  }
});

test('every change of a single character is noticed', () => {
  for (const code of REAL_CODES) {
    for (let at = 0; at < code.length; at++) {
      for (const character of ALPHABET) {
        if (character === code[at]) continue;
        assert.notEqual(checkEic(code.slice(0, at) + character + code.slice(at + 1)), null);
      }
    }
  }
});

test('a wrong check character is reported with the right one', () => {
  const key = 'field.eic_check_character';
  assert.deepEqual(checkEic('10YDE-VE-------3'), { key, expected: '2', found: '3' });
  assert.deepEqual(checkEic('10YDE-VE--------'), { key, expected: '2', found: '-' });
});

test('fifteen characters either have one check character or can never be a code', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{2}[A-Z][A-Z0-9-]{12}$/), (body) => {
      const passing = [...ALPHABET].filter((character) => checkEic(body + character) === null);
      const expected = checkCharacter(body);
      assert.deepEqual(passing, expected === '-' ? [] : [expected]);
    }),
    { numRuns: runs(300) },
  );
});

test('a code whose check character would be a hyphen is never valid', () => {
  const body = Array.from({ length: 37 }, (_, value) => `10X-----------${ALPHABET.charAt(value)}`).find(
    (candidate) => checkCharacter(candidate) === '-',
  );
  assert.ok(body !== undefined);
  for (const character of ALPHABET)
    assert.equal(checkEic(body + character)?.key, 'field.eic_no_check_character');
});

test('text of another form is rejected as malformed', () => {
  const wrong = [
    '',
    '10YDE-VE------2',
    '10YDE-VE--------2',
    '10yde-ve-------2',
    '1AYDE-VE-------2',
    '101DE-VE-------2',
    '10YDE_VE-------2',
  ];
  for (const text of [...wrong, '10YDE-VE-------2\n', ' 10YDE-VE-------2']) {
    assert.equal(checkEic(text)?.key, 'field.eic_form', JSON.stringify(text));
  }
});

test('only parties and areas are balance groups', () => {
  const meter = '11ZNORDWIND----';
  assert.equal(checkEic(meter + checkCharacter(meter)), null);
  assert.equal(isBalanceGroupEic(meter + checkCharacter(meter)), false);
  assert.equal(isBalanceGroupEic('10X'), false);
});
