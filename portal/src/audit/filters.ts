import { day, search } from '../references/filters.ts';
import { type SearchOf, searchReader } from '../ui/search-parameters.ts';

const audit = { subject: search, actor: search, action: search, from: day, to: day };
export type AuditFilters = SearchOf<typeof audit>;
export const readAuditFilters = searchReader(audit);
