import type { Config } from './config.ts';
import type { Receiving } from './exchange/process/receive.ts';
import type { Exchange } from './exchange/process/send.ts';
import { type Inbox, inboxFolder, outboxFolder } from './exchange/transport/folders.ts';

export type ExchangeParts = Exchange & Receiving & { readonly inbox: Inbox };

/** Messages to and from the TSOs pass through two folders that a gateway reads and writes. */
export const exchangeOf = ({ operator, exchange, marketRules }: Config): ExchangeParts => ({
  operatorEic: operator.eic,
  formats: exchange.formats,
  waitPhases: exchange.waitPhases,
  rules: marketRules,
  messageLimitBytes: exchange.messageLimitBytes,
  transport: outboxFolder(exchange.outboxDir),
  inbox: inboxFolder(exchange.inboxDir),
});
