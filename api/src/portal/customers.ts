import { Sort, Strict } from '../common.ts';
import { customerEndpoints, customerFilters } from '../customers.ts';
import { endpoint, endpoints } from '../endpoint.ts';
import { CUSTOMER_SORTS } from '../operator/customers.ts';

/** The list of the BRP API with an order, for users of a BRP. */
export const portalCustomerEndpoints = endpoints('Own records', {
  listOwnCustomers: endpoint({
    ...customerEndpoints.listCustomers,
    path: '/portal/v1/customers',
    scopes: [],
    query: Strict({ sort: Sort(CUSTOMER_SORTS), ...customerFilters }),
    problems: ['invalid_session', 'insufficient_permissions'],
  }),
});
