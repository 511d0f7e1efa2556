import { DIRECTIONS } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  Day,
  Decimal,
  Eic,
  Flag,
  LIMITS,
  MwhSchema,
  Nullable,
  SlotNumber,
  Strict,
  TsoSchema,
} from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';

const Reason = Type.Object(
  {
    code: Type.String({ description: 'Reason code of ENTSO-E.', examples: ['A44'] }),
    text: Type.String({ description: 'The text of the TSO, or the meaning of the code.' }),
  },
  { title: 'Reason' },
);

export const Reconciliation = Type.Object(
  {
    nomination_id: Type.String(),
    tso: TsoSchema,
    message_version: Nullable(
      Type.Integer({
        description:
          'Version of the operator’s newest schedule with this version of the nomination; null until it is sent.',
      }),
    ),
    sent_at: Nullable(DateTime('When it was first sent to the TSO.')),
    acknowledged_at: Nullable(DateTime('When the TSO accepted that schedule for processing.')),
    confirmed_at: Nullable(DateTime('Time of the TSO’s final confirmation.')),
    reasons: Type.Array(Reason, {
      description: 'Reasons of the TSO for the schedule and for this nomination.',
    }),
    slots: Type.Array(
      Type.Object(
        {
          slot_number: SlotNumber('Quarter-hour within the German delivery day.'),
          delivery_start: DateTime('Start of the quarter-hour, UTC.'),
          delivery_end: DateTime('End of the quarter-hour, UTC.'),
          amount: MwhSchema('The nominated amount, MWh.'),
          matched_amount: Nullable(
            MwhSchema(
              'Amount that the TSO confirmed, exact MWh with up to five decimals; null until matched.',
            ),
          ),
          counterpart_amount: Nullable(
            MwhSchema(
              'Amount in your own schedule as the TSO reports it, exact MWh; null if it does not report one.',
            ),
          ),
          difference: Nullable(MwhSchema('`amount` − `counterpart_amount`, exact MWh.')),
          reasons: Type.Array(Reason),
        },
        { title: 'ReconciliationSlot' },
      ),
    ),
  },
  { title: 'Reconciliation', description: 'What the TSO made of a nomination, and why.' },
);
export type Reconciliation = Static<typeof Reconciliation>;

const reconciliationExample: Reconciliation = {
  nomination_id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
  tso: 'DE_50HERTZ',
  message_version: 2,
  sent_at: '2026-01-14T12:58:00Z',
  acknowledged_at: '2026-01-14T12:58:31Z',
  confirmed_at: '2026-01-14T15:04:10Z',
  reasons: [
    { code: 'A07', text: 'Schedule partially accepted.' },
    { code: 'A63', text: 'Time series modified.' },
  ],
  slots: [
    {
      slot_number: 61,
      delivery_start: '2026-01-15T14:00:00Z',
      delivery_end: '2026-01-15T14:15:00Z',
      amount: 7.125,
      matched_amount: 7,
      counterpart_amount: 7,
      difference: 0.125,
      reasons: [{ code: 'A44', text: 'Quantity decreased.' }],
    },
  ],
};

const RuleFinding = Type.Object(
  {
    code: Type.String({
      description: 'Reason code of ENTSO-E with which a TSO rejects it.',
      examples: ['A54'],
    }),
    series: Nullable(
      Type.String({ description: 'Identification of the series; null if it is about the whole file.' }),
    ),
    slots: Type.Array(SlotNumber('Quarter-hour within the German delivery day.'), {
      description: 'The quarter-hours concerned; empty if it is not about single ones.',
    }),
    text: Type.String({
      description: 'What is wrong, in the language of `Accept-Language`.',
      examples: ['Its version 3 is higher than that of the message, 2.'],
    }),
  },
  { title: 'RuleFinding' },
);

