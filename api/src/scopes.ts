/** What a BRP's key may be allowed to do. */
export const SCOPES = [
  'contracts:read',
  'transactions:read',
  'nominations:read',
  'customers:read',
  'customers:write',
] as const;
export type Scope = (typeof SCOPES)[number];
