/** The table that is printed at the end of a campaign. */
import type { History, Outcome } from './journal.ts';

export type FaultResult = {
  readonly kind: string;
  readonly mode: string;
  /**
   * Recovery time: from the end of the cause (kill, SIGCONT, freed disk) to the first acknowledged write begun after
   * it.
   */
  readonly backAfterS: number | null;
  /** Crashes of the server that the fault did not cause directly. */
  readonly serverEnded: number;
  /** Outcomes of the clients' requests between the comparisons before and after the fault. */
  readonly outcomes: Partial<Record<Outcome, number>>;
  /** All other failures. */
  readonly failures: readonly string[];
};

/** A violation is attributed to the fault before the comparison and named after its rule. */
export const violationText = (rule: string, text: string) => `${rule}: ${text}`;

/** Files are handed over again, with the same bytes, when the server ended before it recorded the delivery. */
export function summaryOf({ writes, files }: History): string {
  const repeated = [...files.values()].reduce((sum, { times }) => sum + times - 1, 0);
  return `${writes.length} writes, ${files.size} files, ${repeated} of them handed over again.`;
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
export function tableOf(results: readonly FaultResult[]): string {
  const groups = Map.groupBy(results, ({ mode, kind }) => `${mode}/${kind}`);
  const rows = [...groups.values()].map((group) => {
    const [{ mode, kind }] = group as [FaultResult, ...FaultResult[]];
    const total = (count: (one: FaultResult) => number) => group.reduce((sum, one) => sum + count(one), 0);
    const ofRule = (rule: string) =>
      total(({ failures }) => failures.filter((text) => text.startsWith(`${rule}: `)).length);
    const [lost, doubled] = [ofRule('lost'), ofRule('doubled')];
    const seconds = group.flatMap(({ backAfterS }) => backAfterS ?? []).toSorted((one, other) => one - other);
    return [
      mode,
      kind,
      group.length,
      total(({ serverEnded }) => serverEnded),
      lost,
      doubled,
      total(({ failures }) => failures.length) - lost - doubled,
      total(({ outcomes }) => outcomes.acknowledged ?? 0),
      total(({ outcomes }) => outcomes.unavailable ?? 0),
      total(({ outcomes }) => outcomes.lost ?? 0),
      seconds[(seconds.length - 1) >> 1]?.toFixed(1) ?? '–',
      seconds.at(-1)?.toFixed(1) ?? '–',
    ];
  });
  const lines = [HEADER, HEADER.map((_, at) => (at < 2 ? '---' : '--:')), ...rows];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
