import type { Contract, Customer } from '@saldo/api';
import { linkOptions } from '@tanstack/react-router';
import { brpClient } from '../session/brp-client.ts';
import { portalClient } from '../session/clients.ts';
import {
  describeContract,
  describeCustomer,
  describeNomination,
  type Found,
  groupOf,
  MAX_FOUND,
  oneOf,
  type Sources,
} from './sources.ts';

const limit = MAX_FOUND;

const contract = (record: Contract): Found => ({
  ...describeContract(record),
  page: linkOptions({ to: '/contracts/$contractId', params: { contractId: record.id } }),
});

const customer = (record: Customer): Found => ({
  ...describeCustomer(record),
  page: linkOptions({ to: '/customers/$customerId', params: { customerId: record.id } }),
});

/** A BRP searches its own records. */
export const sources: Sources = {
  lists: [
    async (search, _t, signal) => {
      const page = await portalClient.contracts.list({ search, limit }, { signal });
      const all = linkOptions({ to: '/contracts', search: { search } });
      return groupOf('contracts', page, page.contracts, contract, all);
    },
    async (search, _t, signal) => {
      const page = await brpClient.customers.list({ search, limit }, { signal });
      const all = linkOptions({ to: '/customers', search: { search } });
      return groupOf('customers', page, page.customers, customer, all);
    },
    async (search, _t, signal) => {
      const page = await brpClient.balanceGroups.list({ search, limit }, { signal });
      const pageOf = (text: string) => linkOptions({ to: '/balance-groups', search: { search: text } });
      const group = ({ eic, name }: { eic: string; name: string }) => ({
        ...{ label: name, detail: eic },
        page: pageOf(eic),
      });
      return groupOf('groups', page, page.balance_groups, group, pageOf(search));
    },
  ],
  byId: {
    con: async (id, _t, signal) =>
      oneOf('contracts', contract(await brpClient.contracts.get(id, { signal }))),
    cust: async (id, _t, signal) =>
      oneOf('customers', customer(await brpClient.customers.get(id, { signal }))),
    nom: async (id, t, signal) =>
      oneOf('nominations', {
        ...describeNomination(await brpClient.nominations.get(id, { signal }), t),
        page: linkOptions({
          to: '/nominations/$nominationId',
          params: { nominationId: id },
        }),
      }),
  },
};
