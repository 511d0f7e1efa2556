import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Request ids of clients are restricted, because they are logged. */
export const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Uses the client's id, else a random one: a counter would tell each client the number of requests of all others. */
export function requestId(request: Pick<IncomingMessage, 'headers'> | null): string {
  const given = request?.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given)
    ? given
    : `req_${randomUUID().replaceAll('-', '')}`;
}
