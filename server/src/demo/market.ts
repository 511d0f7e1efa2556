import type { OfferPpaType, Tso } from '@saldo/api';
import { type DeliveryDay, dayStart, formatInstant, MINUTE_MS } from '@saldo/core/delivery-day.ts';
import { createAsset, createDemand, updateAsset } from '../market/actions.ts';
import type { Tx } from '../platform/db/database.ts';
import { ASSETS, type AssetName, type CastAsset } from './cast.ts';

/** Offers and demands of the demo world. All of them are fictitious. */

type CastOffer = {
  asset: AssetName | CastAsset;
  country: string;
  state: string | null;
  ppaType: OfferPpaType;
  /** Full-load hours per year. */
  fullHours: number | null;
  /** Delivery begins this many years after the current one. */
  inYears: number;
  /** EUR/MWh of the shortest contract; longer ones are cheaper. */
  price: number;
  years: readonly number[];
  info: string | null;
};

const [PRODUCED, FORECASTED, NOMINATED] = [
  'PAY_AS_PRODUCED',
  'PAY_AS_FORECASTED',
  'PAY_AS_NOMINATED',
] as const;

const offer = (
  asset: CastOffer['asset'],
  [country, state]: readonly [string, string | null],
  ppaType: OfferPpaType,
  [fullHours, price, inYears]: readonly [number | null, number, number],
  years: readonly number[],
  info: string | null = null,
): CastOffer => ({ asset, country, state, ppaType, fullHours, inYears, price, years, info });

/** Power from abroad is handed over where it enters the German grid. */
const plant = (name: string, powerMw: number, technology: CastAsset['technology'], tso: Tso): CastAsset => ({
  name,
  nominalPowerKw: powerMw * 1000,
  technology,
  tso,
});
const onshore = (name: string, powerMw: number, tso: Tso) => plant(name, powerMw, 'wind_onshore', tso);
const offshore = (name: string, powerMw: number, tso: Tso) => plant(name, powerMw, 'wind_offshore', tso);
const solar = (name: string, powerMw: number, tso: Tso) => plant(name, powerMw, 'solar', tso);

