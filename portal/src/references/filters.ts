import { DIRECTIONS, LIMITS, NOMINATION_STATUSES, TSOS } from '@saldo/api';
import { isDay } from '@saldo/core/delivery-day.ts';
import { isMonth } from '../ui/delivery-period.ts';
import { matching, oneOf, type SearchOf, searchReader, text, wholeNumber } from '../ui/search-parameters.ts';
import { isSort } from '../ui/sort.ts';

export const EIC_LENGTH = 16;

/** Parameters that the URLs of several pages have. */
export const eic = text(EIC_LENGTH);
export const day = matching(isDay);
export const month = matching(isMonth);
export const tso = oneOf(TSOS);
export const slot = wholeNumber(LIMITS.slotNumber.minimum, LIMITS.slotNumber.maximum);
/** A search, or an id. */
export const search = text(LIMITS.searchLength);
export const sort = matching(isSort);

/** Parameters of the pages that other subjects link to. */
const contract = { day, slot, versions: oneOf(['all']), view: oneOf(['month']), month };
export type ContractSearch = SearchOf<typeof contract>;
export const readContractSearch = searchReader(contract);

/** The day and the period of pages that show values of series. */
const series = { day, slot, view: oneOf(['period']), from: day, to: day };
export type SeriesSearch = SearchOf<typeof series>;
export const readSeriesSearch = searchReader(series);

const operatorNominations = {
  day,
  status: oneOf(NOMINATION_STATUSES),
  eic,
  tso,
  direction: oneOf(DIRECTIONS),
  versions: oneOf(['all']),
};
/** The operator's list is read page by page, and has no order of its own. */
export const readOperatorNominationFilters = searchReader(operatorNominations);

const nominations = { ...operatorNominations, sort };
export type NominationFilters = SearchOf<typeof nominations>;
export const readNominationFilters = searchReader(nominations);

const nomination = { slot, view: oneOf(['history', 'evidence']) };
export type NominationSearch = SearchOf<typeof nomination>;
export const readNominationSearch = searchReader(nomination);
