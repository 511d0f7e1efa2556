import Type, { type Static } from 'typebox';
import { DateTime, LIMITS, Strict } from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';

export const Changes = Type.Object(
  {
    changed: Type.Array(Type.String(), {
      description:
        'What has changed since `after`: types of events; for the operator also `audit` and `message`. `*`: anything may have changed.',
      examples: [['nomination.created']],
    }),
    server_time: DateTime('The platform’s time now, which gates and statuses depend on.'),
    next: Type.String({ description: 'Send it as `after` to go on from here.' }),
  },
  { title: 'Changes' },
);
export type Changes = Static<typeof Changes>;

/** Which data of an open page are stale. Unlike the feed, it has one entry per type, however many events. */
export const portalChangesEndpoints = endpoints('Changes', {
  listChanges: endpoint({
    method: 'GET',
    path: '/portal/v1/changes',
    summary: 'Follow changes',
    description:
      'The types of the events of the user’s BRP or account since `after`. For the operator, those of all parties.',
    query: Strict({
      after: Type.Optional(
        Type.String({
          description: '`next` of the previous answer. Absent: from now on, without waiting.',
          examples: ['WzQ4MjExXQ.k7Jr0WcP2dQx1mZt'],
        }),
      ),
      wait: Type.Optional(
        Type.Integer({
          ...LIMITS.eventWaitS,
          description: 'Long poll: seconds to wait for the first change.',
          examples: [30],
        }),
      ),
    }),
    response: Changes,
    problems: ['invalid_session'],
    example: {
      response: {
        changed: ['nomination.created'],
        server_time: '2026-01-14T07:45:00Z',
        next: 'WzQ4MjExXQ.k7Jr0WcP2dQx1mZt',
      },
    },
  }),
});
