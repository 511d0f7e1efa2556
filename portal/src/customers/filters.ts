import { CUSTOMER_SORTS, CUSTOMER_STATUSES } from '@saldo/api';
import { eic, search, tso } from '../references/filters.ts';
import { oneOf, type SearchOf, searchReader } from '../ui/search-parameters.ts';

const customers = { status: oneOf(CUSTOMER_STATUSES), eic, tso, search, sort: oneOf(CUSTOMER_SORTS) };
export const readBrpCustomerFilters = searchReader(customers);

const operatorCustomers = { brp_id: search, ...customers };
export type CustomerFilters = SearchOf<typeof operatorCustomers>;
export const readCustomerFilters = searchReader(operatorCustomers);
