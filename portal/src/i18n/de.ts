import { activity } from './de/activity.ts';
import { attention } from './de/attention.ts';
import { brp } from './de/brp.ts';
import { common } from './de/common.ts';
import { exchange } from './de/exchange.ts';
import { market } from './de/market.ts';
import { operator } from './de/operator.ts';
import { problems } from './de/problems.ts';
import { schedule } from './de/schedule.ts';
import { search } from './de/search.ts';
import { session } from './de/session.ts';
import { webhooks } from './de/webhooks.ts';
import type { Dictionary } from './dictionary.ts';

export const de: Dictionary = {
  language: 'de',
  common,
  problems,
  session,
  brp,
  operator,
  exchange,
  market,
  schedule,
  search,
  webhooks,
  activity,
  attention,
};
