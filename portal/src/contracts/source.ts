import type { Contract, Series, Source, SourceInput } from '@saldo/api';
import { numberFromUnits, parseDecimal } from '@saldo/core/decimal.ts';
import { SOURCE_KINDS, type SourceKind } from '@saldo/core/enums.ts';
import { WHOLE_SHARE } from '@saldo/core/series/source.ts';
import { parseTypedNumber } from '../ui/decimal-input.ts';

/** The source of the contract as the operator reads it. */
export const sourceOf = (contract: Contract & { readonly source?: Source | null }): Source | null =>
  contract.source ?? null;

export const isSourceKind = (ppaType: string | null | undefined): ppaType is SourceKind =>
  SOURCE_KINDS.some((kind) => kind === ppaType);

/** The plants and customers whose series a contract may take. Ids that are not chosen yet are empty. */
export function ownersOf(kind: SourceKind, asset: string, buyers: readonly string[]): string[] {
  const ids = { forecasted: [asset], produced: [asset], consumed: buyers, indexed: [asset, ...buyers] };
  return ids[kind].filter((id) => id !== '');
}

/** What the fields of a source show. The share is in percent. */
export type SourceFieldsInput = {
  readonly forecast: string;
  readonly meter: string;
  readonly share: string;
  readonly maxPower: string;
};
export const EMPTY_SOURCE: SourceFieldsInput = { forecast: '', meter: '', share: '100', maxPower: '' };

/** Two decimals less than the share itself. */
const PERCENT_DECIMALS = 4;
const SHARE_DECIMALS = 6;

export const sourceInput = (source: Source | null): SourceFieldsInput =>
  source === null
    ? EMPTY_SOURCE
    : {
        forecast: source.forecast ?? '',
        meter: source.meter ?? '',
        share: String(Number((source.share * 100).toFixed(PERCENT_DECIMALS))),
        maxPower: source.max_power_mw === null ? '' : String(source.max_power_mw),
      };

/** The share of a typed percentage; null for other text. */
export function parseShare(typed: string): number | null {
  const millionths = parseDecimal(typed.trim().replace(',', '.'), PERCENT_DECIMALS);
  if (typeof millionths !== 'number' || millionths <= 0 || millionths > WHOLE_SHARE) return null;
  return numberFromUnits(millionths, SHARE_DECIMALS);
}

export type SourceFault = 'share' | 'power' | 'series';

/** The request body, or the fields that are wrong. A series that no longer fits the contract is left out. */
export function readSource(
  input: SourceFieldsInput,
  kind: SourceKind,
  offered: readonly Series[],
): SourceInput | ReadonlySet<SourceFault> {
  const chosen = (id: string) => (offered.some((series) => series.id === id) ? id : null);
  const forecast = chosen(input.forecast);
  const meter = kind === 'forecasted' ? null : chosen(input.meter);
  const share = parseShare(input.share);
  const maxPower = input.maxPower.trim() === '' ? null : parseTypedNumber(input.maxPower);
  const faults = new Set<SourceFault>();
  if (forecast === null && meter === null) faults.add('series');
  if (maxPower === null && input.maxPower.trim() !== '') faults.add('power');
  if (share === null) return faults.add('share');
  return faults.size > 0 ? faults : { forecast, meter, share, max_power_mw: maxPower };
}

export const isFaulty = (
  read: SourceInput | ReadonlySet<SourceFault> | null,
): read is ReadonlySet<SourceFault> => read instanceof Set;
