import type { DemandCreate, DemandUpdate, OfferCreate, OfferUpdate } from '@saldo/api';
import { assert } from '@saldo/core/assert.ts';
import { getUnits } from '@saldo/core/decimal.ts';
import { parseInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { appendEvents, type NewEvent } from '../events/store.ts';
import type { Tx } from '../platform/db/database.ts';
import { newId } from '../platform/db/new-id.ts';
import type { Precondition } from '../platform/http/preconditions.ts';
import { type FieldError, getUuid, problem, validationProblem } from '../platform/http/problem.ts';
import { coverExists, coverNameIn } from './covers.ts';
import { nextVersion, recordWithdrawal } from './lists.ts';
import {
  type AssetRow,
  type DemandContent,
  type DemandRow,
  deleteDemand,
  deleteOffer,
  findOffers,
  insertAsset,
  insertDemand,
  insertOffer,
  lockAsset,
  lockDemand,
  type OfferContent,
  type OfferRow,
  saveAsset,
  saveDemand,
  saveOffer,
} from './store.ts';

const MWH_DECIMALS = 3;
const EUR_DECIMALS = 2;

const kwhOrNull = (mwh: number | null) => (mwh === null ? null : getUnits(mwh, MWH_DECIMALS));

function instantOf(text: string): number {
  const instant = parseInstant(text);
  assert(instant !== null, 'a date-time has the form that its schema asks for');
  return instant;
}

/** An asset and its offer in the customer API, if it has one. */
export type OfferedAsset = { asset: AssetRow; offer: OfferRow | null };

export type AssetInput = {
  name: string;
  technology: AssetRow['technology'];
  nominal_power: number;
  tso: AssetRow['tso'];
};

export async function createAsset(
  tx: Tx,
  { nominal_power: power, ...input }: AssetInput,
  offer: OfferCreate | null,
  customerUrl: string,
  now: number,
): Promise<OfferedAsset> {
  const asset = { ...input, nominal_power_kw: getUnits(power, MWH_DECIMALS) };
  const content = offer && (await offerContent(tx, offer, null, customerUrl));
  const id = await insertAsset(tx, asset, now);
  return { asset: { ...asset, id }, offer: content && (await publish(tx, id, content, now)) };
}

export type AssetChange = Partial<AssetInput> & { offer?: OfferUpdate | null };

/**
 * Changes an asset and its offer. A new offer is published at the top of the list, an existing one keeps its place, and
 * null withdraws it.
 */
export async function updateAsset(
  tx: Tx,
  id: string,
  { nominal_power: power, offer: change, ...rest }: AssetChange,
  customerUrl: string,
  requireUnchanged: Precondition<OfferedAsset>,
  now: number,
): Promise<{ before: OfferedAsset; after: OfferedAsset }> {
  const asset = await lockAsset(tx, id);
  if (asset === null) throw assetNotFound();
  const offer = (await findOffers(tx, [id])).get(id) ?? null;
  requireUnchanged({ asset, offer });
  const changed: AssetRow = {
    ...asset,
    ...rest,
    nominal_power_kw: power === undefined ? asset.nominal_power_kw : getUnits(power, MWH_DECIMALS),
  };
  await saveAsset(tx, changed);
  const after = change === undefined ? offer : await changeOffer(tx, id, offer, change, customerUrl, now);
  return { before: { asset, offer }, after: { asset: changed, offer: after } };
}

export const assetNotFound = () => problem('asset_not_found');
export const assetUuid = (id: string) => getUuid(ID_PREFIX.asset, id, assetNotFound);

async function changeOffer(
  tx: Tx,
  assetId: string,
  offer: OfferRow | null,
  change: OfferUpdate | null,
  customerUrl: string,
  now: number,
): Promise<OfferRow | null> {
  if (change === null) {
    if (offer === null) return null;
    await deleteOffer(tx, offer.published_no);
    await recordWithdrawal(tx, 'assets', offer.published_no);
    await appendEvents(tx, [assetEvent('asset.withdrawn', assetId)], now);
    return null;
  }
  const content = await offerContent(tx, change, offer, customerUrl);
  if (offer === null) return publish(tx, assetId, content, now);
  const changed = { ...offer, ...content };
  await saveOffer(tx, changed);
  return changed;
}

async function publish(tx: Tx, assetId: string, content: OfferContent, now: number): Promise<OfferRow> {
  const publishedNo = await nextVersion(tx, 'assets');
  const offer = { ...content, asset_id: assetId, published_no: publishedNo, published_at: now };
  await insertOffer(tx, offer);
  await appendEvents(tx, [assetEvent('asset.published', assetId)], now);
  return offer;
}

const assetEvent = (type: 'asset.published' | 'asset.withdrawn', id: string): NewEvent => ({
  type,
  tenants: ['accounts'],
  data: { object: 'asset', id: encodeId(ID_PREFIX.asset, id) },
});

const demandEvent = (type: 'demand.published' | 'demand.withdrawn', id: string): NewEvent => ({
  type,
  tenants: ['accounts'],
  data: { object: 'demand', id: encodeId(ID_PREFIX.demand, id) },
});

const REQUIRED = ['ppa_type', 'delivery_start', 'country', 'pricing'] as const;

/** Merges the change into the current offer. Members that neither has are null. */
async function offerContent(
  tx: Tx,
  change: OfferUpdate,
  before: OfferContent | null,
  customerUrl: string,
): Promise<OfferContent> {
  const { ppa_type, delivery_start, country, pricing, cover_url, average_annual_power: annual } = change;
  const missing = before === null ? REQUIRED.filter((name) => change[name] === undefined) : [];
  const errors: FieldError[] = missing.map((name) => ({
    field: `offer.${name}`,
    code: 'required',
    message: { key: 'field.required_for_offer' },
  }));
  const name = typeof cover_url === 'string' ? coverNameIn(customerUrl, cover_url) : null;
  if (name !== null && !(await coverExists(tx, name))) {
    const message = { key: 'field.unknown_cover' } as const;
    errors.push({ field: 'offer.cover_url', code: 'validation_failed', message });
  }
  if (errors.length > 0) throw validationProblem(errors);
  const cover =
    cover_url === undefined
      ? { cover_name: before?.cover_name ?? null, cover_url: before?.cover_url ?? null }
      : { cover_name: name, cover_url: name === null && cover_url !== null ? new URL(cover_url).href : null };
  const ladder = pricing?.toSorted((one, other) => one.years - other.years);
  const given = {
    ppa_type: ppa_type ?? before?.ppa_type,
    delivery_start: delivery_start === undefined ? before?.delivery_start : instantOf(delivery_start),
    country: country ?? before?.country,
    price_years: ladder?.map(({ years }) => years) ?? before?.price_years,
    price_cents: ladder?.map(({ price }) => getUnits(price, EUR_DECIMALS)) ?? before?.price_cents,
  };
  return {
    ...(given as Pick<OfferContent, keyof typeof given>),
    ...cover,
    average_annual_kwh: annual === undefined ? (before?.average_annual_kwh ?? null) : kwhOrNull(annual),
    additional_info: keep(change.additional_info, before?.additional_info),
    state: keep(change.state, before?.state),
  };
}

/** An absent member keeps its value; null clears it. */
const keep = (given: string | null | undefined, before: string | null | undefined) =>
  given === undefined ? (before ?? null) : given;

export async function createDemand(tx: Tx, input: DemandCreate, now: number): Promise<DemandRow> {
  const content = {
    contract_years: input.contract_period,
    annual_kwh: getUnits(input.delivery_volume, MWH_DECIMALS),
    additional_info: input.additional_info ?? null,
    country: input.country,
    state: input.state ?? null,
    delivery_start: typeof input.delivery_start === 'string' ? instantOf(input.delivery_start) : null,
  } satisfies DemandContent;
  const publishedNo = await nextVersion(tx, 'demands');
  const demand = { ...content, id: newId(), published_no: publishedNo, published_at: now };
  await insertDemand(tx, demand);
  await appendEvents(tx, [demandEvent('demand.published', demand.id)], now);
  return demand;
}

async function getDemandToChange(
  tx: Tx,
  id: string,
  requireUnchanged: Precondition<DemandRow>,
): Promise<DemandRow> {
  const demand = await lockDemand(tx, id);
  if (demand === null) throw demandNotFound();
  requireUnchanged(demand);
  return demand;
}

export const demandNotFound = () => problem('demand_not_found');
export const demandUuid = (id: string) => getUuid(ID_PREFIX.demand, id, demandNotFound);

export async function updateDemand(
  tx: Tx,
  id: string,
  change: DemandUpdate,
  requireUnchanged: Precondition<DemandRow>,
): Promise<{ before: DemandRow; after: DemandRow }> {
  const before = await getDemandToChange(tx, id, requireUnchanged);
  const { delivery_volume: volume, delivery_start: start } = change;
  const after: DemandRow = {
    ...before,
    contract_years: change.contract_period ?? before.contract_years,
    annual_kwh: volume === undefined ? before.annual_kwh : getUnits(volume, MWH_DECIMALS),
    additional_info: keep(change.additional_info, before.additional_info),
    country: change.country ?? before.country,
    state: keep(change.state, before.state),
    delivery_start: start === undefined ? before.delivery_start : start === null ? null : instantOf(start),
  };
  await saveDemand(tx, after);
  return { before, after };
}

export async function withdrawDemand(
  tx: Tx,
  id: string,
  requireUnchanged: Precondition<DemandRow>,
  now: number,
): Promise<DemandRow> {
  const demand = await getDemandToChange(tx, id, requireUnchanged);
  await deleteDemand(tx, demand.published_no);
  await recordWithdrawal(tx, 'demands', demand.published_no);
  await appendEvents(tx, [demandEvent('demand.withdrawn', demand.id)], now);
  return demand;
}
