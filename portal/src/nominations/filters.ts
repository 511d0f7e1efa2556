import { day, eic, month, search, tso } from '../references/filters.ts';
import { type SearchOf, searchReader } from '../ui/search-parameters.ts';

const months = { month, eic, tso };
export type MonthSearch = SearchOf<typeof months>;
export const readMonthSearch = searchReader(months);

const late = { day, brp_id: search };
export type LateFilters = SearchOf<typeof late>;
export const readLateFilters = searchReader(late);
