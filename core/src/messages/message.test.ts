import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ALARMS } from './alarms.ts';
import { LANGUAGES, type Sentences } from './language.ts';
import { formatMessage, MESSAGES, type Message, type MessageKey } from './message.ts';

const KEYS = Object.keys(MESSAGES) as MessageKey[];
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name = '']) => name);

test('every message has a sentence in both languages, which leaves no placeholder', () => {
  for (const key of KEYS) {
    const names = LANGUAGES.flatMap((language) => namesIn(MESSAGES[key][language]));
    const values = Object.fromEntries(names.map((name) => [name, '2026-10-24T22:00:00Z']));
    for (const language of LANGUAGES) {
      const sentence = formatMessage({ key, ...values } as Message, language);
      assert.match(sentence, /^\S.*\S$/s, key);
      assert.doesNotMatch(sentence, /[{}|]|undefined|NaN.NaN/, key);
    }
    assert.deepEqual(new Set(namesIn(MESSAGES[key].de)).difference(new Set(names)), new Set(), key);
  }
});

test('no German sentence is the English one', () => {
  const hasWords = (text: string) => /[a-z]/i.test(text.replaceAll(/\{[^}]*\}/g, ''));
  const same = KEYS.filter((key) => MESSAGES[key].en === MESSAGES[key].de && hasWords(MESSAGES[key].en));
  assert.deepEqual(same, []);
});

test('no sentence stands twice', () => {
  const byText = Map.groupBy(KEYS, (key) => MESSAGES[key].en);
  assert.deepEqual(
    [...byText.values()].filter((keys) => keys.length > 1),
    [],
  );
});

test('values appear as they are, also those that look like placeholders or messages', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, other) => {
      for (const language of LANGUAGES)
        assert.ok(formatMessage({ key: 'field.one_of', values: [text, other] }, language).includes(text));
      assert.equal(formatMessage({ key: 'field.text', text }, 'de'), text);
    }),
  );
  assert.equal(
    formatMessage({ key: 'field.text', text: '{text} {"key":"field.required"}' }, 'de'),
    '{text} {"key":"field.required"}',
  );
});

test('messages within messages are in the same language, also after they were stored', () => {
  const nested: Message = {
    key: 'field.type',
    types: [{ key: 'field.string' }, { key: 'field.null' }],
  };
  const stored = JSON.parse(JSON.stringify(nested)) as Message;
  assert.equal(formatMessage(stored, 'en'), 'must be a string or null');
  assert.equal(formatMessage(stored, 'de'), 'muss ein Text oder leer sein');
});

test('lists have the word of the language before their last part', () => {
  const lacking = (...scopes: string[]) => formatMessage({ key: 'problem.scopes', scopes }, 'en');
  assert.equal(lacking('a'), 'the scopes a');
  assert.equal(lacking('a', 'b'), 'the scopes a and b');
  assert.equal(lacking('a', 'b', 'c'), 'the scopes a, b and c');
  const url: Message = { key: 'field.url', schemes: ['https://', 'http://'] };
  assert.match(formatMessage(url, 'de'), /https:\/\/ oder http:\/\/ beginnt$/);
});

test('numbers have the marks of the language', () => {
  for (const number of [0, 7, -5, 999, 1000, -1000, 1_234_567, 0.001, 12_345.678]) {
    const text = formatMessage({ key: 'field.at_least', min: number }, 'de');
    const german = number.toLocaleString('de-DE', { maximumFractionDigits: 20 });
    assert.equal(text, `muss mindestens ${german} sein`);
  }
});

test('days, times and numbers are German in German, and those of the API in English', () => {
  const late: Message = { key: 'import.not_delivering', day: '2026-10-25' };
  assert.equal(formatMessage(late, 'en'), 'the contract does not deliver on 2026-10-25');
  assert.equal(formatMessage(late, 'de'), 'Der Vertrag liefert am 25.10.2026 nicht');
  const large: Message = { key: 'field.at_most', max: 1234.5 };
  assert.equal(formatMessage(large, 'en'), 'must be at most 1234.5');
  assert.equal(formatMessage(large, 'de'), 'darf höchstens 1.234,5 sein');
  const ended: Message = { key: 'problem.webhook_endpoint_disabled', at: '2026-10-24T22:15:00Z' };
  assert.equal(formatMessage(ended, 'de'), 'Der Endpunkt ist seit dem 25.10.2026, 00:15 abgeschaltet.');
});

test('words of the API are names of things in German, and TSOs have their names in both languages', () => {
  const rejected: Message = { key: 'alarm.rejected', version: 2, day: '2026-11-18', tso: 'DE_TRANSNET_BW' };
  assert.equal(
    formatMessage(rejected, 'de'),
    'Version 2 des Fahrplans des 18.11.2026 für TransnetBW wurde abgelehnt.',
  );
  assert.equal(
    formatMessage(rejected, 'en'),
    'Version 2 of the schedule of 18 Nov 2026 for TransnetBW was rejected.',
  );
});

test('alarms have days, times and TSOs as people write them, in English too', () => {
  const overdue = { key: 'alarm.answer_overdue', tso: 'DE_TENNET', version: 3, minutes: 10 } as const;
  const message: Message = { ...overdue, day: '2026-11-21', sentAt: '2026-11-20T15:05:01Z' };
  assert.equal(
    formatMessage(message, 'en'),
    'TenneT has not answered version 3 of the schedule of 21 Nov 2026 within 10 minutes. It was sent on 20 Nov 2026 at 16:05 German time.',
  );
  assert.equal(
    formatMessage(message, 'de'),
    'TenneT hat auf Version 3 des Fahrplans des 21.11.2026, gesendet am 20.11.2026, 16:05 Uhr, nach 10 Minuten nicht geantwortet.',
  );
  const ended: Message = { key: 'alarm.ended', at: '2026-06-30T22:00:00Z' };
  assert.equal(formatMessage(ended, 'en'), 'The alarm ended on 1 Jul 2026 at 00:00 German time.');
});

test('no sentence of an alarm has a code, a date or an instant of the API', () => {
  const raw = /\{(tso|day|sentAt|gate|at)\}/;
  for (const [key, sentences] of Object.entries(ALARMS))
    for (const language of LANGUAGES) assert.doesNotMatch(sentences[language], raw, `${key} ${language}`);
});

test('no German sentence has a word of the API for a TSO', () => {
  for (const [key, { de }] of Object.entries(MESSAGES)) assert.doesNotMatch(de, /\{tsos?\}/, key);
});

test('a missing parameter, a missing language and an unknown format do not compile', () => {
  // @ts-expect-error: the parameter `max` is missing.
  const missing: Message = { key: 'field.at_most' };
  // @ts-expect-error: no sentence has a parameter `min` here.
  const surplus: Message = { key: 'field.at_most', max: 1, min: 1 };
  // @ts-expect-error: there is no such message.
  const unknown: Message = { key: 'field.nonsense' };
  // @ts-expect-error: the German sentence is missing.
  const english = { 'field.x': { en: 'x' } } as const satisfies Sentences;
  assert.ok([missing, surplus, unknown, english].every((one) => typeof one === 'object'));
});
