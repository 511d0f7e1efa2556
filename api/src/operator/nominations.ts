import { SERIES_KINDS } from '@saldo/core/enums.ts';
import Type, { type Static } from 'typebox';
import {
  Choice,
  DateTime,
  Day,
  Eic,
  MwhSchema,
  Nullable,
  Page,
  pageQuery,
  paginationExample,
  SlotNumber,
  Strict,
  TsoSchema,
} from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { Explanation, explanationExample, nominationEndpoints } from '../nominations.ts';

const explainedSlot = Explanation.properties.slots.items;
const explained = explainedSlot.properties.transactions.items;
/** What only the operator sees of an explanation. */
const OperatorExplanation = Type.Object(
  {
    ...Explanation.properties,
    slots: Type.Array(
      Type.Object(
        {
          ...explainedSlot.properties,
          transactions: Type.Array(
            Type.Object(
              {
                ...explained.properties,
                source: Nullable(
                  Choice(SERIES_KINDS, {
                    description: 'The series that the volume follows from; null for a profile or an import.',
                  }),
                ),
              },
              { title: 'OperatorExplanationTransaction' },
            ),
          ),
        },
        { title: 'OperatorExplanationSlot' },
      ),
    ),
  },
  { title: 'OperatorExplanation' },
);
export type OperatorExplanation = Static<typeof OperatorExplanation>;
const operatorExplanationExample: OperatorExplanation = {
  ...explanationExample,
  slots: explanationExample.slots.map((slot) => ({
    ...slot,
    transactions: slot.transactions.map((transaction) => ({ ...transaction, source: 'meter' as const })),
  })),
};

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

export const operatorNominationEndpoints = endpoints('Nominations', {
  runNominations: endpoint({
    method: 'POST',
    path: '/operator/v1/nominations/run',
    summary: 'Net all changes now',
    description:
      'A job does the same in the background. A change after all gates is settled financially and is not netted again.',
    scopes: ['exchange:write'],
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
    example: {
      request: { delivery_date: '2026-10-25' },
      response: { positions: 12, created: 14, unchanged: 0, too_late: 0 },
    },
  }),
  operatorListNominations: endpoint({
    ...nominationEndpoints.listNominations,
    path: '/operator/v1/nominations',
    description: 'The nominations of all BRPs, by delivery day.',
    scopes: ['read'],
  }),
  listLate: endpoint({
    method: 'GET',
    path: '/operator/v1/nominations/late',
    summary: 'List late changes',
    description:
      'Balance groups and days whose valid transactions no longer equal what is nominated: every gate is past, or the change is between control areas and its slot is closed. The differences are settled financially. By delivery day.',
    scopes: ['read'],
    query: Strict({ ...lateFilters, ...pageQuery }),
    response: Page('late', LatePositionDay, 'LateList'),
    example: { response: { late: [lateExample], pagination: paginationExample } },
  }),
  exportLate: endpoint({
    method: 'GET',
    path: '/operator/v1/exports/late',
    summary: 'Export late changes',
    description: 'The whole list of late changes as CSV, one line per slot.',
    scopes: ['read'],
    query: Strict({
      ...lateFilters,
      format: Type.Optional(Choice(['csv'], { description: 'Format of the file.', examples: ['csv'] })),
    }),
    response: Type.String(),
    documents: { 'text/csv': lateCsvExample },
    example: { response: lateCsvExample },
  }),
  operatorGetNomination: endpoint({
    ...nominationEndpoints.getNomination,
    path: '/operator/v1/nominations/{nomination_id}',
    scopes: ['read'],
  }),
  operatorGetNominationHistory: endpoint({
    ...nominationEndpoints.getNominationHistory,
    path: '/operator/v1/nominations/{nomination_id}/history',
    scopes: ['read'],
  }),
  operatorGetNominationCauses: endpoint({
    ...nominationEndpoints.getNominationCauses,
    path: '/operator/v1/nominations/{nomination_id}/causes',
    scopes: ['read'],
  }),
  operatorExplainNomination: endpoint({
    ...nominationEndpoints.explainNomination,
    path: '/operator/v1/nominations/{nomination_id}/explanation',
    response: OperatorExplanation,
    example: { response: operatorExplanationExample },
    scopes: ['read'],
  }),
});
