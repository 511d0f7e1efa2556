import { ASSET_SORTS, DEMAND_SORTS, INQUIRY_STATUSES, TECHNOLOGIES } from '@saldo/api';
import { search, tso } from '../references/filters.ts';
import { matching, oneOf, type SearchOf, searchReader } from '../ui/search-parameters.ts';

const assets = {
  search,
  technology: oneOf(TECHNOLOGIES),
  tso,
  offered: oneOf(['true', 'false']),
  sort: oneOf(ASSET_SORTS),
};
export type AssetFilters = SearchOf<typeof assets>;
export const readAssetFilters = searchReader(assets);

const demands = {
  country: matching((value) => /^[A-Za-z]{1,2}$/.test(value)),
  sort: oneOf(DEMAND_SORTS),
};
export type DemandFilters = SearchOf<typeof demands>;
export const readDemandFilters = searchReader(demands);

const inquiries = { status: oneOf(INQUIRY_STATUSES) };
export type InquiryFilters = SearchOf<typeof inquiries>;
export const readInquiryFilters = searchReader(inquiries);
