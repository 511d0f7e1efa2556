import { ordered, Strict } from '../common.ts';
import { contractEndpoints, contractFilters, contractSearch } from '../contracts.ts';
import { endpoint } from '../endpoint.ts';

/** The list of the BRP API with a search, for users of a BRP. */
export const portalContractEndpoints = {
  searchOwnContracts: endpoint({
    ...contractEndpoints.listContracts,
    id: 'searchOwnContracts',
    path: '/portal/v1/contracts',
    tag: 'Own records',
    scopes: [],
    query: Strict(
      { search: contractSearch, ...contractFilters },
      ordered(['delivery_start', 'delivery_end']),
    ),
    problems: ['invalid_session', 'insufficient_permissions'],
  }),
};
