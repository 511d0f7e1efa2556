import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isReadScope, SCOPES, type Scope, type UserRole } from '@saldo/api';
import { addDays, type DeliveryDay, dayOf, dayStart, localInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { insertContract } from '../contracts/store.ts';
import { changeCustomer } from '../customer-changes/actions.ts';
import { findOwnPosition, insertCustomer } from '../customers/store.ts';
import { insertAsset } from '../market/store.ts';
import { nominateDue } from '../nominations/actions.ts';
import { createAccount, createApiKey, createBalanceGroup, createBrp } from '../parties/actions.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { invalidateTransaction, lockContract, writeContractDay } from '../transactions/actions.ts';
import { DayBatch } from '../transactions/day-batch.ts';
import { lockContracts } from '../transactions/volume-contracts.ts';
import { createUser } from '../users/actions.ts';
import { hashPassword } from '../users/passwords.ts';
import { setPassword } from '../users/sessions.ts';
import {
  ACCOUNTS,
  ASSETS,
  type AssetName,
  BRPS,
  type CastContract,
  CONTRACTS,
  CUSTOMERS,
  type CustomerName,
  siteOf,
  USERS,
} from './cast.ts';
import { openMarket } from './market.ts';
import {
  correctForecast,
  createSites,
  type Sites,
  setSources,
  storeForecasts,
  storeMeters,
} from './sites.ts';
import { type Change, firstSourcedDay, type Move, timeline } from './timeline.ts';
import { demoTsos } from './tsos.ts';
import { demoVolumes } from './volumes.ts';

/** Credentials for the demo world, written to `demo.json`. */
export type DemoAccess = {
  operator_key: string;
  brps: { id: string; name: string; api_key: string; read_only_key: string; eics: string[] }[];
  accounts: { id: string; name: string; api_key: string }[];
  users: { email: string; password: string; role: UserRole }[];
};

/** Names of profiles, as parties write them into their contracts. */
const PROFILES: Readonly<Record<NonNullable<CastContract['ppaType']>, string>> = {
  forecasted: 'Prognose',
  produced: 'Erzeugung',
  consumed: 'Verbrauch',
  baseload: 'Band',
  shaped: 'Monatsprofil',
  peakload: 'Peak',
  indexed: 'Spotindex',
};
const MINUTE_MS = 60_000;
const HOUR = 60;
/** Parties and contracts are created this many days before the year's first delivery. */
const FOUNDED_DAYS_AHEAD = 45;
const PASSWORD_BYTES = 15;
/** The demo loads the past, so each step has a clock of its own. */
const clockAt = (instant: number): Clock => ({ now: () => instant });

const READ_ONLY: readonly Scope[] = SCOPES.filter(isReadScope);

/**
 * Fills an empty platform with a small market and simulates its past days: every record has a realistic creation time,
 * and every gate was met or missed accordingly. Runs in one transaction, so that an interrupted start leaves no data
 * behind.
 */
export async function loadDemo(
  tx: Tx,
  operator: { key: string; eic: string },
  rules: MarketRules,
  now: number,
): Promise<DemoAccess> {
  const today = dayOf(now);
  const founded = addDays(`${today.slice(0, 4)}-01-01`, -FOUNDED_DAYS_AHEAD);
  const access = await createParties(tx, operator.key, founded);
  access.users.push(...(await createUsers(tx, founded)));
  const signed = await signContracts(tx, founded, Number(today.slice(0, 4)), rules);
  const { contractIds, customers, assetIds } = signed;
  const sites = await createSites(tx, signed, localInstant(founded, 15 * HOUR));
  await openMarket(tx, assetIds, localInstant(addDays(founded, 7), 9 * HOUR), now);
  // Makes the platform's functions use this transaction instead of opening their own.
  const within: Database = {
    ...tx,
    transaction: (work) => work(tx),
    rolledBack: () => Promise.reject(new Error('the demo previews nothing')),
    exclusively: (_name, work) => work(),
    close: async () => {},
  };
  const tsos = demoTsos(within, operator.eic, rules, today);
  const market = { db: within, rules, contractIds, sites, firstSourced: firstSourcedDay(today) };
  for (const event of timeline(today, rules, now)) {
    switch (event.kind) {
      case 'sources':
        await setSources(tx, contractIds, sites, rules, event.at);
        break;
      case 'volumes':
        await importDay(market, event.day, event.at);
        break;
      case 'meters':
        await storeMeters(tx, sites, { day: event.day, hasGap: event.day === addDays(today, -1) }, event.at);
        await nominateDue(within, clockAt(event.at), rules);
        break;
      case 'send':
        await tsos.send(event.at);
        break;
      case 'confirm':
        await tsos.confirm(event.day, event.at);
        break;
      case 'finalise':
        await tsos.finalise(event.day, event.at);
        break;
      case 'move':
        await moveCustomer(within, rules, customers[event.customer], event);
        break;
      default:
        await changeDay(market, event);
    }
  }
  return access;
}

async function createParties(tx: Tx, operatorKey: string, founded: DeliveryDay): Promise<DemoAccess> {
  const at = localInstant(founded, 9 * HOUR);
  const access: DemoAccess = { operator_key: operatorKey, brps: [], accounts: [], users: [] };
  for (const { name, groups } of BRPS) {
    const brp = await createBrp(tx, { name }, at);
    const owner = { type: 'brp' as const, brpNo: brp.no };
    for (const group of groups)
      await createBalanceGroup(tx, { brpNo: brp.no, ...group }, at + 10 * MINUTE_MS);
    const key = (keyName: string, scopes: readonly Scope[]) =>
      createApiKey(tx, { owner, name: keyName, scopes, expiresAt: null }, at + 20 * MINUTE_MS);
    access.brps.push({
      id: encodeId(ID_PREFIX.brp, brp.id),
      name,
      api_key: (await key('everything', SCOPES)).secret,
      read_only_key: (await key('read only', READ_ONLY)).secret,
      eics: groups.map(({ eic }) => eic),
    });
  }
  for (const name of ACCOUNTS) {
    const account = await createAccount(tx, { name }, at + 30 * MINUTE_MS);
    const owner = { type: 'account' as const, accountNo: account.no };
    const { secret } = await createApiKey(
      tx,
      { owner, name: 'first key', scopes: [], expiresAt: null },
      at + 30 * MINUTE_MS,
    );
    access.accounts.push({ id: encodeId(ID_PREFIX.account, account.id), name, api_key: secret });
  }
  return access;
}

const BRP_NUMBERS = statement('demo_brp_numbers', 'select no from brp order by no');
const ACCOUNT_NUMBERS = statement('demo_account_numbers', 'select no from account order by no');

/** One user of every kind. Passwords are random per demo world, so that there are no well-known default passwords. */
async function createUsers(tx: Tx, founded: DeliveryDay): Promise<DemoAccess['users']> {
  const at = localInstant(founded, 10 * HOUR);
  const [brp] = await tx.query<{ no: number }>(BRP_NUMBERS);
  const [account] = await tx.query<{ no: number }>(ACCOUNT_NUMBERS);
  if (!brp || !account) throw new Error('the demo world has parties before it has users');
  const owners = {
    operator: { type: 'operator' as const },
    brp: { type: 'brp' as const, brpNo: brp.no },
    account: { type: 'account' as const, accountNo: account.no },
  };
  const hired: DemoAccess['users'] = [];
  for (const { role, ...user } of USERS) {
    const { id, email } = await createUser(tx, { ...user, owner: owners[role] }, at);
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    await setPassword(tx, id, await hashPassword(password));
    hired.push({ email, password, role });
  }
  return hired;
}

type SignedCustomer = { id: string; viewer: Viewer };
type Signed = {
  customers: Record<CustomerName, SignedCustomer>;
  /** Ids of the contracts that deliver in this year. Null for a contract that does not. */
  contractIds: (string | null)[];
  assetIds: Record<AssetName, string>;
};

/** Customers are assigned, then activated; contracts are signed between them. */
async function signContracts(
  tx: Tx,
  founded: DeliveryDay,
  year: number,
  rules: MarketRules,
): Promise<Signed> {
  const brpNos = (await tx.query<{ no: number }>(BRP_NUMBERS)).map(({ no }) => no);
  const assigned = localInstant(founded, 11 * HOUR);
  const activated = localInstant(addDays(founded, 1), 10 * HOUR);
  const signed = localInstant(addDays(founded, 3), 14 * HOUR);
  const at = (now: number) => ({ clock: clockAt(now), rules });
  const customers = {} as Record<CustomerName, SignedCustomer>;
  const assetIds = {} as Record<AssetName, string>;

  for (const [name, customer] of Object.entries(CUSTOMERS) as [
    CustomerName,
    (typeof CUSTOMERS)[CustomerName],
  ][]) {
    const viewer = { kind: 'brp' as const, brpNo: brpNos[customer.brp] as number };
    const place =
      customer.place && (await findOwnPosition(tx, viewer, customer.place.eic, customer.place.tso));
    const { name: title, metadata } = customer;
    const id = await insertCustomer(
      tx,
      { brp_no: viewer.brpNo, name: title, position_no: place?.no ?? null, metadata },
      assigned,
    );
    customers[name] = { id, viewer };
    if (customer.status === 'pending') continue;
    await changeCustomer(tx, viewer, id, { status: 'active' }, () => {}, at(activated));
    if (customer.status === 'deactivated') {
      const left = localInstant(`${year}-01-02`, 9 * HOUR);
      await changeCustomer(tx, viewer, id, { status: 'deactivated' }, () => {}, at(left));
    }
  }
  for (const [name, { nominalPowerKw, ...asset }] of Object.entries(ASSETS)) {
    assetIds[name as AssetName] = await insertAsset(
      tx,
      { ...asset, nominal_power_kw: nominalPowerKw },
      assigned,
    );
  }
  const contractIds: (string | null)[] = [];
  for (const [index, contract] of CONTRACTS.entries()) {
    const { years } = contract;
    const [first = null, end = null] = years ?? [];
    const yearStart = (at: number | null) => (at === null ? null : dayStart(`${year + at}-01-01`));
    const made = await insertContract(
      tx,
      {
        external_id: `${contract.type === 'ppa' ? 'PPA' : 'TRD'}-${year}-${String(index + 1).padStart(4, '0')}`,
        type: contract.type,
        seller_customer: customers[contract.seller].id,
        buyer_customer: customers[contract.buyer].id,
        delivery_start: yearStart(first),
        delivery_end: yearStart(end),
        ppa_type: contract.ppaType,
        period: contract.type === 'ppa' ? periodText(year, years) : null,
        delivery_profile: contract.ppaType && PROFILES[contract.ppaType],
        asset_id: contract.asset && assetIds[contract.asset],
      },
      signed + index * MINUTE_MS,
    );
    if (!made) throw new Error('every party of a demo contract has a balance group');
    const delivers = contract.type === 'ppa' && first !== null && first <= 0 && end !== null && end > 0;
    contractIds.push(delivers ? made.id : null);
  }
  return { contractIds, customers, assetIds };
}

/** Such as '2026–2030', or '2026–' without an end. */
const periodText = (year: number, years: CastContract['years']): string | null =>
  years && `${year + years[0]}–${years[1] === null ? '' : year + years[1] - 1}`;

/** What volumes are written with. Contracts with a share follow their series from the first sourced day on. */
type Market = {
  readonly db: Database;
  readonly rules: MarketRules;
  readonly contractIds: readonly (string | null)[];
  readonly sites: Sites;
  readonly firstSourced: DeliveryDay;
};

async function importDay(market: Market, day: DeliveryDay, at: number): Promise<void> {
  const { db, rules, contractIds, sites, firstSourced } = market;
  const isSourced = day >= firstSourced;
  const volumes = new Map<string, number[]>();
  for (const [index, contract] of CONTRACTS.entries()) {
    const id = contractIds[index] ?? null;
    if (id === null || (isSourced && contract.share !== null)) continue;
    volumes.set(id, demoVolumes(contract, index, day));
  }
  await db.transaction(async (tx) => {
    const contracts = await lockContracts(tx, { ids: [...volumes.keys()], externalIds: [] });
    assert.equal(contracts.length, volumes.size, 'every contract exists');
    const batch = new DayBatch(tx, at);
    await batch.load(contracts.map((contract) => ({ contract, day })));
    for (const contract of contracts) batch.write({ contract, day }, volumes.get(contract.id)!);
    await batch.save();
  });
  if (isSourced) await db.transaction((tx) => storeForecasts(tx, sites, day, at));
  await nominateDue(db, clockAt(at), rules);
}

/** After the volumes of the next day, which are corrected, and before its schedules are sent. */
async function moveCustomer(
  db: Database,
  rules: MarketRules,
  { id, viewer }: SignedCustomer,
  { at, to }: Move,
): Promise<void> {
  const time = { clock: clockAt(at), rules };
  await db.transaction((tx) => changeCustomer(tx, viewer, id, { balance_group: to }, () => {}, time));
  await nominateDue(db, clockAt(at), rules);
}

const NEWEST_SHEET = statement(
  'demo_newest_sheet',
  `select id from sheet where contract_no = (select no from contract where id = $1) and delivery_day = $2
   order by revision desc limit 1`,
);

async function changeDay(market: Market, change: Change): Promise<void> {
  const { db, rules, contractIds, sites, firstSourced } = market;
  const { at, kind, day, contract, from, to } = change;
  const [id, cast] = [contractIds[contract], CONTRACTS[contract]];
  if (id === null || id === undefined || !cast) return;
  const site = day >= firstSourced ? siteOf(cast) : null;
  if (kind === 'invalidate') {
    await db.transaction(async (tx) => {
      const [sheet] = await tx.query<{ id: string }>(NEWEST_SHEET, [id, day]);
      if (sheet)
        await invalidateTransaction(tx, { sheetId: sheet.id, slot: from }, 'meter replaced', clockAt(at));
    });
  } else if (site !== null) {
    await db.transaction((tx) => correctForecast(tx, sites, { site, day, from, to }, at));
  } else {
    const corrected = demoVolumes(cast, contract, day).map((kwh, index) =>
      index + 1 >= from && index + 1 <= to ? Math.round(kwh * 0.82) + 1 : null,
    );
    await db.transaction(async (tx) => writeContractDay(tx, await lockContract(tx, id), day, corrected, at));
  }
  await nominateDue(db, clockAt(at), rules);
}
