import type { Series, SeriesDeviation, SeriesValues } from '@saldo/api';
import { type DeliveryDay, formatInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Deviation } from '@saldo/core/series/deviation.ts';
import type { SlotVersion } from '@saldo/core/series/series-day.ts';
import type { SeriesRow } from './store.ts';

export const wireSeries = (row: SeriesRow): Series => ({
  id: encodeId(ID_PREFIX.series, row.id),
  kind: row.kind,
  owner:
    row.asset_id === null
      ? { type: 'customer', id: encodeId(ID_PREFIX.customer, row.customer_id!) }
      : { type: 'asset', id: encodeId(ID_PREFIX.asset, row.asset_id) },
  name: row.name,
  market_location: row.market_location,
  created_at: formatInstant(row.created_at),
});

export const wireValue = ({ slot, wh, version }: SlotVersion): SeriesValues['values'][number] => ({
  slot_number: slot,
  energy_wh: wh,
  version,
});

const WH_PER_KWH = 1000;

export const wireDeviation = (day: DeliveryDay, of: Deviation): SeriesDeviation['days'][number] => ({
  delivery_date: day,
  forecast_kwh: of.forecastWh / WH_PER_KWH,
  meter_kwh: of.meterWh / WH_PER_KWH,
  error_kwh: of.errorWh / WH_PER_KWH,
  absolute_error_kwh: of.absoluteErrorWh / WH_PER_KWH,
  slots_present: of.slotsPresent / of.slotCount,
});
