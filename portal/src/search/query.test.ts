import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEntries, matchesWords, readQuery } from './query.ts';

const TODAY = '2026-11-18';

for (const [typed, day] of [
  ['heute', '2026-11-18'],
  ['TODAY', '2026-11-18'],
  ['morgen', '2026-11-19'],
  ['tomorrow', '2026-11-19'],
  ['tomorrow’s', '2026-11-19'],
  ['tomo', '2026-11-19'],
  ['gestern', '2026-11-17'],
  ['yesterday', '2026-11-17'],
  ['übermorgen', '2026-11-20'],
  ['uebermorgen', '2026-11-20'],
  ['vorgestern', '2026-11-16'],
  ['25.10.', '2026-10-25'],
  ['25.10', '2026-10-25'],
  ['25/10', '2026-10-25'],
  ['5.1.', '2027-01-05'],
  ['1.12.', '2026-12-01'],
  ['25.10.2027', '2027-10-25'],
  ['2027-10-25', '2027-10-25'],
] as const)
  test(`a day is found by its name or date: ${typed}`, () =>
    assert.deepEqual(readQuery(typed, TODAY), { words: [], given: { day } }));

for (const typed of ['ges', 'mor', '31.11.', '25', '25.10.26.1', '29.2.'])
  test(`no day: ${typed}`, () => assert.deepEqual(readQuery(typed, TODAY), { words: [typed], given: {} }));

for (const [typed, tso] of [
  ['tennet', 'DE_TENNET'],
  ['Ten', 'DE_TENNET'],
  ['amprion', 'DE_AMPRION'],
  ['50h', 'DE_50HERTZ'],
  ['hertz', 'DE_50HERTZ'],
  ['TransnetBW', 'DE_TRANSNET_BW'],
  ['transnet bw', 'DE_TRANSNET_BW'],
  ['de_transnet_bw', 'DE_TRANSNET_BW'],
] as const)
  test(`a TSO is found by its name or code: ${typed}`, () =>
    assert.deepEqual(readQuery(typed, TODAY), { words: [], given: { tso } }));

test('day, TSO and words come in any order, and a second day is a word', () => {
  const meant = { words: ['nominierungen'], given: { day: '2026-11-19', tso: 'DE_TENNET' } };
  assert.deepEqual(readQuery('tomorrow tennet nominierungen', TODAY), meant);
  assert.deepEqual(readQuery(' nominierungen  tennet morgen ', TODAY), meant);
  assert.deepEqual(readQuery('morgen heute', TODAY), { words: ['heute'], given: { day: '2026-11-19' } });
  assert.deepEqual(readQuery('', TODAY), { words: [], given: {} });
});

test('words match with and without umlauts, from the beginning of a word', () => {
  for (const typed of ['verträge', 'vertrage', 'VERTRAEGE', 'vertr'])
    assert.ok(matchesWords([typed], 'Verträge'), typed);
  assert.ok(matchesWords(['prufen', 'fahrplan'], 'Fahrplan prüfen'));
  assert.ok(matchesWords(['gross'], 'Groß-Föhr'));
  assert.ok(matchesWords(['plan'], 'Fahrplan prüfen'), 'four letters are also found inside of a word');
  assert.ok(!matchesWords(['rpl'], 'Fahrplan prüfen'));
  assert.ok(!matchesWords(['vertrage', 'kunden'], 'Verträge'));
});

const entry = (label: string, words: string, ...takes: ('day' | 'tso')[]) => ({ label, words, takes });
const ENTRIES = [
  entry('Nominations', 'Nominierungen', 'day', 'tso'),
  entry('Contracts', 'Verträge', 'day'),
  entry('Customers', 'Kunden', 'tso'),
  entry('Download tomorrow’s schedule', 'Fahrplan für morgen herunterladen', 'day'),
  entry('Webhooks', ''),
];
const found = (typed: string) =>
  findEntries(ENTRIES, typed, TODAY).map(({ entry: { label }, given }) => [label, given]);

test('a day or a TSO alone finds what it filters', () => {
  const day = '2026-11-19';
  assert.deepEqual(found('morgen'), [
    ['Nominations', { day }],
    ['Contracts', { day }],
    ['Download tomorrow’s schedule', { day }],
  ]);
  assert.deepEqual(found('tomorrow tennet'), [['Nominations', { day, tso: 'DE_TENNET' }]]);
  assert.deepEqual(found('25.10. amprion'), [['Nominations', { day: '2026-10-25', tso: 'DE_AMPRION' }]]);
  assert.deepEqual(
    found('tennet').map(([label]) => label),
    ['Nominations', 'Customers'],
  );
});

test('words find entries in both languages, and are filtered if the entry takes it', () => {
  assert.deepEqual(found('vertraege'), [['Contracts', {}]]);
  assert.deepEqual(found('webh'), [['Webhooks', {}]]);
  assert.deepEqual(found('kunden tennet'), [['Customers', { tso: 'DE_TENNET' }]]);
  assert.deepEqual(found('fahrplan heute'), [['Download tomorrow’s schedule', { day: TODAY }]]);
  assert.deepEqual(found('webhooks morgen'), []);
  assert.deepEqual(found('Fahrplan für morgen herunterladen'), [
    ['Download tomorrow’s schedule', { day: '2026-11-19' }],
  ]);
  assert.deepEqual(found(' '), []);
});
