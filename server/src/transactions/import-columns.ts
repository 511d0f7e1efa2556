import { LIMITS } from '@saldo/api';
import { csvFields, DecimalNotation, type Delimiter, delimiterOf } from '@saldo/core/csv.ts';
import type { DecimalMark, RejectionCode, Resolution } from '@saldo/core/enums.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import {
  VOLUME_RULES,
  VOLUME_UNITS,
  type VolumeFault,
  type VolumeUnit,
  volumeFaultMessage,
  volumeFromJson,
  volumeFromText,
} from '@saldo/core/transactions/volume.ts';
import { type FieldError, validationProblem } from '../platform/http/problem.ts';

/** Why a value is rejected. The message continues the name of its column. */
export type UnitFault = { readonly code: RejectionCode; readonly message: Message };

/** A column with the values of a file, of which a file has one. */
export type UnitColumn = {
  readonly name: string;
  /** The NDJSON member with one value for each slot of a day. */
  readonly dayName: string;
  /** Whether values are W of a volume, of which the whole block makes kWh. */
  readonly isPower: boolean;
  /** A quarter-hour's value is its digits times the element for its number of decimals: a whole number up to the maximum. */
  readonly scales: readonly number[];
  readonly max: number;
  fromText(text: string, resolution: Resolution): number | UnitFault;
  fromJson(value: unknown, resolution: Resolution): number | UnitFault;
};

/** The columns of an import: its subject, the time, one of the units, and optional ones. */
export type ImportColumns = {
  readonly subject: 'contract' | 'series';
  readonly units: readonly UnitColumn[];
  readonly optional: readonly ('kind' | 'resolution')[];
  /** Names all of them. */
  readonly description: Message;
};

/** Exact: the divisor is a power of two. */
export const scalesOf = (decimals: number, divisor: 1 | 4): number[] =>
  Array.from({ length: decimals + 1 }, (_, read) => 10 ** (decimals - read) / divisor);

const VOLUME_CODES: Record<VolumeFault, RejectionCode> = {
  not_a_number: 'invalid_volume',
  negative: 'negative_volume',
  too_precise: 'too_many_decimals',
  too_large: 'volume_too_large',
};

function volumeColumn(unit: VolumeUnit): UnitColumn {
  const { decimals, max } = VOLUME_RULES[unit];
  const isPower = unit !== 'volume';
  const checked = (volume: number | VolumeFault) =>
    typeof volume === 'number'
      ? volume
      : { code: VOLUME_CODES[volume], message: volumeFaultMessage(volume, unit) };
  return {
    name: unit,
    dayName: isPower ? unit : 'volumes',
    isPower,
    scales: scalesOf(decimals, 1),
    max,
    fromText: (text) => checked(volumeFromText(text, unit)),
    fromJson: (value) => checked(volumeFromJson(value, unit)),
  };
}

export const VOLUME_COLUMNS: ImportColumns = {
  subject: 'contract',
  units: VOLUME_UNITS.map(volumeColumn),
  optional: [],
  description: { key: 'import.volume_columns' },
};

/** How the values of a CSV file are written. */
export type CsvForm = {
  readonly subject: ImportColumns['subject'];
  /** The names of the header. */
  readonly columns: readonly string[];
  readonly unit: UnitColumn;
  readonly delimiter: Delimiter;
  readonly notation: DecimalNotation;
};

/** Parses the CSV header, which must name the columns of the import exactly once, in any order, and no other column. */
export function readHeader(columns: ImportColumns, line: string, decimal: DecimalMark | null): CsvForm {
  const takes = { key: 'import.columns', columns: columns.description } as const;
  const delimiter = delimiterOf(line);
  const names = csvFields(line, delimiter);
  if (!Array.isArray(names)) {
    const message = { key: 'import.unreadable_columns', columns: takes, fault: names } as const;
    throw validationProblem([{ code: 'invalid_format', message }]);
  }
  const errors = headerErrors(columns, names, takes);
  if (errors.length > 0) throw validationProblem(errors.slice(0, LIMITS.fieldErrors));
  const unit = columns.units.find(({ name }) => names.includes(name))!;
  const notation = new DecimalNotation(delimiter, decimal);
  return { subject: columns.subject, columns: names, unit, delimiter, notation };
}

function headerErrors(
  { subject, units, optional }: ImportColumns,
  names: readonly string[],
  takes: Message,
): FieldError[] {
  const has = (name: string) => names.includes(name);
  const unitNames = units.map(({ name }) => name);
  const time = has('delivery_start') ? ['delivery_start'] : ['delivery_date', 'slot'];
  const unit = names.find((name) => unitNames.includes(name)) ?? unitNames[0]!;
  const required = [subject, ...time, unit];
  const known = new Set<string>([
    subject,
    'delivery_start',
    'delivery_date',
    'slot',
    ...unitNames,
    ...optional,
  ]);
  const taken = new Set<string>([...required, ...optional]);
  const errors: FieldError[] = [];
  for (const name of new Set(names)) {
    const shown = name.slice(0, LIMITS.nameLength);
    if (!known.has(name)) errors.push({ field: shown, code: 'unknown_field', message: takes });
    else if (names.indexOf(name) !== names.lastIndexOf(name)) {
      errors.push({ field: name, code: 'validation_failed', message: { key: 'import.column_twice' } });
    } else if (!taken.has(name)) errors.push({ field: name, code: 'validation_failed', message: takes });
  }
  for (const name of required) {
    if (!has(name)) errors.push({ field: name, code: 'required', message: takes });
  }
  return errors;
}
