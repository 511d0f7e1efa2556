import { search, sort, tso } from '../references/filters.ts';
import { searchReader } from '../ui/search-parameters.ts';

export const readPartyFilters = searchReader({ search });

export const readBrpGroupFilters = searchReader({ search, sort });
export const readGroupFilters = searchReader({ search, brp_id: search, tso, sort });
