import { REQUEST_METHODS, STATUS_CLASSES } from '@saldo/api';
import { day, search } from '../references/filters.ts';
import { oneOf, type SearchOf, searchReader } from '../ui/search-parameters.ts';

const requests = {
  id: search,
  caller: search,
  status_class: oneOf(STATUS_CLASSES),
  method: oneOf(REQUEST_METHODS),
  route: search,
  from: day,
  to: day,
};
export type RequestFilters = SearchOf<typeof requests>;
export const readRequestFilters = searchReader(requests);
