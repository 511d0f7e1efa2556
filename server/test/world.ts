import { type Contract, OPERATOR_SCOPES, SCOPES, type Scope, type Tso } from '@saldo/api';
import { dayEnd, dayStart, slotCount } from '@saldo/core/delivery-day.ts';
import { checkCharacter } from '@saldo/core/eic.ts';
import { decodeId, encodeId, ID_PREFIX, splitTransactionUuid } from '@saldo/core/id.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { insertContract } from '../src/contracts/store.ts';
import { findOwnPosition, insertCustomer } from '../src/customers/store.ts';
import { insertAsset } from '../src/market/store.ts';
import { nominateDue } from '../src/nominations/actions.ts';
import { createAccount, createApiKey, createBalanceGroup, createBrp } from '../src/parties/actions.ts';
import type { Database } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { invalidateTransaction, lockContract, writeContractDay } from '../src/transactions/actions.ts';
import { until } from './until.ts';

/** Creates parties, contracts and volumes through the platform's functions, with sensible defaults. */
export type World = ReturnType<typeof createWorld>;

export type WorldBrp = { no: number; id: string; key: string };
export type WorldGroup = { eic: string; brp: WorldBrp };
export type WorldCustomer = { uuid: string; id: string };
export type WorldContract = { no: number; uuid: string; id: string };

/** The members that an offer of an asset needs. */
export const OFFER = {
  ppa_type: 'PAY_AS_PRODUCED',
  delivery_start: '2027-01-01T00:00:00Z',
  country: 'DE',
  pricing: [{ years: 10, price: 58.5 }],
} as const;

let eicCount = 0;

/** A valid, unused EIC of a balance group. */
export function newEic(): string {
  for (;;) {
    const stem = `11XTEST${String(++eicCount).padStart(8, '-')}`;
    const check = checkCharacter(stem);
    if (check !== '-') return stem + check;
  }
}

const ACTIVATE = statement(
  'activate_pending_customers',
  "update customer set status = 'active', activated_at = created_at where id = any($1::uuid[]) and status = 'pending'",
);

/** Dirty flags that a running transaction has deleted still count. */
const COUNT_DIRTY = statement('test_count_dirty', 'select count(*)::int as count from changed_position');

