import type { Tso } from '../enums.ts';
import type { Schedule, Series } from './schedule.ts';

/** What later checks need of a file that a balance group has submitted to its TSO. */
export type SubmittedFile = {
  readonly tso: Tso;
  readonly messageId: string;
  readonly version: number;
  readonly series: readonly SubmittedSeries[];
};

export type SubmittedSeries = {
  readonly identification: string;
  readonly version: number;
  /** Of the values; a changed series has another one. */
  readonly digest: string;
  /** Of a series between two areas, its values: the file of the other area has them, too. */
  readonly bridge: Pick<Series, 'outArea' | 'inArea' | 'powersKw'> | null;
};

export const submittedFile = ({ tso, messageId, version, series }: Schedule): SubmittedFile => ({
  tso,
  messageId,
  version,
  series: series.map(({ identification, version: own, outArea, inArea, powersKw, businessType }) => ({
    identification,
    version: own,
    digest: digestOf(powersKw),
    bridge: businessType === 'A06' ? { outArea, inArea, powersKw } : null,
  })),
});

export const isSameAsBefore = ({ powersKw }: Series, { digest }: SubmittedSeries): boolean =>
  digestOf(powersKw) === digest;

/** FNV-1a with two seeds, 64 bits: a change goes unnoticed once in 10^19 times. */
function digestOf(powersKw: readonly number[]): string {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (const powerKw of powersKw) {
    for (const part of [powerKw & 0xffff, powerKw >>> 16]) {
      low = Math.imul(low ^ part, 0x01000193);
      high = Math.imul(high ^ (part + 0x9e37), 0x85ebca6b);
      high ^= high >>> 13;
    }
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
