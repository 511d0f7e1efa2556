import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/runs.ts';
import { joined } from '../../test/mscons-documents.ts';
import {
  DEFAULT_NOTATION,
  EDIFACT_LIMITS,
  type Notation,
  parseUna,
  quoted,
  SegmentCursor,
} from './edifact.ts';

/** The segments of a text, and how the text ends. */
function split(text: string, notation: Notation = DEFAULT_NOTATION) {
  const cursor = new SegmentCursor(text, 0, notation);
  const segments: string[][][] = [];
  for (;;) {
    const found = cursor.advance();
    if (found !== 'segment') return { segments, found };
    const segment = cursor.read();
    assert.ok(segment !== null);
    segments.push([[segment.tag], ...segment.elements.map((components) => [...components])]);
  }
}

const anyData = fc.string({
  unit: fc.constantFrom('A', '1', '?', '+', ':', "'", ',', '.', ' ', 'ü'),
  maxLength: 8,
});
const anySegment = fc
  .tuple(
    fc.stringMatching(/^[A-Z]{3}$/),
    fc.array(fc.array(anyData, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
  )
  .map(([tag, elements]) => [[tag], ...elements]);
const anyNotation = fc.constantFrom<Notation>(
  DEFAULT_NOTATION,
  { ...DEFAULT_NOTATION, decimal: ',' },
  { component: '|', element: '*', decimal: '.', release: '\\', terminator: '~' },
);

test('segments survive joining and splitting in any notation, with line breaks between them', () => {
  fc.assert(
    fc.property(
      fc.array(anySegment, { maxLength: 6 }),
      anyNotation,
      fc.constantFrom('', '\n', '\r\n', '\n\r\n\n'),
      (segments, notation, breaks) => {
        const text = segments.map((segment) => joined(segment, notation) + breaks).join('');
        assert.deepEqual(split(breaks + text, notation), { segments, found: 'end' });
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('an escaped terminator does not end a segment, a terminator after an escaped escape does', () => {
  assert.deepEqual(split("FTX+a?'b'").segments, [[['FTX'], ["a'b"]]]);
  assert.deepEqual(split("FTX+a??'BGM+1'").segments, [
    [['FTX'], ['a?']],
    [['BGM'], ['1']],
  ]);
  assert.deepEqual(split("FTX+a???'b'").segments, [[['FTX'], ["a?'b"]]]);
  assert.deepEqual(split("FTX+a?'"), { segments: [], found: 'unterminated' });
  assert.deepEqual(split("'?'").found, 'unterminated');
  assert.deepEqual(split("FTX+?:?+?x'").segments, [[['FTX'], [':+x']]]);
});

test('without a release character every terminator ends a segment', () => {
  const notation = { ...DEFAULT_NOTATION, release: null };
  assert.deepEqual(split("FTX+a?'BGM+1'", notation).segments, [
    [['FTX'], ['a?']],
    [['BGM'], ['1']],
  ]);
});

test('UNA sets five different service characters, with a point or a comma as decimal mark', () => {
  assert.deepEqual(parseUna("UNA:+.? '"), DEFAULT_NOTATION);
  assert.deepEqual(parseUna("UNA:+,? '"), { ...DEFAULT_NOTATION, decimal: ',' });
  assert.deepEqual(parseUna("UNA:+.  '"), { ...DEFAULT_NOTATION, release: null });
  for (const text of [
    '',
    'UNA',
    "UNA:+.?'",
    "UNA:+;? '",
    "UNA++.? '",
    "UNA:+.:*'",
    "UNAA+.? '",
    'UNA:+.? \n',
    'UNA:+.? 1',
  ]) {
    assert.equal(parseUna(text), null, text);
  }
});

test('a segment of the maximum length is read, a longer one is not, and the next one is found', () => {
  const longest = `FTX+${'x'.repeat(EDIFACT_LIMITS.segmentCharacters - 4)}`;
  const cursor = new SegmentCursor(`${longest}'${longest}x'BGM+1'`, 0, DEFAULT_NOTATION);
  const tags: (string | null)[] = [];
  while (cursor.advance() === 'segment') tags.push(cursor.read()?.tag ?? null);
  assert.deepEqual(tags, ['FTX', null, 'BGM']);
});

test('any text is split, and each character belongs to one segment or a line break', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("'", '?', '+', ':', '\n', 'U', '\0'), maxLength: 60 }),
      (text) => {
        const cursor = new SegmentCursor(text, 0, DEFAULT_NOTATION);
        let previous = -1;
        let found = cursor.advance();
        for (; found === 'segment'; found = cursor.advance()) {
          assert.ok(cursor.start > previous);
          assert.ok(cursor.read() !== null);
          assert.ok(cursor.tag.length === 0 || cursor.tag.length === 3);
          previous = cursor.start;
        }
        assert.equal(found === 'end', /^(?:(?:[^'?]|\?[^])*')*[\r\n]*$/.test(text));
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('a quoted text is short and can be stored as JSON', () => {
  assert.equal(quoted(`${'x'.repeat(39)}\u{1f600}`), `${'x'.repeat(39)}\ufffd`);
  assert.equal(quoted('a\0\u0085\n\u{1f600}'), 'a\ufffd\ufffd\ufffd\u{1f600}');
});
