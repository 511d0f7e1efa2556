import type { ApiKey } from '@saldo/api';
import { createContext } from 'react';

type KeyNames = readonly Pick<ApiKey, 'id' | 'name'>[];

/** The keys that the role has a list of, which events name by their ids; empty while they load. */
export const KeysContext = createContext<KeyNames>([]);
