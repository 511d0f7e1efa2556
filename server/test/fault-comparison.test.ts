/** Checks that the comparisons of the fault campaign detect and name each kind of damage. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotCount } from '@saldo/core/delivery-day.ts';
import { compareRecords } from '../faults/compare-records.ts';
import { compareVolumes, type Violation } from '../faults/compare-volumes.ts';
import { type Entry, History, type Outcome, type Write } from '../faults/journal.ts';
import type { MessageRow, NominationRow, SheetRow, Snapshot } from '../faults/snapshot.ts';

const DAY = '2026-11-25';
const CONTRACT = 'con_1';
const SLOTS = slotCount(DAY);
const [SELLER, BUYER] = [1, 2];

/** A day on which only the first slot is written. */
const firstSlot = <T>(value: T) => Array.from({ length: SLOTS }, (_, at) => (at === 0 ? value : null));
const rules = (violations: readonly Violation[]) =>
  [...new Set(violations.map(({ rule }) => rule))].toSorted();

function historyOf(...entries: readonly (readonly [Write, Outcome | null, { record?: string }?])[]): History {
  const history = new History();
  for (const [at, [write, outcome, more]] of entries.entries()) {
    history.apply({ entry: 'begin', id: at, client: 'test', write, key: null });
    if (outcome !== null) history.apply({ entry: 'end', id: at, outcome, attempts: 1, ...more });
  }
  return history;
}

const volumes = (kwh: number): Write => ({
  kind: 'volumes',
  way: 'put',
  days: [{ contract: CONTRACT, day: DAY, kwh: firstSlot(kwh) }],
});
const invalidation: Write = {
  kind: 'invalidation',
  contract: CONTRACT,
  day: DAY,
  slot: 1,
  transaction: 'txn_1',
};

type Cell = { kwh: number; status?: 'valid' | 'invalid' };

const sheetsOf = (...cells: readonly Cell[]): SheetRow[] =>
  cells.map(({ kwh, status = 'valid' }, at) => ({
    contract: CONTRACT,
    day: DAY,
    revision: at + 1,
    sender_position: SELLER,
    receiver_position: BUYER,
    kwh: firstSlot(kwh),
    statuses: Array.from({ length: SLOTS }, () => (at < cells.length - 1 ? 2 : status === 'valid' ? 0 : 1)),
    versions: Array.from({ length: SLOTS }, () => at + 1),
    previous: Array.from({ length: SLOTS }, () => (at === 0 ? null : at)),
  }));

const nominationsOf = (kwh: number): NominationRow[] =>
  ([SELLER, BUYER] as const).map((position) => ({
    id: `nom_${position}`,
    position,
    day: DAY,
    direction: position === SELLER ? 'out' : 'in',
    version: 1,
    previous_id: null,
    status: 'pending',
    amounts: Array.from({ length: SLOTS }, (_, at) => String(at === 0 ? kwh : 0)),
  }));

const snapshotOf = (parts: Partial<Snapshot>): Snapshot => ({
  sheets: [],
  nominations: [],
  messages: [],
  customers: new Map(),
  created: new Map(),
  ...parts,
});

/** The volumes of one slot after these writes, with consistent nominations. */
function foundAfter(history: History, ...cells: readonly Cell[]): string[] {
  const last = cells.at(-1);
  const nominated = last === undefined || last.status === 'invalid' ? 0 : last.kwh;
  return rules(
    compareVolumes(
      snapshotOf({ sheets: sheetsOf(...cells), nominations: nominationsOf(nominated) }),
      history,
    ),
  );
}

