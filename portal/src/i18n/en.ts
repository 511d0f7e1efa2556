import { activity } from './en/activity.ts';
import { attention } from './en/attention.ts';
import { brp } from './en/brp.ts';
import { common } from './en/common.ts';
import { exchange } from './en/exchange.ts';
import { market } from './en/market.ts';
import { operator } from './en/operator.ts';
import { problems } from './en/problems.ts';
import { schedule } from './en/schedule.ts';
import { search } from './en/search.ts';
import { session } from './en/session.ts';
import { webhooks } from './en/webhooks.ts';

/** English is the reference: every other language must have exactly these texts, or it does not compile. */
export const en = {
  language: 'en' as const,
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
