/** What every scenario gets: the sizes of the run, and everything that it can start. */
import type { Databases } from './databases.ts';
import type { Bench, Plan, Rounds } from './measure.ts';
import type { Generator, Processes } from './servers.ts';
import type { WorldSize } from './world.ts';

export type Sizes = {
  /** Many short rounds, because the median of their ratios tolerates occasional other load. */
  readonly plan: Plan;
  /** Of a comparison whose round is a market day: its rounds are long enough to vary little. */
  readonly marketDays: Rounds;
  readonly world: WorldSize;
  readonly rivals: WorldSize;
  readonly growth: readonly WorldSize[];
  /** Contracts of a market day. */
  readonly contracts: number;
  /** The largest BRP has about half of the contracts. */
  readonly exports: WorldSize;
  /** Number of BRPs on the two platforms whose lists are compared. */
  readonly lists: { readonly few: number; readonly many: number };
  /** Number of changes, each of which is sent to all endpoints. */
  readonly webhookChanges: number;
};

export type Run = {
  readonly sizes: Sizes;
  readonly databases: Databases;
  readonly postmaster: number;
  readonly processes: Processes;
  readonly generator: Generator;
  readonly bench: Bench;
};

const BRPS = 200;
const MILLION: WorldSize = { contracts: 520, days: 20, brps: BRPS };
const TEN_MILLION: WorldSize = { contracts: 1040, days: 100, brps: BRPS };
const THOUSAND_MILLION: WorldSize = { contracts: 10_400, days: 1000, brps: BRPS };

const USUAL: Sizes = {
  plan: { rounds: 21, milliseconds: 400, warmUps: 3 },
  marketDays: { rounds: 21, warmUps: 2 },
  world: { contracts: 1050, days: 100 },
  rivals: { contracts: 210, days: 50 },
  growth: [MILLION, TEN_MILLION],
  contracts: 10_000,
  exports: { contracts: 4200, days: 31 },
  lists: { few: 100, many: 10_000 },
  webhookChanges: 60,
};

export const SIZES = {
  quick: {
    plan: { rounds: 3, milliseconds: 200, warmUps: 2 },
    marketDays: { rounds: 3, warmUps: 2 },
    world: { contracts: 210, days: 50 },
    rivals: { contracts: 105, days: 10 },
    growth: [{ contracts: 105, days: 10, brps: 50 }, MILLION],
    contracts: 1000,
    exports: { contracts: 420, days: 5 },
    lists: { few: 20, many: 2000 },
    webhookChanges: 15,
  },
  default: USUAL,
  full: { ...USUAL, growth: [MILLION, TEN_MILLION, THOUSAND_MILLION] },
} satisfies Record<string, Sizes>;
