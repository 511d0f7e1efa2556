import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import fc from 'fast-check';
import { createEventIds, isPlaceForm } from './ids.ts';
import type { Tenant } from './store.ts';

const ids = createEventIds(randomBytes(32));
const number = fc.integer({ min: 1, max: 2 ** 30 - 1 });
const anyReader = fc.oneof(
  fc.constant<Tenant>('operator'),
  number.map((no): Tenant => `brp/${no}`),
  number.map((no): Tenant => `account/${no}`),
);
const anyEvent = fc.record(
  {
    sequence: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    occurredAt: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
  },
  { noNullPrototype: true },
);

test('ids and cursors lead back to their place, for their reader only', () => {
  fc.assert(
    fc.property(anyReader, anyReader, anyEvent, (reader, other, event) => {
      const [id, cursor] = [ids.idOf(reader, event), ids.cursorOf(reader, event.sequence)];
      assert.deepEqual(ids.placeOf(reader, id), event);
      assert.deepEqual(ids.placeOf(reader, cursor), { sequence: event.sequence, occurredAt: 0 });
      if (other === reader) return;
      assert.equal(ids.placeOf(other, id), null);
      assert.equal(ids.placeOf(other, cursor), null);
    }),
  );
});

test('an id is a UUIDv7 of the time of its event', () => {
  fc.assert(
    fc.property(anyReader, anyEvent, (reader, event) => {
      const uuid = decodeId(ID_PREFIX.event, ids.idOf(reader, event)) ?? '';
      assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16), event.occurredAt);
    }),
  );
});

test('a text with one character changed, with another prefix or under another secret is no place', () => {
  const [reader, event] = ['brp/7', { sequence: 48_211, occurredAt: 1_794_747_731_000 }] as const;
  const others = createEventIds(randomBytes(32));
  for (const text of [ids.idOf(reader, event), ids.cursorOf(reader, event.sequence)]) {
    assert.ok(isPlaceForm(text));
    assert.equal(others.placeOf(reader, text), null);
    for (let at = text.indexOf('_') + 1; at < text.length; at++)
      for (const character of '07ez') {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        if (changed !== text) assert.equal(ids.placeOf(reader, changed), null, changed);
      }
    const renamed = text.replace(/^\w+?_/, text.startsWith('evt') ? 'feed_' : 'evt_');
    assert.equal(ids.placeOf(reader, renamed), null);
    for (const malformed of [text.slice(0, -1), `${text}0`, text.replace(/^\w+?_/, 'con_'), 'latest', ''])
      assert.ok(!isPlaceForm(malformed), malformed);
  }
});
