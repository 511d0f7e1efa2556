import { ASSET_TYPE_OF, type Asset, type Demand, type OfferPpaType, type OperatorAsset } from '@saldo/api';
import { numberFromUnits } from '@saldo/core/decimal.ts';
import { formatInstant, formatInstantMs, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { mwhNumber, mwhText, mwNumber } from '@saldo/core/energy.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { drawnCoverName } from '@saldo/core/market/cover.ts';
import { coverAddress } from './covers.ts';
import type { AssetRow, DemandRow, OfferRow } from './store.ts';

const euros = (cents: number): number => numberFromUnits(cents, 2);

/** An asset as the BRP API shows it. */
export const wireAsset = (row: AssetRow): Asset => ({
  id: encodeId(ID_PREFIX.asset, row.id),
  name: row.name,
  nominal_power: mwNumber(row.nominal_power_kw),
  technology: row.technology,
  tso: row.tso,
});

/** An asset with its offer, as the operator API shows it. */
export const wireOperatorAsset = (
  row: AssetRow,
  offer: OfferRow | null,
  customerUrl: string,
): OperatorAsset => ({
  ...wireAsset(row),
  offer: offer && {
    ppa_type: offer.ppa_type,
    average_annual_power: offer.average_annual_kwh === null ? null : mwhNumber(offer.average_annual_kwh),
    delivery_start: formatInstant(offer.delivery_start),
    additional_info: offer.additional_info,
    state: offer.state,
    country: offer.country,
    cover_url: offer.cover_name === null ? offer.cover_url : coverAddress(customerUrl, offer.cover_name),
    pricing: offer.price_years.map((years, at) => ({ years, price: euros(offer.price_cents[at] ?? 0) })),
    published_at: formatInstant(offer.published_at),
  },
});

export const wireDemand = (row: DemandRow): Demand => ({
  id: encodeId(ID_PREFIX.demand, row.id),
  contract_period: row.contract_years,
  delivery_volume: mwhNumber(row.annual_kwh),
  additional_info: row.additional_info,
  country: row.country,
  state: row.state,
  delivery_start: formatInstantOrNull(row.delivery_start),
  published_at: formatInstant(row.published_at),
});

/**
 * Columns of a page of the customer API. Its JSON is concatenated instead of serialised, because a page has up to 100
 * records and only a few members need escaping. An empty page is one row in which only the version is set.
 */
export type OfferedColumns = readonly [
  version: number,
  assetId: string | null,
  name: string,
  technology: Asset['technology'],
  nominalPowerKw: number,
  averageAnnualKwh: number | null,
  deliveryStart: number,
  ppaType: OfferPpaType,
  additionalInfo: string | null,
  state: string | null,
  country: string,
  coverName: string | null,
  coverUrl: string | null,
  priceYears: readonly number[],
  priceCents: readonly number[],
];
export type DemandColumns = readonly [
  version: number,
  id: string | null,
  contractYears: number,
  annualKwh: number,
  additionalInfo: string | null,
  country: string,
  state: string | null,
  deliveryStart: number | null,
];

const textOrNull = (text: string | null) => (text === null ? 'null' : JSON.stringify(text));

function pricesText(years: readonly number[], cents: readonly number[]): string {
  let text = '';
  for (let at = 0; at < years.length; at++) {
    text += `${at === 0 ? '' : ','}{"years":${years[at]},"price":${euros(cents[at] ?? 0)}}`;
  }
  return text;
}

function offeredText(row: OfferedColumns, uuid: string, coverStart: string): string {
  const id = encodeId(ID_PREFIX.asset, uuid);
  const [, , name, technology, powerKw, annualKwh, start, ppaType, info, state, country] = row;
  const [coverName, coverUrl, years, cents] = [row[11], row[12], row[13], row[14]];
  const cover =
    coverUrl === null
      ? `${coverStart}${coverName ?? drawnCoverName(technology, powerKw, annualKwh, id)}"`
      : JSON.stringify(coverUrl);
  return (
    `{"id":"${id}","name":${JSON.stringify(name)},"assetType":"${ASSET_TYPE_OF[technology]}"` +
    `,"nominalPower":${mwhText(powerKw)},"averageAnnualPower":${annualKwh === null ? 'null' : mwhText(annualKwh)}` +
    `,"deliveryStart":"${formatInstantMs(start)}","ppaType":"${ppaType}","additionalInfo":${textOrNull(info)}` +
    `,"state":${textOrNull(state)},"country":"${country}","coverUrl":${cover},"pricing":[${pricesText(years, cents)}]}`
  );
}

/** `coversAt` is the URL prefix of covers. */
export function offeredPage(rows: readonly OfferedColumns[], coversAt: string): string {
  const texts: string[] = [];
  const coverStart = JSON.stringify(coversAt).slice(0, -1);
  for (const row of rows) if (row[1] !== null) texts.push(offeredText(row, row[1], coverStart));
  return `{"assets":[${texts.join(',')}]}`;
}

function demandText(row: DemandColumns, id: string): string {
  const [, , years, kwh, info, country, state, start] = row;
  return (
    `{"id":"${encodeId(ID_PREFIX.demand, id)}","contractPeriod":${years},"deliveryVolume":${mwhText(kwh)}` +
    `,"additionalInfo":${textOrNull(info)},"country":"${country}","state":${textOrNull(state)}` +
    `,"deliveryStart":${start === null ? 'null' : `"${formatInstantMs(start)}"`}}`
  );
}

export function demandPage(rows: readonly DemandColumns[]): string {
  const texts: string[] = [];
  for (const row of rows) if (row[1] !== null) texts.push(demandText(row, row[1]));
  return `{"demands":[${texts.join(',')}]}`;
}
