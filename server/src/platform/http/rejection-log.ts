import { PROBLEMS } from '@saldo/api';
import type { Logger } from 'pino';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ServerOptions } from './server.ts';

/** Rejections are logged in batches, because one line each would cost more than the rejection. */
const LOG_REJECTIONS_EVERY_MS = 1000;

/** Logs and counts requests that are rejected because of overload. */
export function rejectionLog(
  requestsAtOnce: number,
  logger: Logger,
  metrics: Metrics,
): ServerOptions['onReject'] {
  let count = 0;
  const write = () => {
    logger.warn(
      { requests: count },
      `overload: rejected ${count} requests in the last second (REQUESTS_AT_ONCE=${requestsAtOnce})`,
    );
    count = 0;
  };
  return (early) => {
    if (count++ === 0) setTimeout(write, LOG_REJECTIONS_EVERY_MS).unref();
    if (early === null) return;
    const { method, waitedSeconds } = early;
    metrics.observeRequest(method, 'unknown', PROBLEMS.unavailable.status, waitedSeconds);
  };
}
