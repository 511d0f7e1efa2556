import { MESSAGE_DIRECTIONS, MESSAGE_STATES, MESSAGE_TYPES } from '@saldo/api';
import { day, search, slot, sort, tso } from '../references/filters.ts';
import { oneOf, type SearchOf, searchReader } from '../ui/search-parameters.ts';

/** Messages without an order are the newest ones first. */
export const MESSAGE_SORTS = ['created_at', '-created_at'] as const;

const messages = {
  day,
  tso,
  direction: oneOf(MESSAGE_DIRECTIONS),
  type: oneOf(MESSAGE_TYPES),
  state: oneOf(MESSAGE_STATES),
  sort: oneOf(MESSAGE_SORTS),
};
export type MessageFilters = SearchOf<typeof messages>;
export const readMessageFilters = searchReader(messages);

const unsent = { day, tso };
export type UnsentFilters = SearchOf<typeof unsent>;
export const readUnsentFilters = searchReader(unsent);

const mismatches = { day, tso, slot, nomination: search, sort };
export type MismatchSearch = SearchOf<typeof mismatches>;
export const readMismatchSearch = searchReader(mismatches);
