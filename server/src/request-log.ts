import type { FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import { KEY_IN_TEXT } from './auth/api-key.ts';

/** Writes the log's line of a request that was answered. */
export type RequestLog = (request: FastifyRequest, status: number, seconds: number) => void;

/**
 * The line is in the logger's own form and goes the logger's own way, but is put together here: it is the same few
 * members each time, and to have them looked through one by one took a tenth of a short request.
 */
export function requestLog(logger: Logger): RequestLog {
  if (!logger.isLevelEnabled('info')) return () => {};
  const destination = (logger as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]!;
  const level = logger.levels.values['info'];
  return (request, status, seconds) => {
    const { id, principal, method, url } = request;
    // A request whose address cannot be read has not even a place for one.
    const key = principal ? `,"key_id":"${principal.keyId}"` : '';
    destination.write(
      `{"level":${level},"time":${Date.now()},"request_id":"${id}"${key},"method":"${method}"` +
        `,"url":${JSON.stringify(withoutKeys(url))},"status":${status},"ms":${Math.round(seconds * 1e6) / 1000}` +
        ',"msg":"request"}\n',
    );
  };
}

/** A key belongs into its header; one that was put into an address all the same must not end up in the log. */
const withoutKeys = (url: string): string =>
  url.includes('saldo_') ? url.replaceAll(KEY_IN_TEXT, '[key]') : url;
