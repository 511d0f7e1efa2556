import { TSOS, type Tso } from '@saldo/api';
import { formatMessage } from '@saldo/core/messages/message.ts';
import type { Logger } from 'pino';
import { type Clock, monotonicNow } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Job } from '../../platform/jobs.ts';
import { type RemoteTransport, TransportClosed } from '../transport/transport.ts';
import type { Exchange, SendFault } from './exchange.ts';
import type { InboxRun, Receiving } from './receive.ts';
import { exchangeRemotely } from './remote.ts';

const EXCHANGE_EVERY_MS = 1_000;
/** Servers may block clients that fail to sign in too often. */
export const RETRY_AFTER_MS = 15_000;

/** Logs, in English, what could not be sent for a new reason. */
export function logFaults(logger: Logger, faults: readonly SendFault[]): void {
  for (const { isNews, error, ...fault } of faults)
    if (isNews) logger.error({ ...fault, error: formatMessage(error, 'en') }, 'schedule not sent');
}

/** Logs, in English, what of an inbox could not be read. */
export function logUnreadable(logger: Logger, { unreadable }: InboxRun, about: object = {}): void {
  for (const { file, error } of unreadable)
    logger.warn({ ...about, file, error: formatMessage(error, 'en') }, 'inbox entry not read');
}

/** One job per TSO with a transport of its own, so that a slow server delays only its own TSO. */
export const remoteJobs = (
  db: Database,
  clock: Clock,
  logger: Logger,
  exchange: Exchange & Receiving,
  monotonic: () => number = monotonicNow,
): Job[] =>
  TSOS.flatMap((tso) => {
    const transport = exchange.remote[tso];
    return transport === undefined ? [] : [remoteJob(db, clock, logger, exchange, tso, transport, monotonic)];
  });

function remoteJob(
  db: Database,
  clock: Clock,
  logger: Logger,
  exchange: Exchange & Receiving,
  tso: Tso,
  transport: RemoteTransport,
  monotonic: () => number,
): Job {
  let retryAt = Number.NEGATIVE_INFINITY;
  let problem: string | null = null;
  return {
    name: `exchange ${tso}`,
    everyMs: EXCHANGE_EVERY_MS,
    abort: () => transport.close(),
    async run() {
      if (monotonic() < retryAt) return;
      const run = await exchangeRemotely(db, clock, exchange, tso, transport).catch(nullIfClosed);
      if (run === null) return;
      logFaults(logger, run.faults);
      logUnreadable(logger, run.inbox, { tso });
      if (run.unreachable !== null) retryAt = monotonic() + RETRY_AFTER_MS;
      if (run.unreachable === problem) return;
      problem = run.unreachable;
      if (problem !== null) logger.warn({ tso, error: problem }, 'TSO not reachable: messages wait');
      else logger.info({ tso }, 'TSO reachable again');
    },
  };
}

function nullIfClosed(error: unknown): null {
  if (error instanceof TransportClosed) return null;
  throw error;
}