test('acknowledged volumes must be stored, unknown ones may be, rejected ones must not', () => {
  const acknowledged = historyOf([volumes(5), 'acknowledged'], [volumes(7), 'acknowledged']);
  assert.deepEqual(foundAfter(acknowledged, { kwh: 5 }, { kwh: 7 }), []);
  assert.deepEqual(foundAfter(acknowledged, { kwh: 5 }), ['lost']);
  assert.deepEqual(foundAfter(acknowledged, { kwh: 7 }), ['lost']);
  assert.deepEqual(foundAfter(acknowledged, { kwh: 7 }, { kwh: 5 }), ['lost']);
  assert.deepEqual(foundAfter(acknowledged, { kwh: 5 }, { kwh: 7 }, { kwh: 7 }), ['doubled']);
  for (const outcome of ['unavailable', 'failed', 'lost', null] as const) {
    const unknown = historyOf([volumes(5), 'acknowledged'], [volumes(7), outcome]);
    assert.deepEqual(foundAfter(unknown, { kwh: 5 }), []);
    assert.deepEqual(foundAfter(unknown, { kwh: 5 }, { kwh: 7 }), []);
    assert.deepEqual(foundAfter(unknown, { kwh: 5 }, { kwh: 7 }, { kwh: 7 }), ['doubled']);
  }
  for (const outcome of ['refused', 'not_sent'] as const) {
    const refused = historyOf([volumes(5), 'acknowledged'], [volumes(7), outcome]);
    assert.deepEqual(foundAfter(refused, { kwh: 5 }, { kwh: 7 }), ['doubled']);
  }
});

test('an unanswered write may take effect after a later one, any other unknown write may not', () => {
  const late = (outcome: Outcome) => historyOf([volumes(5), outcome], [volumes(7), 'acknowledged']);
  assert.deepEqual(foundAfter(late('unanswered'), { kwh: 7 }, { kwh: 5 }), []);
  assert.deepEqual(foundAfter(late('unavailable'), { kwh: 7 }, { kwh: 5 }), ['doubled']);
});

test('an acknowledged invalidation must be stored, and the same volume creates a new version after it', () => {
  const invalidated = historyOf([volumes(5), 'acknowledged'], [invalidation, 'acknowledged']);
  assert.deepEqual(foundAfter(invalidated, { kwh: 5, status: 'invalid' }), []);
  assert.deepEqual(foundAfter(invalidated, { kwh: 5 }), ['lost']);
  const again = historyOf(
    [volumes(5), 'acknowledged'],
    [invalidation, 'acknowledged'],
    [volumes(5), 'acknowledged'],
  );
  assert.deepEqual(foundAfter(again, { kwh: 5 }, { kwh: 5 }), []);
  assert.deepEqual(foundAfter(again, { kwh: 5, status: 'invalid' }), ['lost']);
});

test('gaps in revisions or versions and wrong previous revisions are detected', () => {
  const history = historyOf([volumes(5), 'acknowledged'], [volumes(7), 'acknowledged']);
  const [first, second] = sheetsOf({ kwh: 5 }, { kwh: 7 }) as [SheetRow, SheetRow];
  const nominations = nominationsOf(7);
  const found = (sheet: SheetRow) =>
    rules(compareVolumes(snapshotOf({ sheets: [first, sheet], nominations }), history));
  assert.deepEqual(found(second), []);
  assert.deepEqual(found({ ...second, revision: 3 }), ['versions']);
  assert.deepEqual(found({ ...second, versions: firstSlot(3).map((version) => version ?? 0) }), ['versions']);
  assert.deepEqual(found({ ...second, previous: firstSlot(null) }), ['versions']);
});

test('nominations must be the sum of all valid transactions, net to zero, and form a chain', () => {
  const history = historyOf([volumes(5), 'acknowledged']);
  const sheets = sheetsOf({ kwh: 5 });
  const found = (nominations: NominationRow[]) =>
    rules(compareVolumes(snapshotOf({ sheets, nominations }), history));
  const [out, into] = nominationsOf(5) as [NominationRow, NominationRow];
  assert.deepEqual(found([out, into]), []);
  assert.deepEqual(found(nominationsOf(6)), ['saldo']);
  assert.deepEqual(found([out]), ['balance', 'saldo']);
  assert.deepEqual(found([out, { ...into, version: 2 }]), ['versions']);
  assert.deepEqual(found([out, { ...into, previous_id: 'nom_0' }]), ['versions']);
});

