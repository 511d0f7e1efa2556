import {
  ASSET_TYPE_OF,
  type Demand,
  type DemandCreate,
  type MarketAsset,
  type OfferCreate,
  type OfferPpaType,
  type OperatorAsset,
} from '@saldo/api';
import { dayOf, dayStart, formatInstant, isDay } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh, mwhText } from '@saldo/core/energy.ts';
import { COVERS_PATH, drawnCoverName } from '@saldo/core/market/cover.ts';
import { parseTypedNumber } from '../ui/decimal-input.ts';

/** Length of an ISO country code. */
export const COUNTRY_LENGTH = 2;

/** A price step as entered. The id only identifies the row of the editor. */
export type PriceInput = { readonly id: number; readonly years: string; readonly price: string };

/** An offer as entered. */
export type OfferInputs = {
  readonly ppaType: OfferPpaType;
  /** A day, or empty. */
  readonly start: string;
  readonly annualMwh: string;
  readonly state: string;
  readonly country: string;
  readonly info: string;
  readonly coverUrl: string;
  readonly pricing: readonly PriceInput[];
};

export const NEW_OFFER: OfferInputs = {
  ppaType: 'PAY_AS_PRODUCED',
  start: '',
  annualMwh: '',
  state: '',
  country: 'DE',
  info: '',
  coverUrl: '',
  pricing: [{ id: 0, years: '10', price: '' }],
};

/** Formats a number for input: without trailing zeros. */
const typed = (value: number) => mwhText(kwhFromMwh(value));

export function offerInputs({ offer }: Pick<OperatorAsset, 'offer'>): OfferInputs {
  if (offer === null) return NEW_OFFER;
  return {
    ppaType: offer.ppa_type,
    start: dayOf(Date.parse(offer.delivery_start)),
    annualMwh: offer.average_annual_power === null ? '' : typed(offer.average_annual_power),
    state: offer.state ?? '',
    country: offer.country,
    info: offer.additional_info ?? '',
    coverUrl: offer.cover_url ?? '',
    pricing: offer.pricing.map(({ years, price }, id) => ({ id, years: String(years), price: typed(price) })),
  };
}

const orNull = (text: string) => (text.trim() === '' ? null : text);

/** Client-side validation errors, by the field names that the server uses. */
export type Faults = ReadonlyMap<string, 'noNumber' | 'noDay'>;

export function offerFaults({ start, annualMwh, pricing }: OfferInputs): Faults {
  const faults = new Map<string, 'noNumber' | 'noDay'>();
  if (!isDay(start)) faults.set('offer.delivery_start', 'noDay');
  if (annualMwh.trim() !== '' && parseTypedNumber(annualMwh) === null)
    faults.set('offer.average_annual_power', 'noNumber');
  for (const [row, { years, price }] of pricing.entries()) {
    if (parseTypedNumber(years) === null) faults.set(`offer.pricing[${row}].years`, 'noNumber');
    if (parseTypedNumber(price) === null) faults.set(`offer.pricing[${row}].price`, 'noNumber');
  }
  return faults;
}

/** An unchanged day keeps its original instant, which need not be midnight. */
const startOf = (day: string, stored: string | null | undefined): string | null => {
  if (stored && dayOf(Date.parse(stored)) === day) return stored;
  return isDay(day) ? formatInstant(dayStart(day)) : null;
};

/** The offer as request body. */
export function offerBody(inputs: OfferInputs, stored: OperatorAsset['offer']): OfferCreate {
  return {
    ppa_type: inputs.ppaType,
    delivery_start: startOf(inputs.start, stored?.delivery_start) ?? '',
    average_annual_power: parseTypedNumber(inputs.annualMwh),
    state: orNull(inputs.state),
    country: inputs.country.trim().toUpperCase(),
    additional_info: orNull(inputs.info),
    cover_url: orNull(inputs.coverUrl),
    pricing: inputs.pricing.map(({ years, price }) => ({
      years: parseTypedNumber(years) ?? 0,
      price: parseTypedNumber(price) ?? 0,
    })),
  };
}

/** A preview for account holders; incomplete price steps are left out. */
export function offerPreview(asset: OperatorAsset, inputs: OfferInputs, customerUrl: string): MarketAsset {
  const annualMwh = parseTypedNumber(inputs.annualMwh);
  const drawing = drawnCoverName(
    asset.technology,
    kwhFromMwh(asset.nominal_power),
    annualMwh === null ? null : kwhFromMwh(annualMwh),
    asset.id,
  );
  const pricing = inputs.pricing.flatMap(({ years, price }) => {
    const [duration, eurPerMwh] = [parseTypedNumber(years), parseTypedNumber(price)];
    return duration === null || eurPerMwh === null ? [] : [{ years: duration, price: eurPerMwh }];
  });
  return {
    id: asset.id,
    name: asset.name,
    assetType: ASSET_TYPE_OF[asset.technology],
    nominalPower: asset.nominal_power,
    averageAnnualPower: annualMwh,
    deliveryStart: startOf(inputs.start, asset.offer?.delivery_start) ?? '',
    ppaType: inputs.ppaType,
    additionalInfo: orNull(inputs.info),
    state: orNull(inputs.state),
    country: inputs.country.trim().toUpperCase(),
    coverUrl: orNull(inputs.coverUrl) ?? customerUrl + COVERS_PATH + drawing,
    pricing: pricing.toSorted((a, b) => a.years - b.years),
  };
}

/** A demand as entered. */
export type DemandInputs = {
  readonly years: string;
  readonly annualMwh: string;
  /** A day, or empty. */
  readonly start: string;
  readonly state: string;
  readonly country: string;
  readonly info: string;
};

export const NEW_DEMAND: DemandInputs = {
  years: '10',
  annualMwh: '',
  start: '',
  state: '',
  country: 'DE',
  info: '',
};

export const demandInputs = (demand: Demand): DemandInputs => ({
  years: String(demand.contract_period),
  annualMwh: typed(demand.delivery_volume),
  start: demand.delivery_start === null ? '' : dayOf(Date.parse(demand.delivery_start)),
  state: demand.state ?? '',
  country: demand.country,
  info: demand.additional_info ?? '',
});

export function demandFaults({ years, annualMwh }: DemandInputs): Faults {
  const faults = new Map<string, 'noNumber'>();
  if (parseTypedNumber(years) === null) faults.set('contract_period', 'noNumber');
  if (parseTypedNumber(annualMwh) === null) faults.set('delivery_volume', 'noNumber');
  return faults;
}

export const demandBody = (inputs: DemandInputs, stored: Demand | null): DemandCreate => ({
  contract_period: parseTypedNumber(inputs.years) ?? 0,
  delivery_volume: parseTypedNumber(inputs.annualMwh) ?? 0,
  delivery_start: startOf(inputs.start, stored?.delivery_start),
  state: orNull(inputs.state),
  country: inputs.country.trim().toUpperCase(),
  additional_info: orNull(inputs.info),
});
