import { createContext, useContext } from 'react';

/** Names of the records that a role has lists of; undefined while they load, or if there is none. */
export type Names = {
  readonly ofKey: (id: string) => string | undefined;
};

export const NamesContext = createContext<Names>({ ofKey: () => undefined });

export const useNames = (): Names => useContext(NamesContext);