export const ScheduleCheck = Type.Object(
  {
    delivery_date: Day('The German delivery day of the file.'),
    message_version: Nullable(Type.Integer({ description: 'Version of the file; null for CSV.' })),
    compared: Type.Array(
      Type.Object(
        {
          nomination_id: Type.String(),
          eic: Eic('Your balance group.'),
          tso: TsoSchema,
          direction: Choice(DIRECTIONS),
          slots_equal: Type.Integer({ description: 'Number of slots with the same value.' }),
          slots: Type.Array(
            Type.Object(
              {
                slot_number: SlotNumber('Quarter-hour within the German delivery day.'),
                amount: MwhSchema('What the platform nominates, MWh.'),
                yours: MwhSchema('What your file has, exact MWh.'),
                difference: MwhSchema('`amount` − `yours`, exact MWh.'),
              },
              { title: 'ScheduleCheckSlot' },
            ),
            { description: 'Slots that differ.' },
          ),
        },
        { title: 'ComparedNomination' },
      ),
      { description: 'Nominations that the file has, too.' },
    ),
    missing: Type.Array(Type.String(), {
      description: 'Ids of nominations of the file’s balance groups and TSOs that the file does not have.',
    }),
    unknown: Type.Array(
      Type.Object(
        {
          identification: Nullable(
            Type.String({ description: 'Identification of the series; null for CSV.' }),
          ),
          eic: Eic('Balance group of the series.'),
          tso: TsoSchema,
          direction: Choice(DIRECTIONS),
          opposite_nomination_id: Nullable(
            Type.String({
              description:
                'The nomination of the other direction that the file does not have: the direction may be swapped.',
            }),
          ),
        },
        { title: 'UnknownSeries' },
      ),
      { description: 'Series with the operator without a nomination.' },
    ),
    ignored: Type.Integer({ description: 'Number of series with other parties.' }),
    rules: Type.Array(RuleFinding, {
      description: `Everything for which the TSO would reject the file, sorted by code, at most ${LIMITS.scheduleFindings}; empty if nothing.`,
    }),
  },
  { title: 'ScheduleCheck' },
);
export type ScheduleCheck = Static<typeof ScheduleCheck>;

const checkExample: ScheduleCheck = {
  delivery_date: '2026-01-15',
  message_version: null,
  compared: [
    {
      nomination_id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
      eic: '11XNORDWIND----J',
      tso: 'DE_50HERTZ',
      direction: 'out',
      slots_equal: 95,
      slots: [{ slot_number: 61, amount: 7.125, yours: 7, difference: 0.125 }],
    },
  ],
  missing: [],
  unknown: [],
  ignored: 0,
  rules: [
    {
      code: 'A54',
      series: null,
      slots: [61],
      text: 'The series of 11XNORDWIND----J at DE_50HERTZ do not net to zero: slot 61 by -28000 kW.',
    },
  ],
};

const scheduleCsvExample = `nomination_id,version,delivery_date,eic,tso,direction,counterparty_eic,slot_number,delivery_start,delivery_end,power_mw,amount_mwh
nom_01jhm52x6yf6rbkm2s8hq3j5zd,1,2026-01-15,11XNORDWIND----J,DE_50HERTZ,out,11XSALDO-------Z,61,2026-01-15T14:00:00Z,2026-01-15T14:15:00Z,28.500,7.125
`;

const scheduleSeriesExample = `<ScheduleTimeSeries>
<SendersTimeSeriesIdentification v="11XSALDO-------Z_OUT"/>
<SendersTimeSeriesVersion v="1"/>
<BusinessType v="A02"/>
<Product v="8716867000016"/>
<ObjectAggregation v="A01"/>
<InArea v="10YDE-VE-------2" codingScheme="A01"/>
<OutArea v="10YDE-VE-------2" codingScheme="A01"/>
<InParty v="11XSALDO-------Z" codingScheme="A01"/>
<OutParty v="11XNORDWIND----J" codingScheme="A01"/>
<MeasurementUnit v="MAW"/>
<Period>
<TimeInterval v="2026-01-14T23:00Z/2026-01-15T23:00Z"/>
<Resolution v="PT15M"/>
<Interval><Pos v="61"/><Qty v="28.500"/></Interval>
</Period>
</ScheduleTimeSeries>
`;

