/** Permissions of a BRP's key. */
export const SCOPES = [
  'contracts:read',
  'transactions:read',
  'nominations:read',
  'schedules:write',
  'customers:read',
  'customers:write',
  'balance_groups:read',
  'balance_groups:write',
  'events:read',
  'webhooks:write',
  'requests:read',
] as const;
export type BrpScope = (typeof SCOPES)[number];

/** Permissions of an operator's key. Each is the work of one person or one system. */
export const OPERATOR_SCOPES = [
  'read',
  'parties:write',
  'market:write',
  'contracts:write',
  'series:write',
  'volumes:write',
  'exchange:write',
  'platform:write',
  'users:write',
  'keys:write',
  'webhooks:write',
  'requests:read',
] as const;
export type OperatorScope = (typeof OPERATOR_SCOPES)[number];

export type Scope = BrpScope | OperatorScope;
/** Of keys of any owner. */
export const ALL_SCOPES = [...new Set<Scope>([...SCOPES, ...OPERATOR_SCOPES])];

export const isReadScope = (scope: Scope): boolean => scope === 'read' || scope.endsWith(':read');
