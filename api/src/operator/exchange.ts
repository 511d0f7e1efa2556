import { DIRECTIONS, MESSAGE_TYPES, NOMINATION_STATUSES } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  Day,
  Eic,
  Flag,
  MwhSchema,
  Nullable,
  Order,
  Page,
  pageQuery,
  paginationExample,
  SlotNumber,
  Strict,
  TsoSchema,
} from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { ExchangeBoard } from './board.ts';
import { EXCHANGE_TAG, MESSAGE_DIRECTIONS, MESSAGE_STATES, Message } from './message.ts';

const MismatchedSlot = Type.Object(
  {
    slot_number: SlotNumber('Quarter-hour within the German delivery day.'),
    delivery_start: DateTime('Start of the quarter-hour, UTC.'),
    delivery_end: DateTime('End of the quarter-hour, UTC.'),
    amount: MwhSchema('Nominated amount, MWh.'),
    matched_amount: Nullable(
      MwhSchema('Amount that the TSO confirmed, exact MWh with up to five decimals; null before that.'),
    ),
    counterpart_amount: Nullable(
      MwhSchema(
        'Amount that the counterpart nominated, exact MWh; null unless known from an anomaly report.',
      ),
    ),
  },
  { title: 'MismatchedSlot' },
);

export const NominationMismatch = Type.Object(
  {
    nomination_id: Type.String(),
    eic: Eic('Balance group of the counterpart.'),
    tso: TsoSchema,
    direction: Choice(DIRECTIONS, { description: 'From the balance group’s perspective.' }),
    version: Type.Integer(),
    status: Choice(NOMINATION_STATUSES),
    confirmed_at: Nullable(DateTime('Time of the TSO’s final confirmation.')),
    slots: Type.Array(MismatchedSlot, { description: 'Only the slots that differ.' }),
  },
  { title: 'NominationMismatch' },
);
export type NominationMismatch = Static<typeof NominationMismatch>;

export const UnsentNomination = Type.Object(
  {
    nomination_id: Type.String(),
    delivery_date: Day('The German delivery day.'),
    eic: Eic('The balance group.'),
    tso: TsoSchema,
    direction: Choice(DIRECTIONS),
    version: Type.Integer(),
    gate_closure: DateTime('The deadline of this version.'),
    gate_is_closed: Type.Boolean({ description: 'Whether that deadline is past.' }),
    sends_at: Nullable(
      DateTime('From when on it leaves by itself; null when every gate of its day is closed.'),
    ),
    error: Nullable(Type.String({ description: 'Why the schedule of its TSO and day cannot be sent.' })),
    created_at: DateTime('When this version was created.'),
  },
  { title: 'UnsentNomination' },
);
export type UnsentNomination = Static<typeof UnsentNomination>;

const sentExample: Message = {
  id: 'msg_01jhm55t4kfdgv3y8n2c6q1w9r',
  direction: 'out',
  type: 'schedule',
  format: 'ess',
  tso: 'DE_50HERTZ',
  delivery_date: '2026-01-15',
  version: 1,
  state: 'sent',
  error: null,
  file_name: '20260115_TPS_11XSALDO-------Z_10XDE-VE-TRANSMK_001.XML',
  answers: null,
  created_at: '2026-01-14T13:00:01Z',
  sent_at: '2026-01-14T13:00:01Z',
};

const answerExample: Message = {
  ...sentExample,
  id: 'msg_01jhm5a0xqe4w8d7v1r3t9k2bn',
  direction: 'in',
  type: 'confirmation',
  state: 'applied',
  file_name: null,
  answers: sentExample.id,
  created_at: '2026-01-14T15:04:10Z',
  sent_at: null,
};

const documentExample = `<?xml version="1.0" encoding="UTF-8"?>
<ScheduleMessage DtdVersion="2" DtdRelease="3">
<MessageIdentification v="20260115_TPS_11XSALDO-------Z_50H"/>
<MessageVersion v="1"/>
</ScheduleMessage>
`;

const answerDocumentExample = `<?xml version="1.0" encoding="UTF-8"?>
<AcknowledgementMessage DtdVersion="2" DtdRelease="3">
<MessageIdentification v="20260115-ACK-1"/>
<MessageDateTime v="2026-01-14T13:00:09Z"/>
<SenderIdentification v="10XDE-VE-TRANSMK" codingScheme="A01"/>
<SenderRole v="A04"/>
<ReceiverIdentification v="11XSALDO-------Z" codingScheme="A01"/>
<ReceiverRole v="A08"/>
<ReceivingMessageIdentification v="20260115_TPS_11XSALDO-------Z_50H"/>
<ReceivingMessageVersion v="1"/>
<Reason><ReasonCode v="A01"/></Reason>
</AcknowledgementMessage>
`;

