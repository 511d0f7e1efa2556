import Type, { type Static } from 'typebox';
import { balanceGroupSearch, EnabledTsos } from '../balance-groups.ts';
import {
  Choice,
  DateTime,
  Eic,
  LIMITS,
  Name,
  Nullable,
  Page,
  pageQuery,
  paginationExample,
  Search,
  Strict,
  TsoSchema,
} from '../common.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { ALL_SCOPES, SCOPES } from '../scopes.ts';

export const KEY_OWNERS = ['brp', 'account', 'operator'] as const;

const BRP_ID = 'brp_01jhm3vq8ne0grs4f5c3hxkz2b';
const ACCOUNT_ID = 'acc_01jhm3vrc2e5rb4v1p9yqs8n3d';

/** Fields that BRPs and accounts share. */
const partyFields = (exampleId: string) => ({
  id: Type.String({ examples: [exampleId] }),
  name: Type.String(),
  created_at: DateTime('Creation, UTC.'),
});

export const Brp = Type.Object(partyFields(BRP_ID), {
  title: 'Brp',
  description: 'A balancing responsible party.',
});
export type Brp = Static<typeof Brp>;

export const Account = Type.Object(partyFields(ACCOUNT_ID), {
  title: 'Account',
  description: 'An account holder of the customer API.',
});
export type Account = Static<typeof Account>;

export const OperatorBalanceGroup = Type.Object(
  {
    eic: Eic('EIC code, X or Y.'),
    brp_id: Type.String(),
    name: Type.String(),
    tsos: Type.Array(TsoSchema),
    created_at: DateTime('Creation, UTC.'),
  },
  { title: 'OperatorBalanceGroup' },
);
export type OperatorBalanceGroup = Static<typeof OperatorBalanceGroup>;

export const KeyOwner = Strict(
  {
    type: Choice(KEY_OWNERS, { description: 'Type of the owner.', examples: ['brp'] }),
    id: Type.Optional(Type.String({ description: 'Id of the BRP or account.', examples: [BRP_ID] })),
  },
  { title: 'KeyOwner' },
);

const keyFields = {
  id: Type.String({ examples: ['key_01jhm3w0ave6p8mxk2r5t7zj4h'] }),
  owner: KeyOwner,
  name: Type.String(),
  prefix: Type.String({ description: 'The visible part of the key.', examples: ['saldo_brp_Ab3x'] }),
  scopes: Type.Array(Choice(ALL_SCOPES), {
    description:
      'What the key may do, in the API of its owner. Empty for keys of accounts, which may do everything there.',
  }),
  allowed_addresses: Nullable(
    Type.Array(Type.String(), {
      description: 'Addresses and networks from which the key may be used; null: from anywhere.',
    }),
  ),
  created_at: DateTime('Creation, UTC.'),
  expires_at: Nullable(DateTime('From then on the key is invalid.')),
  last_used_at: Nullable(DateTime('Last use, to the minute.')),
  last_used_address: Nullable(
    Type.String({
      description: 'Address of the last use, or only its network (setting `ADDRESSES`).',
      examples: ['203.0.113.7'],
    }),
  ),
  revoked_at: Nullable(DateTime('When it was revoked.')),
};
export const ApiKey = Type.Object(keyFields, { title: 'ApiKey' });
export type ApiKey = Static<typeof ApiKey>;
export const NewApiKey = Type.Object(
  { ...keyFields, secret: Type.String({ description: 'The key itself, only in this answer.' }) },
  { title: 'NewApiKey' },
);
export type NewApiKey = Static<typeof NewApiKey>;

const brpExample: Brp = {
  id: BRP_ID,
  name: 'Nordwind Direktvermarktung GmbH',
  created_at: '2025-11-17T08:00:00Z',
};
const accountExample: Account = {
  id: ACCOUNT_ID,
  name: 'Grünland Ventures',
  created_at: '2025-11-17T08:30:00Z',
};
const groupExample: OperatorBalanceGroup = {
  eic: '11XNORDWIND----J',
  brp_id: brpExample.id,
  name: 'Hauptbilanzkreis',
  tsos: ['DE_50HERTZ', 'DE_TENNET'],
  created_at: '2025-11-17T08:10:00Z',
};
export const keyExample: ApiKey = {
  id: 'key_01jhm3w0ave6p8mxk2r5t7zj4h',
  owner: { type: 'brp', id: brpExample.id },
  name: 'dispatch system',
  prefix: 'saldo_brp_Ab3x',
  scopes: ['contracts:read', 'transactions:read', 'nominations:read'],
  allowed_addresses: ['203.0.113.0/24', '2001:db8::7'],
  created_at: '2025-11-17T08:20:00Z',
  expires_at: null,
  last_used_at: null,
  last_used_address: null,
  revoked_at: null,
};
export const newKeyExample: NewApiKey = { ...keyExample, secret: 'saldo_brp_Ab3x…' };
const scopesOfKey = (scopes: typeof SCOPES | typeof ALL_SCOPES, description: string) =>
  Type.Optional(
    Type.Array(Choice(scopes), { uniqueItems: true, description, examples: [['contracts:read']] }),
  );
