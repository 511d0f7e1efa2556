import {
  CONTRACT_STATUSES,
  CONTRACT_TYPES,
  CUSTOMER_SORTS,
  CUSTOMER_STATUSES,
  DIRECTIONS,
  LIMITS,
  NOMINATION_STATUSES,
  TSOS,
} from '@saldo/api';
import { isDay } from '@saldo/core/delivery-day.ts';
import { isMonth } from '../ui/delivery-period.ts';
import { matching, oneOf, type SearchOf, searchReader, text, wholeNumber } from '../ui/search-parameters.ts';
import { isSort } from '../ui/sort.ts';

export const EIC_LENGTH = 16;
const eic = text(EIC_LENGTH);
const day = matching(isDay);
const slot = wholeNumber(LIMITS.slotNumber.minimum, LIMITS.slotNumber.maximum);

const search = text(LIMITS.searchLength);
const sort = matching(isSort);

export const contractParameters = {
  search,
  status: oneOf(CONTRACT_STATUSES),
  type: oneOf(CONTRACT_TYPES),
  eic,
  active_on: day,
};
export type ContractFilters = SearchOf<typeof contractParameters>;
export const readContractFilters = searchReader(contractParameters);

const contract = { day, slot, versions: oneOf(['all']), view: oneOf(['month']), month: matching(isMonth) };
export type ContractSearch = SearchOf<typeof contract>;
export const readContractSearch = searchReader(contract);

export const nominationParameters = {
  day,
  status: oneOf(NOMINATION_STATUSES),
  eic,
  tso: oneOf(TSOS),
  direction: oneOf(DIRECTIONS),
  versions: oneOf(['all']),
};
const sortedNominations = { ...nominationParameters, sort };
export type NominationFilters = SearchOf<typeof sortedNominations>;
export const readNominationFilters = searchReader(sortedNominations);

const nomination = { slot, view: oneOf(['history']) };
export type NominationSearch = SearchOf<typeof nomination>;
export const readNominationSearch = searchReader(nomination);

const month = { month: matching(isMonth), eic, tso: oneOf(TSOS) };
export type MonthSearch = SearchOf<typeof month>;
export const readMonthSearch = searchReader(month);

export const customerParameters = {
  status: oneOf(CUSTOMER_STATUSES),
  eic,
  tso: oneOf(TSOS),
  search,
  sort: oneOf(CUSTOMER_SORTS),
};
export type CustomerFilters = SearchOf<typeof customerParameters>;
export const readCustomerFilters = searchReader(customerParameters);

export const readGroupFilters = searchReader({ search, sort });

export const readKeySearch = searchReader({ ended: oneOf(['hidden']) });
