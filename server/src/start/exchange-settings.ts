import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { MINUTE_MS } from '@saldo/core/delivery-day.ts';
import type { Watching } from '../exchange/process/alarm-causes.ts';
import type { Exchange } from '../exchange/process/exchange.ts';
import type { Receiving } from '../exchange/process/receive.ts';
import { inboxFolder, outboxFolder } from '../exchange/transport/folders.ts';
import { sftpTransport } from '../exchange/transport/sftp.ts';
import type { Inbox } from '../exchange/transport/transport.ts';
import { monotonicNow } from '../platform/clock.ts';
import type { Config } from './config.ts';

export type ExchangeParts = Exchange & Receiving & Watching & { readonly inbox: Inbox };

/** The inbox of a process whose machine has no gateway to the TSOs. */
const NO_INBOX: Inbox = { files: async () => [] };

/**
 * Messages to and from the TSOs pass through two folders that a gateway reads and writes, or through an SFTP server of
 * the TSO. `now` is monotonic.
 */
export function exchangeOf(
  { operator, exchange, marketRules: rules, dataDir }: Config,
  now: () => number = monotonicNow,
): ExchangeParts {
  const us = { operatorEic: operator.eic, rules };
  const remote = Object.entries(exchange.sftp).map(([tso, server]) => [tso, sftpTransport(server, us, now)]);
  return {
    ...us,
    formats: exchange.formats,
    waitPhases: exchange.waitPhases,
    messageLimitBytes: exchange.messageLimitBytes,
    transport: exchange.hasFolders ? outboxFolder(exchange.outboxDir, us) : null,
    remote: Object.fromEntries(remote),
    inbox: exchange.hasFolders ? inboxFolder(exchange.inboxDir, now) : NO_INBOX,
    ackMs: exchange.ackMinutes * MINUTE_MS,
    disk: {
      host: hostname(),
      async freeBytes() {
        const { bavail, bsize } = await statfs(dataDir);
        return bavail * bsize;
      },
    },
  };
}
