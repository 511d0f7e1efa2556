import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredFormat, preferredLanguage } from './accept.ts';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const XML = 'application/xml';

test('the type with the highest weight is sent, and a type with weight 0 is not', () => {
  const cases: [header: string | undefined, type: string][] = [
    [undefined, CSV],
    ['', CSV],
    ['*/*', CSV],
    ['image/png', CSV],
    [NDJSON, NDJSON],
    [NDJSON.toUpperCase(), NDJSON],
    [`${CSV};q=0, ${NDJSON}`, NDJSON],
    [`${CSV};q=0.0, ${NDJSON};q=0.001`, NDJSON],
    [`${CSV};q=0.5, ${NDJSON};q=0.6 , ${XML};q=0.55`, NDJSON],
    [`${CSV} ; q=0.5,${XML} ; q=1`, XML],
    // The most specific range counts, whatever its weight and place.
    [`*/*, ${CSV};q=0.1`, NDJSON],
    [`text/*;q=0, */*`, NDJSON],
    [`application/*;q=0.2, ${XML};q=0.3, */*;q=0.1`, XML],
    [`application/*;q=0.9, ${CSV};q=0.8, ${NDJSON};q=0.7`, XML],
    // Of equal weights, a type that is named wins over a range, and then the first.
    [`${XML}, ${CSV}`, XML],
    [`*/*, ${XML}`, XML],
    [`${CSV};charset=utf-8, ${XML}`, CSV],
    [`${NDJSON};q=0.5, ${XML};q=0.5, ${CSV};q=0.4`, NDJSON],
    // Nothing is acceptable: a type that is not excluded, else the header is ignored.
    [`${CSV};q=0`, NDJSON],
    [`image/png, ${CSV};q=0, ${NDJSON};q=0`, XML],
    ['*/*;q=0', CSV],
    [`${CSV};q=nonsense`, NDJSON],
    [`${CSV};q=5, ${XML};q=7`, CSV],
    [`${CSV};q=-1, */*;q=0.1`, NDJSON],
    [';;,,=', CSV],
  ];
  const offered = { [CSV]: CSV, [NDJSON]: NDJSON, [XML]: XML };
  for (const [header, type] of cases) assert.equal(preferredFormat(header, offered), type, String(header));
});

test('the language with the highest weight is sent, and English without one that is known', () => {
  const cases: [header: string | undefined, language: string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['fr, pl;q=0.5', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['de-DE,de;q=0.9,en;q=0.8', 'de'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['en;q=0.1, de;q=0.2', 'de'],
    ['de-AT;q=0.1, de;q=0.9, en;q=0.5', 'de'],
    ['de-AT;q=0, de, en;q=0.5', 'de'],
    ['en-GB;q=0.5, de, en', 'de'],
    ['fr, de;q=0.1', 'de'],
    ['de, en', 'de'],
    ['en, de', 'en'],
    ['de;q=0.5, *', 'en'],
    ['en;q=0, *;q=0.1', 'de'],
    ['de;q=0', 'en'],
    ['en;q=0', 'en'],
    ['de;q=nonsense', 'en'],
    ['den, dex-DE', 'en'],
    [';;,,=', 'en'],
  ];
  for (const [header, language] of cases) assert.equal(preferredLanguage(header), language, String(header));
});
