/** Permissions of a BRP's key. */
export const SCOPES = [
  'contracts:read',
  'transactions:read',
  'nominations:read',
  'customers:read',
  'customers:write',
  'balance_groups:read',
  'balance_groups:write',
  'events:read',
  'webhooks:write',
  'requests:read',
] as const;
export type Scope = (typeof SCOPES)[number];
