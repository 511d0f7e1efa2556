import { LIMITS } from '@saldo/api';
import { NO_RETRY, portalClient } from './clients.ts';
import { setServerTime } from './server-clock.ts';

/** Time for the answer itself, beyond the waiting. */
const ANSWER_MS = 20_000;
const WAIT_S = LIMITS.eventWaitS.maximum;

/** The place up to which this page knows the changes. */
let place: string | null = null;

/** Called before a page reads its first record, so that no later change is missed. */
export async function startAtCurrentPlace(): Promise<void> {
  if (place === null) await readChanges();
}

/** The next user starts anew. */
export function forgetPlace(): void {
  place = null;
}

/**
 * Long poll: what has changed since the last call; empty if nothing has. The first call is answered at once, and null:
 * anything may have changed before it.
 */
export async function readChanges(
  signal?: AbortSignal,
  waitS: number = WAIT_S,
): Promise<readonly string[] | null> {
  const isFirst = place === null;
  const longPoll = { ...NO_RETRY, timeoutMs: WAIT_S * 1000 + ANSWER_MS };
  const options = { ...(isFirst ? {} : longPoll), ...(signal && { signal }) };
  const query = place === null ? {} : { after: place, wait: waitS };
  const { changed, next, server_time } = await portalClient.changes.list(query, options);
  place = next;
  setServerTime(server_time);
  return isFirst ? null : changed;
}
