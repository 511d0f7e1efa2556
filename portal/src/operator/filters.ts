import { KEY_OWNERS, LIMITS, TSOS, USER_ROLES } from '@saldo/api';
import { contractParameters, customerParameters, nominationParameters } from '../brp/filters.ts';
import { oneOf, type SearchOf, searchReader, text } from '../domain/search.ts';

const id = text(LIMITS.searchLength);

const contracts = { ...contractParameters, external_id: text(LIMITS.externalIdLength) };
export type ContractFilters = SearchOf<typeof contracts>;
export const readContractFilters = searchReader(contracts);

const customers = { brp_id: id, ...customerParameters };
export type CustomerFilters = SearchOf<typeof customers>;
export const readCustomerFilters = searchReader(customers);

export type NominationFilters = SearchOf<typeof nominationParameters>;
export const readNominationFilters = searchReader(nominationParameters);

const groups = { brp_id: id, tso: oneOf(TSOS) };
export type GroupFilters = SearchOf<typeof groups>;
export const readGroupFilters = searchReader(groups);

const users = { role: oneOf(USER_ROLES), brp_id: id, account_id: id, email: text(LIMITS.emailLength) };
export type UserFilters = SearchOf<typeof users>;
export const readUserFilters = searchReader(users);

const keys = { owner_type: oneOf(KEY_OWNERS), owner_id: id, ended: oneOf(['hidden']) };
export type KeyFilters = SearchOf<typeof keys>;
export const readKeyFilters = searchReader(keys);

const audit = { subject: id, actor: id, action: id };
export type AuditFilters = SearchOf<typeof audit>;
export const readAuditFilters = searchReader(audit);
