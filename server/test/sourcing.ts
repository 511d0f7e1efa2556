import assert from 'node:assert/strict';
import type { OperatorTransaction } from '@saldo/api';
import { dayEnd, dayStart, formatInstant, slotCount } from '@saldo/core/delivery-day.ts';
import type { SeriesKind } from '@saldo/core/enums.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { newId } from '../src/platform/db/new-id.ts';
import { insertRow } from '../src/platform/db/rows.ts';
import { timestamp } from '../src/platform/db/wire-types.ts';
import { lockSeries } from '../src/series/store.ts';
import { storeValues } from '../src/sources/actions.ts';
import { client, type TestPlatform, walk } from './harness.ts';
import { kwhOf } from './nominated.ts';
import type { WorldCustomer } from './world.ts';

export type TestSeries = { readonly no: number; readonly uuid: string; readonly id: string };
export type Values = number | readonly (number | null)[];

/** Values of one day of a series, in Wh: one for all slots, or one for each. */
export type DayOfValues = readonly [series: TestSeries, day: string, wh: Values];

/** Series, contracts with a source, and the volumes that follow. */
export async function sourcing(platform: TestPlatform) {
  const { db, clock, world, baseUrl } = platform;
  const operator = client(baseUrl, await world.operatorKey());
  let count = 0;

  async function series(
    kind: SeriesKind,
    owner: { asset: { uuid: string } } | { customer: { uuid: string } },
  ): Promise<TestSeries> {
    const uuid = newId();
    const row = {
      id: uuid,
      kind,
      asset_id: 'asset' in owner ? owner.asset.uuid : null,
      customer_id: 'customer' in owner ? owner.customer.uuid : null,
      name: `Series ${++count}`,
      created_at: timestamp(clock.now()),
    };
    const [made] = await db.transaction((tx) => insertRow<{ no: number }>(tx, 'series', row, 'returning no'));
    assert.ok(made);
    return { no: made.no, uuid, id: encodeId(ID_PREFIX.series, uuid) };
  }

  /** Stores values as every delivery does, in one transaction. */
  const store = (...days: readonly DayOfValues[]) =>
    db.transaction(async (tx) => {
      await lockSeries(tx, { nos: days.map(([{ no }]) => no) });
      const valuesOf = (day: string, wh: Values) =>
        typeof wh === 'number' ? Array.from({ length: slotCount(day) }, () => wh) : wh;
      const input = days.map(([{ no, uuid: id }, day, wh]) => ({
        ...{ series: { no, id }, day, valuesWh: valuesOf(day, wh) },
      }));
      return storeValues(tx, input, clock.now());
    });

  /** The body of a contract with a source; `first` and `last` are delivery days. */
  const contractBody = (
    seller: WorldCustomer,
    buyer: WorldCustomer,
    {
      first = '2026-01-01',
      last = '2026-12-31',
      ...terms
    }: { first?: string | null; last?: string | null; [term: string]: unknown } = {},
  ) => ({
    external_id: `SOURCED-${++count}`,
    type: 'ppa',
    ppa_type: 'produced',
    seller_customer_id: seller.id,
    buyer_customer_id: buyer.id,
    delivery_start: first === null ? null : formatInstant(dayStart(first)),
    delivery_end: last === null ? null : formatInstant(dayEnd(last)),
    ...terms,
  });

  const transactions = (contractId: string, day: string): Promise<OperatorTransaction[]> =>
    walk(
      operator,
      `/operator/v1/transactions?contract_id=${contractId}&delivery_date=${day}`,
      'transactions',
      100,
    );

  /** The newest transaction of each slot as `kWh`, with its source, and its status if it is not valid. */
  async function newest(contractId: string, day: string): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (const { slot_number: slot, volume, status, source } of await transactions(contractId, day))
      found.set(slot, `${kwhOf(volume)} ${source ?? 'none'}${status === 'valid' ? '' : ` ${status}`}`);
    return found;
  }

  /** The distinct values of `newest` in the order of the slots. */
  const shown = async (contractId: string, day: string): Promise<string[]> => [
    ...new Set((await newest(contractId, day)).values()),
  ];

  return { operator, series, store, contractBody, transactions, newest, shown };
}
