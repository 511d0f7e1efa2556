import type { OperatorCustomerUpdate } from '@saldo/api';
import { type DeliveryDay, dayStart } from '@saldo/core/delivery-day.ts';
import { effectiveDay } from '@saldo/core/gates.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { customerNotFound, decideUpdate } from '../customers/actions.ts';
import { customerUpdateEvents } from '../customers/events.ts';
import { savePlacement } from '../customers/placements.ts';
import { type CustomerRow, lockCustomer, saveCustomer } from '../customers/store.ts';
import { appendEvents, type NewEvent } from '../events/store.ts';
import type { Viewer } from '../platform/auth/viewer.ts';
import type { Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import type { Precondition } from '../platform/http/preconditions.ts';
import { fieldProblem } from '../platform/http/problem.ts';
import { followSources } from '../sources/follow-values.ts';
import { DirtyPositions } from '../transactions/dirty-positions.ts';
import { changeStoredDays, type StoredDaysChange } from '../transactions/stored-days.ts';
import { lockContractsOf, readContractsOf, type VolumeContract } from '../transactions/volume-contracts.ts';

export type CustomerChange = {
  before: CustomerRow;
  after: CustomerRow;
  now: number;
  effectiveDay: DeliveryDay;
  /** Contracts that deliver on the effective day or later, if the change concerns them. */
  contracts: number;
  transactions: number;
  dirty: DirtyPositions;
};

/**
 * Changes a customer and everything that follows from it, in one transaction: its placements, the parties of its
 * contracts, and their stored transactions from the effective day on. The customer is locked first, then its contracts
 * in the order of imports; the time is read after that, so that waiting for a lock cannot miss a gate.
 */
export async function changeCustomer(
  tx: Tx,
  viewer: Viewer,
  id: string,
  update: OperatorCustomerUpdate,
  requireUnchanged: Precondition<CustomerRow>,
  { clock, rules }: { clock: { now(): number }; rules: MarketRules },
): Promise<CustomerChange> {
  const before = await lockCustomer(tx, viewer, id);
  if (before === null) throw customerNotFound();
  requireUnchanged(before);
  const concernsContracts = update.status ?? update.balance_group ?? update.brp_id;
  const contracts = concernsContracts === undefined ? [] : await lockContractsOf(tx, id);
  const now = clock.now();
  const first = effectiveDay(now, rules);
  const decided = await decideUpdate(tx, viewer, before, update, { now, effectiveDay: first });
  if (isLeftWithoutGroup(before, decided) && contracts.some((contract) => isDelivering(contract, now)))
    throw fieldProblem('balance_group', 'required', { key: 'field.required_for_deliveries' });
  const after = await saveCustomer(tx, viewer, decided);
  await appendEvents(tx, customerUpdateEvents(before, after), now);

  const isMoved = after.position_no !== before.position_no;
  const hasNewStatus = after.status !== before.status;
  if (isMoved) {
    await savePlacement(tx, id, after.position_no, first, now);
    if (after.position_no !== null) await moveContracts(tx, id, after.position_no, first);
  }
  if (hasNewStatus) await tx.query(FOLLOW_STATUS, [id]);
  const change = { before, after, now, effectiveDay: first };
  if (!isMoved && !hasNewStatus)
    return { ...change, contracts: 0, transactions: 0, dirty: new DirtyPositions() };
  const changed = await readContractsOf(tx, id);
  await appendEvents(tx, movedContractEvents(contracts, changed), now);
  const stored = storedChange(before, after, first);
  const dirty = new DirtyPositions();
  let transactions = 0;
  // Values that arrived while the customer was not active count from the effective day on. They come first, so that a
  // transaction that becomes valid again with another volume has one new version.
  if (stored.kind === 'restore and reissue')
    transactions += await followSources(tx, changed, { first, restored: stored }, dirty, now);
  transactions += await changeStoredDays(tx, changed, stored, dirty, now);
  await dirty.mark(tx);
  return {
    ...change,
    ...{ transactions, dirty },
    contracts: contracts.filter((contract) => isDelivering(contract, dayStart(first))).length,
  };
}

/** Contracts show the newest balance groups of their parties. A BRP that leaves a contract gets an event too. */
function movedContractEvents(
  before: readonly VolumeContract[],
  after: readonly VolumeContract[],
): NewEvent[] {
  const earlier = new Map(before.map((contract) => [contract.no, contract]));
  return after.flatMap((contract): NewEvent[] => {
    const old = earlier.get(contract.no) ?? contract;
    const changed = (['seller', 'buyer'] as const).filter(
      (side) => old[side].positionNo !== contract[side].positionNo,
    );
    if (changed.length === 0) return [];
    const brps = [old.seller, old.buyer, contract.seller, contract.buyer];
    const id = encodeId(ID_PREFIX.contract, contract.id);
    const data = { object: 'contract' as const, id, changed };
    return [{ type: 'contract.updated', tenants: brps.map(({ brpNo }) => `brp/${brpNo}` as const), data }];
  });
}

/** A new BRP without a new balance group. */
const isLeftWithoutGroup = (before: CustomerRow, after: CustomerRow) =>
  before.brp_no !== after.brp_no && after.position_no === null;

const isDelivering = ({ deliveryEnd }: VolumeContract, from: number) =>
  deliveryEnd === null || deliveryEnd > from;

function storedChange(
  before: CustomerRow,
  { id, status }: CustomerRow,
  first: DeliveryDay,
): StoredDaysChange {
  if (status === before.status) return { kind: 'reissue', first };
  if (status === 'active') return { kind: 'restore and reissue', first, reactivated: first };
  const reason = { text: 'customer_deactivated', customerId: id, byEnd: false };
  return { kind: 'invalidate', first, reason };
}

/** Both customers are read after the contracts were locked: a change of the other one is entirely before or after. */
const FOLLOW_STATUS = statement(
  'follow_customer_status',
  `update contract c set
     is_activated = c.is_activated or s.activated_at is not null and b.activated_at is not null,
     rests_from = least(s.deactivated_from, b.deactivated_from)
   from customer s, customer b
   where (c.seller_customer = $1 or c.buyer_customer = $1) and s.id = c.seller_customer and b.id = c.buyer_customer`,
);

const SIDES = [
  { side: 'seller', party: 'sender', isSeller: true },
  { side: 'buyer', party: 'receiver', isSeller: false },
] as const;

/** $1 customer, $2 first day. A clock that was set back may find former parties of later days: they are cut off. */
const END_FORMER = SIDES.flatMap(({ side, isSeller }) => {
  const ofSide = `contract_no in (select no from contract where ${side}_customer = $1) and is_seller = ${isSeller}`;
  return [
    statement(
      `delete_coming_${side}s`,
      `delete from former_party where ${ofSide} and first_day >= $2 and first_day <= last_day`,
    ),
    statement(
      `end_former_${side}s`,
      `update former_party set last_day = $2::date - 1 where ${ofSide} and first_day < $2 and last_day >= $2`,
    ),
  ];
});

/**
 * $1 customer, $2 first day, $3 the new position. A party that is replaced before its first day becomes a former party
 * only if it has transactions, which its BRP goes on seeing.
 */
const MOVE = SIDES.flatMap(({ side, party, isSeller }) => [
  statement(
    `insert_former_${side}s`,
    `insert into former_party (contract_no, contract_id, is_seller, first_day, last_day, position_no, brp_no)
     select no, id, ${isSeller}, ${side}_from, case when ${side}_from < $2 then $2::date - 1 else ${side}_from - 1 end, ${side}_position, ${side}_brp
     from contract c
     where ${side}_customer = $1 and ${side}_position <> $3 and (${side}_from < $2 or exists (
       select from sheet s
       where s.contract_no = c.no and s.delivery_day >= c.${side}_from and s.${party}_position = c.${side}_position))
     on conflict (contract_no, is_seller, first_day, position_no)
       do update set last_day = greatest(former_party.last_day, excluded.last_day)`,
  ),
  statement(
    `move_${side}s`,
    `update contract c set ${side}_position = p.no, ${side}_brp = p.brp_no, ${side}_eic = p.eic,
       ${side}_tso = p.tso, ${side}_from = $2
     from position p where p.no = $3 and c.${side}_customer = $1 and c.${side}_position <> $3`,
  ),
]);

/** The contracts of a customer show its new balance group, and use it from this day on. */
async function moveContracts(
  tx: Tx,
  customerId: string,
  positionNo: number,
  first: DeliveryDay,
): Promise<void> {
  for (const step of END_FORMER) await tx.query(step, [customerId, first]);
  for (const step of MOVE) await tx.query(step, [customerId, first, positionNo]);
}
