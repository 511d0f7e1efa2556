import {
  ASSET_SORTS,
  CONTRACT_SORTS,
  DEMAND_SORTS,
  KEY_OWNERS,
  LIMITS,
  MESSAGE_DIRECTIONS,
  MESSAGE_STATES,
  MESSAGE_TYPES,
  TECHNOLOGIES,
  TSOS,
  USER_ROLES,
} from '@saldo/api';
import { isDay } from '@saldo/core/delivery-day.ts';
import { contractParameters, customerParameters, nominationParameters } from '../brp/filters.ts';
import { matching, oneOf, type SearchOf, searchReader, text, wholeNumber } from '../ui/search-parameters.ts';
import { isSort } from '../ui/sort.ts';

const id = text(LIMITS.searchLength);
const day = matching(isDay);
const tso = oneOf(TSOS);
const slot = wholeNumber(LIMITS.slotNumber.minimum, LIMITS.slotNumber.maximum);

const contracts = { ...contractParameters, sort: oneOf(CONTRACT_SORTS) };
export type ContractFilters = SearchOf<typeof contracts>;
export const readContractFilters = searchReader(contracts);

const customers = { brp_id: id, ...customerParameters };
export type CustomerFilters = SearchOf<typeof customers>;
export const readCustomerFilters = searchReader(customers);

export const readPartyFilters = searchReader({ search: id });

export type NominationFilters = SearchOf<typeof nominationParameters>;
export const readNominationFilters = searchReader(nominationParameters);

const groups = { search: id, brp_id: id, tso, sort: matching(isSort) };
export type GroupFilters = SearchOf<typeof groups>;
export const readGroupFilters = searchReader(groups);

const users = { role: oneOf(USER_ROLES), brp_id: id, account_id: id, email: text(LIMITS.emailLength) };
export type UserFilters = SearchOf<typeof users>;
export const readUserSearch = searchReader({ ...users, sort: matching(isSort) });

const keys = { owner_type: oneOf(KEY_OWNERS), owner_id: id, ended: oneOf(['hidden']) };
export type KeyFilters = SearchOf<typeof keys>;
export const readKeyFilters = searchReader(keys);

const audit = { subject: id, actor: id, action: id, from: day, to: day };
export type AuditFilters = SearchOf<typeof audit>;
export const readAuditFilters = searchReader(audit);

/** Messages without an order are the newest ones first. */
export const MESSAGE_SORTS = ['created_at', '-created_at'] as const;

const messages = {
  day,
  tso,
  direction: oneOf(MESSAGE_DIRECTIONS),
  type: oneOf(MESSAGE_TYPES),
  state: oneOf(MESSAGE_STATES),
  sort: oneOf(MESSAGE_SORTS),
};
export type MessageFilters = SearchOf<typeof messages>;
export const readMessageFilters = searchReader(messages);

const unsent = { day, tso };
export type UnsentFilters = SearchOf<typeof unsent>;
export const readUnsentFilters = searchReader(unsent);

const late = { day, brp_id: id };
export type LateFilters = SearchOf<typeof late>;
export const readLateFilters = searchReader(late);

const mismatches = { day, tso, slot, nomination: id, sort: matching(isSort) };
export type MismatchSearch = SearchOf<typeof mismatches>;
export const readMismatchSearch = searchReader(mismatches);

const assets = {
  search: id,
  technology: oneOf(TECHNOLOGIES),
  tso,
  offered: oneOf(['true', 'false']),
  sort: oneOf(ASSET_SORTS),
};
export type AssetFilters = SearchOf<typeof assets>;
export const readAssetFilters = searchReader(assets);

const demands = {
  country: matching((value) => /^[A-Za-z]{1,2}$/.test(value)),
  sort: oneOf(DEMAND_SORTS),
};
export type DemandFilters = SearchOf<typeof demands>;
export const readDemandFilters = searchReader(demands);
