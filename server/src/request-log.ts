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
    const { id, method, url } = request;
    destination.write(
      `{"level":${level},"time":${Date.now()},"request_id":"${id}"${callerText(request)},"method":"${method}"` +
        `,"url":${JSON.stringify(withoutSecrets(url))},"status":${status},"ms":${Math.round(seconds * 1e6) / 1000}` +
        ',"msg":"request"}\n',
    );
  };
}

/** Nobody for a request that was not let in; one whose address cannot be read has not even a place for somebody. */
function callerText({ principal }: FastifyRequest): string {
  if (!principal || principal.owner === null) return '';
  return `,"${principal.session === null ? 'key_id' : 'user_id'}":"${principal.actor}"`;
}

/**
 * A key belongs into its header; one that was put into an address all the same must not end up in the log. Nor must an
 * invitation's token, which opens a door until it is used.
 */
function withoutSecrets(url: string): string {
  if (url.includes('saldo_')) return url.replaceAll(KEY_IN_TEXT, '[key]');
  return url.includes('/invitations/') ? url.replace(/(\/invitations\/)[^/?]+/, '$1…') : url;
}
