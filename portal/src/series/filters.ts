import { SERIES_KINDS } from '@saldo/core/enums.ts';
import { oneOf, type SearchOf, searchReader, text } from '../ui/search-parameters.ts';

/** A MeLo is the longest market location. */
export const LOCATION_LENGTH = 33;

const series = { kind: oneOf(SERIES_KINDS), market_location: text(LOCATION_LENGTH) };
export type SeriesFilters = SearchOf<typeof series>;
export const readSeriesFilters = searchReader(series);
