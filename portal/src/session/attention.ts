/** A page that was not used for this time is unattended. */
const UNATTENDED_MS = 60_000;

let lastUsedAt = performance.now();

for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel'])
  addEventListener(type, () => (lastUsedAt = performance.now()), { capture: true, passive: true });

const isUnattended = () => performance.now() - lastUsedAt > UNATTENDED_MS;

/** Marks requests of an unattended page, so that they do not keep the session from timing out. */
export const fetchAttended: typeof fetch = (input, init) => {
  if (!isUnattended()) return fetch(input, init);
  const headers = new Headers(init?.headers);
  headers.set('saldo-unattended', '1');
  return fetch(input, { ...init, headers });
};
