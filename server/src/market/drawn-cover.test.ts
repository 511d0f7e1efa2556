import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TECHNOLOGIES } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { drawnCoverName } from '@saldo/core/market/cover.ts';
import fc from 'fast-check';
import { drawCover } from './drawn-cover.ts';

const MAX_BYTES = 4000;

test('every plant has a drawing of at most 4 kB whose lines stay inside, the same each time', () => {
  const annualKwh = fc.option(fc.integer({ min: 0, max: 1_000_000_000 }));
  fc.assert(
    fc.property(
      fc.constantFrom(...TECHNOLOGIES),
      fc.integer({ min: 1, max: 1_000_000 }),
      annualKwh,
      fc.uuid(),
      (technology, powerKw, annual, uuid) => {
        const name = drawnCoverName(technology, powerKw, annual, encodeId(ID_PREFIX.asset, uuid));
        const svg = drawCover(name);
        assert.ok(svg !== null && Buffer.byteLength(svg) <= MAX_BYTES, name);
        assert.equal(drawCover(name), svg);
        const points = [...svg.matchAll(/[MLQ](\S+) ([\d.-]+)/g)];
        assert.ok(points.length > 50);
        for (const [, x, y] of points) {
          assert.ok(Number(x) >= 0 && Number(x) <= 320, name);
          assert.ok(Number(y) >= 0 && Number(y) <= 180, name);
        }
      },
    ),
  );
});