const boardExample: ExchangeBoard = {
  days: [
    {
      delivery_date: '2026-01-15',
      gates: [
        { phase: 'day_ahead', closes_at: '2026-01-14T13:30:00Z', open: false },
        { phase: 'wait', closes_at: '2026-01-14T15:00:00Z', open: false },
        { phase: 'intraday', closes_at: '2026-01-15T22:30:00Z', open: true },
        { phase: 'day_after', closes_at: '2026-01-16T15:00:00Z', open: true },
      ],
      areas: [
        {
          tso: 'DE_50HERTZ',
          schedule: {
            message_id: sentExample.id,
            version: 2,
            state: 'acknowledged',
            sent_at: '2026-01-14T15:00:01Z',
          },
          acknowledged: { version: 2, at: '2026-01-14T15:00:09Z' },
          confirmed: { version: 1, at: '2026-01-14T15:04:10Z' },
          is_final: false,
          nominations: 12,
          unsent: 0,
          matched: 9,
          mismatched: 1,
          mismatched_slots: [61, 62],
          gate_closure: null,
          error: null,
        },
      ],
    },
  ],
  more_from: null,
};

export const operatorExchangeEndpoints = endpoints(EXCHANGE_TAG, {
  sendSchedules: endpoint({
    method: 'POST',
    path: '/operator/v1/exchange/send',
    summary: 'Send unsent schedules now',
    description:
      'Nets all changes, and sends a new version of every schedule that differs from the last one sent. A job does the same before each gate. Between the day-ahead gate and the end of the wait phase nothing is sent to TSOs for which changes are held (`WAIT_PHASE`). A rejected schedule is sent again under a new version if the request names its day.',
    scopes: ['exchange:write'],
    body: Strict(
      {
        delivery_date: Type.Optional(Day('Only this delivery day.')),
        tso: Type.Optional(TsoSchema),
      },
      { title: 'ExchangeSend' },
    ),
    response: Type.Object(
      {
        messages: Type.Array(Message, {
          description:
            'The messages that were sent. One to a TSO with a server of its own is `stored` until that server has it.',
        }),
        faults: Type.Array(
          Type.Object(
            {
              delivery_date: Day('The German delivery day.'),
              tso: TsoSchema,
              error: Type.String(),
            },
            { title: 'ScheduleFault' },
          ),
          { description: 'The schedules that could not be sent, or not with all volumes yet, and why.' },
        ),
      },
      { title: 'ExchangeSendResult' },
    ),
    example: { request: { delivery_date: '2026-01-15' }, response: { messages: [sentExample], faults: [] } },
  }),
  requestStatus: endpoint({
    method: 'POST',
    path: '/operator/v1/exchange/status-request',
    summary: 'Request a TSO’s last answer',
    description:
      'Asks the TSO to send its last answer to the schedule of a day again (document type A59, in the format of the TSO). A job does the same once when an acknowledgement is overdue. A message that cannot be delivered at once stays `stored`, with the reason if there is one, and a job delivers it later.',
    scopes: ['exchange:write'],
    body: Strict(
      { delivery_date: Day('The German delivery day of the schedule.'), tso: TsoSchema },
      { title: 'StatusRequest' },
    ),
    response: Message,
    example: {
      request: { delivery_date: '2026-01-15', tso: 'DE_50HERTZ' },
      response: {
        ...sentExample,
        id: 'msg_01jhm5c7d2e9h4k6n8p0q3r5st',
        type: 'status_request',
        version: null,
        file_name: '20260115_SRQ_11XSALDO-------Z_10XDE-VE-TRANSMK_2026-01-14T13-10-02Z.XML',
        created_at: '2026-01-14T13:10:02Z',
        sent_at: '2026-01-14T13:10:02Z',
      },
    },
  }),
  receiveMessage: endpoint({
    method: 'POST',
    path: '/operator/v1/exchange/receive',
    summary: 'Receive a TSO’s answer',
    description:
      'An acknowledgement, confirmation or anomaly report, in ESS or CIM. It may be sent with `Content-Encoding: gzip`. It is stored unchanged before it is parsed; an unreadable one is kept with the reason. Reasons that the platform does not know and series that are not in our schedule are named in `error` of the message, and the rest is applied. A repeated or outdated one, or one for another receiver, is recorded and changes nothing.',
    scopes: ['exchange:write'],
    stream: ['application/xml', 'text/xml'],
    gzip: true,
    response: Type.Object(
      {
        message: Message,
        nominations: Type.Array(Type.String(), { description: 'Ids of the nominations that it changed.' }),
      },
      { title: 'ReceivedMessage' },
    ),
    problems: ['unreadable_message'],
    example: {
      request: answerDocumentExample,
      response: { message: answerExample, nominations: ['nom_01jhm52x6yf6rbkm2s8hq3j5zd'] },
    },
  }),
  getExchangeBoard: endpoint({
    method: 'GET',
    path: '/operator/v1/exchange/board',
    summary: 'Read the board of the exchange',
    description:
      'The state of the exchange with each TSO by delivery day: versions sent, acknowledged and confirmed, counts of nominations, and gates.',
    scopes: ['read'],
    query: Strict({ include_slots: Flag('Adds `delivered` to each day.') }),
    response: ExchangeBoard,
    example: { response: boardExample },
  }),
  listMismatches: endpoint({
    method: 'GET',
    path: '/operator/v1/exchange/mismatches',
    summary: 'List mismatches',
    description:
      'The current nominations of a day that a TSO did not match in full or, before its confirmation, that an anomaly report names, with the differing slots and the values of each side.',
    scopes: ['read'],
    query: Strict({
      delivery_date: Day('The German delivery day.'),
      tso: Type.Optional(TsoSchema),
      ...pageQuery,
    }),
    response: Page('mismatches', NominationMismatch, 'MismatchList'),
    example: {
      response: {
        mismatches: [
          {
            nomination_id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
            eic: '11XNORDWIND----J',
            tso: 'DE_50HERTZ',
            direction: 'out',
            version: 1,
            status: 'partial_match',
            confirmed_at: '2026-01-14T15:04:10Z',
            slots: [
              {
                slot_number: 61,
                delivery_start: '2026-01-15T14:00:00Z',
                delivery_end: '2026-01-15T14:15:00Z',
                amount: 7.125,
                matched_amount: 7,
                counterpart_amount: 7,
              },
            ],
          },
        ],
        pagination: paginationExample,
      },
    },
  }),
  listUnsent: endpoint({
    method: 'GET',
    path: '/operator/v1/exchange/unsent',
    summary: 'List unsent nominations',
    description: 'Current nominations that were not sent to a TSO yet, most urgent first.',
    scopes: ['read'],
    query: Strict({
      delivery_date: Type.Optional(Day('Only this German delivery day.')),
      tso: Type.Optional(TsoSchema),
      ...pageQuery,
    }),
    response: Page('unsent', UnsentNomination, 'UnsentList'),
    example: {
      response: {
        unsent: [
          {
            nomination_id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
            delivery_date: '2026-01-15',
            eic: '11XNORDWIND----J',
            tso: 'DE_50HERTZ',
            direction: 'out',
            version: 1,
            gate_closure: '2026-01-14T13:30:00Z',
            gate_is_closed: false,
            sends_at: '2026-01-14T13:00:00Z',
            error: null,
            created_at: '2026-01-14T08:31:07Z',
          },
        ],
        pagination: paginationExample,
      },
    },
  }),
  listMessages: endpoint({
    method: 'GET',
    path: '/operator/v1/messages',
    summary: 'List messages',
    description: 'All sent and received messages, in the order in which they were stored.',
    scopes: ['read'],
    query: Strict({
      delivery_date: Type.Optional(Day('Only messages of this German delivery day.')),
      tso: Type.Optional(TsoSchema),
      direction: Type.Optional(
        Choice(MESSAGE_DIRECTIONS, { description: 'Only this direction.', examples: ['out'] }),
      ),
      type: Type.Optional(Choice(MESSAGE_TYPES, { description: 'Only this type.', examples: ['schedule'] })),
      state: Type.Optional(
        Choice(MESSAGE_STATES, { description: 'Only this state.', examples: ['rejected'] }),
      ),
      order: Order,
      ...pageQuery,
    }),
    response: Page('messages', Message, 'MessageList'),
    example: {
      response: {
        messages: [sentExample, answerExample],
        pagination: paginationExample,
      },
    },
  }),
  getMessage: endpoint({
    method: 'GET',
    path: '/operator/v1/messages/{message_id}',
    summary: 'Read a message',
    description: 'One message without its document, which is under `/raw`.',
    scopes: ['read'],
    response: Message,
    problems: ['message_not_found'],
    example: { response: sentExample },
  }),
  getMessageRaw: endpoint({
    method: 'GET',
    path: '/operator/v1/messages/{message_id}/raw',
    summary: 'Read a message’s document',
    description: 'The exact bytes of the document that was sent or received.',
    scopes: ['read'],
    response: Type.String(),
    documents: { 'application/xml': documentExample },
    problems: ['message_not_found'],
    example: { response: documentExample },
  }),
});
