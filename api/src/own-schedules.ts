import { DIRECTIONS, SCHEDULE_STEPS } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  BulkIds,
  Choice,
  DateTime,
  Day,
  Eic,
  Flag,
  Nullable,
  Page,
  pageQuery,
  paginationExample,
  Strict,
  TsoSchema,
} from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';

const Mark = Type.Object(
  {
    nomination_id: Type.String({ description: 'The version that the step was done with.' }),
    version: Type.Integer({ minimum: 1, description: 'Its number.' }),
    at: DateTime('When the step was recorded, UTC.'),
    actor_name: Nullable(
      Type.String({
        description: 'The user or key that recorded it, by its name today.',
        examples: ['Anna Berg'],
      }),
    ),
  },
  { title: 'ScheduleMark' },
);

const step = (what: string) =>
  Type.Union([Mark, Type.Null()], {
    description: `The newest version that you have ${what}; null if there is none.`,
  });

export const OwnSchedule = Type.Object(
  {
    nomination_id: Type.String({ description: 'The current version of the nomination.' }),
    version: Type.Integer({ minimum: 1, description: 'Its number.' }),
    delivery_date: Day('The German delivery day.'),
    eic: Eic('Your balance group.'),
    tso: TsoSchema,
    direction: Choice(DIRECTIONS, { description: 'From your perspective.' }),
    sent_version: Nullable(
      Type.Integer({
        description: 'The newest version that the operator has sent to the TSO; null if none.',
      }),
    ),
    loaded: step('loaded'),
    checked: step('checked'),
    submitted: step('submitted'),
    changed_since: Nullable(
      Type.Object(
        {
          nomination_id: Type.String({ description: 'The version that you know.' }),
          version: Type.Integer({ minimum: 1, description: 'Its number.' }),
        },
        {
          title: 'KnownVersion',
          description:
            'Set when the nomination has changed since you last loaded, checked or submitted it, or, if you never did, since the operator sent it. Null once a step of the current version is recorded.',
        },
      ),
    ),
  },
  {
    title: 'OwnSchedule',
    description: 'Your own side of a nomination: what you have done with which version.',
  },
);
export type OwnSchedule = Static<typeof OwnSchedule>;

const example: OwnSchedule = {
  nomination_id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
  version: 1,
  delivery_date: '2026-01-15',
  eic: '11XNORDWIND----J',
  tso: 'DE_50HERTZ',
  direction: 'out',
  sent_version: 1,
  loaded: {
    nomination_id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
    version: 1,
    at: '2026-01-14T12:45:00Z',
    actor_name: 'Anna Berg',
  },
  checked: null,
  submitted: null,
  changed_since: null,
};

export const ownScheduleEndpoints = endpoints('Nominations', {
  listOwnSchedules: endpoint({
    method: 'GET',
    path: '/v1/schedules',
    summary: 'List your own schedules',
    description:
      'For each current nomination of a day, or of today and all later days: which version you have loaded, checked and submitted, and whether it has changed since. By delivery day.',
    scopes: ['nominations:read'],
    query: Strict({
      delivery_date: Type.Optional(Day('The German delivery day; default: today and later.')),
      changed: Flag('Only nominations with `changed_since`.'),
      ...pageQuery,
    }),
    response: Page('schedules', OwnSchedule, 'OwnScheduleList'),
    example: { response: { schedules: [example], pagination: paginationExample } },
  }),
  markSchedules: endpoint({
    method: 'POST',
    path: '/v1/schedules/marks',
    summary: 'Record a step of your own schedules',
    description:
      'Records that you have loaded, checked or submitted your own side of these nomination versions, or takes it back. Reads of schedules record nothing by themselves; a check with `submitted=true` records `submitted`, and taking that step back forgets its file. A step that is recorded already keeps its first time. One unknown id rejects all.',
    scopes: ['schedules:write'],
    body: Strict(
      {
        step: Choice(SCHEDULE_STEPS, { description: 'What you have done.' }),
        nomination_ids: BulkIds('nom_01jhm52x6yf6rbkm2s8hq3j5zd'),
        done: Type.Optional(
          Type.Boolean({ default: true, description: 'False takes the step back.', examples: [true] }),
        ),
      },
      { title: 'ScheduleMarks' },
    ),
    response: Type.Object(
      { schedules: Type.Array(OwnSchedule, { description: 'The current versions of these nominations.' }) },
      { title: 'MarkedSchedules' },
    ),
    problems: ['nomination_not_found'],
    example: {
      request: { step: 'loaded', nomination_ids: ['nom_01jhm52x6yf6rbkm2s8hq3j5zd'] },
      response: { schedules: [example] },
    },
  }),
});
