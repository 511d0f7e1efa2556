import type { Contract } from '@saldo/api';
import { isDayWithin } from '@saldo/core/contracts/contract.ts';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { type ContractSource, readSources } from '../contracts/source-store.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

/** The balance group of one side in its control area, and the BRP that it belongs to. */
export type Party = { readonly positionNo: number; readonly brpNo: number };

type FormerParty = Party & { isSeller: boolean; firstDay: DeliveryDay; lastDay: DeliveryDay };

/** A contract with everything that writing its volumes needs. */
export type VolumeContract = {
  readonly no: number;
  readonly id: string;
  readonly externalId: string;
  readonly type: Contract['type'];
  readonly deliveryStart: number | null;
  readonly deliveryEnd: number | null;
  /** The newest parties, and the day from which on they are in force: `-infinity` sorts before every day. */
  readonly seller: Party;
  readonly buyer: Party;
  readonly sellerFrom: DeliveryDay;
  readonly buyerFrom: DeliveryDay;
  /** Parties of earlier days. */
  readonly former: readonly FormerParty[];
  /** Whether both customers have been activated at least once. */
  readonly isActivated: boolean;
  /** The first day on which a customer counts as deactivated. */
  readonly restsFrom: DeliveryDay | null;
  readonly ppaType: string | null;
  /** By first day; see `sourceOn`. */
  readonly sources: readonly ContractSource[];
};

const ALWAYS = '-infinity';

/** Whether a customer of the contract has changed its balance group. */
export const hasMoved = ({ sellerFrom, buyerFrom }: VolumeContract): boolean =>
  sellerFrom !== ALWAYS || buyerFrom !== ALWAYS;

/** The parties whose balance groups the volumes of a day belong to. */
export function partiesOn(contract: VolumeContract, day: DeliveryDay): { seller: Party; buyer: Party } {
  const { seller, buyer, sellerFrom, buyerFrom, former } = contract;
  if (day >= sellerFrom && day >= buyerFrom) return contract;
  const before = (ofSeller: boolean) =>
    former.find(
      ({ isSeller, firstDay, lastDay }) => isSeller === ofSeller && firstDay <= day && day <= lastDay,
    );
  return {
    seller: day >= sellerFrom ? seller : (before(true) ?? seller),
    buyer: day >= buyerFrom ? buyer : (before(false) ?? buyer),
  };
}

/** Whether both customers count as active on a day, so that the contract takes volumes for it. */
export const isActiveOn = ({ isActivated, restsFrom }: VolumeContract, day: DeliveryDay): boolean =>
  isActivated && (restsFrom === null || day < restsFrom);

/** Whether the contract takes volumes for the day. */
export const takesVolumes = (contract: VolumeContract, day: DeliveryDay): boolean =>
  contract.type === 'ppa' && isDayWithin(contract, day) && isActiveOn(contract, day);

type ContractColumns = [
  no: number,
  id: string,
  externalId: string,
  type: Contract['type'],
  deliveryStart: number | null,
  deliveryEnd: number | null,
  sellerPosition: number,
  sellerBrp: number,
  sellerFrom: DeliveryDay,
  buyerPosition: number,
  buyerBrp: number,
  buyerFrom: DeliveryDay,
  isActivated: boolean,
  restsFrom: DeliveryDay | null,
  ppaType: string | null,
];

const COLUMNS = `no, id, external_id, type, delivery_start, delivery_end, seller_position, seller_brp, seller_from,
  buyer_position, buyer_brp, buyer_from, is_activated, rests_from, ppa_type`;

const contractOf = (columns: ContractColumns): VolumeContract => ({
  no: columns[0],
  id: columns[1],
  externalId: columns[2],
  type: columns[3],
  deliveryStart: columns[4],
  deliveryEnd: columns[5],
  seller: { positionNo: columns[6], brpNo: columns[7] },
  sellerFrom: columns[8],
  buyer: { positionNo: columns[9], brpNo: columns[10] },
  buyerFrom: columns[11],
  isActivated: columns[12],
  restsFrom: columns[13],
  ppaType: columns[14],
  former: [],
  sources: [],
});

const NAMED = `select ${COLUMNS} from contract
   where id = any($1::uuid[]) or external_id = any($2::text[]) order by no`;
const READ_CONTRACTS = statement('contracts_of_batch', NAMED);
/**
 * Every writer of volumes locks the contract row first. A batch locks its rows with one statement and in a fixed order,
 * so that two batches cannot deadlock.
 */
const LOCK_CONTRACTS = statement('lock_contracts_of_batch', `${NAMED} for no key update`);

export type ContractNames = { readonly ids: readonly string[]; readonly externalIds: readonly string[] };

export const readContracts = (db: Db, { ids, externalIds }: ContractNames): Promise<VolumeContract[]> =>
  readParties(db, READ_CONTRACTS, [ids, externalIds]);

