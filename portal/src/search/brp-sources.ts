import { linkOptions } from '@tanstack/react-router';
import { brpClient } from '../session/brp-client.ts';
import { portalClient } from '../session/clients.ts';
import { commonSources } from './sources.ts';

/** A BRP searches its own records. */
export const sources = commonSources(
  {
    searchContracts: portalClient.contracts.list,
    searchCustomers: brpClient.customers.list,
    searchGroups: brpClient.balanceGroups.list,
    getContract: brpClient.contracts.get,
    getCustomer: brpClient.customers.get,
    getNomination: brpClient.nominations.get,
  },
  {
    contract: (contractId) => linkOptions({ to: '/contracts/$contractId', params: { contractId } }),
    customer: (customerId) => linkOptions({ to: '/customers/$customerId', params: { customerId } }),
    nomination: (nominationId) => linkOptions({ to: '/nominations/$nominationId', params: { nominationId } }),
    contracts: (search) => linkOptions({ to: '/contracts', search: { search } }),
    customers: (search) => linkOptions({ to: '/customers', search: { search } }),
    groups: (search) => linkOptions({ to: '/balance-groups', search: { search } }),
  },
);
