import { CONTRACT_SORTS, CONTRACT_STATUSES, CONTRACT_TYPES } from '@saldo/api';
import { day, eic, search } from '../references/filters.ts';
import { oneOf, type SearchOf, searchReader } from '../ui/search-parameters.ts';

const contracts = {
  search,
  status: oneOf(CONTRACT_STATUSES),
  type: oneOf(CONTRACT_TYPES),
  eic,
  active_on: day,
};
/** The list of a BRP has one order. */
export const readBrpContractFilters = searchReader(contracts);

const operatorContracts = { ...contracts, sort: oneOf(CONTRACT_SORTS) };
export type ContractFilters = SearchOf<typeof operatorContracts>;
export const readContractFilters = searchReader(operatorContracts);
