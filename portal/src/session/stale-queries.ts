import type { EventType } from '@saldo/api';

/** Before the dot of a type of event, or a kind of change that only the operator's pages get. */
type Subject = (EventType extends `${infer Name}.${string}` ? Name : never) | 'audit' | 'message';

const PARTIES = ['brps', 'accounts', 'users', 'api-keys', 'balance-groups', 'webhook-endpoints'];
const MARKET = ['assets', 'demands', 'market'];
const CONTRACTS = ['contracts', 'contract'];
const CUSTOMERS = ['customers', 'customer'];
const EXCHANGE = ['alarms', 'board', 'messages', 'unsent', 'mismatches', 'health'];

/** The queries that a change makes stale, by the first part of their keys. */
const STALE: Readonly<Record<Subject, readonly string[]>> = {
  nomination: ['nominations', 'nomination', 'own-schedules', 'late', ...EXCHANGE],
  transactions: [...CONTRACTS, 'late', 'health'],
  contract: CONTRACTS,
  // A contract shows the balance groups of its two customers.
  customer: [...CUSTOMERS, ...CONTRACTS],
  balance_group: ['balance-groups', ...CUSTOMERS],
  api_key: ['api-keys'],
  asset: MARKET,
  demand: MARKET,
  exchange: EXCHANGE,
  series: ['series'],
  webhook: ['webhook-endpoints'],
  message: EXCHANGE,
  audit: ['audit', ...PARTIES, ...CUSTOMERS, ...CONTRACTS, ...MARKET, ...EXCHANGE, 'series'],
};

/** Every event may be delivered to a webhook. */
const ALWAYS = ['webhook-deliveries'];

/** Null: all queries. An unknown kind of change, from a newer server, may affect any of them. */
export function staleQueries(changed: readonly string[]): ReadonlySet<string> | null {
  const keys = new Set(ALWAYS);
  for (const change of changed) {
    const found = Object.entries(STALE).find(([subject]) => change.split('.', 1)[0] === subject);
    if (found === undefined) return null;
    for (const key of found[1]) keys.add(key);
  }
  return keys;
}
