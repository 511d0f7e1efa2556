import type { UserRole } from '@saldo/api';
import type { brpClient } from './brp-client.ts';
import type { operatorClient } from './operator-client.ts';

/** The same records, through the API of the own role: a BRP reads its own, the operator those of all. */
type Reader = typeof operatorClient | typeof brpClient;

const READERS: Readonly<Record<UserRole, () => Promise<Reader | null>>> = {
  brp: async () => (await import('./brp-client.ts')).brpClient,
  operator: async () => (await import('./operator-client.ts')).operatorClient,
  // What account holders read, they read with the session's own client.
  account: async () => null,
};

let current: Reader | null = null;

/** Nobody loads the API of another role. */
export async function loadReader(role: UserRole): Promise<void> {
  current = await READERS[role]();
}

export function reader(): Reader {
  if (current === null) throw new Error('this page is not for the role of who is signed in');
  return current;
}