export const lockContracts = (tx: Tx, { ids, externalIds }: ContractNames): Promise<VolumeContract[]> =>
  readParties(tx, LOCK_CONTRACTS, [ids, externalIds]);

/** The same for contracts whose numbers are known. */
const LOCK_NUMBERED = statement(
  'lock_contracts_by_number',
  `select ${COLUMNS} from contract where no = any($1::int[]) order by no for no key update`,
);

export const lockContractsByNo = (tx: Tx, nos: readonly number[]): Promise<VolumeContract[]> =>
  readParties(tx, LOCK_NUMBERED, [nos]);

const OF_CUSTOMER = `select ${COLUMNS} from contract
   where seller_customer = $1 or buyer_customer = $1 order by no`;
const READ_OF_CUSTOMER = statement('contracts_of_customer', OF_CUSTOMER);
const LOCK_OF_CUSTOMER = statement('lock_contracts_of_customer', `${OF_CUSTOMER} for no key update`);

export const readContractsOf = (db: Db, customerId: string): Promise<VolumeContract[]> =>
  readParties(db, READ_OF_CUSTOMER, [customerId]);

/** Locks the contracts of a customer in the order of imports. */
export const lockContractsOf = (tx: Tx, customerId: string): Promise<VolumeContract[]> =>
  readParties(tx, LOCK_OF_CUSTOMER, [customerId]);

const FORMER_PARTIES = statement(
  'former_parties',
  `select contract_no, is_seller, first_day, last_day, position_no, brp_no
   from former_party where contract_no = any($1::int[]) and first_day <= last_day`,
);

type FormerColumns = [
  contractNo: number,
  isSeller: boolean,
  firstDay: DeliveryDay,
  lastDay: DeliveryDay,
  positionNo: number,
  brpNo: number,
];

/**
 * Sources and former parties are read after the lock, so that they are current. Former parties are read only for the few
 * contracts whose parties have changed.
 */
async function readParties(
  db: Db,
  contracts: Parameters<Db['arrays']>[0],
  values: readonly unknown[],
): Promise<VolumeContract[]> {
  const locked = (await db.arrays<ContractColumns>(contracts, values)).map(contractOf);
  const sources = await readSources(
    db,
    locked.map(({ no }) => no),
  );
  const found = locked.map((contract) => {
    const ofContract = sources.get(contract.no);
    return ofContract === undefined ? contract : { ...contract, sources: ofContract };
  });
  const changed = found.filter(hasMoved);
  if (changed.length === 0) return found;
  const rows = await db.arrays<FormerColumns>(FORMER_PARTIES, [changed.map(({ no }) => no)]);
  const former = Map.groupBy(rows, ([contractNo]) => contractNo);
  return found.map((contract) => ({
    ...contract,
    former: (former.get(contract.no) ?? []).map(([, isSeller, firstDay, lastDay, positionNo, brpNo]) => ({
      ...{ isSeller, firstDay, lastDay, positionNo, brpNo },
    })),
  }));
}

const NEWEST_ACTIVATION = statement(
  'newest_activation_of_customers',
  `select greatest(s.activated_at, b.activated_at) as activated_at
   from contract c
   join customer s on s.id = c.seller_customer
   join customer b on b.id = c.buyer_customer
   where c.no = $1`,
);

/** When one of the customers of a contract was activated last. Precondition: the contract is locked. */
export async function findNewestActivation(tx: Tx, { no }: VolumeContract): Promise<number | null> {
  const [row] = await tx.query<{ activated_at: number | null }>(NEWEST_ACTIVATION, [no]);
  return row?.activated_at ?? null;
}

const INACTIVE_CUSTOMERS = statement(
  'inactive_customers_of_contracts',
  `select c.no as contract_no, p.name, p.status, b.name as brp_name
   from contract c
   join customer p on p.id in (c.seller_customer, c.buyer_customer) and p.status <> 'active'
   join brp b on b.no = p.brp_no
   where c.no = any($1::int[])
   order by c.no, p.id = c.buyer_customer`,
);

type InactiveCustomer = {
  contract_no: number;
  name: string;
  status: 'pending' | 'deactivated';
  brp_name: string;
};

export type ExplainInactive = (contractNo: number) => Message;

/** Explains why a contract takes no volumes: which customers are not active, and which BRPs have to act. */
export async function explainInactive(db: Db, contractNos: readonly number[]): Promise<ExplainInactive> {
  const rows =
    contractNos.length === 0 ? [] : await db.query<InactiveCustomer>(INACTIVE_CUSTOMERS, [contractNos]);
  return (contractNo) => ({
    key: 'import.customers_not_active',
    customers: rows
      .filter(({ contract_no }) => contract_no === contractNo)
      .map(({ name, status, brp_name: brp }) => ({
        key: 'import.customer_not_active',
        name,
        status: { key: `problem.${status}` },
        brp,
      })),
  });
}
