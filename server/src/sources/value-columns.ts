import { SLOTS_PER_HOUR } from '@saldo/core/delivery-day.ts';
import { isPower, UNIT_DECIMALS } from '@saldo/core/energy.ts';
import { type RejectionCode, VALUE_UNITS, type ValueUnit } from '@saldo/core/enums.ts';
import { MAX_SLOT_WH, type ValueFault, whFromJson, whFromText } from '@saldo/core/series/value.ts';
import { type ImportColumns, scalesOf, type UnitColumn } from '../transactions/import-columns.ts';

const CODES: Record<ValueFault['key'], RejectionCode> = {
  'series.not_a_number': 'invalid_volume',
  'series.negative': 'negative_volume',
  'series.no_whole_wh': 'too_many_decimals',
  'series.too_large': 'volume_too_large',
};

function valueColumn(unit: ValueUnit): UnitColumn {
  const checked = (wh: number | ValueFault) =>
    typeof wh === 'number' ? wh : { code: CODES[wh.key], message: wh };
  return {
    name: unit,
    dayName: unit,
    // Each power is a whole number of Wh by itself, so that nothing is rounded.
    isPower: false,
    scales: scalesOf(UNIT_DECIMALS[unit], isPower(unit) ? SLOTS_PER_HOUR : 1),
    max: MAX_SLOT_WH,
    fromText: (text, resolution) => checked(whFromText(text, unit, resolution)),
    fromJson: (value, resolution) => checked(whFromJson(value, unit, resolution)),
  };
}

export const VALUE_COLUMNS: ImportColumns = {
  subject: 'series',
  units: VALUE_UNITS.map(valueColumn),
  optional: ['kind', 'resolution'],
  description: { key: 'import.value_columns' },
};
