import type { Tso } from '@saldo/core/enums.ts';
import type { LedgerParty } from '@saldo/core/ledger/entries.ts';
import type { Snapshot } from './snapshot.ts';

/** Contracts and positions by their number, which the rows of sheets have. */
export type Parties = {
  readonly contracts: ReadonlyMap<string, string>;
  readonly positions: ReadonlyMap<string, LedgerParty>;
};

export async function readParties(snapshot: Snapshot): Promise<Parties> {
  const contracts = await snapshot.rows('select no, id from contract');
  const positions = await snapshot.rows('select no, eic, tso from position');
  return {
    contracts: new Map(contracts.map(([no, id]) => [no!, id!])),
    positions: new Map(positions.map(([no, eic, tso]) => [no!, { eic: eic!, tso: tso as Tso }])),
  };
}
