import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { SeriesDayChange } from '@saldo/core/series/series-day.ts';
import { appendEvents } from '../events/store.ts';
import type { Tx } from '../platform/db/database.ts';
import { type ChangedSeriesDay, ValueBatch } from '../series/value-batch.ts';
import { followValues } from './follow-values.ts';

/** Values of one day of a series, one per slot; null says nothing. The series is locked. */
export type ValuesOfDay = {
  readonly series: { readonly no: number; readonly id: string };
  readonly day: DeliveryDay;
  readonly valuesWh: readonly (number | null)[];
};

/** What was stored, element by element of the input, and the days that changed, for the audit. */
export type StoredValues = {
  readonly changes: readonly (SeriesDayChange & { readonly revision: number | null })[];
  readonly changed: readonly ChangedSeriesDay[];
};

/**
 * Stores values and everything that follows from them, in one transaction: versions, volumes of contracts, events.
 * Precondition: the series are locked in the order of their numbers; contracts are locked after them, never before. A dry
 * run only counts, without locks.
 */
export async function storeValues(
  tx: Tx,
  days: readonly ValuesOfDay[],
  now: number,
  isDryRun = false,
): Promise<StoredValues> {
  const batch = new ValueBatch(tx, now, isDryRun);
  const keyOf = ({ series, day }: ValuesOfDay) => ({ seriesNo: series.no, day });
  await batch.load(days.map(keyOf));
  const written = days.map((day) => batch.write(keyOf(day), day.valuesWh));
  const changed = await batch.save();
  const changes = days.map((day, at) => ({ ...written[at]!, revision: batch.revisionOf(keyOf(day)) }));
  if (isDryRun) return { changes, changed: [] };
  await followValues(tx, changed, now);
  const ids = new Map(days.map(({ series }) => [series.no, series.id]));
  await appendEvents(
    tx,
    changed.map(({ seriesNo, day, slots }) => ({
      type: 'series.updated',
      tenants: ['operator'],
      data: {
        object: 'series',
        id: encodeId(ID_PREFIX.series, ids.get(seriesNo)!),
        delivery_date: day,
        slots: slots.length,
      },
    })),
    now,
  );
  return { changes, changed };
}
