import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_SLOTS } from './delivery-day.ts';
import {
  decodeId,
  encodeId,
  ID_PREFIX,
  sheetUuid,
  splitTransactionUuid,
  TransactionIdBytes,
  transactionIdWriter,
  transactionUuid,
  uuidV7,
} from './id.ts';

const anyUuid = fc.uuid();
const anyPrefix = fc.constantFrom(...Object.values(ID_PREFIX));
const anySlot = fc.integer({ min: 1, max: MAX_SLOTS });

test('a decoded id is the encoded UUID', () => {
  fc.assert(
    fc.property(anyPrefix, anyUuid, (prefix, uuid) => {
      const id = encodeId(prefix, uuid);
      assert.match(id, /^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      assert.equal(decodeId(prefix, id), uuid);
    }),
  );
});

test('ids are those of the TypeID specification', () => {
  const known: [string, string][] = [
    ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
    ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
    ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
  ];
  for (const [uuid, suffix] of known) assert.equal(encodeId('con', uuid), `con_${suffix}`);
});

test('ids sort as their records do', () => {
  fc.assert(
    fc.property(anyUuid, anyUuid, (one, other) => {
      assert.equal(encodeId('txn', one) < encodeId('txn', other), one < other);
    }),
  );
});

test('an id with another prefix, case or form is rejected', () => {
  const good = 'con_01h455vb4pex5vsknk084sn02q';
  const wrong = [
    '',
    'con_',
    'con',
    good.slice(0, -1),
    `${good}0`,
    good.toUpperCase(),
    good.replace('con_', 'CON_'),
    good.replace('con_', 'con-'),
    good.replace('con_', 'con__'),
    good.replace('con_', ''),
    good.replace('con_', 'txn_'),
    'con_81h455vb4pex5vsknk084sn02q',
    'con_zzzzzzzzzzzzzzzzzzzzzzzzzz',
    ...['i', 'l', 'o', 'u', '-', ' ', 'é', 'A'].map((character) => `${good.slice(0, -1)}${character}`),
    `${good}\n`,
    '01890a5d-ac96-774b-bcce-b302099a8057',
  ];
  for (const text of wrong) assert.equal(decodeId('con', text), null, JSON.stringify(text));
  assert.notEqual(decodeId('con', good), null);
});

test('every decodable id is the encoding of its UUID', () => {
  const nearId = fc.oneof(fc.string(), fc.stringMatching(/^con_[0-9a-z]{25,27}$/));
  fc.assert(
    fc.property(nearId, (text) => {
      const uuid = decodeId('con', text);
      if (uuid !== null) assert.equal(encodeId('con', uuid), text);
    }),
  );
});

test('a text that is no UUID is never encoded', () => {
  const uuid = '01890a5d-ac96-774b-bcce-b302099a8057';
  for (const text of [
    '',
    uuid.toUpperCase(),
    uuid.replace('a', 'g'),
    uuid.slice(1),
    `${uuid}0`,
    uuid.replaceAll('-', ''),
    uuid.replace('-', '0'),
    uuid.replace('0', 'é'),
  ]) {
    assert.throws(() => encodeId('con', text), /UUID/, text);
  }
});

test('a transaction id leads to its sheet and slot', () => {
  fc.assert(
    fc.property(anyUuid.map(sheetUuid), anySlot, (sheetId, slot) => {
      const uuid = transactionUuid(sheetId, slot);
      const id = transactionIdWriter(sheetId)(slot);
      assert.equal(id, encodeId('txn', uuid));
      assert.deepEqual(splitTransactionUuid(decodeId('txn', id)!), { sheetId, slot });
    }),
  );
});

test('an id written as bytes equals the id written as text', () => {
  fc.assert(
    fc.property(anyUuid.map(sheetUuid), anySlot, (sheetId, slot) => {
      const ids = new TransactionIdBytes(sheetId);
      const bytes = Buffer.from(`"${ids.stem}··"`, 'latin1');
      ids.writePair(bytes, 1 + ids.stem.length, slot);
      assert.equal(bytes.toString(), `"${transactionIdWriter(sheetId)(slot)}"`);
    }),
  );
});

test('the ids of one sheet sort by slot', () => {
  const write = transactionIdWriter('01890a5d-ac96-774b-bcce-b302099aff00');
  const ids = Array.from({ length: MAX_SLOTS }, (_, at) => write(at + 1));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, MAX_SLOTS);
});

test('a last byte that is no slot belongs to no transaction', () => {
  const stem = '01890a5d-ac96-774b-bcce-b302099a80';
  for (const byte of ['00', '65', 'ff']) assert.equal(splitTransactionUuid(stem + byte), null);
  assert.deepEqual(splitTransactionUuid(`${stem}64`), { sheetId: `${stem}00`, slot: 100 });
  for (const slot of [0, 101, 1.5, Number.NaN]) {
    assert.throws(() => transactionUuid(`${stem}00`, slot));
    assert.throws(() => transactionIdWriter(`${stem}00`)(slot));
    assert.throws(() => new TransactionIdBytes(`${stem}00`).writePair(Buffer.alloc(2), 0, slot));
  }
  assert.throws(() => transactionIdWriter(`${stem}01`));
});

test('new ids are UUIDs of version 7 that sort by time, then counter', () => {
  const randomBytes = fc.uint8Array({ minLength: 8, maxLength: 8 });
  const moment = fc.tuple(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.integer({ min: 0, max: 4095 }));
  fc.assert(
    fc.property(
      moment,
      moment,
      randomBytes,
      randomBytes,
      ([ms, counter], [otherMs, otherCounter], bytes, otherBytes) => {
        const one = uuidV7(ms, counter, bytes);
        const other = uuidV7(otherMs, otherCounter, otherBytes);
        assert.match(one, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        assert.equal(Number.parseInt(one.replaceAll('-', '').slice(0, 12), 16), ms);
        if (ms !== otherMs || counter !== otherCounter) {
          assert.equal(one < other, ms < otherMs || (ms === otherMs && counter < otherCounter));
        }
      },
    ),
  );
  assert.equal(uuidV7(0, 0, new Uint8Array(8)), '00000000-0000-7000-8000-000000000000');
  assert.throws(() => uuidV7(0, 4096, new Uint8Array(8)));
  assert.throws(() => uuidV7(2 ** 48, 0, new Uint8Array(8)));
  assert.throws(() => uuidV7(0, 0, new Uint8Array(7)));
});
