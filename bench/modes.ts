/** The amount of data and the time limits of each mode. */
import type { Plan } from './measure.ts';
import type { WorldSize } from './world.ts';

/** The parts of a run, and the minutes of each. A part that exceeds its time repeats no disturbed rounds. */
const PLANNED = {
  'the bare server': 5,
  rivals: 5,
  'bulk reads': 1.2,
  'the way in': 0.1,
  'the saldo of a day': 0.6,
  imports: 1.2,
  exports: 1.5,
  events: 2,
  overload: 0.8,
  workers: 2.2,
  'the same SQL under pgbench': 0.4,
  growth: 2.2,
  lists: 3,
  'a small world': 3.3,
  'a walk over everything': 1.8,
  netting: 0.3,
  'a move': 1,
  'a replica': 0.6,
  'the exchange': 0.4,
  'the market': 3.5,
  webhooks: 0.4,
};
export type PhaseTitle = keyof typeof PLANNED;
type Planned = Readonly<Record<PhaseTitle, number>>;

export type Mode = {
  readonly name: string;
  /** Time limit of the run. Parts that are measured by then are reported. */
  readonly minutes: number;
  readonly planned: Planned;
  /** The output: results, and for a complete run also charts and the README. */
  readonly keeps: 'nothing' | 'numbers' | 'page';
  /** Many short rounds, because the median of their ratios tolerates occasional other load. */
  readonly plan: Plan;
  readonly world: WorldSize;
  readonly small: WorldSize;
  readonly rivals: WorldSize;
  readonly growth: readonly WorldSize[];
  /** Number of BRPs on the two platforms whose lists are compared. */
  readonly lists: readonly [few: number, many: number];
  /** Number of offers, and equally of demands. */
  readonly marketRecords: number;
  readonly saldoContracts: number;
  readonly engineContracts: number;
  readonly exchangeContracts: number;
  readonly importContracts: number;
  /** The largest BRP has about half of the contracts. */
  readonly exports: WorldSize;
  /** Number of events in the two logs whose pages are compared. */
  readonly events: readonly [few: number, many: number];
  /** Number of changes, each of which is sent to all endpoints. */
  readonly webhookChanges: number;
};

const BRPS = 200;
const MILLION: WorldSize = { contracts: 520, days: 20, brps: BRPS };
const TEN_MILLION: WorldSize = { contracts: 1040, days: 100, brps: BRPS };
const HUNDRED_MILLION: WorldSize = { contracts: 5200, days: 200, brps: BRPS };
const THOUSAND_MILLION: WorldSize = { contracts: 10_400, days: 1000, brps: BRPS };

const SMALL: WorldSize = { contracts: 105, days: 10 };
const MARKET_DAY = {
  marketRecords: 100_000,
  saldoContracts: 10_000,
  engineContracts: 10_000,
  exchangeContracts: 12_000,
  importContracts: 10_000,
  exports: { contracts: 4200, days: 31 },
  events: [60_000, 4_000_000] as const,
  webhookChanges: 60,
};

const USUAL: Mode = {
  name: 'default',
  minutes: 30,
  planned: PLANNED,
  keeps: 'page',
  plan: { rounds: 9, milliseconds: 1000, connections: 32, warmUpMs: 3000 },
  world: { contracts: 1050, days: 100 },
  small: SMALL,
  rivals: { contracts: 210, days: 50 },
  growth: [MILLION, TEN_MILLION],
  lists: [200, 20_000],
  ...MARKET_DAY,
};

export const MODES = {
  default: USUAL,
  full: {
    ...USUAL,
    name: 'full',
    minutes: 60,
    // Loading a thousand million takes 4 to 20 minutes, and the datasets before it 3.
    planned: { ...PLANNED, growth: 27 },
    growth: [MILLION, TEN_MILLION, HUNDRED_MILLION, THOUSAND_MILLION],
  },
  quick: {
    name: 'quick',
    // Three minutes, including setup and clean-up.
    minutes: 2.8,
    planned: {
      'the bare server': 0.25,
      rivals: 0.4,
      'bulk reads': 0.25,
      'the way in': 0.05,
      'the saldo of a day': 0.1,
      imports: 0.2,
      exports: 0.3,
      events: 0.6,
      overload: 0.2,
      workers: 0.3,
      'the same SQL under pgbench': 0.1,
      growth: 0.3,
      lists: 0.3,
      'a small world': 0.2,
      'a walk over everything': 0.1,
      netting: 0.05,
      'a move': 0.5,
      'a replica': 0.3,
      'the exchange': 0.05,
      'the market': 0.25,
      webhooks: 0.15,
    },
    keeps: 'numbers',
    plan: { rounds: 3, milliseconds: 200, connections: 32, warmUpMs: 300 },
    world: { contracts: 210, days: 50 },
    small: SMALL,
    rivals: { contracts: 105, days: 10 },
    growth: [{ contracts: 105, days: 10, brps: 50 }, MILLION],
    lists: [200, 2000],
    marketRecords: 100_000,
    saldoContracts: 1000,
    engineContracts: 1000,
    exchangeContracts: 1000,
    importContracts: 1000,
    exports: { contracts: 420, days: 5 },
    events: [60_000, 1_000_000],
    webhookChanges: 15,
  },
  /** Runs everything once to check that it works and that all responses agree. Its numbers have no meaning. */
  smoke: {
    name: 'smoke',
    minutes: 5,
    planned: PLANNED,
    keeps: 'nothing',
    plan: { rounds: 1, milliseconds: 100, connections: 8, warmUpMs: 100 },
    world: { contracts: 60, days: 8 },
    small: { contracts: 30, days: 4 },
    rivals: { contracts: 30, days: 4 },
    growth: [
      { contracts: 40, days: 6, brps: 20 },
      { contracts: 60, days: 12, brps: 20 },
    ],
    lists: [20, 200],
    marketRecords: 100_000,
    saldoContracts: 200,
    engineContracts: 500,
    exchangeContracts: 500,
    importContracts: 200,
    exports: { contracts: 60, days: 3 },
    events: [60_000, 80_000],
    webhookChanges: 3,
  },
} as const satisfies Record<string, Mode>;
