import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { readScheduleCsv } from '@saldo/core/exchange/documents/read-schedule-csv.ts';
import { writeSchedule } from '@saldo/core/exchange/documents/write-document.ts';
import { ownSchedule } from '@saldo/core/exchange/own-schedule.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { translate } from '../../portal/src/i18n/de/server-texts.ts';

/** The portal shows the server's messages in German: each that can be provoked here must have a translation. */

/** Words that no German sentence has, and no value of these tests. */
const ENGLISH = /\b(?:the|is|are|must|not|has|have|with|and|of|line|column|one)\b/i;

function assertGerman(messages: Iterable<string>): void {
  const wrong = [...new Set(messages)].flatMap((message) => {
    const translated = translate(message);
    // Quotes and names of columns are values of the request.
    return translated === null || ENGLISH.test(translated.replaceAll(/"[^"]*"/g, ''))
      ? [[message, translated]]
      : [];
  });
  assert.deepEqual(wrong, []);
}

const DAY = '2026-10-25';
const OPERATOR = '11XSALDO-------Z';
const schedule = ownSchedule(
  { eic: '11XNORDWIND----J', tso: 'DE_50HERTZ', day: DAY, version: 1 },
  [
    {
      eic: '11XNORDWIND----J',
      tso: 'DE_50HERTZ',
      direction: 'out',
      amountsKwh: Array.from({ length: 100 }, (_, at) => at),
    },
  ],
  OPERATOR,
  BUILT_IN_RULES,
);

test('every fault of a schedule in XML has German', () => {
  const faults = new Set<string>();
  const read = (text: string | Buffer) => {
    const result = readDocument(Buffer.from(text), BUILT_IN_RULES);
    if (result.kind === 'unreadable') faults.add(result.reason);
  };
  for (const format of ['ess', 'cim'] as const) {
    const text = writeSchedule(schedule, format, Date.parse('2026-10-24T10:00:00Z'));
    const lines = text.split('\n');
    for (const at of lines.keys()) {
      const around = (...middle: string[]) => [...lines.slice(0, at), ...middle, ...lines.slice(at + 1)];
      const line = lines[at] ?? '';
      // Skip most of the hundred positions, which are all alike.
      if (at > 60 && at < lines.length - 10) continue;
      for (const changed of [
        around(),
        around(line, line),
        around(line.replace(/<(\w+)/, '<X$1')),
        around(line.replaceAll(/"[^"]*"/g, '"?"')),
        around(line.replaceAll(/"[^"]*"/g, '""')),
        around(line.replaceAll(/>[^<]+</g, '>?<')),
        around(line.replaceAll(/>[^<]+</g, '><')),
        around(line.replace(/\d(?=["<])/, '-1,5')),
        around(`${line}x`),
        around(`<!--x${line}`),
        around(`<?x?>${line}`),
        around(`<![CDATA[x]]>${line}`),
        around(`&amp;${line}`),
        around(line.replace('="', '="&x;')),
        lines.slice(0, at),
      ])
        read(changed.join('\n'));
    }
  }
  for (const text of ['', 'x', '<a/>', '<a>', '<a><b></a>', '<!DOCTYPE a [<!ENTITY b "c">]><a/>']) read(text);
  read(Buffer.from('<a/>', 'utf16le'));
  read(Buffer.from([0x3c, 0xff]));
  assert.ok(faults.size > 50, `${faults.size} faults`);
  assertGerman(faults);
  // As the problem of a received document has it.
  assertGerman(Array.from(faults, (fault) => `${fault} It is kept as msg_01jhm52x6yf6rbkm2s8hq3j5zd.`));
});

test('every fault of a schedule as CSV has German', () => {
  const faults = new Set<string>();
  const header = 'delivery_date,eic,tso,direction,slot_number,delivery_start,power_mw,amount_mwh';
  const line = `${DAY},11XNORDWIND----J,DE_50HERTZ,out,1,2026-10-24T22:00:00Z,4.000,1.000`;
  const read = (...lines: string[]) => {
    const steps = readScheduleCsv(Buffer.from(lines.join('\n')), OPERATOR, null);
    let step = steps.next();
    while (!step.done) step = steps.next();
    if ('faults' in step.value) for (const fault of step.value.faults) faults.add(fault);
    else if ('question' in step.value) faults.add(step.value.question);
  };
  read('');
  read(header);
  read(header, line);
  read(header.replace('eic', 'bilanzkreis'), line);
  read(`${header},eic`, line);
  read(header.replace(',power_mw,amount_mwh', ''), line);
  read(header.replace('eic', '"eic'), line);
  read('x'.repeat(3000));
  for (const wrong of [
    '',
    '"',
    '"x"y',
    'x',
    '-1',
    '1,5',
    '1.23456',
    '1.234567',
    '9'.repeat(20),
    '2026-02-30',
    '0',
    '101',
  ])
    for (const at of line.split(',').keys()) {
      const values = line.split(',');
      values[at] = wrong;
      read(header, line, values.join(','), line);
      read(header.replaceAll(',', ';'), values.join(';'));
    }
  read(header, line, line.replace(DAY, '2026-10-26'));
  read(header.replaceAll(',', ';'), line.replaceAll(',', ';').replace('4.000;1.000', '4.936;1.234'));
  assert.ok(faults.size > 20, `${faults.size} faults`);
  assertGerman(faults);
});
