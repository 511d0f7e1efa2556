import { ASSET_TYPES, type MarketAsset, OFFER_PPA_TYPES } from '@saldo/api';
import { ticksUpTo } from '../charts/scale.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { SearchFilter, SelectFilter } from '../ui/filters.tsx';
import { countryOptions } from './card-list.tsx';
import { lowestPrice, OFFER_SORTS, type OfferFilters, startYear } from './filters.ts';
import { MARKET_TEXTS } from './texts.ts';

type Props = {
  filters: OfferFilters;
  /** All offers: the choices occur in them. */
  offers: readonly MarketAsset[];
  onChange: (change: OfferFilters) => void;
};

export function OfferFilterFields({ filters, offers, onChange }: Props) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  const regions = offers
    .filter(({ country }) => filters.country === undefined || country === filters.country)
    .flatMap(({ state }) => state ?? []);
  return (
    // Two columns on a phone.
    <div className="grid w-full grid-cols-2 gap-x-3 gap-y-2 sm:contents">
      <SearchFilter
        hint={texts.searchHint}
        value={filters.search}
        onChange={(search) => onChange({ search })}
      />
      <SelectFilter
        label={texts.assetType}
        value={filters.type}
        options={ASSET_TYPES.map((value) => ({ value, label: texts.assetTypes[value] }))}
        onChange={(type) => onChange({ type })}
      />
      <SelectFilter
        label={texts.ppaType}
        value={filters.ppa}
        options={OFFER_PPA_TYPES.map((value) => ({ value, label: texts.ppaTypes[value] }))}
        onChange={(ppa) => onChange({ ppa })}
      />
      <SelectFilter
        label={texts.country}
        value={filters.country}
        options={countryOptions(offers, format)}
        // A region of another country would match nothing.
        onChange={(country) => onChange({ country, state: undefined })}
      />
      <SelectFilter
        label={texts.state}
        value={filters.state}
        options={[...new Set([...regions, ...(filters.state === undefined ? [] : [filters.state])])]
          .toSorted((a, b) => a.localeCompare(b, format.locale))
          .map((value) => ({ value, label: value }))}
        onChange={(state) => onChange({ state })}
      />
      <NumberFilters filters={filters} offers={offers} onChange={onChange} />
      <SelectFilter
        label={texts.sort}
        anyLabel={texts.newestFirst}
        value={filters.sort}
        options={OFFER_SORTS.map((value) => ({ value, label: texts.sorts[value] }))}
        onChange={(sort) => onChange({ sort })}
      />
    </div>
  );
}

/** About as many steps as a list shows without scrolling. */
const PRICE_STEPS = 10;
const POWERS_MW = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

function NumberFilters({ filters, offers, onChange }: Props) {
  const { format } = useI18n();
  const texts = MARKET_TEXTS[format.language];
  const prices = offers.flatMap((offer) => lowestPrice(offer) ?? []);
  const limits = ticksUpTo(Math.max(0, ...prices), PRICE_STEPS).filter(
    (limit) => Number.isInteger(limit) && limit >= Math.min(...prices),
  );
  const mostPower = Math.max(0, ...offers.map(({ nominalPower }) => nominalPower));
  return (
    <>
      <NumberFilter
        label={texts.duration}
        value={filters.years}
        choices={offers.flatMap(({ pricing }) => pricing.map(({ years }) => years))}
        labelOf={texts.years}
        onChange={(years) => onChange({ years })}
      />
      <NumberFilter
        label={texts.price}
        value={filters.max_price}
        choices={limits}
        labelOf={(price) => texts.upToPrice(format.number(price))}
        onChange={(max_price) => onChange({ max_price })}
      />
      <NumberFilter
        label={texts.nominalPower}
        value={filters.min_power}
        choices={POWERS_MW.filter((power) => power <= mostPower)}
        labelOf={(power) => texts.fromPower(format.number(power))}
        onChange={(min_power) => onChange({ min_power })}
      />
      <NumberFilter
        label={texts.deliveryStart}
        value={filters.start}
        choices={offers.map(startYear)}
        labelOf={texts.untilYear}
        onChange={(start) => onChange({ start })}
      />
    </>
  );
}

type NumberFilterProps = {
  label: string;
  value: number | undefined;
  choices: readonly number[];
  labelOf: (choice: number) => string;
  onChange: (value: number | undefined) => void;
};

/** A choice of numbers. The value of a URL is offered as well. */
function NumberFilter({ label, value, choices, labelOf, onChange }: NumberFilterProps) {
  const offered = [...new Set([...choices, ...(value === undefined ? [] : [value])])];
  return (
    <SelectFilter
      label={label}
      value={value === undefined ? undefined : String(value)}
      options={offered
        .toSorted((a, b) => a - b)
        .map((choice) => ({ value: String(choice), label: labelOf(choice) }))}
      onChange={(chosen) => onChange(chosen === undefined ? undefined : Number(chosen))}
    />
  );
}
