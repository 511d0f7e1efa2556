import type { BulkResults } from './bulk.ts';
import type { EngineResults } from './engine.ts';
import type { EventResults } from './events.ts';
import type { ExchangeResults } from './exchange.ts';
import type { ExportResults } from './exports.ts';
import type { GrowthResults } from './growth.ts';
import type { GuardResults } from './guard.ts';
import type { ImportResults } from './import.ts';
import type { ListResults } from './lists.ts';
import type { MarketResults } from './market.ts';
import type { Comparison } from './measure.ts';
import type { MoveResults } from './move.ts';
import type { OverloadResults } from './overload.ts';
import type { PgbenchResults } from './pgbench.ts';
import type { Progress } from './progress.ts';
import type { ReplicaResults } from './replica.ts';
import type { RivalResults } from './rivals.ts';
import type { SaldoResults } from './saldo.ts';
import type { WebhookResults } from './webhooks.ts';
import type { WorkersResults } from './workers.ts';
import type { LoadResult } from './world.ts';

/** The results of a run. A part that was skipped for lack of time is missing. */
export type Results = {
  readonly date: string;
  readonly mode: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly system: string;
    readonly node: string;
    readonly postgres: string;
  };
  readonly cost: 'CPU time' | 'wall time';
  loading?: LoadResult;
  /** Named after the scenario; the first of each is the product, the second the bare server. */
  againstLimit?: Readonly<Record<string, Comparison>>;
  /** The same against a bare server with the product's query code. */
  againstSparing?: Readonly<Record<string, Comparison>>;
  /** The first of each is the large dataset, the second the small one. */
  againstSmall?: { readonly transactions: number; readonly pages: Readonly<Record<string, Comparison>> };
  walk?: { pages: number; records: number; seconds: number; lastAgainstFirst: Comparison };
  pgbench?: PgbenchResults;
  rivals?: RivalResults;
  bulk?: BulkResults;
  guard?: GuardResults;
  saldo?: SaldoResults;
  overload?: OverloadResults;
  workers?: WorkersResults;
  market?: MarketResults;
  engine?: EngineResults;
  move?: MoveResults;
  replica?: ReplicaResults;
  exchange?: ExchangeResults;
  imports?: ImportResults;
  exports?: ExportResults;
  events?: EventResults;
  webhooks?: WebhookResults;
  growth?: GrowthResults;
  lists?: ListResults;
  leftOut: readonly string[];
  /** Duration of each part, in order of execution. */
  phases: Progress['phases'];
};

export function comparisonsOf(results: Results): Comparison[] {
  const sets = [
    results.againstLimit,
    results.againstSparing,
    results.againstSmall?.pages,
    results.market?.againstLimit,
    results.events?.pages,
    results.lists?.ofTenant,
    results.lists?.ofPlatform,
  ];
  return [
    ...sets.flatMap((comparisons) => Object.values(comparisons ?? {})),
    ...(results.walk ? [results.walk.lastAgainstFirst] : []),
    ...(results.rivals?.pages.map(({ comparison }) => comparison) ?? []),
    ...(results.bulk ? [results.bulk.againstLimit] : []),
    ...workersComparisons(results).map(([, , comparison]) => comparison),
  ];
}

/** The comparisons that were measured, with labels. */
export function workersComparisons({ workers }: Results): [first: string, second: string, Comparison][] {
  if (!workers) return [];
  const all: [string, string, Comparison | null][] = [
    ['two workers', 'one worker', workers.twoAgainstOne],
    ['one worker, counting in Redis', 'one worker', workers.redisAgainstMemory],
    ['two workers, counting in Redis', 'one worker', workers.twoWithRedis],
  ];
  return all.flatMap(([first, second, comparison]) => (comparison ? [[first, second, comparison]] : []));
}