test('a customer shows its last acknowledged write or a later unknown one', () => {
  const write = (value: string): Write => ({ kind: 'customer', customer: 'cust_1', value });
  const history = historyOf([write('a'), 'lost'], [write('b'), 'acknowledged'], [write('c'), 'unavailable']);
  const found = (value: string) =>
    rules(compareRecords(snapshotOf({ customers: new Map([['cust_1', value]]) }), history));
  assert.deepEqual([found('a'), found('b'), found('c')], [['lost'], [], []]);
});

test('an acknowledged creation has exactly one record, an unknown one at most one', () => {
  const write: Write = { kind: 'creation', of: 'brp', name: 'faults-1' };
  const found = (outcome: Outcome, ...ids: readonly string[]) => {
    const history = historyOf([write, outcome, outcome === 'acknowledged' ? { record: 'brp_1' } : {}]);
    return rules(compareRecords(snapshotOf({ created: new Map([['brp faults-1', ids]]) }), history));
  };
  assert.deepEqual(found('acknowledged', 'brp_1'), []);
  assert.deepEqual(found('acknowledged'), ['lost']);
  assert.deepEqual(found('acknowledged', 'brp_2'), ['lost']);
  assert.deepEqual(found('acknowledged', 'brp_1', 'brp_2'), ['doubled']);
  assert.deepEqual([found('lost'), found('lost', 'brp_1')], [[], []]);
  assert.deepEqual(found('lost', 'brp_1', 'brp_2'), ['doubled']);
  assert.deepEqual(found('refused', 'brp_1'), ['doubled']);
});

test('each version of a schedule is sent with one name and content, and each answer is applied once', () => {
  const schedule: MessageRow = {
    id: 'msg_1',
    direction: 'out',
    identification: 'schedule',
    version: 1,
    state: 'sent',
    file_name: 'one.XML',
    answer_id: null,
    is_from_inbox: false,
    is_sent: true,
    digest: 'aa',
  };
  const answer: MessageRow = {
    ...schedule,
    id: 'msg_2',
    direction: 'in',
    identification: null,
    state: 'applied',
    file_name: 'answer.XML',
    answer_id: 'ACK-1',
    is_from_inbox: true,
  };
  const journal: Entry[] = [
    { entry: 'sent', messages: [{ id: 'msg_1', file: 'one.XML' }] },
    { entry: 'file', name: 'one.XML', sha256: '01' },
    { entry: 'answer', answer: 'ACK-1', file: 'answer.XML' },
  ];
  const found = (messages: readonly MessageRow[], entries: readonly Entry[] = journal) => {
    const history = new History();
    for (const entry of entries) history.apply(entry);
    return compareRecords(snapshotOf({ messages }), history).map(({ text }) => text);
  };
  assert.deepEqual(found([schedule, answer]), []);
  assert.deepEqual(
    found([schedule, answer], [...journal, journal[1]!]),
    [],
    'a repeated delivery of the same bytes is valid',
  );
  const otherBytes: Entry = { entry: 'file', name: 'one.XML', sha256: '02' };
  assert.match(found([schedule, answer], [...journal, otherBytes]).join(), /again with other bytes/);
  assert.match(found([{ ...schedule, version: 2 }, answer]).join(), /are not 1\.\.1/);
  assert.match(found([schedule, answer], [journal[2]!]).join(), /never left the outbox/);
  assert.match(found([answer]).join(), /no message is stored/);
  assert.match(found([{ ...schedule, is_sent: false }, answer]).join(), /acknowledged as sent and is not/);
  assert.match(found([schedule]).join(), /handed over and is not there/);
  assert.match(
    found([schedule, answer, { ...answer, id: 'msg_3' }]).join(),
    /delivered 1 times and stored 2 times.*applied 2 times/,
  );
  assert.deepEqual(
    found([schedule, answer, { ...answer, id: 'msg_3', state: 'ignored' }], [...journal, journal[2]!]),
    [],
    'an answer that was delivered twice may be stored twice',
  );
  assert.match(found([schedule, { ...answer, state: 'stored' }]).join(), /stored and not read/);
});
