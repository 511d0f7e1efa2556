import { KEY_OWNERS } from '@saldo/api';
import { search } from '../references/filters.ts';
import { oneOf, type SearchOf, searchReader } from '../ui/search-parameters.ts';

const ended = oneOf(['hidden']);
export const readOwnKeyFilters = searchReader({ ended });

const keys = { owner_type: oneOf(KEY_OWNERS), owner_id: search, ended };
export type KeyFilters = SearchOf<typeof keys>;
export const readKeyFilters = searchReader(keys);
