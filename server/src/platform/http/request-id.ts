import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Request ids of clients are restricted, because they are logged. */
export const REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Uses the client's id, else a short one that is unique across restarts and processes: a random prefix and a counter.
 */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'> | null) => string {
  const prefix = `req_${randomBytes(6).toString('base64url').replaceAll(/[-_]/g, 'x')}`;
  let count = 0;
  return (request) => {
    const given = request?.headers['x-request-id'];
    if (typeof given === 'string' && REQUEST_ID.test(given)) return given;
    return `${prefix}${(++count).toString(36).padStart(5, '0')}`;
  };
}