export function createWorld(db: Database, clock: { now(): number }, rules = BUILT_IN_RULES) {
  let count = 0;
  const now = () => clock.now();

  async function key(
    brp: { no: number },
    scopes: readonly Scope[] = SCOPES,
    expiresAt: number | null = null,
  ) {
    const owner = { type: 'brp' as const, brpNo: brp.no };
    return db.transaction((tx) => createApiKey(tx, { owner, name: 'test', scopes, expiresAt }, now()));
  }

  /** The secret of a new operator key. */
  async function operatorKey(scopes: readonly Scope[] = OPERATOR_SCOPES): Promise<string> {
    const key = { owner: { type: 'operator' as const }, name: 'test', scopes, expiresAt: null };
    return (await db.transaction((tx) => createApiKey(tx, key, now()))).secret;
  }

  const account = () => db.transaction((tx) => createAccount(tx, { name: `Account ${++count}` }, now()));

  /** The secret of a key of a new account. */
  async function accountKey(expiresAt: number | null = null): Promise<string> {
    const owner = { type: 'account' as const, accountNo: (await account()).no };
    const key = { owner, name: 'test', scopes: [], expiresAt };
    return (await db.transaction((tx) => createApiKey(tx, key, now()))).secret;
  }

  async function brp(name = `BRP ${++count}`): Promise<WorldBrp> {
    const made = await db.transaction((tx) => createBrp(tx, { name }, now()));
    return { no: made.no, id: encodeId(ID_PREFIX.brp, made.id), key: (await key(made)).secret };
  }

  async function group(
    owner: WorldBrp,
    tsos: readonly Tso[] = ['DE_AMPRION'],
    eic = newEic(),
  ): Promise<WorldGroup> {
    await db.transaction((tx) => createBalanceGroup(tx, { brpNo: owner.no, eic, name: eic, tsos }, now()));
    return { eic, brp: owner };
  }

  async function customer(
    owner: WorldBrp,
    options: {
      name?: string;
      status?: 'pending' | 'active';
      group?: WorldGroup;
      tso?: Tso;
      metadata?: Record<string, string>;
    } = {},
  ): Promise<WorldCustomer> {
    const uuid = await db.transaction(async (tx) => {
      const place = options.group
        ? await findOwnPosition(
            tx,
            { brpNo: options.group.brp.no },
            options.group.eic,
            options.tso ?? 'DE_AMPRION',
          )
        : null;
      return insertCustomer(
        tx,
        {
          brp_no: owner.no,
          name: options.name ?? `Customer ${++count}`,
          status: options.status,
          position_no: place?.no ?? null,
          metadata: options.metadata,
        },
        now(),
      );
    });
    return { uuid, id: encodeId(ID_PREFIX.customer, uuid) };
  }

  async function asset(
    name = `Asset ${++count}`,
    tso: Tso = 'DE_AMPRION',
  ): Promise<{ uuid: string; id: string }> {
    const uuid = await db.transaction((tx) =>
      insertAsset(tx, { name, nominal_power_kw: 48_300, technology: 'wind_onshore', tso }, now()),
    );
    return { uuid, id: encodeId(ID_PREFIX.asset, uuid) };
  }

  /** A contract between two customers; `first` and `last` are delivery days, both included. */
  async function contract(
    seller: WorldCustomer,
    buyer: WorldCustomer,
    options: {
      externalId?: string;
      type?: Contract['type'];
      first?: string | null;
      last?: string | null;
      ppaType?: 'produced' | 'baseload' | null;
      period?: string;
      assetUuid?: string;
      /** Whether pending customers are activated, so that the contract takes volumes. */
      isActivated?: boolean;
    } = {},
  ): Promise<WorldContract> {
    const { first = '2026-01-01', last = '2026-12-31', type = 'ppa' } = options;
    const made = await db.transaction(async (tx) => {
      if (options.isActivated !== false) await tx.query(ACTIVATE, [[seller.uuid, buyer.uuid]]);
      return insertContract(
        tx,
        {
          external_id: options.externalId ?? `PPA-${++count}`,
          type,
          seller_customer: seller.uuid,
          buyer_customer: buyer.uuid,
          delivery_start: first === null ? null : dayStart(first),
          delivery_end: last === null ? null : dayEnd(last),
          ppa_type: type === 'ppa' ? (options.ppaType ?? 'produced') : null,
          period: options.period ?? null,
          asset_id: options.assetUuid ?? null,
        },
        now(),
      );
    });
    if (!made) throw new Error('both customers of a contract need a balance group');
    return { no: made.no, uuid: made.id, id: encodeId(ID_PREFIX.contract, made.id) };
  }

  /** Writes a whole day in kWh: one value for all slots, or one for each (null: no volume). */
  async function volumes(of: WorldContract, day: string, kwh: number | readonly (number | null)[]) {
    const values = typeof kwh === 'number' ? Array.from({ length: slotCount(day) }, () => kwh) : kwh;
    return db.transaction(async (tx) =>
      writeContractDay(tx, await lockContract(tx, of.uuid), day, values, now()),
    );
  }

  /** Invalidates one transaction, as the operator. */
  async function invalidate(transactionId: string, reason = 'meter failure') {
    const uuid = decodeId(ID_PREFIX.transaction, transactionId);
    const key = uuid === null ? null : splitTransactionUuid(uuid);
    if (key === null) throw new Error(`${transactionId} is not the id of a transaction`);
    return db.transaction((tx) => invalidateTransaction(tx, key, reason, clock));
  }

  const nominate = () => nominateDue(db, clock, rules);

  /** Waits until every change is netted: `nominate` skips position-days that a running product is netting. */
  const untilNetted = () =>
    until(async () => (await db.query<{ count: number }>(COUNT_DIRTY))[0]?.count === 0);

  /** Two BRPs, one selling to the other through Amprion, with active customers. */
  async function pair() {
    const [seller, buyer] = [await brp(), await brp()];
    const [sellerGroup, buyerGroup] = [await group(seller), await group(buyer)];
    const producer = await customer(seller, { status: 'active', group: sellerGroup });
    const consumer = await customer(buyer, { status: 'active', group: buyerGroup });
    return { seller, buyer, sellerGroup, buyerGroup, producer, consumer };
  }

  return {
    db,
    operatorKey,
    account,
    accountKey,
    brp,
    key,
    group,
    customer,
    asset,
    contract,
    volumes,
    invalidate,
    nominate,
    untilNetted,
    pair,
  };
}
