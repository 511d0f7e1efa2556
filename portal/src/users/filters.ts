import { LIMITS, USER_ROLES } from '@saldo/api';
import { search, sort } from '../references/filters.ts';
import { oneOf, type SearchOf, searchReader, text } from '../ui/search-parameters.ts';

const users = {
  role: oneOf(USER_ROLES),
  brp_id: search,
  account_id: search,
  email: text(LIMITS.emailLength),
};
export type UserFilters = SearchOf<typeof users>;
export const readOwnUserSearch = searchReader({ sort });
export const readUserSearch = searchReader({ ...users, sort });
