import type { Contract, CustomerStatus, Tso, UserPermissions } from '@saldo/api';
import { checkCharacter } from '@saldo/core/eic.ts';

/** The parties of the demo world. All of them are fictitious. */

const eic = (stem: string): string => {
  const padded = stem.padEnd(15, '-');
  return padded + checkCharacter(padded);
};

export const GROUPS = {
  nordwind: eic('11XNORDWIND'),
  kueste: eic('11XKUESTE-WIND'),
  rhein: eic('11XRHEINSTROM'),
  ruhr: eic('11XRUHR-SOLAR'),
  sued: eic('11XSUEDVERBUND'),
  elbe: eic('11XELBE-INDUSTR'),
};

export type CastBrp = {
  name: string;
  groups: { eic: string; name: string; tsos: readonly Tso[] }[];
};

export const BRPS: readonly CastBrp[] = [
  {
    name: 'Nordwind Direktvermarktung GmbH',
    groups: [
      { eic: GROUPS.nordwind, name: 'Nordwind Hauptbilanzkreis', tsos: ['DE_50HERTZ', 'DE_TENNET'] },
      { eic: GROUPS.kueste, name: 'Küstenwind', tsos: ['DE_TENNET'] },
    ],
  },
  {
    name: 'Rheinstrom Energiehandel AG',
    groups: [
      { eic: GROUPS.rhein, name: 'Rheinstrom Vertrieb', tsos: ['DE_AMPRION', 'DE_TRANSNET_BW'] },
      { eic: GROUPS.ruhr, name: 'Ruhr Solar', tsos: ['DE_AMPRION'] },
    ],
  },
  {
    name: 'Stadtwerke Verbund Süd eG',
    groups: [{ eic: GROUPS.sued, name: 'Verbund Süd', tsos: ['DE_TRANSNET_BW', 'DE_TENNET'] }],
  },
  {
    name: 'Elbe Industriestrom GmbH',
    groups: [{ eic: GROUPS.elbe, name: 'Elbe Industrie', tsos: ['DE_50HERTZ', 'DE_AMPRION'] }],
  },
];

export type CastUser = {
  email: string;
  name: string;
  role: 'operator' | 'brp' | 'account';
  permissions: UserPermissions;
};

/** BRP users belong to the first BRP, the account user to the first account. */
export const USERS: readonly CastUser[] = [
  { email: 'operator@saldo.example', name: 'Olga Betrieb', role: 'operator', permissions: 'admin' },
  { email: 'dispatch@nordwind.example', name: 'Dirk Dispatch', role: 'brp', permissions: 'admin' },
  { email: 'reader@nordwind.example', name: 'Renate Revision', role: 'brp', permissions: 'viewer' },
  { email: 'account@gruenland.example', name: 'Greta Grünland', role: 'account', permissions: 'admin' },
];

export type CastCustomer = {
  brp: number;
  name: string;
  place: { eic: string; tso: Tso } | null;
  status: CustomerStatus;
  metadata: Record<string, string>;
};

const customer = (
  brp: number,
  name: string,
  place: [string, Tso] | null,
  status: CustomerStatus = 'active',
  metadata: Record<string, string> = {},
): CastCustomer => ({ brp, name, place: place && { eic: place[0], tso: place[1] }, status, metadata });

