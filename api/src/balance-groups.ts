import Type, { type Static } from 'typebox';
import { DateTime, Eic, Page, pageQuery, paginationExample, Search, Strict, TsoSchema } from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';

/** The complete set: a TSO that is missing in an update is disabled. */
export const EnabledTsos = Type.Array(TsoSchema, {
  minItems: 1,
  uniqueItems: true,
  description: 'The control areas in which the balance group is enabled.',
  examples: [['DE_AMPRION', 'DE_TENNET']],
});

export const OwnBalanceGroup = Type.Object(
  {
    eic: Eic('EIC code of the balance group.'),
    name: Type.String({ description: 'Display name.' }),
    enabled_tsos: Type.Array(TsoSchema, {
      description: 'The control areas in which customers can be placed.',
    }),
    created_at: DateTime('Creation, UTC.'),
  },
  { title: 'OwnBalanceGroup' },
);
export type OwnBalanceGroup = Static<typeof OwnBalanceGroup>;

const groupExample: OwnBalanceGroup = {
  eic: '11XNORDWIND----J',
  name: 'Hauptbilanzkreis',
  enabled_tsos: ['DE_TENNET', 'DE_50HERTZ'],
  created_at: '2025-11-17T08:10:00Z',
};

export const balanceGroupSearch = Search('Part of the EIC or the name, in upper or lower case.', 'nordwind');

export const balanceGroupEndpoints = endpoints('Balance groups', {
  listOwnBalanceGroups: endpoint({
    method: 'GET',
    path: '/v1/balance-groups',
    summary: 'List balance groups',
    description: 'Your balance groups, by EIC.',
    scopes: ['balance_groups:read'],
    query: Strict({ search: balanceGroupSearch, ...pageQuery }),
    response: Page('balance_groups', OwnBalanceGroup, 'OwnBalanceGroupList'),
    example: { response: { balance_groups: [groupExample], pagination: paginationExample } },
  }),
  getOwnBalanceGroup: endpoint({
    method: 'GET',
    path: '/v1/balance-groups/{eic}',
    summary: 'Read a balance group',
    description: 'One balance group. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['balance_groups:read'],
    response: OwnBalanceGroup,
    problems: ['balance_group_not_found'],
    example: { response: groupExample },
    conditional: true,
  }),
  updateOwnBalanceGroup: endpoint({
    method: 'PATCH',
    path: '/v1/balance-groups/{eic}',
    summary: 'Change a balance group’s settings',
    description:
      'Sets the control areas in which customers can be placed. `enabled_tsos` is the complete set: the others are disabled, unless customers or contracts use them. `If-Match` is supported.',
    scopes: ['balance_groups:write'],
    body: Strict(
      { enabled_tsos: Type.Optional(EnabledTsos) },
      { title: 'OwnBalanceGroupUpdate', 'x-read-only': ['eic', 'name', 'created_at'] },
    ),
    response: OwnBalanceGroup,
    problems: ['balance_group_not_found', 'position_in_use', 'precondition_failed'],
    example: { request: { enabled_tsos: groupExample.enabled_tsos }, response: groupExample },
    conditional: true,
  }),
});
