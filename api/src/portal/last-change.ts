import Type, { type Static } from 'typebox';
import { DateTime, Nullable } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';

export const LastChange = Type.Object(
  {
    at: DateTime('Time by the platform’s clock.'),
    actor_name: Nullable(
      Type.String({
        description:
          'The user or API key that made the change. Null if it belongs to another party, which for a BRP is the operator, or if it was a job.',
        examples: ['Jana Petersen'],
      }),
    ),
  },
  { title: 'LastChange' },
);
export type LastChange = Static<typeof LastChange>;

/** Answers who made the change that a form is in conflict with. What has changed follows from the record itself. */
export const portalLastChangeEndpoints = endpoints('Changes', {
  getLastChange: endpoint({
    method: 'GET',
    path: '/portal/v1/records/{record_id}/last-change',
    summary: 'Read who changed a record last',
    description:
      'The last change of a record, from the audit trail. `record_id` is its id, or the EIC of a balance group. A user of a BRP reads it for customers and balance groups.',
    response: LastChange,
    problems: ['invalid_session', 'not_found'],
    example: { response: { at: '2026-01-14T10:02:31Z', actor_name: 'Jana Petersen' } },
  }),
});