const OFFERS: readonly CastOffer[] = [
  offer(
    'uckermark',
    ['DE', 'Brandenburg'],
    PRODUCED,
    [2600, 61, 1],
    [3, 5, 10],
    'Eleven turbines, since 2019.',
  ),
  offer('altmark', ['DE', 'Sachsen-Anhalt'], FORECASTED, [2350, 63.5, 1], [5, 10]),
  offer('nordsee', ['DE', 'Niedersachsen'], NOMINATED, [4100, 78, 2], [5, 10, 15], 'Part of cluster N-3.'),
  offer('lueneburg', ['DE', 'Niedersachsen'], PRODUCED, [1010, 46.5, 1], [3, 5, 7, 10]),
  offer('hunsrueck', ['DE', 'Rheinland-Pfalz'], PRODUCED, [2200, 64, 1], [3, 5], 'Owned by 640 citizens.'),
  offer(
    'ruhr',
    ['DE', 'Nordrhein-Westfalen'],
    FORECASTED,
    [980, 49.9, 1],
    [5, 10],
    'On the roofs of a closed mine.',
  ),
  offer(
    solar('Solarpark Lausitz II', 62, 'DE_50HERTZ'),
    ['DE', 'Sachsen'],
    PRODUCED,
    [1060, 44.2, 1],
    [5, 10, 15],
  ),
  offer(
    onshore('Windpark Nordfriesland West', 72.6, 'DE_TENNET'),
    ['DE', 'Schleswig-Holstein'],
    PRODUCED,
    [3100, 59.8, 2],
    [5, 10],
  ),
  offer(
    solar('Agri-PV Hohenlohe', 7.4, 'DE_TRANSNET_BW'),
    ['DE', 'Baden-Württemberg'],
    PRODUCED,
    [1040, 55, 1],
    [5, 10],
    'Berries grow below the modules.',
  ),
  offer(
    onshore('Windpark Thüringer Becken', 39.6, 'DE_50HERTZ'),
    ['DE', 'Thüringen'],
    FORECASTED,
    [2450, 62.3, 1],
    [3, 5, 10],
  ),
  offer(
    solar('Solarpark Straubing', 24.8, 'DE_TENNET'),
    ['DE', 'Bayern'],
    PRODUCED,
    [1120, 47.75, 1],
    [3, 7, 12],
  ),
  offer(
    offshore('Ostsee Arkona Süd', 180, 'DE_50HERTZ'),
    ['DE', 'Mecklenburg-Vorpommern'],
    NOMINATED,
    [4050, 79.5, 3],
    [10, 15],
  ),
  offer(
    onshore('Windpark Vogelsberg', 28.8, 'DE_AMPRION'),
    ['DE', 'Hessen'],
    PRODUCED,
    [2300, 65.2, 1],
    [5, 10],
  ),
  offer(
    solar('Deponie Saarbrücken Ost', 5.2, 'DE_AMPRION'),
    ['DE', 'Saarland'],
    PRODUCED,
    [1000, 53.1, 1],
    [5],
  ),
  offer(
    onshore('Windpark Parndorfer Platte', 57.6, 'DE_TENNET'),
    ['AT', 'Burgenland'],
    PRODUCED,
    [2700, 60.4, 1],
    [5, 10],
  ),
  offer(
    solar('Sonnenfeld Marchfeld', 15.5, 'DE_TENNET'),
    ['AT', 'Niederösterreich'],
    FORECASTED,
    [1090, 48.6, 1],
    [5, 10, 15],
  ),
  offer(
    onshore('Windpark Moschkogel', 11.5, 'DE_TENNET'),
    ['AT', 'Steiermark'],
    PRODUCED,
    [2500, 66, 2],
    [5],
    'At 1,500 m; de-icing in winter.',
  ),
  offer(
    offshore('Hollandse Kust Oost', 140, 'DE_AMPRION'),
    ['NL', 'Noord-Holland'],
    NOMINATED,
    [4200, 76.9, 2],
    [10, 15],
  ),
  offer(solar('Zonnepark Emmen', 30, 'DE_AMPRION'), ['NL', 'Drenthe'], PRODUCED, [960, 45.3, 1], [3, 5, 10]),
  offer(
    onshore('Vindpark Thy', 43.2, 'DE_TENNET'),
    ['DK', 'Nordjylland'],
    PRODUCED,
    [3400, 57.7, 1],
    [5, 10],
  ),
  offer(
    offshore('Kriegers Flak Syd', 96, 'DE_50HERTZ'),
    ['DK', 'Sjælland'],
    FORECASTED,
    [4300, 75.4, 2],
    [10],
  ),
  offer(
    solar('Farma Słoneczna Lubusz', 48, 'DE_50HERTZ'),
    ['PL', 'Lubuskie'],
    PRODUCED,
    [1050, 43.9, 1],
    [5, 10],
  ),
  offer(
    onshore('Parc éolien du Haut-Rhin', 21.6, 'DE_TRANSNET_BW'),
    ['FR', 'Grand Est'],
    FORECASTED,
    [2100, 63.9, 1],
    [3, 5],
  ),
  offer(
    solar('Parc solaire de Crau', 85, 'DE_TRANSNET_BW'),
    ['FR', 'Provence-Alpes-Côte d’Azur'],
    PRODUCED,
    [1450, 39.5, 2],
    [7, 10, 15],
  ),
  offer(
    solar('Parque Solar Trujillo', 120, 'DE_AMPRION'),
    ['ES', 'Extremadura'],
    PRODUCED,
    [1850, 34.8, 1],
    [5, 10, 12],
    'With a battery of 60 MWh.',
  ),
  offer(
    onshore('Parque Eólico La Muela', 66, 'DE_AMPRION'),
    ['ES', 'Aragón'],
    FORECASTED,
    [2900, 48.2, 2],
    [5, 10],
  ),
  offer(
    solar('Solarpark Südeifel', 12.9, 'DE_AMPRION'),
    ['LU', null],
    PRODUCED,
    [null, 50.5, 2],
    [10],
    'Yield report to come.',
  ),
  offer(
    onshore('Windpark Høg-Jæren', 52, 'DE_TENNET'),
    ['NO', 'Rogaland'],
    NOMINATED,
    [3700, 54.9, 1],
    [5, 10],
  ),
];

