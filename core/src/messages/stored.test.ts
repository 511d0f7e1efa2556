import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from './message.ts';
import { formatStored, readStored, storeMessage } from './stored.ts';

test('a stored message is read again with all its parts', () => {
  const message: Message = {
    key: 'exchange.sentences',
    sentences: [
      { key: 'alarm.rejected', version: 2, day: '2026-10-25', tso: 'DE_AMPRION' },
      { key: 'exchange.schedule_rejected', reasons: 'A02; A59 "Frist"' },
    ],
  };
  assert.deepEqual(readStored(storeMessage(message)), message);
  assert.equal(
    formatStored(storeMessage(message), 'de'),
    'Version 2 des Fahrplans des 25.10.2026 für Amprion wurde abgelehnt. Der ÜNB hat den Fahrplan abgelehnt: A02; A59 "Frist".',
  );
  assert.equal(formatStored(null, 'de'), null);
});

test('sentences from before, and messages of another version of the platform, are shown as they are', () => {
  for (const text of [
    'The TSO rejected it.',
    '{"a":1}',
    '{"key":"exchange.not_known","a":1}',
    '{"key":"alarm.reason","reason":{"key":"exchange.not_known"}}',
  ])
    assert.equal(formatStored(text, 'de'), text);
});
