import type { Brp, Contract, Customer, OperatorAsset } from '@saldo/api';
import { linkOptions } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';
import { operatorClient } from '../session/operator-client.ts';
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
  page: linkOptions({ to: '/operator/contracts/$contractId', params: { contractId: record.id } }),
});

const customer = (record: Customer): Found => ({
  ...describeCustomer(record),
  page: linkOptions({ to: '/operator/customers/$customerId', params: { customerId: record.id } }),
});

const asset =
  (t: Dictionary) =>
  ({ id, name, technology, tso }: OperatorAsset): Found => ({
    label: name,
    detail: `${t.brp.contracts.technologies[technology]} · ${t.common.tsos[tso]}`,
    page: linkOptions({ to: '/operator/assets/$assetId', params: { assetId: id } }),
  });

const brp = ({ id, name }: Brp): Found => ({
  label: name,
  detail: '',
  page: linkOptions({ to: '/operator/brps/$brpId', params: { brpId: id } }),
});

/** The operator searches the records of all BRPs. */
export const sources: Sources = {
  lists: [
    async (search, _t, signal) => {
      const page = await operatorClient.contracts.list({ search, limit }, { signal });
      const all = linkOptions({ to: '/operator/contracts', search: { search } });
      return groupOf('contracts', page, page.contracts, contract, all);
    },
    async (search, _t, signal) => {
      const page = await operatorClient.customers.list({ search, limit }, { signal });
      const all = linkOptions({ to: '/operator/customers', search: { search } });
      return groupOf('customers', page, page.customers, customer, all);
    },
    async (search, _t, signal) => {
      const page = await operatorClient.balanceGroups.list({ search, limit }, { signal });
      const pageOf = (text: string) =>
        linkOptions({ to: '/operator/balance-groups', search: { search: text } });
      const group = ({ eic, name }: { eic: string; name: string }) => ({
        ...{ label: name, detail: eic },
        page: pageOf(eic),
      });
      return groupOf('groups', page, page.balance_groups, group, pageOf(search));
    },
    async (search, t, signal) => {
      const page = await operatorClient.assets.list({ search, limit }, { signal });
      const all = linkOptions({ to: '/operator/assets', search: { search } });
      return groupOf('assets', page, page.assets, asset(t), all);
    },
    async (search, _t, signal) => {
      const page = await operatorClient.brps.list({ search, limit }, { signal });
      const all = linkOptions({ to: '/operator/brps', search: { search } });
      return groupOf('brps', page, page.brps, brp, all);
    },
  ],
  byId: {
    con: async (id, _t, signal) =>
      oneOf('contracts', contract(await operatorClient.contracts.get(id, { signal }))),
    cust: async (id, _t, signal) =>
      oneOf('customers', customer(await operatorClient.customers.get(id, { signal }))),
    ast: async (id, t, signal) => oneOf('assets', asset(t)(await operatorClient.assets.get(id, { signal }))),
    brp: async (id, _t, signal) => oneOf('brps', brp(await operatorClient.brps.get(id, { signal }))),
    nom: async (id, t, signal) =>
      oneOf('nominations', {
        ...describeNomination(await operatorClient.nominations.get(id, { signal }), t),
        page: linkOptions({
          to: '/operator/nominations/$nominationId',
          params: { nominationId: id },
        }),
      }),
    msg: async (id, t, signal) => {
      const { type, tso, file_name } = await operatorClient.messages.get(id, { signal });
      const named = tso === null ? '' : ` · ${t.common.tsos[tso]}`;
      return oneOf('messages', {
        label: `${t.exchange.message.types[type]}${named}`,
        detail: file_name ?? id,
        page: linkOptions({ to: '/operator/messages/$messageId', params: { messageId: id } }),
      });
    },
  },
};