/** Settings of a new key, without its owner. */
export const keySettings = {
  name: Name('What the key is for.', keyExample.name),
  scopes: scopesOfKey(SCOPES, 'What the key may do.'),
  allowed_addresses: Type.Optional(
    Nullable(
      Type.Array(Type.String({ maxLength: LIMITS.allowedAddresses.length, format: 'network' }), {
        minItems: LIMITS.allowedAddresses.minimum,
        maxItems: LIMITS.allowedAddresses.maximum,
        uniqueItems: true,
        description:
          'Addresses and networks, IPv4 or IPv6, from which the key may be used. From elsewhere it is answered like an unknown key. Null, the default: from anywhere.',
        examples: [keyExample.allowed_addresses],
      }),
    ),
  ),
  expires_at: Type.Optional(Nullable(DateTime('From then on the key is invalid.', '2027-01-01T00:00:00Z'))),
};
export const keyRotation = {
  grace_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.keyGraceS,
      default: 0,
      description: 'Seconds for which the old key stays valid.',
      examples: [3600],
    }),
  ),
};

export const operatorPartyEndpoints = endpoints('Parties', {
  createBrp: endpoint({
    method: 'POST',
    path: '/operator/v1/brps',
    summary: 'Onboard a BRP',
    description: 'A balancing responsible party.',
    scopes: ['parties:write'],
    status: 201,
    body: Strict({ name: Name('Company.', brpExample.name) }, { title: 'BrpCreate' }),
    response: Brp,
    example: { request: { name: brpExample.name }, response: brpExample },
  }),
  listBrps: endpoint({
    method: 'GET',
    path: '/operator/v1/brps',
    summary: 'List BRPs',
    description: 'All BRPs, oldest first.',
    scopes: ['read'],
    query: Strict({
      search: Search('Part of the name, in upper or lower case.', 'nordwind'),
      ...pageQuery,
    }),
    response: Page('brps', Brp, 'BrpList'),
    example: { response: { brps: [brpExample], pagination: paginationExample } },
  }),
  getBrp: endpoint({
    method: 'GET',
    path: '/operator/v1/brps/{brp_id}',
    summary: 'Read a BRP',
    description: 'One BRP, by its id.',
    scopes: ['read'],
    response: Brp,
    problems: ['brp_not_found'],
    example: { response: brpExample },
  }),
  createBalanceGroup: endpoint({
    method: 'POST',
    path: '/operator/v1/balance-groups',
    summary: 'Register a balance group',
    description: 'A balance group of a BRP, with the control areas in which it is enabled.',
    scopes: ['parties:write'],
    status: 201,
    body: Strict(
      {
        brp_id: Type.String({ examples: [brpExample.id] }),
        eic: Type.String({ format: 'balance-group-eic', examples: [groupExample.eic] }),
        name: Name('Display name.', groupExample.name),
        tsos: EnabledTsos,
      },
      { title: 'BalanceGroupCreate' },
    ),
    response: OperatorBalanceGroup,
    problems: ['already_exists'],
    example: {
      request: {
        brp_id: brpExample.id,
        eic: groupExample.eic,
        name: groupExample.name,
        tsos: groupExample.tsos,
      },
      response: groupExample,
    },
  }),
  listBalanceGroups: endpoint({
    method: 'GET',
    path: '/operator/v1/balance-groups',
    summary: 'List balance groups',
    description: 'All balance groups by EIC.',
    scopes: ['read'],
    query: Strict({
      brp_id: Type.Optional(Type.String({ description: 'Only this BRP’s.', examples: [brpExample.id] })),
      tso: Type.Optional(TsoSchema),
      search: balanceGroupSearch,
      ...pageQuery,
    }),
    response: Page('balance_groups', OperatorBalanceGroup, 'BalanceGroupList'),
    example: { response: { balance_groups: [groupExample], pagination: paginationExample } },
  }),
  getBalanceGroup: endpoint({
    method: 'GET',
    path: '/operator/v1/balance-groups/{eic}',
    summary: 'Read a balance group',
    description: 'One balance group. The answer has an `ETag`; `If-None-Match` is supported.',
    scopes: ['read'],
    response: OperatorBalanceGroup,
    problems: ['balance_group_not_found'],
    example: { response: groupExample },
    conditional: true,
  }),
  updateBalanceGroup: endpoint({
    method: 'PATCH',
    path: '/operator/v1/balance-groups/{eic}',
    summary: 'Change a balance group’s settings',
    description:
      'Changes its name and the control areas in which customers can be placed. `tsos` is the complete set: the others are disabled, unless customers or contracts use them. `If-Match` is supported.',
    scopes: ['parties:write'],
    body: Strict(
      { name: Type.Optional(Name('Display name.', groupExample.name)), tsos: Type.Optional(EnabledTsos) },
      { title: 'BalanceGroupSettings', 'x-read-only': ['eic', 'brp_id', 'created_at'] },
    ),
    response: OperatorBalanceGroup,
    problems: ['balance_group_not_found', 'position_in_use', 'precondition_failed'],
    example: { request: { tsos: groupExample.tsos }, response: groupExample },
    conditional: true,
  }),
  createAccount: endpoint({
    method: 'POST',
    path: '/operator/v1/accounts',
    summary: 'Create an account',
    description: 'An account holder of the customer API.',
    scopes: ['parties:write'],
    status: 201,
    body: Strict({ name: Name('Account holder.', accountExample.name) }, { title: 'AccountCreate' }),
    response: Account,
    example: { request: { name: accountExample.name }, response: accountExample },
  }),
  listAccounts: endpoint({
    method: 'GET',
    path: '/operator/v1/accounts',
    summary: 'List accounts',
    description: 'All accounts, oldest first.',
    scopes: ['read'],
    query: Strict(pageQuery),
    response: Page('accounts', Account, 'AccountList'),
    example: { response: { accounts: [accountExample], pagination: paginationExample } },
  }),
  createApiKey: endpoint({
    method: 'POST',
    path: '/operator/v1/api-keys',
    summary: 'Create an API key',
    description:
      'The secret is only in this answer. The keys of BRPs and of the operator have scopes. The caller can grant only what it may do itself, and by default grants all of that.',
    scopes: ['keys:write'],
    status: 201,
    body: Strict(
      {
        owner: KeyOwner,
        ...keySettings,
        scopes: scopesOfKey(
          ALL_SCOPES,
          'What the key may do. The scopes of the BRP API are for keys of BRPs, those of the operator API for keys of the operator.',
        ),
      },
      { title: 'ApiKeyCreate' },
    ),
    response: NewApiKey,
    example: {
      request: { owner: keyExample.owner, name: keyExample.name, scopes: keyExample.scopes },
      response: newKeyExample,
    },
  }),
  listApiKeys: endpoint({
    method: 'GET',
    path: '/operator/v1/api-keys',
    summary: 'List API keys',
    description: 'All keys, oldest first, without their secrets.',
    scopes: ['read'],
    query: Strict({
      owner_type: Type.Optional(
        Choice(KEY_OWNERS, { description: 'Only keys of this type of owner.', examples: ['brp'] }),
      ),
      owner_id: Type.Optional(Type.String({ description: 'Only this owner’s.', examples: [brpExample.id] })),
      ...pageQuery,
    }),
    response: Page('api_keys', ApiKey, 'ApiKeyList'),
    example: { response: { api_keys: [keyExample], pagination: paginationExample } },
  }),
  revokeApiKey: endpoint({
    method: 'DELETE',
    path: '/operator/v1/api-keys/{key_id}',
    summary: 'Revoke an API key',
    description: 'Takes effect within 5 seconds in every process. Revoking a revoked key changes nothing.',
    scopes: ['keys:write'],
    status: 204,
    response: Type.Null(),
    problems: ['api_key_not_found'],
    example: { response: null },
  }),
  rotateApiKey: endpoint({
    method: 'POST',
    path: '/operator/v1/api-keys/{key_id}/rotate',
    summary: 'Rotate an API key',
    description:
      'A new key of the same owner, name, scopes, addresses and expiry; the old one ends after the grace. The caller needs the rights of the key.',
    scopes: ['keys:write'],
    status: 201,
    body: Strict(keyRotation, { title: 'ApiKeyRotate' }),
    response: NewApiKey,
    problems: ['api_key_not_found', 'invalid_status_transition'],
    example: { request: { grace_s: 3600 }, response: newKeyExample },
  }),
});
