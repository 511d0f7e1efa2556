import Type from 'typebox';
import { Day, Strict } from '../common.ts';
import { endpoint } from '../endpoint.ts';
import {
  Explanation,
  explanationExample,
  Nomination,
  NominationHistoryList,
  NominationList,
  nominationEndpoints,
} from '../nominations.ts';

const tag = 'Nominations';

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
    response: Nomination,
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
      'Per slot, the transactions that were valid when this version was created. Their sum is the amount.',
    scopes: [],
    query: Strict({}),
    body: null,
    response: Explanation,
    problems: ['nomination_not_found'],
    example: { response: explanationExample },
  }),
};
