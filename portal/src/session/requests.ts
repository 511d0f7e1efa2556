import { newTask } from './new-task.ts';

/** A page that was not used for this time is unattended. */
const UNATTENDED_MS = 60_000;

/**
 * Marks requests of an unattended page, so that they do not keep the session from timing out, and sends each in a task of
 * its own: a page sends several at once, which would block a phone. Replaces the global `fetch`: a client with a `fetch` of
 * its own would upload files without progress.
 */
export function prepareRequests(): void {
  let lastUsedAt = performance.now();
  for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel'])
    addEventListener(type, () => (lastUsedAt = performance.now()), { capture: true, passive: true });
  const send = globalThis.fetch.bind(globalThis);
  globalThis.fetch = async (input, init) => {
    await newTask();
    if (performance.now() - lastUsedAt <= UNATTENDED_MS) return send(input, init);
    const headers = new Headers(init?.headers);
    headers.set('saldo-unattended', '1');
    return send(input, { ...init, headers });
  };
}