const scheduleDocumentExample = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ScheduleMessage SYSTEM "../scheduleV2r3/dtd/schedule-xml.dtd">
<ScheduleMessage DtdVersion="2" DtdRelease="3">
<MessageIdentification v="20260115_TPS_11XNORDWIND----J_50H"/>
<MessageVersion v="1"/>
<MessageType v="A01"/>
<ProcessType v="A17"/>
<ScheduleClassificationType v="A01"/>
<SenderIdentification v="11XNORDWIND----J" codingScheme="A01"/>
<SenderRole v="A08"/>
<ReceiverIdentification v="10XDE-VE-TRANSMK" codingScheme="A01"/>
<ReceiverRole v="A04"/>
<MessageDateTime v="2026-01-14T12:40:00Z"/>
<ScheduleTimeInterval v="2026-01-14T23:00Z/2026-01-15T23:00Z"/>
${scheduleSeriesExample}</ScheduleMessage>
`;

export const scheduleEndpoints = endpoints('Nominations', {
  getNominationSchedule: endpoint({
    method: 'GET',
    path: '/v1/nominations/{nomination_id}/schedule',
    summary: 'Read a nomination as a schedule',
    description:
      'Your side of the schedule, to be sent to your TSO, with the power in MW: as CSV, or as the time series of an ESS schedule message. Without `format`, the `Accept` header decides.',
    scopes: ['nominations:read'],
    query: Strict({
      format: Type.Optional(
        Choice(['csv', 'ess'], { description: 'Format of the file.', examples: ['csv'] }),
      ),
    }),
    response: Type.String(),
    documents: {
      'text/csv': scheduleCsvExample,
      'application/xml': `<?xml version="1.0" encoding="UTF-8"?>\n${scheduleSeriesExample}`,
    },
    problems: ['nomination_not_found'],
    example: { response: scheduleCsvExample },
  }),
  getDaySchedule: endpoint({
    method: 'GET',
    path: '/v1/nominations/schedule',
    summary: 'Read a day as a schedule',
    description:
      'Your side of the current nominations of one delivery day. As CSV: all your balance groups, or one, with the power in MW. As ESS or CIM: the complete schedule message of one balance group for one TSO, with all its series against the operator.',
    scopes: ['nominations:read'],
    query: Strict({
      delivery_date: Day('The German delivery day.'),
      eic: Type.Optional(Eic('EIC of your balance group; required for ESS and CIM.')),
      tso: Type.Optional(TsoSchema),
      nomination_ids: Type.Optional(
        Type.String({
          maxLength: 4000,
          description:
            'Only these nominations of the day: ids separated by commas, such as those that `POST /v1/schedules/check` found different or missing.',
          examples: ['nom_01jhm52x6yf6rbkm2s8hq3j5zd'],
        }),
      ),
      format: Type.Optional(
        Choice(['csv', 'ess', 'cim'], {
          default: 'csv',
          description: 'Format of the file.',
          examples: ['csv'],
        }),
      ),
      message_version: Type.Optional(
        Type.Integer({
          ...LIMITS.messageVersion,
          description: 'Version of your message; required for ESS and CIM.',
          examples: [1],
        }),
      ),
    }),
    response: Type.String(),
    documents: { 'text/csv': scheduleCsvExample, 'application/xml': scheduleDocumentExample },
    problems: ['nomination_not_found'],
    example: { response: scheduleCsvExample },
  }),
  reconcileNomination: endpoint({
    method: 'GET',
    path: '/v1/nominations/{nomination_id}/reconciliation',
    summary: 'Reconcile a nomination with the TSO’s answer',
    description:
      'The TSO’s reasons as codes and words, and per slot what was nominated, what the TSO confirmed, and what your own schedule has if the TSO reports it.',
    scopes: ['nominations:read'],
    response: Reconciliation,
    problems: ['nomination_not_found'],
    example: { response: reconciliationExample },
  }),
  checkSchedule: endpoint({
    method: 'POST',
    path: '/v1/schedules/check',
    summary: 'Check your schedule',
    description: `Compares the schedule that you are about to nominate with the current nominations, before the TSO does: CSV as \`GET /v1/nominations/schedule\` has it (also with semicolons or tabs, decimal commas, days such as 25.11.2026 and amounts that are multiples of 0.00025 MWh), ESS or CIM; at most ${LIMITS.scheduleBytes / 1024 / 1024} MB, also with \`Content-Encoding: gzip\`. Only series with the operator are compared. \`rules\` has everything for which a TSO would reject the whole file. Nothing is stored, unless \`submitted\` is true.`,
    scopes: ['nominations:read'],
    query: Strict({
      decimal: Decimal,
      submitted: Flag(
        'Whether you have submitted this ESS or CIM file to the TSO. Later checks of the day compare with it: which series have vanished (A52), and versions (A50, A51). The nominations without differences get the step `submitted`. Needs the scope `schedules:write`.',
      ),
    }),
    stream: ['text/csv', 'application/xml', 'text/xml'],
    gzip: true,
    response: ScheduleCheck,
    example: { request: scheduleCsvExample, xmlRequest: scheduleDocumentExample, response: checkExample },
  }),
});
