import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { checkEic } from '@saldo/core/eic.ts';
import { CHECKOUT } from './markdown-blocks.ts';

/** What users read or copy from. */
const EXAMPLES = [
  '*.md',
  '{sdk,cli}/README.md',
  'docs/**/*.md',
  'openapi/*.json',
  '{api,cli}/src/**/*.ts',
  'portal/src/**/*.{ts,tsx}',
  'server/src/demo/*.ts',
  'simulator/src/{behaviour,main}.ts',
];

/** Parties of the German generation and consumption forecasts, which are no balance groups. */
const PSEUDO_PARTIES = /11XFC-(?:PROD|CONS)/;
const EIC_FORM = /\b\d{2}[A-Z][A-Z0-9-]{13}(?![A-Z0-9-])/g;

const names = await Array.fromAsync(glob(EXAMPLES, { cwd: CHECKOUT }));
const files = await Promise.all(
  names
    .filter((name) => !name.endsWith('.test.ts'))
    .map(async (name) => ({ name, text: await readFile(path.join(CHECKOUT, name), 'utf8') })),
);

test('examples never use the pseudo-parties of the forecasts, and their EICs have right check characters', () => {
  for (const part of ['README.md', 'docs/', 'openapi/', 'server/src/demo/', 'api/src/'])
    assert.ok(
      files.some(({ name }) => name.startsWith(part)),
      part,
    );
  for (const { name, text } of files) {
    assert.ok(!PSEUDO_PARTIES.test(text), name);
    for (const [code] of text.matchAll(EIC_FORM)) assert.equal(checkEic(code), null, `${name}: ${code}`);
  }
});