/** Country, state, years, MWh per year, years until delivery begins, additional information. */
const DEMANDS: readonly (readonly [string, string | null, number, number, number | null, string | null])[] = [
  ['DE', 'Hessen', 10, 24_000, 1, 'Baseload for a foundry; guarantees of origin wanted.'],
  ['DE', 'Bayern', 5, 8_500, 1, 'Dairy in two shifts.'],
  ['DE', 'Nordrhein-Westfalen', 15, 310_000, 2, 'Chemical site, wind and solar together.'],
  ['DE', 'Baden-Württemberg', 7, 46_000, 1, 'Supplier of castings; fixed price.'],
  ['DE', 'Hamburg', 3, 12_400, 1, null],
  ['DE', 'Sachsen', 10, 95_000, 2, 'Semiconductor plant; delivery as forecasted.'],
  ['DE', 'Berlin', 5, 3_600.5, 1, 'Housing association, 40 buildings.'],
  ['DE', 'Niedersachsen', 10, 140_000, 1, 'Steel, electric arc furnace.'],
  ['DE', 'Bremen', 4, 6_750, 1, 'Cold store; flexible by four hours.'],
  ['DE', 'Brandenburg', 12, 210_000, 2, 'Paper mill.'],
  ['DE', 'Rheinland-Pfalz', 8, 18_200, 1, null],
  ['DE', 'Schleswig-Holstein', 5, 2_900, null, 'Municipal utility; begin as soon as possible.'],
  ['DE', 'Thüringen', 10, 33_000, 1, 'Glass works; baseload share of 60 %.'],
  ['DE', null, 10, 500_000, 3, 'Railway, all over the country.'],
  ['AT', 'Oberösterreich', 10, 88_000, 1, 'Aluminium rolling mill.'],
  ['AT', 'Wien', 5, 15_300, 1, 'Hospitals of a group.'],
  ['AT', 'Tirol', 7, 4_200, 2, 'Ski resort; winter only.'],
  ['NL', 'Zuid-Holland', 15, 260_000, 2, 'Electrolyser, follows the wind.'],
  ['NL', 'Noord-Brabant', 6, 22_000, 1, null],
  ['DK', 'Hovedstaden', 10, 130_000, 1, 'Data centre; hourly matching.'],
  ['FR', 'Grand Est', 8, 41_000, 2, 'Brewery and maltings.'],
  ['FR', 'Île-de-France', 5, 9_800, 1, 'Retail chain, 120 shops.'],
  ['ES', 'Cataluña', 10, 54_000, 1, 'Tiles; as produced, solar preferred.'],
  ['PL', 'Dolnośląskie', 10, 72_500, 1, 'Battery cells.'],
  ['CH', 'Aargau', 6, 19_900, 2, null],
  ['LU', null, 5, 11_000, 1, 'Office towers.'],
  ['SE', 'Skåne', 12, 165_000, 2, 'Fertiliser from green ammonia.'],
];

/** Each additional year lowers the price slightly. */
const priceFor = ({ price, years: [shortest = 0] }: CastOffer, years: number) =>
  Math.round((price - (years - shortest) * 0.35) * 100) / 100;

/** The customer API's base URL is unknown before the platform listens. Only offers with an uploaded cover need it. */
const NO_BASE_URL = '';

/** Publishes offers and demands, with times spread from the market's opening until now. */
export async function openMarket(
  tx: Tx,
  assetIds: Record<AssetName, string>,
  opened: number,
  now: number,
): Promise<void> {
  const year = new Date(now).getUTCFullYear();
  const startOf = (inYears: number) =>
    formatInstant(dayStart(`${year + inYears}-01-01` satisfies DeliveryDay));
  const timeOf = (at: number, count: number) =>
    opened + Math.floor(((now - opened) * at) / count / MINUTE_MS) * MINUTE_MS;
  for (const [index, cast] of OFFERS.entries()) {
    const at = timeOf(index, OFFERS.length);
    const { nominalPowerKw, ...asset } = typeof cast.asset === 'string' ? ASSETS[cast.asset] : cast.asset;
    const content = {
      ppa_type: cast.ppaType,
      average_annual_power: cast.fullHours && (nominalPowerKw * cast.fullHours) / 1000,
      delivery_start: startOf(cast.inYears),
      additional_info: cast.info,
      state: cast.state,
      country: cast.country,
      pricing: cast.years.map((years) => ({ years, price: priceFor(cast, years) })),
    };
    if (typeof cast.asset === 'string') {
      await updateAsset(tx, assetIds[cast.asset], { offer: content }, NO_BASE_URL, () => {}, at);
    } else {
      await createAsset(tx, { ...asset, nominal_power: nominalPowerKw / 1000 }, content, NO_BASE_URL, at);
    }
  }
  for (const [index, [country, state, years, volume, inYears, info]] of DEMANDS.entries()) {
    const demand = {
      contract_period: years,
      delivery_volume: volume,
      additional_info: info,
      country,
      state,
      delivery_start: inYears === null ? null : startOf(inYears),
    };
    await createDemand(tx, demand, timeOf(index, DEMANDS.length));
  }
}
