/** All scenarios in the order of a run, each with the question that it answers. README.md gets its table from here. */
import { measureEventLag } from './event-lag.ts';
import { measureExports } from './exports.ts';
import { measureGrowth } from './growth.ts';
import { measureImports } from './imports.ts';
import { measureLists } from './lists.ts';
import type { Row } from './measure.ts';
import { measureMove } from './move.ts';
import { measureNominations } from './nominations.ts';
import { measureOverload } from './overload.ts';
import { measurePages } from './pages.ts';
import { measureRivals } from './rivals.ts';
import type { Run } from './run.ts';
import { measureSeries } from './series.ts';
import { measureSlowSenders } from './slow-senders.ts';
import { measureStart } from './start.ts';
import { measureWebhooks } from './webhooks.ts';

type Scenario = { readonly question: string; readonly measure: (run: Run) => AsyncGenerator<Row> };

const decision = (name: string) => `[${name.slice(0, 4)}](../docs/decisions/${name}.md)`;

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  pages: {
    question: `How much do keys, limits, validation and the log add to a bare server that asks the database as we do (${decision('0011-request-cost')}), and what does a page as of an instant cost (${decision('0023-as-of')})?`,
    measure: measurePages,
  },
  rivals: {
    question: `How much less does a page cost than with common frameworks and a row per quarter-hour (${decision('0001-sheets')})?`,
    measure: measureRivals,
  },
  imports: {
    question:
      'How many transactions a second does the platform import, and what do their events and entries of the ledger cost?',
    measure: measureImports,
  },
  series: {
    question: `Does a day of forecasts, up to its nominations, cost at most twice the import of the same volumes (${decision('0021-sources')})?`,
    measure: measureSeries,
  },
  exports: {
    question: `What does an export of a BRP’s day cost in CPU time and memory (${decision('0014-parquet')})?`,
    measure: measureExports,
  },
  'event lag': {
    question: 'Does a tenant see its events in time while others import a million rows?',
    measure: measureEventLag,
  },
  webhooks: {
    question: 'Do dead and slow endpoints delay the webhooks of others ([events.md](../docs/events.md))?',
    measure: measureWebhooks,
  },
  nominations: {
    question: 'How long does a market day take from its volumes to the confirmations of the TSOs?',
    measure: measureNominations,
  },
  'a move': {
    question: `Does a customer with many contracts move without slowing down others (${decision('0013-placements')})?`,
    measure: measureMove,
  },
  overload: {
    question: `Does the server answer at its capacity when twice as much is asked (${decision('0011-request-cost')})?`,
    measure: measureOverload,
  },
  'slow senders': {
    question: 'Do clients that send byte by byte cost the others anything?',
    measure: measureSlowSenders,
  },
  lists: {
    question: `Does a list of a small tenant cost the same on a platform with a hundred times as many tenants (${decision('0002-keyset-pagination')})?`,
    measure: measureLists,
  },
  start: {
    question: 'How much CPU time does a first start take until it is ready?',
    measure: measureStart,
  },
  growth: {
    question:
      'Does a page cost the same with a million and with a billion transactions, and how much disk do they need?',
    measure: measureGrowth,
  },
};
