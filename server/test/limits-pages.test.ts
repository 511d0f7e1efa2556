import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { LIMITS, PROBLEM_CODES, PROBLEMS } from '@saldo/api';
import { KEPT_DAYS } from '../src/exchange/submitted-schedules.ts';
import { SEAL_EVERY_MS } from '../src/ledger/seal.ts';
import { MAX_DEBOUNCE_MS } from '../src/nominations/actions.ts';
import { TTL_MS } from '../src/platform/auth/credential-cache.ts';
import { IDLE_MS, SESSION_MS } from '../src/platform/auth/session-credentials.ts';
import { DATABASE_LIMITS } from '../src/platform/db/connection.ts';
import { BODY_LIMITS } from '../src/platform/http/body-arrivals.ts';
import { STOP_GRACE_MS } from '../src/platform/http/connection-drain.ts';
import { REMEMBERED_MS } from '../src/platform/http/idempotency.ts';
import { KEEP_ALIVE_MS } from '../src/platform/http/server.ts';
import { readConfig } from '../src/start/config.ts';
import { NOMINATE_EVERY_MS } from '../src/start/jobs.ts';
import { ROTATION_MS } from '../src/webhooks/actions.ts';
import { CLAIM_LIMITS } from '../src/webhooks/claim.ts';
import { RETRY_DELAYS_MS } from '../src/webhooks/results.ts';
import { SEND_LIMITS } from '../src/webhooks/send.ts';
import { CHECKOUT } from './markdown-blocks.ts';

/** A line break may be anywhere in a sentence. */
const read = async (file: string): Promise<string> =>
  (await readFile(path.join(CHECKOUT, file), 'utf8')).replaceAll(/\s+/g, ' ');

const config = readConfig({});
const KB = 1024;
const MB = 1024 * KB;
const HOUR_MS = 3_600_000;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
/** As the pages have numbers: 10,000,000. */
const text = (number: number) => number.toLocaleString('en', { maximumFractionDigits: 3 });

const PROMISES = [
  `${config.rateLimit} in ${config.rateWindowS} s (\`RATE_LIMIT\`, \`RATE_WINDOW_S\`)`,
  `| records of a page, ids of a bulk read | ${LIMITS.pageSize.maximum} |`,
  `| JSON body | ${LIMITS.bodyBytes / MB} MB |`,
  `| path with query, headers | ${LIMITS.headerBytes / KB} KB |`,
  `${LIMITS.importLineBytes / KB} KB a line`,
  `| schedule to check | ${LIMITS.scheduleBytes / MB} MB |`,
  `${config.exchange.messageLimitBytes / MB} MB (\`MESSAGE_LIMIT_MB\`)`,
  `${LIMITS.exports.days} delivery days; ${LIMITS.exports.atOnce} at once of a key`,
  `waits up to ${LIMITS.eventWaitS.maximum} s`,
  `${LIMITS.webhookEndpoints} per BRP, account or operator`,
  `within ${SEND_LIMITS.totalMs / 1000} s | the try has failed`,
  `${RETRY_DELAYS_MS.length + 1} tries in about ${Math.round(sum(RETRY_DELAYS_MS) / HOUR_MS)} hours`,
  `up to ${text(LIMITS.slotMwh)} MWh`,
  `${LIMITS.metadata.keys} keys of up to ${LIMITS.metadata.keyLength} characters, values of up to ${LIMITS.metadata.valueLength}`,
  `${config.requestsAtOnce} (\`REQUESTS_AT_ONCE\`); others wait up to ${text(config.queueWaitMs)} ms (\`QUEUE_WAIT_MS\`)`,
  `${config.eventDays} days (\`EVENT_DAYS\`)`,
  `${config.requestLog.days} days (\`REQUEST_LOG_DAYS\`), at most ${text(config.requestLog.stored)} requests`,
  `\`Idempotency-Key\` | ${REMEMBERED_MS / HOUR_MS} hours |`,
  `\`Idempotency-Key\`, for ${REMEMBERED_MS / HOUR_MS} hours`,
  `${KEPT_DAYS} days after its delivery day`,
  `${IDLE_MS / HOUR_MS} hours without a request, ${SESSION_MS / HOUR_MS / 24} days in all`,
  `up to ${LIMITS.keyGraceS / 3600 / 24} days, as you choose; ${ROTATION_MS / HOUR_MS} hours`,
  `up to ${config.readLagS} s (\`READ_LAG_S\`)`,
  `within ${Math.ceil((MAX_DEBOUNCE_MS + NOMINATE_EVERY_MS) / 1000)} s of the change`,
  // The second is for the answer to a request that the cache admits just before its entry expires.
  `rejected within ${TTL_MS / 1000 + 1} s by every process`,
  `(up to ${STOP_GRACE_MS / 1000} s for requests in progress)`,
  `every ${SEAL_EVERY_MS / 1000} s`,
];

