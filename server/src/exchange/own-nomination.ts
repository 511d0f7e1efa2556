import type { OwnNomination } from '@saldo/core/exchange/own-schedule.ts';
import type { NominationRow } from '../nominations/store.ts';

/** A stored nomination as its balance group has to nominate it. */
export const ownNomination = (row: NominationRow): OwnNomination & { readonly id: string } => {
  const { id, eic, tso, direction, amounts = [] } = row;
  return { id, eic, tso, direction, amountsKwh: amounts };
};
