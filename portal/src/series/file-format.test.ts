import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { valuesFormatOf } from './file-format.ts';

const INTERCHANGE = "UNB+UNOC:3+9900000000018:500+9900000000026:500+260116:0800+REF1'";

for (const [name, file, expected] of [
  ['UNB', new File([INTERCHANGE], 'a.txt'), 'mscons'],
  [
    'UNA after a byte order mark and a line break',
    new File([`\uFEFF\r\nUNA:+.? '${INTERCHANGE}`], 'a.csv'),
    'mscons',
  ],
  ['UNB, compressed', new File([gzipSync(INTERCHANGE)], 'a.edi.gz'), 'mscons'],
  ['CSV', new File(['series,delivery_date\n'], 'a.edi'), 'csv'],
  ['NDJSON by its name', new File(['{}\n'], 'a.ndjson'), 'ndjson'],
  ['NDJSON by its name, compressed', new File([gzipSync('{}\n')], 'a.jsonl.gz'), 'ndjson'],
  ['no gzip in spite of its name', new File(['series\n'], 'a.csv.gz'), 'csv'],
  ['an empty file', new File([], 'a.csv'), 'csv'],
] as const)
  test(`the format of a file is known by its first characters: ${name}`, async () =>
    assert.equal(await valuesFormatOf(file), expected));
