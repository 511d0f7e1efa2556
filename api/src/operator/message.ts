import { MESSAGE_FORMATS, MESSAGE_TYPES } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import { Choice, DateTime, Day, Nullable, TsoSchema } from '../common.ts';

/** The group of the exchange in the API document. */
export const EXCHANGE_TAG = 'Exchange';

export const MESSAGE_DIRECTIONS = ['out', 'in'] as const;
export const MESSAGE_STATES = [
  'stored',
  'sent',
  'delivered',
  'acknowledged',
  'rejected',
  'confirmed',
  'applied',
  'ignored',
  'failed',
] as const;

export const Message = Type.Object(
  {
    id: Type.String({ examples: ['msg_01jhm55t4kfdgv3y8n2c6q1w9r'] }),
    direction: Choice(MESSAGE_DIRECTIONS, { description: '`out`: to a TSO; `in`: from a TSO.' }),
    type: Choice(MESSAGE_TYPES),
    format: Nullable(Choice(MESSAGE_FORMATS, { description: 'Null when it was not recognised.' })),
    tso: Nullable(TsoSchema),
    delivery_date: Nullable(Day('The German delivery day of the message.')),
    version: Nullable(
      Type.Integer({
        description: 'Version of the schedule; for an answer, of the schedule that it answers.',
      }),
    ),
    state: Choice(MESSAGE_STATES, {
      description:
        'Out: stored, sent, delivered (the TSO’s server confirmed the complete file), acknowledged, rejected, confirmed. In: stored until it is parsed, then applied, ignored (repeated, outdated, not ours) or failed (unreadable).',
    }),
    error: Nullable(
      Type.String({
        description:
          'Why it was rejected, ignored or unreadable; of a stored one, why it could not be sent. Of an applied answer: what it has beyond our schedule, and reasons that the platform does not know.',
      }),
    ),
    file_name: Nullable(
      Type.String({ examples: ['20260115_TPS_11XSALDO-------Z_10XDE-VE-TRANSMK_001.XML'] }),
    ),
    answers: Nullable(Type.String({ description: 'Id of the schedule that this answers.' })),
    created_at: DateTime('When it was stored.'),
    sent_at: Nullable(DateTime('When it was written to the outbox or to the TSO’s server.')),
  },
  { title: 'Message' },
);
export type Message = Static<typeof Message>;
