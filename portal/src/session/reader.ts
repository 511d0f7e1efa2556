import type { UserRole } from '@saldo/api';
import type { brpClient } from './brp-client.ts';
import { portalClient } from './clients.ts';
import type { operatorClient } from './operator-client.ts';

/** The client of the user's role: a BRP reads its own records, the operator those of all BRPs. */
type Reader = typeof operatorClient | typeof brpClient;

/** The client whose lists of contracts and customers have a search, which those of the BRP API do not have. */
type Searcher = typeof operatorClient | typeof portalClient;

type Clients = { readonly reader: Reader; readonly searcher: Searcher };

const CLIENTS: Readonly<Record<UserRole, () => Promise<Clients | null>>> = {
  brp: async () => ({ reader: (await import('./brp-client.ts')).brpClient, searcher: portalClient }),
  operator: async () => {
    const { operatorClient: client } = await import('./operator-client.ts');
    return { reader: client, searcher: client };
  },
  // Account holders read through the portal client.
  account: async () => null,
};

let current: Clients | null = null;

/** Loads only the client of this role. */
export async function loadReader(role: UserRole): Promise<void> {
  current = await CLIENTS[role]();
}

function clients(): Clients {
  if (current === null) throw new Error('this page is not for the role of the user');
  return current;
}

export const reader = (): Reader => clients().reader;
export const searcher = (): Searcher => clients().searcher;
