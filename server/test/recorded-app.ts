import assert from 'node:assert/strict';
import { pino } from 'pino';
import { EventPoller } from '../src/events/poller.ts';
import { createLastUsed } from '../src/platform/auth/last-used.ts';
import { monotonicNow, movableClock } from '../src/platform/clock.ts';
import type { OpenDatabase } from '../src/platform/db/database.ts';
import type { Statement } from '../src/platform/db/statement.ts';
import { readCursorSecret } from '../src/platform/http/cursor.ts';
import { refusalCounter } from '../src/platform/http/refusals.ts';
import { RequestQueue } from '../src/platform/http/request-queue.ts';
import { createMetrics } from '../src/platform/telemetry/metrics.ts';
import { createApp, createCustomerApp } from '../src/start/app.ts';
import { createDocumentation } from '../src/start/documentation.ts';
import { createRateLimiter } from '../src/start/rate-limiter.ts';
import type { Asked } from './explain.ts';
import type { TestPlatform } from './harness.ts';

/** The APIs of a platform, without their listeners. `asked` has the reads of all requests; the test empties it. */
export async function createRecordedApp({ config, customerUrl, db, sealer, eventIds, clock }: TestPlatform) {
  const asked: Asked[] = [];
  const texts = new Map<string, string>();
  const record = (statement: Statement, values: readonly unknown[]) => {
    const { name, text } = statement;
    assert.equal(text, texts.get(name) ?? text, `two statements are named ${name}`);
    texts.set(name, text);
    asked.push({ statement, values });
  };
  const queries: Pick<OpenDatabase, 'query' | 'arrays'> = {
    query(statement, values = []) {
      record(statement, values);
      return db.query(statement, values);
    },
    arrays(statement, values = []) {
      record(statement, values);
      return db.arrays(statement, values);
    },
  };
  const recording: OpenDatabase = { ...db, ...queries, hot: queries };
  const logger = pino({ level: 'silent' });
  const metrics = createMetrics();
  const parts = {
    config,
    logger,
    db: recording,
    clock: movableClock(clock),
    metrics,
    countRefusal: refusalCounter(metrics),
    tracer: null,
    ...(await createRateLimiter(config, logger)),
    lastUsed: createLastUsed(db, (address) => address),
    requests: null,
    secret: await readCursorSecret(db, sealer),
    sealer,
    queue: new RequestQueue({ atOnce: 100, maxWaiting: 100, maxWaitMs: 60_000 }, monotonicNow),
    poller: new EventPoller(recording, logger),
    eventIds,
    importCounts: { rows: 0, rejected: 0 },
    site: createDocumentation(config, () => {}),
    webhooks: {
      ids: eventIds,
      sealer,
      allowsPrivate: true,
      send: () => Promise.reject(new Error('nothing is sent here')),
    },
  };
  const app = await createApp({ ...parts, customerUrl, portal: null });
  return { app, customerApp: await createCustomerApp(parts), recording, asked };
}
