import Type, { type Static } from 'typebox';
import { Choice, DateTime, Day, MwhSchema, Nullable, SlotNumber, TsoSchema } from '../common.ts';
import { DeliveryDayCalendar } from '../delivery-days.ts';
import { MESSAGE_STATES } from './message.ts';

const AnsweredVersion = Nullable(
  Type.Object(
    {
      version: Type.Integer({ description: 'Version of the schedule.' }),
      at: Nullable(DateTime('When the TSO answered, by its own clock; null if only a later answer came.')),
    },
    { title: 'AnsweredVersion', description: 'The newest version that the TSO answered so.' },
  ),
);

const BoardArea = Type.Object(
  {
    tso: TsoSchema,
    schedule: Nullable(
      Type.Object(
        {
          message_id: Type.String({ examples: ['msg_01jhm55t4kfdgv3y8n2c6q1w9r'] }),
          version: Type.Integer({ description: 'Version of the schedule.' }),
          state: Choice(MESSAGE_STATES),
          sent_at: Nullable(DateTime('When it was written to the outbox or to the TSO’s server.')),
        },
        { title: 'NewestSchedule', description: 'The newest version of the schedule.' },
      ),
    ),
    acknowledged: AnsweredVersion,
    confirmed: AnsweredVersion,
    is_final: Type.Boolean({ description: 'Whether the confirmation of that version is the final one.' }),
    nominations: Type.Integer({ description: 'Number of current nominations.' }),
    unsent: Type.Integer({ description: 'How many of them were not sent to the TSO yet.' }),
    matched: Type.Integer({ description: 'How many of them the TSO confirmed as nominated.' }),
    mismatched: Type.Integer({
      description: 'How many of them differ, as in the list of mismatches.',
    }),
    mismatched_slots: Type.Array(SlotNumber('Quarter-hour within the German delivery day.'), {
      description: 'The slots that differ in any of them.',
    }),
    gate_closure: Nullable(DateTime('The first open deadline of the unsent ones.')),
    error: Nullable(Type.String({ description: 'Why the schedule cannot be sent.' })),
  },
  { title: 'BoardArea' },
);

const BoardDay = Type.Object(
  {
    delivery_date: Day('The German delivery day.'),
    gates: DeliveryDayCalendar.properties.gates,
    areas: Type.Array(BoardArea, { description: 'All four control areas.' }),
    delivered: Type.Optional(
      Type.Array(MwhSchema('MWh of a slot.'), {
        description:
          'With `include_slots`: what all balance groups together deliver in each slot, MWh. They receive the same.',
      }),
    ),
  },
  { title: 'BoardDay' },
);

export const ExchangeBoard = Type.Object(
  {
    days: Type.Array(BoardDay, {
      description: 'Yesterday, today, tomorrow and the later days that have nominations, at most 14 in all.',
    }),
    more_from: Nullable(Day('The first day with nominations after these; null if there is none.')),
  },
  { title: 'ExchangeBoard' },
);
export type ExchangeBoard = Static<typeof ExchangeBoard>;
export type BoardDay = ExchangeBoard['days'][number];
export type BoardArea = BoardDay['areas'][number];
