import { matching, type SearchOf, searchReader } from '../ui/search-parameters.ts';

/** A type of event, or a subject and `.*` for all of its types. */
const parameters = { types: matching((value) => /^[a-z_]{1,30}\.(?:\*|[a-z_]{1,30})$/.test(value)) };
export type ActivitySearch = SearchOf<typeof parameters>;
export const readActivitySearch = searchReader(parameters);
