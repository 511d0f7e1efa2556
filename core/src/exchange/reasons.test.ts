import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Acknowledgement, type Reason, splitReason } from './answer.ts';
import { rejectionReasons } from './reasons.ts';

const OWN = '11XOWN---------A';
const FOREIGN = '11XFOREIGN-----B';
const own = new Set([OWN]);

const rejection = (reasons: readonly Reason[], ofSeries: readonly Reason[]): Acknowledgement => ({
  kind: 'acknowledgement',
  id: 'ACK-1',
  createdAt: Date.parse('2026-11-18T13:00:00Z'),
  sender: 'TSO',
  receiver: 'OPERATOR',
  answers: { messageId: 'TPS-1', version: 1 },
  outcome: 'rejected',
  reasons,
  rejectedSeries: [
    { identification: 'OURS', reasons: ofSeries },
    { identification: 'THEIRS', reasons: [{ code: 'A50', text: 'of another series' }] },
  ],
});

test('the reasons for an event are codes and, about its own series, the words of the TSO', () => {
  const head = [
    { code: 'A02', text: null },
    { code: 'A59', text: 'Slot 3 of another balance group' },
  ];
  const ofSeries = [{ code: 'A50', text: `Slot 3  of ${OWN} does not balance` }];
  const texts = rejectionReasons(rejection(head, ofSeries), 'OURS', own);
  assert.deepEqual(texts.map(splitReason), [
    { code: 'A02', text: null },
    { code: 'A59', text: null },
    ...ofSeries,
  ]);
});

test('the reasons for an event name no other balance group', () => {
  const named = [{ code: 'Z99', text: 'The balance group of Stadtwerke does not balance' }];
  assert.deepEqual(rejectionReasons(rejection(named, []), 'OURS', own), ['Z99']);
  const foreign = [{ code: 'Z99', text: `${FOREIGN} does not balance` }];
  assert.deepEqual(rejectionReasons(rejection(foreign, foreign), 'OURS', own), ['Z99', 'Z99']);
});

test('the reasons for an event are short, whatever a TSO writes', () => {
  const long = (text: string) => Array.from({ length: 10 }, () => ({ code: 'A59', text: text.repeat(1000) }));
  for (const text of ['x', '漢', '"', '\n', '🌍']) {
    const reasons = rejectionReasons(rejection([], long(text)), 'OURS', own);
    assert.ok(reasons.length > 0);
    assert.ok(Buffer.byteLength(JSON.stringify(reasons)) < 3_500, text);
    assert.ok(
      reasons.every((reason) => reason.isWellFormed()),
      'no half of a character',
    );
  }
});
