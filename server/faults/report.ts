/** Formats the table that is printed at the end of a campaign. */
import type { FaultResult } from './journal.ts';

export type Row = {
  readonly mode: string;
  readonly kind: string;
  readonly count: number;
  readonly server_ended: number;
  readonly lost: number;
  readonly doubled: number;
  readonly other_failures: number;
  readonly acknowledged: number;
  readonly unavailable: number;
  readonly connections_lost: number;
  readonly back_after_s: { readonly median: number | null; readonly max: number | null };
};

export type Report = {
  readonly started_at: string;
  readonly seed: number;
  readonly faults: number;
  readonly rows: readonly Row[];
  /** Files that were delivered again with the same bytes, because the server ended before recording the delivery. */
  readonly repeated_files: number;
  readonly writes: number;
  readonly failures: readonly string[];
};

/** A violation is attributed to the fault before the comparison and named after its rule. */
export const violationText = (rule: string, text: string) => `${rule}: ${text}`;

const countRule = (results: readonly FaultResult[], rule: string) =>
  results.flatMap(({ failures }) => failures).filter((text) => text.startsWith(`${rule}: `)).length;

export function rowsOf(results: readonly FaultResult[]): Row[] {
  const groups = Map.groupBy(results, ({ mode, kind }) => `${mode}/${kind}`);
  return [...groups.values()].map((group) => {
    const [{ mode, kind }] = group as [FaultResult, ...FaultResult[]];
    const total = (count: (one: FaultResult) => number) => group.reduce((sum, one) => sum + count(one), 0);
    const lost = countRule(group, 'lost');
    const doubled = countRule(group, 'doubled');
    const seconds = group.flatMap(({ backAfterS }) => backAfterS ?? []).toSorted((one, other) => one - other);
    return {
      mode,
      kind,
      count: group.length,
      server_ended: total(({ serverEnded }) => serverEnded),
      lost,
      doubled,
      other_failures: total(({ failures }) => failures.length) - lost - doubled,
      acknowledged: total(({ outcomes }) => outcomes.acknowledged ?? 0),
      unavailable: total(({ outcomes }) => outcomes.unavailable ?? 0),
      connections_lost: total(({ outcomes }) => outcomes.lost ?? 0),
      back_after_s: { median: seconds[(seconds.length - 1) >> 1] ?? null, max: seconds.at(-1) ?? null },
    };
  });
}

const HEADER = [
  'database',
  'fault',
  'count',
  'server ended',
  'lost',
  'doubled',
  'other failures',
  'acknowledged',
  '503',
  'connections lost',
  'back after s: median',
  'max',
];

/** Markdown, aligned so that it is readable on a terminal too. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.mode,
    row.kind,
    row.count,
    row.server_ended,
    row.lost,
    row.doubled,
    row.other_failures,
    row.acknowledged,
    row.unavailable,
    row.connections_lost,
    row.back_after_s.median?.toFixed(1) ?? '–',
    row.back_after_s.max?.toFixed(1) ?? '–',
  ]);
  const lines = [HEADER, HEADER.map((_, at) => (at < 2 ? '---' : '--:')), ...cells];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
