import type { UserRole } from '@saldo/api';
import type { brpClient } from './brp-client.ts';
import type { operatorClient } from './operator-client.ts';

/** The client of the user's role: a BRP reads its own records, the operator those of all BRPs. */
type Reader = typeof operatorClient | typeof brpClient;

const READERS: Readonly<Record<UserRole, () => Promise<Reader | null>>> = {
  brp: async () => (await import('./brp-client.ts')).brpClient,
  operator: async () => (await import('./operator-client.ts')).operatorClient,
  // Account holders read through the portal client.
  account: async () => null,
};

let current: Reader | null = null;

/** Loads only the client of this role. */
export async function loadReader(role: UserRole): Promise<void> {
  current = await READERS[role]();
}

export function reader(): Reader {
  if (current === null) throw new Error('this page is not for the role of who is signed in');
  return current;
}
