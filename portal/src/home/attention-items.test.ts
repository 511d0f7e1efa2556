import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Alarm, type Nomination, operatorEndpoints, type Reconciliation } from '@saldo/api';
import {
  type AttentionKind,
  byUrgency,
  itemsByDay,
  itemsOfAlarms,
  itemsOfNominations,
  itemsOfRejected,
} from './attention-items.ts';

const item = (kind: AttentionKind, day: string | null, deadline: number | null) => ({
  kind,
  day,
  deadline: deadline === null ? null : { at: deadline, changeable: 96, affected: 96, waitsUntil: null },
  count: 1,
  hasMore: false,
  nomination: null,
  alarms: [],
  slots: null,
  closures: [],
});

test('the earliest open deadline comes first, then the newest day without one', () => {
  const items = [
    item('customers', null, null),
    item('mismatch', '2026-10-18', null),
    item('mismatch', '2026-10-19', null),
    item('unsent', '2026-10-22', 200),
    item('unsent', '2026-10-21', 100),
    item('mismatch', '2026-10-22', 200),
  ];
  assert.deepEqual(
    byUrgency(items).map(({ kind, day }) => `${kind} ${day}`),
    [
      'unsent 2026-10-21',
      'mismatch 2026-10-22',
      'unsent 2026-10-22',
      'mismatch 2026-10-19',
      'mismatch 2026-10-18',
      'customers null',
    ],
  );
});

test('nominations of a day are one item; only the last day may have more than were read', () => {
  const on = (delivery_start: string) => ({ slots: [{ delivery_start }] }) as unknown as Nomination;
  const single = on('2026-10-21T22:00:00Z');
  const items = itemsByDay('unsent', {
    records: [on('2026-10-20T22:00:00Z'), on('2026-10-20T22:00:00Z'), single],
    hasMore: true,
  });
  assert.deepEqual(items, [
    {
      kind: 'unsent',
      day: '2026-10-21',
      count: 2,
      hasMore: false,
      nomination: null,
      alarms: [],
      slots: null,
      closures: [],
    },
    {
      kind: 'unsent',
      day: '2026-10-22',
      count: 1,
      hasMore: true,
      nomination: single,
      alarms: [],
      slots: null,
      closures: [],
    },
  ]);
});

test('the quarter-hours of a mismatch are those that differ in any nomination of the day', () => {
  const on = (...matched: (number | null)[]) =>
    ({
      slots: matched.map((matched_amount, at) => ({
        slot_number: at + 1,
        delivery_start: '2026-11-18T09:00:00Z',
        amount: 1,
        matched_amount,
      })),
    }) as unknown as Nomination;
  const slotsIn = (...nominations: Nomination[]) =>
    itemsByDay('mismatch', { records: nominations, hasMore: false })[0]?.slots;
  assert.deepEqual(slotsIn(on(1, 0.5, null), on(1, 0.75, 1, 2)), [2, 4]);
  assert.deepEqual(slotsIn(on(1, 1)), null);
});

test('nominations in a rejected schedule are one item per schedule, and no longer unanswered', () => {
  const sent = (id: string, tso: Nomination['tso'], delivery_start: string) =>
    ({ id, tso, sent_at: '2026-10-20T08:00:00Z', slots: [{ delivery_start }] }) as unknown as Nomination;
  const [today, tomorrow] = ['2026-10-19T22:00:00Z', '2026-10-20T22:00:00Z'];
  const pending = [
    sent('nom_1', 'DE_AMPRION', today),
    sent('nom_2', 'DE_TENNET', today),
    sent('nom_3', 'DE_AMPRION', today),
    sent('nom_4', 'DE_AMPRION', tomorrow),
    sent('nom_5', 'DE_50HERTZ', today),
  ];
  const rejection = (tso: Nomination['tso']) =>
    ({ tso, reasons: [{ code: 'A02', text: 'Rejected.' }] }) as unknown as Reconciliation;
  const [amprion, amprionTomorrow, tennet] = [
    rejection('DE_AMPRION'),
    rejection('DE_AMPRION'),
    rejection('DE_TENNET'),
  ];
  const rejected = new Map([
    ['nom_1', amprion],
    ['nom_2', tennet],
    ['nom_3', amprion],
    ['nom_4', amprionTomorrow],
  ]);
  const items = itemsOfRejected(pending, rejected);
  assert.deepEqual(
    items.map(({ kind, day, count, nomination }) => [kind, day, count, nomination?.id ?? null]),
    [
      ['rejected', '2026-10-20', 2, null],
      ['rejected', '2026-10-20', 1, 'nom_2'],
      ['rejected', '2026-10-21', 1, 'nom_4'],
    ],
  );
  assert.deepEqual(
    items.map((one) => one.rejection),
    [amprion, tennet, amprionTomorrow],
  );
  const counted = { records: pending, hasMore: false };
  const others = itemsOfNominations({ records: [], hasMore: false }, counted, '2026-10-20', rejected);
  assert.deepEqual(
    others.map(({ kind, count, nomination }) => [kind, count, nomination?.id]),
    [['unanswered', 1, 'nom_5']],
  );
});

test('alarms about missing values of a kind and day are one item', () => {
  const [example] = (operatorEndpoints.listAlarms.example.response as { alarms: [Alarm] }).alarms;
  const alarm = (
    id: string,
    kind: Alarm['kind'],
    delivery_date: string,
    contract_id: string | null,
  ): Alarm => ({
    ...example,
    ...{ id, kind, delivery_date, contract_id },
  });
  const items = itemsOfAlarms([
    alarm('alm_1', 'forecast_missing', '2026-10-21', 'con_1'),
    alarm('alm_2', 'meter_missing', '2026-10-15', 'con_1'),
    alarm('alm_3', 'rejected', '2026-10-21', null),
    alarm('alm_4', 'forecast_missing', '2026-10-21', 'con_2'),
    alarm('alm_5', 'meter_missing', '2026-10-16', 'con_1'),
    alarm('alm_6', 'rejected', '2026-10-21', null),
  ]);
  assert.deepEqual(
    items.map(({ day, count, alarms }) => [day, count, ...alarms.map(({ id }) => id)]),
    [
      ['2026-10-21', 2, 'alm_1', 'alm_4'],
      ['2026-10-15', 1, 'alm_2'],
      ['2026-10-21', 1, 'alm_3'],
      ['2026-10-16', 1, 'alm_5'],
      ['2026-10-21', 1, 'alm_6'],
    ],
  );
});

test('alarms are sorted by the gate of their day; a critical one without a day comes first', () => {
  const alarm = (
    kind: 'disk' | 'unreadable' | 'rejected',
    severity: 'critical' | 'warning',
    day: string | null,
  ) => ({
    id: `alm_${kind}`,
    kind,
    severity,
    tso: null,
    delivery_date: day,
    message_id: null,
    contract_id: null,
    since: '2026-10-20T08:00:00Z',
    text: '',
    ended_at: null,
    acknowledged_by: null,
    note: null,
  });
  const alarms = itemsOfAlarms([
    alarm('unreadable', 'warning', null),
    alarm('rejected', 'critical', '2026-10-21'),
    alarm('disk', 'critical', null),
  ]);
  const due = alarms.map((one) => ({
    ...one,
    deadline: item('alarm', one.day, one.day === null ? null : 100).deadline,
  }));
  const others = [item('unsent', '2026-10-21', 100), item('mismatch', '2026-10-18', null)];
  assert.deepEqual(
    byUrgency([...others, ...due]).map((one) => one.alarms[0]?.kind ?? one.kind),
    ['disk', 'rejected', 'unsent', 'unreadable', 'mismatch'],
  );
});
