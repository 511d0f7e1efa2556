import { CAUSE_KINDS, DIRECTIONS, NOMINATION_STATUSES } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  asOfQuery,
  BulkIds,
  bulkQuery,
  Choice,
  DateTime,
  deliveryQuery,
  Eic,
  Flag,
  MwhSchema,
  Nullable,
  ordered,
  Page,
  pageQuery,
  paginationExample,
  SlotNumber,
  Strict,
  slotQuery,
  TsoSchema,
} from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';

export const NominationSlot = Type.Object(
  {
    delivery_start: DateTime('Start of the quarter-hour, UTC.'),
    delivery_end: DateTime('End of the quarter-hour, UTC.'),
    slot_number: SlotNumber('Quarter-hour within the German delivery day.'),
    amount: MwhSchema('MWh, 3 decimals.'),
    matched_amount: Type.Optional(
      Nullable(MwhSchema('Amount that the TSO confirmed, MWh; null until matched.')),
    ),
  },
  { title: 'NominationSlot' },
);

const DESCRIPTION = 'The net saldo of a balance group’s valid transactions of one delivery day.';

export const NominationWithSlots = Type.Object(
  {
    id: Type.String(),
    status: Choice(NOMINATION_STATUSES),
    version: Type.Integer({ minimum: 1, description: 'Starts at 1, increments on correction.' }),
    previous_nomination_id: Type.Optional(
      Nullable(Type.String({ description: 'The version that this one supersedes.' })),
    ),
    gate_closure: Nullable(DateTime('The deadline of this version.')),
    confirmed_at: Type.Optional(Nullable(DateTime('Time of the TSO’s final confirmation.'))),
    direction: Choice(DIRECTIONS, { description: 'From your perspective.' }),
    eic: Eic('Your balance group.'),
    tso: TsoSchema,
    sent_at: Type.Optional(Nullable(DateTime('When it was sent to the TSO.'))),
    counterparty: Type.Object(
      { name: Type.String(), eic: Type.String() },
      { title: 'NominationCounterparty', description: 'The platform operator.' },
    ),
    slots: Type.Array(NominationSlot, { description: 'The quarter-hours of the delivery day.' }),
    created_at: DateTime('When this version was created, UTC.'),
  },
  { title: 'NominationWithSlots', description: DESCRIPTION },
);
export type NominationWithSlots = Static<typeof NominationWithSlots>;

/** Lists omit the slots unless they are asked for. */
export const Nomination = Type.Object(
  {
    ...NominationWithSlots.properties,
    slots: Type.Optional(
      Type.Array(NominationSlot, {
        description:
          'On list reads only with `include_slots=true`; always on detail, bulk and history reads.',
      }),
    ),
  },
  { title: 'Nomination', description: DESCRIPTION },
);
export type Nomination = Static<typeof Nomination>;

export const NominationList = Page('nominations', Nomination, 'NominationList');
export const NominationHistoryList = Type.Object(
  { nominations: Type.Array(NominationWithSlots, { description: 'Newest to oldest.' }) },
  { title: 'NominationHistoryList' },
);
export const BulkNominationList = Type.Object(
  { nominations: Type.Array(NominationWithSlots) },
  { title: 'BulkNominationList' },
);
export const BulkNominationIdsRequest = Strict(
  { ids: BulkIds('nom_01jhm52x6yf6rbkm2s8hq3j5zd'), ...asOfQuery },
  { title: 'BulkNominationIdsRequest' },
);

export const nominationExample: NominationWithSlots = {
  id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
  status: 'match',
  version: 1,
  previous_nomination_id: null,
  gate_closure: '2026-01-14T13:30:00Z',
  confirmed_at: '2026-01-14T15:04:10Z',
  direction: 'out',
  eic: '11XNORDWIND----J',
  tso: 'DE_50HERTZ',
  sent_at: '2026-01-14T12:58:00Z',
  counterparty: { name: 'Saldo Clearing', eic: '11XSALDO-------Z' },
  slots: [
    {
      delivery_start: '2026-01-15T14:00:00Z',
      delivery_end: '2026-01-15T14:15:00Z',
      slot_number: 61,
      amount: 7.125,
      matched_amount: 7.125,
    },
  ],
  created_at: '2026-01-14T12:31:07Z',
};

