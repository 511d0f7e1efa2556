import { matching, searchReader } from '../ui/search-parameters.ts';

/** A type of event, or a subject and `.*` for all of its types. */
const types = matching((value) => /^[a-z_]{1,30}\.(?:\*|[a-z_]{1,30})$/.test(value));
export const readActivitySearch = searchReader({ types });
