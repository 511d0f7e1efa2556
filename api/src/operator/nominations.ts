import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  Day,
  Eic,
  MwhSchema,
  Pagination,
  pageQuery,
  SlotNumber,
  Strict,
  TsoSchema,
} from '../common.ts';
import { endpoint } from '../endpoint.ts';
import {
  Explanation,
  explanationExample,
  NominationHistoryList,
  NominationList,
  NominationWithSlots,
  nominationEndpoints,
} from '../nominations.ts';

const tag = 'Nominations';

/** A position-day whose valid transactions differ from what is nominated. */
export const LatePositionDay = Type.Object(
  {
    delivery_date: Day('The German delivery day.'),
    brp_id: Type.String({ description: 'The BRP of the balance group.' }),
    eic: Eic('The balance group.'),
    tso: TsoSchema,
    slots: Type.Array(
      Type.Object(
        {
          slot_number: SlotNumber('Quarter-hour within the German delivery day.'),
          nominated: MwhSchema('The nominated saldo, MWh; delivering is positive.'),
          transactions: MwhSchema('The saldo of the valid transactions, MWh; delivering is positive.'),
          difference: MwhSchema('`nominated` − `transactions`, MWh.'),
        },
        { title: 'LateSlot' },
      ),
      { description: 'Only the slots that differ.' },
    ),
    since: DateTime('When the first of these differences arose, UTC.'),
  },
  { title: 'LatePositionDay' },
);
export type LatePositionDay = Static<typeof LatePositionDay>;

const lateExample: LatePositionDay = {
  delivery_date: '2026-01-15',
  brp_id: 'brp_01jhm3vq8ne0grs4f5c3hxkz2b',
  eic: '11XNORDWIND----J',
  tso: 'DE_50HERTZ',
  slots: [{ slot_number: 61, nominated: 7.125, transactions: 7.5, difference: -0.375 }],
  since: '2026-01-15T16:20:00Z',
};

const lateCsvExample = `delivery_date,brp_id,eic,tso,slot_number,delivery_start,delivery_end,nominated_mwh,transactions_mwh,difference_mwh,since
2026-01-15,brp_01jhm3vq8ne0grs4f5c3hxkz2b,11XNORDWIND----J,DE_50HERTZ,61,2026-01-15T14:00:00Z,2026-01-15T14:15:00Z,7.125,7.500,-0.375,2026-01-15T16:20:00Z
`;

const lateFilters = {
  delivery_date: Type.Optional(Day('Only this German delivery day.')),
  brp_id: Type.Optional(
    Type.String({ description: 'Only balance groups of this BRP.', examples: [lateExample.brp_id] }),
  ),
};

export const operatorNominationEndpoints = {
  runNominations: endpoint({
    id: 'runNominations',
    method: 'POST',
    path: '/operator/v1/nominations/run',
    tag,
    summary: 'Net all changes now',
    description:
      'A job does the same in the background. A change after all gates is settled financially and is not netted again.',
    scopes: [],
    query: Strict({}),
    body: Strict(
      { delivery_date: Type.Optional(Day('Only this delivery day.')) },
      { title: 'NominationRun' },
    ),
    response: Type.Object(
      {
        positions: Type.Integer({ description: 'Position-days netted.' }),
        created: Type.Integer({ description: 'Nomination versions created.' }),
        unchanged: Type.Integer({ description: 'Position-days without a new version.' }),
        too_late: Type.Integer({ description: 'Position-days whose gates were all past.' }),
      },
      { title: 'NominationRunResult' },
    ),
    problems: [],
    example: {
      request: { delivery_date: '2026-10-25' },
      response: { positions: 12, created: 14, unchanged: 0, too_late: 0 },
    },
  }),
  operatorListNominations: endpoint({
    id: 'operatorListNominations',
    method: 'GET',
    path: '/operator/v1/nominations',
    tag,
    summary: 'List nominations',
    description: 'The nominations of all BRPs, by delivery day.',
    scopes: [],
    query: nominationEndpoints.listNominations.query,
    body: null,
    response: NominationList,
    problems: [],
    example: nominationEndpoints.listNominations.example,
  }),
  listLate: endpoint({
    id: 'listLate',
    method: 'GET',
    path: '/operator/v1/nominations/late',
    tag,
    summary: 'List late changes',
    description:
      'Balance groups and days whose valid transactions no longer equal what is nominated: every gate is past, or the change is between control areas and its slot is closed. The differences are settled financially. By delivery day.',
    scopes: [],
    query: Strict({ ...lateFilters, ...pageQuery }),
    body: null,
    response: Type.Object(
      { late: Type.Array(LatePositionDay), pagination: Pagination },
      { title: 'LateList' },
    ),
    problems: [],
    example: {
      response: { late: [lateExample], pagination: { limit: 10, has_more: false, next_cursor: null } },
    },
  }),
  exportLate: endpoint({
    id: 'exportLate',
    method: 'GET',
    path: '/operator/v1/exports/late',
    tag,
    summary: 'Export late changes',
    description: 'The whole list of late changes as CSV, one line per slot.',
    scopes: [],
    query: Strict({
      ...lateFilters,
      format: Type.Optional(Choice(['csv'], { description: 'Format of the file.', examples: ['csv'] })),
    }),
    body: null,
    response: Type.String(),
    documents: { 'text/csv': lateCsvExample },
    problems: [],
    example: { response: lateCsvExample },
  }),
  operatorGetNomination: endpoint({
    id: 'operatorGetNomination',
    method: 'GET',
    path: '/operator/v1/nominations/{nomination_id}',
    tag,
    summary: 'Read a nomination',
    description: 'One version of a nomination, with its slots.',
    scopes: [],
    query: Strict({}),
    body: null,
    response: NominationWithSlots,
    problems: ['nomination_not_found'],
    example: nominationEndpoints.getNomination.example,
  }),
  operatorGetNominationHistory: endpoint({
    id: 'operatorGetNominationHistory',
    method: 'GET',
    path: '/operator/v1/nominations/{nomination_id}/history',
    tag,
    summary: 'Read a nomination’s versions',
    description: 'The whole chain of versions, newest first, from the id of any of them.',
    scopes: [],
    query: Strict({}),
    body: null,
    response: NominationHistoryList,
    problems: ['nomination_not_found'],
    example: nominationEndpoints.getNominationHistory.example,
  }),
  operatorExplainNomination: endpoint({
    id: 'operatorExplainNomination',
    method: 'GET',
    path: '/operator/v1/nominations/{nomination_id}/explanation',
    tag,
    summary: 'Explain a nomination',
    description:
      'Per slot, the transactions that were valid when this version was created; for a late change between control areas, the one that was valid when the slot closed. Their sum is the amount.',
    scopes: [],
    query: Strict({}),
    body: null,
    response: Explanation,
    problems: ['nomination_not_found'],
    example: { response: explanationExample },
  }),
};