/** The transactions that make up the amount of each slot of a nomination. */
export const Explanation = Type.Object(
  {
    nomination_id: Type.String(),
    direction: Choice(DIRECTIONS),
    slots: Type.Array(
      Type.Object(
        {
          slot_number: SlotNumber('Quarter-hour within the German delivery day.'),
          delivery_start: DateTime('Start of the quarter-hour, UTC.'),
          delivery_end: DateTime('End of the quarter-hour, UTC.'),
          amount: MwhSchema('The nominated amount, MWh.'),
          transactions: Type.Array(
            Type.Object(
              {
                id: Type.String(),
                contract_id: Type.String(),
                role: Choice(['sender', 'receiver'], { description: 'The role of the balance group.' }),
                volume: MwhSchema('MWh.'),
              },
              { title: 'ExplanationTransaction' },
            ),
          ),
        },
        { title: 'ExplanationSlot' },
      ),
    ),
  },
  { title: 'Explanation' },
);
export type Explanation = Static<typeof Explanation>;

export const explanationExample: Explanation = {
  nomination_id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
  direction: 'out',
  slots: [
    {
      slot_number: 61,
      delivery_start: '2026-01-15T14:00:00Z',
      delivery_end: '2026-01-15T14:15:00Z',
      amount: 7.125,
      transactions: [
        {
          id: 'txn_01jhm4q7sqe8h9w3tb5k2x0rax',
          contract_id: 'con_01jhm3wa2fe5h8x2z6tdq9vn4m',
          role: 'sender',
          volume: 7.125,
        },
      ],
    },
  ],
};

/** Why a version differs from an earlier one of the same nomination. */
export const NominationCauses = Type.Object(
  {
    nomination_id: Type.String(),
    version: Type.Integer({ minimum: 1, description: 'Number of this version.' }),
    since_nomination_id: Nullable(
      Type.String({ description: 'The earlier version; null for the causes of the first version.' }),
    ),
    slots_changed: Type.Integer({ description: 'Number of quarter-hours whose amounts differ.' }),
    difference: MwhSchema('This version − the earlier one, MWh: the sum of the differences of all causes.'),
    causes: Type.Array(
      Type.Object(
        {
          kind: Choice(CAUSE_KINDS, {
            description:
              '`created`: first volumes; `corrected`: corrected volumes; `invalidated`: volumes that became invalid; `moved`: a customer changed its balance group; `source`: values of a forecast or a meter; `other`: the sum of contracts that you cannot see and of late changes that no longer count.',
          }),
          contract_id: Nullable(Type.String({ description: 'The contract; null for `other`.' })),
          at: Nullable(DateTime('When the last of these changes was made, UTC; null for `other`.')),
          actor_name: Nullable(
            Type.String({
              description:
                'The user or key that made the change; null for a job, for other parties and when it is not known.',
              examples: ['Anna Berg'],
            }),
          ),
          slots_changed: Type.Integer({ description: 'Number of quarter-hours that this cause changed.' }),
          difference: MwhSchema('What this cause added to the amounts, MWh.'),
        },
        { title: 'NominationCause' },
      ),
      { description: 'One per contract and kind, the largest difference first.' },
    ),
  },
  { title: 'NominationCauses' },
);
export type NominationCauses = Static<typeof NominationCauses>;

const causesExample: NominationCauses = {
  nomination_id: 'nom_01jhm52x6yf6rbkm2s8hq3j5zd',
  version: 2,
  since_nomination_id: 'nom_01jhm4r0k8e1tbq7w9x3v5c2ya',
  slots_changed: 4,
  difference: 1.5,
  causes: [
    {
      kind: 'corrected',
      contract_id: 'con_01jhm3wa2fe5h8x2z6tdq9vn4m',
      at: '2026-01-14T12:31:05Z',
      actor_name: null,
      slots_changed: 4,
      difference: 1.5,
    },
  ],
};

