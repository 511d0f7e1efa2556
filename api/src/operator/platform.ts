import Type, { type Static } from 'typebox';
import { DateTime, Nullable, Order, Page, pageQuery, paginationExample, Strict } from '../common.ts';
import { deliveryDayEndpoints } from '../delivery-days.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { AlarmCounts } from './alarms.ts';

/** Record type and past participle. Entries of older versions may have others. */
export const AUDIT_ACTIONS = [
  'account.created',
  'alarm.acknowledged',
  'api_key.created',
  'api_key.revoked',
  'api_key.rotated',
  'asset.created',
  'asset.updated',
  'balance_group.created',
  'balance_group.updated',
  'brp.created',
  'clock.set',
  'contract.created',
  'contract.updated',
  'contract_day.written',
  'cover.uploaded',
  'customer.created',
  'customer.updated',
  'demand.created',
  'demand.deleted',
  'inquiry.created',
  'inquiry.answered',
  'inquiry.closed',
  'demand.updated',
  'interchange.received',
  'message.received',
  'profiles.run',
  'schedule.submitted',
  'schedules.marked',
  'schedules.sent',
  'series.created',
  'series.updated',
  'series_day.written',
  'series_values.import_broken_off',
  'series_values.imported',
  'status.requested',
  'transaction.invalidated',
  'user.created',
  'user.factor_added',
  'user.factor_removed',
  'user.factors_reset',
  'user.invited',
  'user.passkey_added',
  'user.passkey_cloned',
  'user.passkey_removed',
  'user.passkey_renamed',
  'user.password_changed',
  'user.password_set',
  'user.provider_linked',
  'user.provider_unlinked',
  'user.recovery_code_used',
  'user.recovery_codes_renewed',
  'user.session_ended',
  'user.sessions_ended',
  'user.sign_in_failed',
  'user.signed_in',
  'user.signed_out',
  'user.signed_out_elsewhere',
  'user.updated',
  'volumes.import_broken_off',
  'volumes.imported',
  'webhook_endpoint.created',
  'webhook_endpoint.deleted',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.tested',
  'webhook_endpoint.updated',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AuditEntry = Type.Object(
  {
    id: Type.String({ description: 'Grows with each entry.' }),
    at: DateTime('Time by the platform’s clock.'),
    actor: Type.String({
      description:
        'The key or user that made the change, or the name of a job; `anonymous` for a failed sign-in.',
      examples: ['key_01jhm3w0ave6p8mxk2r5t7zj4h'],
    }),
    actor_name: Nullable(
      Type.String({
        description: 'Its name today; null for a job.',
        examples: ['Anna Berg'],
      }),
    ),
    action: Type.String({ examples: ['customer.updated'] }),
    subject: Type.String({
      description: 'Id of the changed record; `unknown` for a sign-in with an email that no user has.',
      examples: ['cust_01jhm3vz1he1tr8kc5g7w2m0qp'],
    }),
    request_id: Nullable(Type.String()),
    address: Nullable(
      Type.String({
        description:
          'Address of the client, or only its network (setting `ADDRESSES`); null for a job and for old entries.',
        examples: ['203.0.113.7'],
      }),
    ),
    user_agent: Nullable(
      Type.String({ description: 'User agent of the client, of which the end may be cut.' }),
    ),
    before: Nullable(Type.Unknown({ description: 'The record before; null for a new one.' })),
    after: Nullable(Type.Unknown({ description: 'The record after; null for a deleted one.' })),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const ClockState = Type.Object(
  {
    now: DateTime('The platform’s time.'),
    moved: Type.Boolean({ description: 'Whether it differs from the machine’s.' }),
  },
  { title: 'ClockState' },
);
export type ClockState = Static<typeof ClockState>;

export const Health = Type.Object(
  {
    server_time: DateTime('The platform’s time now.'),
    machine_time: DateTime('The machine’s time; it differs only in a sandbox.'),
    started_at: DateTime('When this process started, by the machine’s clock.'),
    database: Type.Object(
      {
        version: Type.String({ description: 'Of PostgreSQL.', examples: ['18.4'] }),
        migration: Type.String({ description: 'The last applied migration.', examples: ['001-schema'] }),
        size_bytes: Type.Integer({ description: 'Size on disk, indexes included.', examples: [73400320] }),
        answered_in_ms: Type.Number({ description: 'Response time of the database.', examples: [1.2] }),
      },
      { title: 'DatabaseHealth' },
    ),
    waiting: Type.Object(
      {
        position_days: Type.Integer({
          description: 'Number of position-days with changes that are not netted yet.',
        }),
        oldest_at: Nullable(DateTime('Time of the oldest such change; null if there is none.')),
      },
      { title: 'WaitingNominations' },
    ),
    alarms: AlarmCounts,
    can_simulate: Type.Boolean({
      description: 'Whether answers of TSOs can be simulated: only with a demo world or in a sandbox.',
    }),
  },
  { title: 'Health' },
);
export type Health = Static<typeof Health>;

export const operatorPlatformEndpoints = endpoints('Platform', {
  getHealth: endpoint({
    method: 'GET',
    path: '/operator/v1/health',
    summary: 'Read the platform’s health',
    description:
      'The platform’s times, its database, the changes that wait for netting, and the number of open alarms.',
    scopes: ['read'],
    response: Health,
    example: {
      response: {
        server_time: '2026-01-14T10:02:31Z',
        machine_time: '2026-01-14T10:02:31Z',
        started_at: '2026-01-12T04:00:00Z',
        database: { version: '18.4', migration: '001-schema', size_bytes: 73_400_320, answered_in_ms: 1.2 },
        waiting: { position_days: 0, oldest_at: null },
        alarms: {
          rejected: 1,
          answer_overdue: 0,
          unreadable: 0,
          unsent_before_gate: 0,
          unknown_series: 0,
          out_of_balance: 0,
          confirmation_overdue: 0,
          final_missing: 0,
          older_version_confirmed: 0,
          status_request_rejected: 0,
          disk: 0,
          forecast_missing: 0,
          meter_missing: 0,
        },
        can_simulate: false,
      },
    },
  }),
  operatorGetDeliveryDay: endpoint({
    ...deliveryDayEndpoints.getDeliveryDay,
    path: '/operator/v1/delivery-days/{date}',
    scopes: ['read'],
  }),
  listAudit: endpoint({
    method: 'GET',
    path: '/operator/v1/audit',
    summary: 'Read the audit trail',
    description:
      'All changes with actor, time, and the record before and after. Append-only; oldest first by default. With `since` or `until` but without `subject`, entries are in the order of their time.',
    scopes: ['read'],
    query: Strict({
      subject: Type.Optional(
        Type.String({
          description: 'Only changes of the record with this id.',
          examples: ['cust_01jhm3vz1he1tr8kc5g7w2m0qp'],
        }),
      ),
      actor: Type.Optional(
        Type.String({
          description: 'Only changes by this key or user.',
          examples: ['key_01jhm3w0ave6p8mxk2r5t7zj4h'],
        }),
      ),
      action: Type.Optional(
        Type.String({ description: 'Only these actions.', examples: ['customer.updated'] }),
      ),
      since: Type.Optional(DateTime('Only changes at this time or later.')),
      until: Type.Optional(DateTime('Only changes before this time.')),
      order: Order,
      ...pageQuery,
    }),
    response: Page('entries', AuditEntry, 'AuditList'),
    example: {
      response: {
        entries: [
          {
            id: '1042',
            at: '2026-01-14T10:02:31Z',
            actor: 'key_01jhm3w0ave6p8mxk2r5t7zj4h',
            actor_name: 'ERP system',
            action: 'balance_group.updated',
            subject: '11XNORDWIND----J',
            request_id: 'req_0f9d3c1f5e0b4a8f9c54f8f3a6f0d2b7',
            address: '203.0.113.7',
            user_agent: 'erp-connector/4.2',
            before: { tsos: ['DE_50HERTZ'] },
            after: { tsos: ['DE_50HERTZ', 'DE_TENNET'] },
          },
        ],
        pagination: paginationExample,
      },
    },
  }),
});

/** Available only with `SANDBOX=on`. */
export const sandboxEndpoints = endpoints('Platform', {
  getClock: endpoint({
    method: 'GET',
    path: '/operator/v1/clock',
    summary: 'Read the clock',
    description: 'The platform’s time. Only in a sandbox.',
    scopes: ['read'],
    response: ClockState,
    example: { response: { now: '2026-10-24T12:29:59Z', moved: true } },
  }),
  setClock: endpoint({
    method: 'PUT',
    path: '/operator/v1/clock',
    summary: 'Set the clock',
    description: 'Moves the platform’s time forward or back. Only in a sandbox.',
    scopes: ['platform:write'],
    body: Strict({ now: DateTime('The new time.', '2026-10-24T12:29:59Z') }, { title: 'ClockSetting' }),
    response: ClockState,
    example: {
      request: { now: '2026-10-24T12:29:59Z' },
      response: { now: '2026-10-24T12:29:59Z', moved: true },
    },
  }),
});
