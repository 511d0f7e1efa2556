import { ordered, Strict } from '../common.ts';
import { contractEndpoints, contractFilters, contractSearch } from '../contracts.ts';
import { endpoint, endpoints } from '../endpoint.ts';

/** The list of the BRP API with a search, for users of a BRP. */
export const portalContractEndpoints = endpoints('Own records', {
  searchOwnContracts: endpoint({
    ...contractEndpoints.listContracts,
    path: '/portal/v1/contracts',
    scopes: [],
    query: Strict(
      { search: contractSearch, ...contractFilters },
      ordered(['delivery_start', 'delivery_end']),
    ),
    problems: ['invalid_session', 'insufficient_permissions'],
  }),
});