export const CUSTOMERS = {
  uckermark: customer(0, 'Windpark Uckermark Nord GmbH', [GROUPS.nordwind, 'DE_50HERTZ'], 'active', {
    region: 'BB',
  }),
  altmark: customer(0, 'Windfeld Altmark GmbH & Co. KG', [GROUPS.nordwind, 'DE_50HERTZ']),
  nordsee: customer(0, 'Offshore Nordsee 3 GmbH', [GROUPS.kueste, 'DE_TENNET'], 'active', { cluster: 'N-3' }),
  lueneburg: customer(0, 'Solarfeld Lüneburger Heide GmbH', [GROUPS.nordwind, 'DE_TENNET']),
  hunsrueck: customer(1, 'Bürgerwind Hunsrück eG', [GROUPS.rhein, 'DE_AMPRION']),
  ruhr: customer(1, 'Zechensolar Ruhr GmbH', [GROUPS.ruhr, 'DE_AMPRION'], 'active', { tariff: 'flex-b' }),
  chemie: customer(1, 'Niederrhein Chemie AG', [GROUPS.rhein, 'DE_AMPRION'], 'active', {
    cost_center: '4711',
  }),
  neckar: customer(1, 'Neckar Automobilguss GmbH', [GROUPS.rhein, 'DE_TRANSNET_BW']),
  viernau: customer(2, 'Stadtwerke Viernau', [GROUPS.sued, 'DE_TRANSNET_BW'], 'active', {
    contact: 'dispatch',
  }),
  isartal: customer(2, 'Stadtwerke Isartal', [GROUPS.sued, 'DE_TENNET']),
  alb: customer(2, 'Rechenzentrum Schwäbische Alb GmbH', [GROUPS.sued, 'DE_TRANSNET_BW'], 'deactivated'),
  stahl: customer(3, 'Elbstahl Werke GmbH', [GROUPS.elbe, 'DE_50HERTZ'], 'active', { shift: '3' }),
  papier: customer(3, 'Papierfabrik Saale GmbH', [GROUPS.elbe, 'DE_AMPRION']),
  lausitz: customer(0, 'Solarpark Lausitz II GmbH', null, 'pending', { note: 'grid connection in spring' }),
  backhaus: customer(2, 'Backhaus Donau GmbH', null, 'pending'),
} satisfies Record<string, CastCustomer>;
export type CustomerName = keyof typeof CUSTOMERS;

/** Changes of balance groups, in the late morning of a day before today: they apply from the next day on. */
export const MOVES: readonly { customer: CustomerName; daysAgo: number; to: { eic: string; tso: Tso } }[] = [
  { customer: 'lueneburg', daysAgo: 4, to: { eic: GROUPS.kueste, tso: 'DE_TENNET' } },
];

type CastAsset = {
  name: string;
  nominalPowerKw: number;
  technology: 'solar' | 'wind_onshore' | 'wind_offshore';
  tso: Tso;
};

export const asset = (
  name: string,
  nominalPowerKw: number,
  technology: CastAsset['technology'],
  tso: Tso,
): CastAsset => ({
  name,
  nominalPowerKw,
  technology,
  tso,
});

export const ASSETS = {
  uckermark: asset('Windpark Uckermark Nord', 48_300, 'wind_onshore', 'DE_50HERTZ'),
  altmark: asset('Windfeld Altmark', 31_200, 'wind_onshore', 'DE_50HERTZ'),
  nordsee: asset('Nordsee 3', 252_000, 'wind_offshore', 'DE_TENNET'),
  lueneburg: asset('Solarfeld Lüneburger Heide', 18_600, 'solar', 'DE_TENNET'),
  hunsrueck: asset('Bürgerwindpark Hunsrück', 22_500, 'wind_onshore', 'DE_AMPRION'),
  ruhr: asset('Zechensolar Ruhr', 9_800, 'solar', 'DE_AMPRION'),
} satisfies Record<string, CastAsset>;
export type AssetName = keyof typeof ASSETS;

/** Years are relative to the current one: 0 is this year's start, 1 the next one's. An end of null is open. */
type Years = readonly [start: number, end: number | null];

export type CastContract = {
  seller: CustomerName;
  buyer: CustomerName;
  type: Contract['type'];
  ppaType: (Contract['ppa_type'] & string) | null;
  asset: AssetName | null;
  /** Null: not fixed yet. */
  years: Years | null;
  /** Average power, which scales the volumes of contracts without an asset. */
  powerKw: number;
  /** Share of the energy of its plant or consumer that the contract follows. Null: its volumes are imported. */
  share: number | null;
};

const ppa = (
  ppaType: Contract['ppa_type'] & string,
  seller: CustomerName,
  buyer: CustomerName,
  powerKw: number,
  assetName: AssetName | null = null,
  years: Years | null = [0, 5],
): CastContract => ({ seller, buyer, type: 'ppa', ppaType, asset: assetName, years, powerKw, share: null });

