import { ALARM_KINDS, ALARM_SEVERITIES, type AlarmKind } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  Day,
  LIMITS,
  Nullable,
  Order,
  Page,
  pageQuery,
  paginationExample,
  Strict,
  TsoSchema,
} from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';

export const ALARM_STATES = ['open', 'resolved'] as const;
export type AlarmState = (typeof ALARM_STATES)[number];

const KIND_TEXT = `\`rejected\`: the TSO rejected the newest schedule of a day; ends when a newer version is acknowledged or confirmed.
\`answer_overdue\`: a sent schedule has no acknowledgement after \`ACK_MINUTES\`; ends with the answer.
\`unreadable\`: an incoming message cannot be read; ends when it is acknowledged.
\`unsent_before_gate\`: nominations are unsent 15 minutes before their gate, and the job should have sent them; ends with the sending or the gate.
\`unknown_series\`: a TSO reports a series with the operator’s balance group that our schedule does not have; ends when it is acknowledged.
\`out_of_balance\`: a schedule is not sent because its slots do not net to zero; ends when it is sent or balanced.
\`confirmation_overdue\`: an acknowledged schedule has no confirmation an hour after the wait phase, or after its sending if that was later; further versions do not extend the hour; ends with a confirmation of it or of a newer version.
\`final_missing\`: an acknowledged schedule has no final confirmation \`ACK_MINUTES\` after the day-after gate; ends with the final confirmation.
\`older_version_confirmed\`: the TSO confirms a version although a newer one was sent and is unanswered; ends with the answer to the newer one.
\`status_request_rejected\`: the TSO rejected a status request; ends when a newer one is acknowledged or a confirmation arrives.
\`disk\`: the file system of \`DATA_DIR\` has less than 1 GiB free; ends when it has more.
\`forecast_missing\`: from 12:00 on, a contract with a forecast as its source has quarter-hours of tomorrow without any value; a warning until 14:00, then critical; ends when the values are there, when the contract no longer takes them, or with the day.
\`meter_missing\`: from 00:00 of the second working day after delivery on, a contract with a meter as its source has quarter-hours without a metered value; ends when the values are there, or when the contract no longer takes them.`;

export const Alarm = Type.Object(
  {
    id: Type.String({ examples: ['alm_01jhm5b2m8f4t9v6q3w7x1y0zk'] }),
    kind: Choice(ALARM_KINDS, { description: KIND_TEXT }),
    severity: Choice(ALARM_SEVERITIES, {
      description:
        'Critical: without an action, a schedule misses its gate or does not count. It may rise while the alarm is open.',
    }),
    tso: Nullable(TsoSchema),
    delivery_date: Nullable(Day('The German delivery day that it concerns.')),
    message_id: Nullable(Type.String({ description: 'Id of the message that it concerns.' })),
    contract_id: Nullable(Type.String({ description: 'Id of the contract whose values are missing.' })),
    since: DateTime('When it began.'),
    text: Type.String({ description: 'What has happened, as a sentence.' }),
    ended_at: Nullable(DateTime('When it ended; null while it is open.')),
    acknowledged_by: Nullable(Type.String({ description: 'The key or user that acknowledged it.' })),
    note: Nullable(Type.String({ description: 'The note of the acknowledgement.' })),
  },
  { title: 'Alarm' },
);
export type Alarm = Static<typeof Alarm>;

/** Number of open alarms by kind, with every kind. */
export const AlarmCounts = Type.Object(
  {
    rejected: Type.Integer(),
    answer_overdue: Type.Integer(),
    unreadable: Type.Integer(),
    unsent_before_gate: Type.Integer(),
    unknown_series: Type.Integer(),
    out_of_balance: Type.Integer(),
    confirmation_overdue: Type.Integer(),
    final_missing: Type.Integer(),
    older_version_confirmed: Type.Integer(),
    status_request_rejected: Type.Integer(),
    disk: Type.Integer(),
    forecast_missing: Type.Integer(),
    meter_missing: Type.Integer(),
  } satisfies Record<AlarmKind, unknown>,
  { title: 'AlarmCounts', description: 'Number of open alarms by kind.' },
);
export type AlarmCounts = Static<typeof AlarmCounts>;

const example: Alarm = {
  id: 'alm_01jhm5b2m8f4t9v6q3w7x1y0zk',
  kind: 'rejected',
  severity: 'critical',
  tso: 'DE_50HERTZ',
  delivery_date: '2026-01-15',
  message_id: 'msg_01jhm55t4kfdgv3y8n2c6q1w9r',
  contract_id: null,
  since: '2026-01-14T13:04:10Z',
  text: 'Version 1 of the schedule of 15 Jan 2026 for 50Hertz was rejected. The TSO rejected the schedule: A02; A59.',
  ended_at: null,
  acknowledged_by: null,
  note: null,
};

const note = 'Phoned the TSO: their system is restarted at 14:10.';

export const operatorAlarmEndpoints = endpoints('Exchange', {
  listAlarms: endpoint({
    method: 'GET',
    path: '/operator/v1/exchange/alarms',
    summary: 'List alarms',
    description: 'Conditions of the exchange that need an operator: the open ones, or those of the past.',
    scopes: ['read'],
    query: Strict({
      state: Type.Optional(
        Choice(ALARM_STATES, {
          default: 'open',
          description: 'Whether they are open or have ended.',
          examples: ['resolved'],
        }),
      ),
      kind: Type.Optional(Choice(ALARM_KINDS, { description: 'Only this kind.', examples: ['rejected'] })),
      tso: Type.Optional(TsoSchema),
      delivery_date: Type.Optional(Day('Only alarms of this German delivery day.')),
      order: Order,
      ...pageQuery,
    }),
    response: Page('alarms', Alarm, 'AlarmList'),
    example: { response: { alarms: [example], pagination: paginationExample } },
  }),
  acknowledgeAlarm: endpoint({
    method: 'POST',
    path: '/operator/v1/exchange/alarms/{alarm_id}/acknowledge',
    summary: 'Acknowledge an alarm',
    description: 'Ends an open alarm. The same cause does not raise it again.',
    scopes: ['exchange:write'],
    body: Strict(
      {
        note: Type.String({
          minLength: 1,
          maxLength: LIMITS.reasonLength,
          format: 'text',
          description: 'What was done about it.',
          examples: [note],
        }),
      },
      { title: 'AlarmAcknowledgement' },
    ),
    response: Alarm,
    problems: ['alarm_not_found', 'invalid_status_transition'],
    example: {
      request: { note },
      response: {
        ...example,
        ended_at: '2026-01-14T13:06:00Z',
        acknowledged_by: 'key_01jhm3w0ave6p8mxk2r5t7zj4h',
        note,
      },
    },
  }),
});
