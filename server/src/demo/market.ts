import type { OfferPpaType } from '@saldo/api';
import { type DeliveryDay, dayStart, formatInstant, MINUTE_MS } from '@saldo/core/delivery-day.ts';
import { createAsset, createDemand, updateAsset } from '../market/actions.ts';
import type { Tx } from '../platform/db/database.ts';
import { ASSETS, type AssetName, asset } from './cast.ts';

/** Offers and demands of the demo world. All of them are fictitious. */

const [PRODUCED, FORECASTED, NOMINATED] = [
  'PAY_AS_PRODUCED',
  'PAY_AS_FORECASTED',
  'PAY_AS_NOMINATED',
] as const;

/** Plants of contracts, and others. Power from abroad is handed over where it enters the German grid. */
const PLANTS = {
  ...ASSETS,
  lausitz: asset('Solarpark Lausitz II', 62_000, 'solar', 'DE_50HERTZ'),
  nordfriesland: asset('Windpark Nordfriesland West', 72_600, 'wind_onshore', 'DE_TENNET'),
  hohenlohe: asset('Agri-PV Hohenlohe', 7_400, 'solar', 'DE_TRANSNET_BW'),
  thueringen: asset('Windpark Thüringer Becken', 39_600, 'wind_onshore', 'DE_50HERTZ'),
  straubing: asset('Solarpark Straubing', 24_800, 'solar', 'DE_TENNET'),
  arkona: asset('Ostsee Arkona Süd', 180_000, 'wind_offshore', 'DE_50HERTZ'),
  vogelsberg: asset('Windpark Vogelsberg', 28_800, 'wind_onshore', 'DE_AMPRION'),
  saarbruecken: asset('Deponie Saarbrücken Ost', 5_200, 'solar', 'DE_AMPRION'),
  parndorf: asset('Windpark Parndorfer Platte', 57_600, 'wind_onshore', 'DE_TENNET'),
  marchfeld: asset('Sonnenfeld Marchfeld', 15_500, 'solar', 'DE_TENNET'),
  moschkogel: asset('Windpark Moschkogel', 11_500, 'wind_onshore', 'DE_TENNET'),
  hollandseKust: asset('Hollandse Kust Oost', 140_000, 'wind_offshore', 'DE_AMPRION'),
  emmen: asset('Zonnepark Emmen', 30_000, 'solar', 'DE_AMPRION'),
  thy: asset('Vindpark Thy', 43_200, 'wind_onshore', 'DE_TENNET'),
  kriegersFlak: asset('Kriegers Flak Syd', 96_000, 'wind_offshore', 'DE_50HERTZ'),
  lubusz: asset('Farma Słoneczna Lubusz', 48_000, 'solar', 'DE_50HERTZ'),
  hautRhin: asset('Parc éolien du Haut-Rhin', 21_600, 'wind_onshore', 'DE_TRANSNET_BW'),
  crau: asset('Parc solaire de Crau', 85_000, 'solar', 'DE_TRANSNET_BW'),
  trujillo: asset('Parque Solar Trujillo', 120_000, 'solar', 'DE_AMPRION'),
  laMuela: asset('Parque Eólico La Muela', 66_000, 'wind_onshore', 'DE_AMPRION'),
  suedeifel: asset('Solarpark Südeifel', 12_900, 'solar', 'DE_AMPRION'),
  jaeren: asset('Windpark Høg-Jæren', 52_000, 'wind_onshore', 'DE_TENNET'),
};

type CastOffer = readonly [
  plant: keyof typeof PLANTS,
  country: string,
  state: string | null,
  ppaType: OfferPpaType,
  fullLoadHours: number | null,
  /** EUR/MWh of the shortest contract; longer ones are cheaper. */
  price: number,
  /** Delivery begins this many years after the current one. */
  inYears: number,
  years: readonly number[],
  info?: string,
];

