import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { maloCheckDigit } from '@saldo/core/series/market-location.ts';
import { changeContract } from '../contracts/actions.ts';
import type { Tx } from '../platform/db/database.ts';
import { createSeries } from '../series/actions.ts';
import type { SeriesRow } from '../series/store.ts';
import { storeValues } from '../sources/actions.ts';
import {
  ASSETS,
  type AssetName,
  CONTRACTS,
  CUSTOMERS,
  type CustomerName,
  SITES,
  type SiteName,
  siteOf,
} from './cast.ts';
import { demoValuesWh } from './volumes.ts';

/** The series of a plant or consumer. */
type Site = { readonly forecast: SeriesRow; readonly meter: SeriesRow | null };
export type Sites = Readonly<Record<SiteName, Site>>;

/** The meter of this site had no values in these slots of yesterday, so that its contracts follow the forecast there. */
const GAP = { site: 'uckermark', firstSlot: 33, lastSlot: 36 };

const SITE_NAMES = Object.keys(SITES) as SiteName[];
const FIRST_MALO = 5_123_869_600;

const marketLocation = (index: number): string => {
  const first10 = String(FIRST_MALO + index);
  return first10 + maloCheckDigit(first10);
};

type Owners = {
  readonly assetIds: Readonly<Record<AssetName, string>>;
  readonly customers: Readonly<Record<CustomerName, { readonly id: string }>>;
};

export async function createSites(tx: Tx, { assetIds, customers }: Owners, at: number): Promise<Sites> {
  const sites: Partial<Record<SiteName, Site>> = {};
  for (const [index, name] of SITE_NAMES.entries()) {
    const { owner, hasMeter } = SITES[name];
    const isPlant = 'asset' in owner;
    const create = (kind: SeriesKind) =>
      createSeries(
        tx,
        {
          kind,
          owner: isPlant
            ? { type: 'asset', id: encodeId(ID_PREFIX.asset, assetIds[owner.asset]) }
            : { type: 'customer', id: encodeId(ID_PREFIX.customer, customers[owner.customer].id) },
          name: `${(isPlant ? ASSETS[owner.asset] : CUSTOMERS[owner.customer]).name}, ${kind}`,
          market_location: kind === 'meter' ? marketLocation(index) : null,
        },
        at,
      );
    sites[name] = { forecast: await create('forecast'), meter: hasMeter ? await create('meter') : null };
  }
  return sites as Sites;
}

const seriesId = ({ id }: SeriesRow) => encodeId(ID_PREFIX.series, id);

/** Contracts with a share follow their site from the next delivery day on; volumes are imported until then. */
export async function setSources(
  tx: Tx,
  contractIds: readonly (string | null)[],
  sites: Sites,
  rules: MarketRules,
  at: number,
): Promise<void> {
  const context = { clock: { now: () => at }, rules };
  for (const [index, contract] of CONTRACTS.entries()) {
    const [id = null, site] = [contractIds[index], siteOf(contract)];
    if (id === null || site === null || contract.share === null) continue;
    const { forecast, meter } = sites[site];
    const source = {
      forecast: seriesId(forecast),
      meter: meter === null || contract.ppaType === 'forecasted' ? null : seriesId(meter),
      share: contract.share,
    };
    await changeContract(tx, encodeId(ID_PREFIX.contract, id), { source }, () => {}, context);
  }
}

export async function storeForecasts(tx: Tx, sites: Sites, day: DeliveryDay, at: number): Promise<void> {
  const values = SITE_NAMES.map((name) => ({
    series: sites[name].forecast,
    day,
    valuesWh: demoValuesWh(name, 'forecast', day),
  }));
  await storeValues(tx, values, at);
}

/** A corrected forecast, which is lower in some slots. */
export async function correctForecast(
  tx: Tx,
  sites: Sites,
  correction: {
    readonly site: SiteName;
    readonly day: DeliveryDay;
    readonly from: number;
    readonly to: number;
  },
  at: number,
): Promise<void> {
  const { site, day, from, to } = correction;
  const valuesWh = demoValuesWh(site, 'forecast', day).map((wh, index) =>
    index + 1 >= from && index + 1 <= to ? Math.round(wh * 0.82) : null,
  );
  await storeValues(tx, [{ series: sites[site].forecast, day, valuesWh }], at);
}

export async function storeMeters(
  tx: Tx,
  sites: Sites,
  { day, hasGap }: { readonly day: DeliveryDay; readonly hasGap: boolean },
  at: number,
): Promise<void> {
  const values = SITE_NAMES.flatMap((name) => {
    const { meter } = sites[name];
    if (meter === null) return [];
    const isGap = (slot: number) =>
      hasGap && name === GAP.site && slot >= GAP.firstSlot && slot <= GAP.lastSlot;
    const valuesWh = demoValuesWh(name, 'meter', day).map((wh, index) => (isGap(index + 1) ? null : wh));
    return [{ series: meter, day, valuesWh }];
  });
  await storeValues(tx, values, at);
}