/** Filters of the list and of the export. */
export const nominationFilters = {
  status: Type.Optional(
    Choice(NOMINATION_STATUSES, {
      description: 'Only nominations of this status.',
      examples: ['pending'],
    }),
  ),
  eic: Type.Optional(Eic('EIC of your balance group.')),
  tso: Type.Optional(TsoSchema),
  direction: Type.Optional(Choice(DIRECTIONS, { description: 'Only this direction.', examples: ['out'] })),
  ...deliveryQuery,
  ...slotQuery,
  ...asOfQuery,
};
export const nominationFilterOrder = ordered(
  ['delivery_start', 'delivery_end'],
  ['slot_number_from', 'slot_number_to'],
);

export const nominationEndpoints = endpoints('Nominations', {
  listNominations: endpoint({
    method: 'GET',
    path: '/v1/nominations',
    summary: 'List nominations',
    description:
      'All versions of your balance groups’ nominations, by delivery day. With slot number filters, `slots` has only the slots in range.',
    scopes: ['nominations:read'],
    query: Strict(
      {
        ...nominationFilters,
        include_slots: Flag('Adds the `slots` of each nomination.'),
        ...pageQuery,
      },
      nominationFilterOrder,
    ),
    response: NominationList,
    problems: ['clock_moved_back'],
    example: { response: { nominations: [nominationExample], pagination: paginationExample } },
  }),
  getNomination: endpoint({
    method: 'GET',
    path: '/v1/nominations/{nomination_id}',
    summary: 'Read a nomination',
    description: 'One version of a nomination, with its slots.',
    scopes: ['nominations:read'],
    query: Strict(asOfQuery),
    response: NominationWithSlots,
    problems: ['nomination_not_found', 'clock_moved_back'],
    example: { response: nominationExample },
  }),
  getNominationHistory: endpoint({
    method: 'GET',
    path: '/v1/nominations/{nomination_id}/history',
    summary: 'Read a nomination’s versions',
    description: 'The whole chain of versions, newest first, from the id of any of them.',
    scopes: ['nominations:read'],
    query: Strict(asOfQuery),
    response: NominationHistoryList,
    problems: ['nomination_not_found', 'clock_moved_back'],
    example: { response: { nominations: [nominationExample] } },
  }),
  getNominationsBulk: endpoint({
    method: 'GET',
    path: '/v1/nominations/bulk',
    summary: 'Read nominations by id',
    description: 'Several nominations with their slots, in the order of the ids, each once.',
    scopes: ['nominations:read'],
    query: Strict({ ...bulkQuery('nom_01jhm52x6yf6rbkm2s8hq3j5zd'), ...asOfQuery }),
    response: BulkNominationList,
    problems: ['clock_moved_back'],
    example: { response: { nominations: [nominationExample] } },
  }),
  postNominationsBulk: endpoint({
    method: 'POST',
    path: '/v1/nominations/bulk',
    summary: 'Read nominations by id, ids in the body',
    description: 'For id sets too large for a query string.',
    scopes: ['nominations:read'],
    body: BulkNominationIdsRequest,
    response: BulkNominationList,
    problems: ['clock_moved_back'],
    example: {
      request: { ids: ['nom_01jhm52x6yf6rbkm2s8hq3j5zd'] },
      response: { nominations: [nominationExample] },
    },
  }),
  explainNomination: endpoint({
    method: 'GET',
    path: '/v1/nominations/{nomination_id}/explanation',
    summary: 'Explain a nomination',
    description:
      'Per slot, the transactions that were valid when this version was created; for a late change between control areas, the one that was valid when the slot closed. Their sum is the amount.',
    scopes: ['nominations:read', 'transactions:read'],
    response: Explanation,
    problems: ['nomination_not_found'],
    example: { response: explanationExample },
  }),
  getNominationCauses: endpoint({
    method: 'GET',
    path: '/v1/nominations/{nomination_id}/causes',
    summary: 'Read why a nomination has changed',
    description:
      'Which contracts changed the amounts between an earlier version and this one, how, when and by how much. The differences of all causes sum to the difference of the two versions.',
    scopes: ['nominations:read', 'transactions:read'],
    query: Strict({
      since: Type.Optional(
        Type.String({
          description:
            'Id of an earlier version of the same nomination; default: the version before this one.',
          examples: ['nom_01jhm4r0k8e1tbq7w9x3v5c2ya'],
        }),
      ),
    }),
    response: NominationCauses,
    problems: ['nomination_not_found'],
    example: { response: causesExample },
  }),
});