const following = (share: number, contract: CastContract): CastContract => ({ ...contract, share });

const trade = (type: 'day_ahead' | 'intraday', seller: CustomerName, buyer: CustomerName): CastContract => ({
  seller,
  buyer,
  type,
  ppaType: null,
  asset: null,
  years: [0, 1],
  powerKw: 0,
  share: null,
});

export const CONTRACTS: readonly CastContract[] = [
  following(0.4, ppa('produced', 'uckermark', 'chemie', 20_000, 'uckermark')),
  following(0.4, ppa('produced', 'ruhr', 'papier', 4_000, 'ruhr')),
  following(0.4, ppa('forecasted', 'altmark', 'viernau', 12_000, 'altmark')),
  following(0.36, ppa('forecasted', 'nordsee', 'stahl', 90_000, 'nordsee')),
  following(0.32, ppa('forecasted', 'lueneburg', 'isartal', 6_000, 'lueneburg')),
  following(1, ppa('consumed', 'hunsrueck', 'neckar', 8_000, 'hunsrueck')),
  ppa('consumed', 'uckermark', 'isartal', 3_000, 'uckermark'),
  ppa('baseload', 'nordsee', 'chemie', 40_000, 'nordsee'),
  ppa('baseload', 'altmark', 'stahl', 5_000, 'altmark'),
  ppa('peakload', 'ruhr', 'neckar', 2_000, 'ruhr'),
  ppa('peakload', 'hunsrueck', 'viernau', 3_000, 'hunsrueck'),
  ppa('shaped', 'nordsee', 'viernau', 25_000, 'nordsee'),
  ppa('shaped', 'lueneburg', 'papier', 2_400, 'lueneburg'),
  ppa('indexed', 'uckermark', 'papier', 4_400, 'uckermark'),
  ppa('indexed', 'hunsrueck', 'chemie', 5_200, 'hunsrueck'),
  // Within one balance group and control area: nothing has to be nominated for it.
  following(0.025, ppa('produced', 'uckermark', 'altmark', 1_000, 'uckermark')),
  // In the opposite direction, so that the saldo of a consumer's group changes its sign during the day.
  ppa('peakload', 'chemie', 'stahl', 60_000),
  ppa('baseload', 'ruhr', 'alb', 1_200, 'ruhr', [-2, 0]),
  ppa('forecasted', 'nordsee', 'papier', 15_000, 'nordsee', [1, 11]),
  ppa('produced', 'lueneburg', 'neckar', 5_000, 'lueneburg', null),
  trade('day_ahead', 'chemie', 'viernau'),
  trade('day_ahead', 'uckermark', 'stahl'),
  trade('intraday', 'isartal', 'chemie'),
  trade('intraday', 'altmark', 'neckar'),
  // Without an end, so that it is active on every day and takes no volumes.
  ppa('indexed', 'altmark', 'isartal', 2_000, 'altmark', [0, null]),
];

/** A plant with the curve of its technology, or a consumer with its average power. */
type CastSite = {
  owner: { asset: AssetName } | { customer: CustomerName; powerKw: number };
  hasMeter: boolean;
};

/** Plants and consumers with series. All of them have a forecast. */
export const SITES = {
  uckermark: { owner: { asset: 'uckermark' }, hasMeter: true },
  altmark: { owner: { asset: 'altmark' }, hasMeter: true },
  nordsee: { owner: { asset: 'nordsee' }, hasMeter: false },
  lueneburg: { owner: { asset: 'lueneburg' }, hasMeter: false },
  ruhr: { owner: { asset: 'ruhr' }, hasMeter: true },
  neckar: { owner: { customer: 'neckar', powerKw: 8_000 }, hasMeter: true },
} satisfies Record<string, CastSite>;
export type SiteName = keyof typeof SITES;

/** The site whose series a contract follows. */
export function siteOf({ ppaType, buyer, asset: plant, share }: CastContract): SiteName | null {
  const name = ppaType === 'consumed' ? buyer : plant;
  return share !== null && name !== null && name in SITES ? (name as SiteName) : null;
}

export const ACCOUNTS = ['Grünland Ventures', 'Hanse Energie Einkauf'] as const;