/** What was measured or decided, and the page that says so. */
const QUOTED = [
  ['97 faults', 'docs/reliability.md'],
  ['14,810 writes', 'docs/reliability.md'],
  ['50 fail-overs', 'docs/scale.md'],
  ['23,627', 'docs/scale.md'],
  ['17.2 s (median) and 28.6 s (longest)', 'docs/scale.md'],
  ['1.8 to 2.2 s', 'docs/operations.md'],
  ['at least twelve months before', 'docs/versioning.md'],
] as const;

const statusesOf = (page: string) =>
  Array.from(page.matchAll(/\b(\d{3}) \[?`(\w+)`/g), ([, status = '', code = '']) => [status, code] as const);

test('every number of the limits and promises is that of the code, or of the page with the measurement', async () => {
  let rest = await read('docs/limits.md');
  const statuses = statusesOf(rest);
  assert.ok(statuses.length > 10);
  for (const [status, code] of statuses) {
    const known = PROBLEM_CODES.find((each) => each === code) ?? assert.fail(`no problem is ${code}`);
    assert.equal(Number(status), PROBLEMS[known].status, code);
  }
  for (const [quoted, file] of QUOTED) assert.ok((await read(file)).includes(quoted), `${file}: ${quoted}`);
  for (const fact of [...PROMISES, ...QUOTED.map(([quoted]) => quoted)]) {
    assert.ok(rest.includes(fact), `docs/limits.md has no "${fact}"`);
    rest = rest.replace(fact, '');
  }
  // Left are statuses, classes of them, and the name of the API.
  assert.deepEqual(rest.replaceAll(/\b(?:\d{3}|[24]xx|v1)\b/g, '').match(/.{0,40}\d.{0,40}/g), null);
});

test('the numbers of other pages about limits are those of the code', async () => {
  const { hotMs, readMs, writeMs, answerMarginMs, connectMs, pipelines, readers, writers } = DATABASE_LIMITS;
  const seconds = (ms: number) => `${(ms + answerMarginMs) / 1000} s`;
  const facts: Readonly<Record<string, readonly string[]>> = {
    'docs/guides/rate-limits.md': [
      `${config.rateLimit} requests a minute`,
      `a key may have ${LIMITS.exports.atOnce} at once`,
    ],
    'docs/load.md': [
      `\`REQUEST_TIMEOUT_S\` (${config.requestTimeoutS} s)`,
      `the minimum rate of a long body is ${BODY_LIMITS.bytesPerS / KB} KB/s`,
      `${BODY_LIMITS.perAddress} of one address (of IPv6 the first 64 bits), ${BODY_LIMITS.total} in all`,
      `idle connection after an answer | ${KEEP_ALIVE_MS / 1000} s`,
      `schedule to check | ${BODY_LIMITS.uploadMs / 1000} s and the minimum rate`,
      `\`IMPORT_SILENCE_S\` (${config.importSilenceS} s)`,
      `\`EXPORT_SILENCE_S\` (${config.exportSilenceS} s)`,
      `${seconds(hotMs)} for a look-up, ${seconds(readMs)} for other reads, ${seconds(writeMs)} for a statement of a write, and ${connectMs / 1000} s for a free connection`,
      `up to ${pipelines + readers + writers} connections: ${pipelines} for look-ups, ${readers} for reads, ${writers} for writes`,
      `at most ${CLAIM_LIMITS.atOnce} requests in progress, ${CLAIM_LIMITS.perEndpoint} per endpoint`,
      `at most ${CLAIM_LIMITS.failingAtOnce} together`,
      `repeats it after ${CLAIM_LIMITS.leaseMs / 1000} seconds`,
    ],
    'docs/events.md': [
      `\`wait\` (up to ${LIMITS.eventWaitS.maximum} seconds)`,
      `\`EVENT_DAYS\` days (${config.eventDays})`,
      `within ${SEND_LIMITS.totalMs / 1000} seconds`,
      `Up to ${SEND_LIMITS.answerBytes / KB} kB of an answer`,
    ],
    'docs/exports.md': [
      `at most ${LIMITS.exports.days} delivery days`,
      `may have ${LIMITS.exports.atOnce} at once`,
    ],
  };
  for (const [file, expected] of Object.entries(facts)) {
    const page = await read(file);
    for (const fact of expected) assert.ok(page.includes(fact), `${file} has no "${fact}"`);
  }
});