const OFFERS: readonly CastOffer[] = [
  ['uckermark', 'DE', 'Brandenburg', PRODUCED, 2600, 61, 1, [3, 5, 10], 'Eleven turbines, since 2019.'],
  ['altmark', 'DE', 'Sachsen-Anhalt', FORECASTED, 2350, 63.5, 1, [5, 10]],
  ['nordsee', 'DE', 'Niedersachsen', NOMINATED, 4100, 78, 2, [5, 10, 15], 'Part of cluster N-3.'],
  ['lueneburg', 'DE', 'Niedersachsen', PRODUCED, 1010, 46.5, 1, [3, 5, 7, 10]],
  ['hunsrueck', 'DE', 'Rheinland-Pfalz', PRODUCED, 2200, 64, 1, [3, 5], 'Owned by 640 citizens.'],
  ['ruhr', 'DE', 'Nordrhein-Westfalen', FORECASTED, 980, 49.9, 1, [5, 10], 'On the roofs of a closed mine.'],
  ['lausitz', 'DE', 'Sachsen', PRODUCED, 1060, 44.2, 1, [5, 10, 15]],
  ['nordfriesland', 'DE', 'Schleswig-Holstein', PRODUCED, 3100, 59.8, 2, [5, 10]],
  ['hohenlohe', 'DE', 'Baden-Württemberg', PRODUCED, 1040, 55, 1, [5, 10], 'Berries grow below the modules.'],
  ['thueringen', 'DE', 'Thüringen', FORECASTED, 2450, 62.3, 1, [3, 5, 10]],
  ['straubing', 'DE', 'Bayern', PRODUCED, 1120, 47.75, 1, [3, 7, 12]],
  ['arkona', 'DE', 'Mecklenburg-Vorpommern', NOMINATED, 4050, 79.5, 3, [10, 15]],
  ['vogelsberg', 'DE', 'Hessen', PRODUCED, 2300, 65.2, 1, [5, 10]],
  ['saarbruecken', 'DE', 'Saarland', PRODUCED, 1000, 53.1, 1, [5]],
  ['parndorf', 'AT', 'Burgenland', PRODUCED, 2700, 60.4, 1, [5, 10]],
  ['marchfeld', 'AT', 'Niederösterreich', FORECASTED, 1090, 48.6, 1, [5, 10, 15]],
  ['moschkogel', 'AT', 'Steiermark', PRODUCED, 2500, 66, 2, [5], 'At 1,500 m; de-icing in winter.'],
  ['hollandseKust', 'NL', 'Noord-Holland', NOMINATED, 4200, 76.9, 2, [10, 15]],
  ['emmen', 'NL', 'Drenthe', PRODUCED, 960, 45.3, 1, [3, 5, 10]],
  ['thy', 'DK', 'Nordjylland', PRODUCED, 3400, 57.7, 1, [5, 10]],
  ['kriegersFlak', 'DK', 'Sjælland', FORECASTED, 4300, 75.4, 2, [10]],
  ['lubusz', 'PL', 'Lubuskie', PRODUCED, 1050, 43.9, 1, [5, 10]],
  ['hautRhin', 'FR', 'Grand Est', FORECASTED, 2100, 63.9, 1, [3, 5]],
  ['crau', 'FR', 'Provence-Alpes-Côte d’Azur', PRODUCED, 1450, 39.5, 2, [7, 10, 15]],
  ['trujillo', 'ES', 'Extremadura', PRODUCED, 1850, 34.8, 1, [5, 10, 12], 'With a battery of 60 MWh.'],
  ['laMuela', 'ES', 'Aragón', FORECASTED, 2900, 48.2, 2, [5, 10]],
  ['suedeifel', 'LU', null, PRODUCED, null, 50.5, 2, [10], 'Yield report to come.'],
  ['jaeren', 'NO', 'Rogaland', NOMINATED, 3700, 54.9, 1, [5, 10]],
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
const pricing = (price: number, durations: readonly number[]) =>
  durations.map((years) => ({
    years,
    price: Math.round((price - (years - (durations[0] ?? 0)) * 0.35) * 100) / 100,
  }));

/** The customer API's base URL is unknown before the platform listens. Only offers with an uploaded cover need it. */
const NO_BASE_URL = '';

/** Whether contracts deliver from the plant, so that it is registered before it is offered. */
const isKnown = (plant: keyof typeof PLANTS): plant is AssetName => plant in ASSETS;

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
  for (const [index, offer] of OFFERS.entries()) {
    const at = timeOf(index, OFFERS.length);
    const [plant, country, state, ppaType, fullLoadHours, price, inYears, years, info = null] = offer;
    const { nominalPowerKw, ...asset } = PLANTS[plant];
    const content = {
      ppa_type: ppaType,
      average_annual_power: fullLoadHours && (nominalPowerKw * fullLoadHours) / 1000,
      delivery_start: startOf(inYears),
      additional_info: info,
      state,
      country,
      pricing: pricing(price, years),
    };
    if (isKnown(plant)) {
      await updateAsset(tx, assetIds[plant], { offer: content }, NO_BASE_URL, () => {}, at);
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
