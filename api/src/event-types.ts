/** Every type of event, with the change that causes it. Subject, a dot, and a past participle. */
export const EVENT_TYPES = {
  'nomination.created': 'A version of a nomination was created: the first one, or a correction.',
  'nomination.sent': 'A schedule with the nomination was sent to the TSO.',
  'nomination.rejected': 'The TSO rejected the schedule with the nomination, for the given reasons.',
  'nomination.matched': 'A confirmation of the TSO has set the status `match`.',
  'nomination.mismatched': 'A confirmation of the TSO has set the status `partial_match`.',
  'nomination.gate_closing':
    'The day-ahead gate closes in 60 or in 15 minutes, and the nomination is not sent, or the TSO’s answer differs from it.',
  'transactions.created': 'Volumes of a contract and a delivery day were imported for the first time.',
  'transactions.corrected': 'Volumes of a contract and a delivery day were corrected.',
  'transactions.invalidated': 'Transactions of a contract and a delivery day were invalidated.',
  'contract.created': 'A contract was created.',
  'contract.updated': 'A contract was changed.',
  'customer.assigned': 'A customer was assigned to the BRP.',
  'customer.updated': 'Members of a customer were changed.',
  'balance_group.updated': 'Settings of a balance group were changed.',
  'api_key.expiring': 'An API key expires in 14 days or in 1 day.',
  'asset.published': 'An asset was offered on the market.',
  'asset.withdrawn': 'An asset is no longer offered on the market.',
  'demand.published': 'A demand was published on the market.',
  'demand.withdrawn': 'A demand was withdrawn from the market.',
  'exchange.alarm': 'An alarm of the exchange has begun.',
  'exchange.alarm_resolved': 'An alarm of the exchange has ended, or was acknowledged.',
  'webhook.disabled': 'A webhook endpoint was disabled: it answered 410, or failed for five days.',
} as const satisfies Record<string, string>;

export type EventType = keyof typeof EVENT_TYPES;
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[];
