import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedEncoding } from './compression.ts';

test('the best encoding that the client accepts is chosen', () => {
  const cases: [header: string | undefined, encoding: string | null][] = [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip,br', 'br'],
    ['*', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br; q=0.5 , gzip; q=0.5', 'br'],
    ['br;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['br;q=0, gzip;q=0.001', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=0, br;q=0', null],
    ['gzip;q=nonsense', null],
    ['gzip;level=9;q=0.5', 'gzip'],
    ['zstd, x-br', null],
    [';;,,=', null],
  ];
  for (const [header, encoding] of cases) assert.equal(acceptedEncoding(header), encoding, String(header));
});

test('a client that prefers identity gets an uncompressed answer', () => {
  assert.equal(acceptedEncoding('identity, gzip;q=0.5'), null);
  assert.equal(acceptedEncoding('identity;q=0.5, gzip;q=0.8'), 'gzip');
  assert.equal(acceptedEncoding('identity, gzip'), 'gzip', 'both are equal to the client');
});
