import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addDays, dayOf } from '@saldo/core/delivery-day.ts';
import { sendDue } from '../src/exchange/process/send.ts';
import { DATABASE_LIMITS } from '../src/platform/db/connection.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { statement } from '../src/platform/db/statement.ts';
import { openBrowser } from './browser.ts';
import { atEnd, temporaryFolder } from './clean-up.ts';
import { createDatabase } from './databases.ts';
import { client, startTestPlatform } from './harness.ts';
import { startProduct } from './product.ts';
import { sealAll } from './proving.ts';
import { startSevered } from './severed.ts';
import { newSeries, setSource } from './source-rows.ts';
import { until } from './until.ts';
import { appendEvent, webhookWorkerOf } from './webhook-receiver.ts';
import { createWorld } from './world.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RULES = path.join(ROOT, 'deploy/prometheus/saldo.rules.yaml');
const PROMTOOL = '/usr/bin/promtool';
const DAY = '2026-10-22';
const BEFORE_GATE = '2026-10-21T12:10:00Z';
const OPERATOR_KEY = 'an-operator-key-for-this-test';

const run = promisify(execFile);
const rules = await readFile(RULES, 'utf8');
const ALERTS = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
const folder = await temporaryFolder();
const databaseUrl = await createDatabase();
const severed = await startSevered();
const broken = await startTestPlatform();
/** Does one request at once, and lets others wait for a millisecond. */
const narrow = await startTestPlatform({ environment: { REQUESTS_AT_ONCE: '1', QUEUE_WAIT_MS: '1' } });
const platform = await startTestPlatform({ environment: { WEBHOOK_ALLOW_PRIVATE: 'on' } });
const { world } = platform;
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const inbox = path.join(folder, 'inbox');
const product = await startProduct({
  ...{ DATA_DIR: folder, DATABASE_URL: databaseUrl, INBOX_DIR: inbox, SALDO_OPERATOR_KEY: OPERATOR_KEY },
  ...{ LOG_LEVEL: 'fatal' },
});
atEnd(() => product.end('SIGKILL'));

/** The samples of a scrape by their series. */
type Scrape = { readonly at: number; readonly samples: ReadonlyMap<string, number> };

async function scrape({ adminUrl }: { readonly adminUrl: string }): Promise<Scrape> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const lines = [...text.matchAll(/^(saldo_\w+(?:\{[^}]*\})?) (\S+)$/gm)];
  const samples = new Map(lines.map(([, series = '', value]) => [series, Number(value)]));
  return { at: performance.now(), samples };
}

/** A scrape with the values of the database, which are missing when a starved machine does not read them in time. */
const scrapeMeasured = (of: Pick<typeof platform, 'adminUrl'>) =>
  until(async () =>
    [await scrape(of)].find(({ samples }) => samples.has('saldo_nominations{status="pending"}')),
  );

const AGE = statement(
  'test_age_changes',
  "update changed_position set marked_at = marked_at - interval '61 s'",
);
const ANNOUNCE = statement('test_announce_events', 'select announce_events()');
const LOCK = statement('test_lock_contracts', 'lock table contract in access exclusive mode');

/** Lets reads of contracts wait until `act` has ended. */
async function whileLocked<T>(on: typeof platform, act: () => Promise<T>): Promise<T> {
  return on.db.transaction(async (tx) => {
    await tx.query(LOCK);
    return act();
  });
}

/** Each alert's cause. The samples are those that lead to it, from a process in which nothing else is wrong. */
const causes: Record<string, () => Promise<readonly Scrape[]>> = {
  // Prometheus itself makes this series when a scrape fails.
  SaldoDown: async () => [{ at: 0, samples: new Map([['up', 0]]) }],
  SaldoDatabaseUnreachable: async () => {
    await severed.cut();
    return [await scrape(severed)];
  },
  SaldoNettingLate: async () => {
    await world.volumes(contract, DAY, 250);
    // The database's own clock measures it.
    await platform.db.transaction((tx) => tx.query(AGE));
    const found = await scrapeMeasured(platform);
    await world.nominate();
    return [found];
  },
  SaldoUnsentBeforeGate: async () => {
    platform.clock.set(BEFORE_GATE);
    return [await scrapeMeasured(platform)];
  },
  SaldoAnswersOutstanding: async () => {
    await sendDue(platform.db, platform.clock, platform.exchange);
    return [await scrapeMeasured(platform)];
  },
  SaldoWebhooksLate: async () => {
    const asSeller = client(platform.baseUrl, seller.key);
    const body = { url: 'http://127.0.0.1:1/hook' };
    const created = await asSeller.post('/v1/webhook-endpoints', body);
    assert.equal(created.status, 201, created.text);
    await appendEvent(platform, { type: 'brp', brpNo: seller.no }, 'cust_1');
    await webhookWorkerOf(platform).deliver();
    platform.clock.set(new Date(platform.clock.now() + 3_600_000).toISOString());
    return [await scrapeMeasured(platform)];
  },
  SaldoEventsLate: async () => {
    const append = () => appendEvent(platform, { type: 'brp', brpNo: seller.no });
    await webhookWorkerOf(platform).deliver();
    await append();
    // A transaction that has announced its events and stays open holds back later ones.
    const announced = Promise.withResolvers<void>();
    const scraped = Promise.withResolvers<void>();
    const holding = platform.db.transaction(async (tx) => {
      await tx.query(ANNOUNCE);
      announced.resolve();
      await scraped.promise;
    });
    await announced.promise;
    await append();
    platform.clock.set(new Date(platform.clock.now() + 3_600_000).toISOString());
    const found = await scrapeMeasured(platform);
    scraped.resolve();
    await holding;
    for (const stage of ['feeds', 'webhooks'])
      assert.equal(found.samples.get(`saldo_event_lag_seconds{stage="${stage}"}`), 3600, stage);
    return [found];
  },
  SaldoLedgerUnsealed: async () => {
    await sealAll(platform);
    const sealed = await scrapeMeasured(platform);
    for (const name of ['saldo_ledger_unsealed_entries', 'saldo_ledger_unsealed_age_seconds'])
      assert.equal(sealed.samples.get(name), 0, name);
    await world.customer(seller, { group: await world.group(seller) });
    platform.clock.set(new Date(platform.clock.now() + 3_600_000).toISOString());
    const found = await scrapeMeasured(platform);
    assert.equal(found.samples.get('saldo_ledger_unsealed_entries'), 1);
    assert.equal(found.samples.get('saldo_ledger_unsealed_age_seconds'), 3600);
    return [found];
  },
  SaldoSignInsFailing: async () => {
    const before = await scrape(broken);
    // Each with another email: the delay of one account does not stop them.
    for (let tries = 0; tries < 5; tries++) {
      const answer = await openBrowser(broken).signIn(`user${tries}@saldo.example`, 'Winter2026!');
      assert.equal(answer.status, 401, answer.text);
    }
    return [before, await scrape(broken)];
  },
  SaldoConnectionsExhausted: () =>
    whileLocked(platform, async () => {
      const asSeller = client(platform.baseUrl, seller.key);
      const reads = Array.from({ length: DATABASE_LIMITS.readers + 1 }, () => asSeller('/v1/contracts'));
      const isWaiting = ({ samples }: Scrape) =>
        (samples.get('saldo_database_calls_waiting{pool="read"}') ?? 0) > 0;
      const found = await until(async () => [await scrape(platform)].find(isWaiting));
      // They end when the lock is released.
      void Promise.all(reads);
      return [found];
    }),
  SaldoOverload: async () => {
    const { key } = await narrow.world.brp();
    const ask = () => client(narrow.baseUrl, key)('/v1/contracts');
    const before = await scrape(narrow);
    return whileLocked(narrow, async () => {
      void ask();
      await until(async () => (await ask()).status === 503);
      return [before, await scrape(narrow)];
    });
  },
  SaldoServerErrors: async () => {
    const { key } = await broken.world.brp();
    await broken.db.transaction((tx) =>
      tx.query(statement('test_break_monitored', 'alter table contract rename to contract_gone')),
    );
    const ask = () => client(broken.baseUrl, key)('/v1/contracts');
    assert.equal((await ask()).status, 500);
    const before = await scrape(broken);
    assert.equal((await ask()).status, 500);
    return [before, await scrape(broken)];
  },
  SaldoExchangeAlarm: async () => {
    const asOperator = client(product.baseUrl, OPERATOR_KEY);
    const headers = { 'content-type': 'application/xml' };
    const request = { method: 'POST', body: '<nonsense/>', headers };
    assert.equal((await asOperator('/operator/v1/exchange/receive', request)).status, 400);
    const isOpen = ({ samples }: Scrape) => samples.get('saldo_exchange_alarms{kind="unreadable"}') === 1;
    return [await until(async () => [await scrape(product)].find(isOpen))];
  },
  SaldoValuesMissing: async () => {
    const db = openDatabase(databaseUrl);
    const ofProduct = createWorld(db, { now: Date.now });
    const { producer: plant, consumer: buyer } = await ofProduct.pair();
    const today = dayOf(Date.now());
    const days = { first: addDays(today, -30), last: addDays(today, 30) };
    const metered = await ofProduct.contract(plant, buyer, days);
    await setSource(db, metered, { meter: await newSeries(ofProduct, 'meter') });
    await db.close();
    const isOpen = ({ samples }: Scrape) =>
      (samples.get('saldo_exchange_alarms{kind="meter_missing"}') ?? 0) > 0;
    return [await until(async () => [await scrape(product)].find(isOpen))];
  },
  SaldoJobFailing: async () => {
    const before = await scrape(product);
    // A file in its place: the folder of incoming messages can neither be read nor made.
    await rm(inbox, { recursive: true });
    await writeFile(inbox, '');
    const failures = ({ samples }: Scrape) => samples.get('saldo_job_failures_total{task="receive"}') ?? 0;
    const hasFailed = (found: Scrape) => failures(found) >= failures(before) + 3;
    return [before, await until(async () => [await scrape(product)].find(hasFailed))];
  },
  SaldoJobStalled: async () => [await scrape(product), await scrape(product)],
};

const COUNTERS = /_(total|count)(\{|$)/;
const MINUTES = 40;

/** The series of a process that goes on as in the last two scrapes, or stays as in the only one. */
function seriesOf(scrapes: readonly Scrape[]): { series: string; values: string }[] {
  const [first, last = first] = scrapes;
  assert.ok(first && last);
  return [...last.samples].flatMap(([name, value]) => {
    if (!Number.isFinite(value)) return [];
    const grown = value - (first.samples.get(name) ?? 0);
    const isGrowing = first !== last && (COUNTERS.test(name) || name.startsWith('saldo_job_since_success'));
    // A counter grows in every minute as it did between the scrapes, a duration as fast as it did then.
    const step = !isGrowing ? 0 : COUNTERS.test(name) ? grown : (grown / (last.at - first.at)) * 60_000;
    const sign = step < 0 ? '-' : '+';
    const target = `job="saldo",instance="a"`;
    const series = name.includes('{') ? name.replace('{', `{${target},`) : `${name}{${target}}`;
    return [{ series, values: `${value.toFixed(3)}${sign}${Math.abs(step).toFixed(3)}x${MINUTES}` }];
  });
}

/** The tests of a rule file are YAML, which includes JSON. */
const ruleTest = (input: ReturnType<typeof seriesOf>, expected: readonly string[]) => ({
  interval: '1m',
  input_series: input,
  promql_expr_test: [
    ...expected.map((name) => ({
      expr: `min(ALERTS{alertname="${name}", alertstate="firing"})`,
      eval_time: `${MINUTES - 1}m`,
      exp_samples: [{ labels: '{}', value: 1 }],
    })),
    ...(expected.length > 0
      ? []
      : [{ expr: 'count(ALERTS)', eval_time: `${MINUTES - 1}m`, exp_samples: [] }]),
  ],
});

test('a running product begins alarms about missing values by itself', async () => {
  const [found] = await causes['SaldoValuesMissing']!();
  assert.ok(found);
});

test('every alert has a cause here and a section in the runbook', async () => {
  assert.deepEqual(Object.keys(causes).toSorted(), ALERTS.toSorted());
  const runbook = await readFile(path.join(ROOT, 'docs/runbook.md'), 'utf8');
  const sections = [...runbook.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(sections, ALERTS);
  const links = [...rules.matchAll(/runbook: docs\/runbook\.md#(\w+)/g)].map(([, name]) => name);
  assert.deepEqual(
    links,
    ALERTS.map((name) => name.toLowerCase()),
  );
});

test('the rules and the dashboard use metrics that exist, and the metrics are valid', async () => {
  const text = await (await fetch(`${product.adminUrl}/metrics`)).text();
  const known = new Set([...text.matchAll(/^# TYPE (saldo_\w+)/gm)].map(([, name]) => name));
  const dashboard = await readFile(path.join(ROOT, 'deploy/grafana/saldo.json'), 'utf8');
  for (const [name] of `${rules}${dashboard}`.matchAll(/\bsaldo_\w+/g)) {
    assert.ok(known.has(name.replace(/_(count|bucket|sum)$/, '')), name);
  }
  if (!existsSync(PROMTOOL)) return;
  const checking = run(PROMTOOL, ['check', 'metrics']);
  checking.child.stdin?.end(text);
  const { stdout, stderr } = await checking;
  assert.equal(stdout + stderr, '');
});

test('each cause leads to its alert, and a healthy process to none', {
  skip: !existsSync(PROMTOOL),
}, async () => {
  const tests = [ruleTest(seriesOf([await scrapeMeasured(product)]), [])];
  for (const name of ['SaldoNettingLate', ...ALERTS.filter((alert) => alert !== 'SaldoNettingLate')]) {
    tests.push(ruleTest(seriesOf(await causes[name]!()), [name]));
  }
  const file = path.join(folder, 'rules.test.yaml');
  await writeFile(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  await run(PROMTOOL, ['check', 'rules', RULES]);
  await run(PROMTOOL, ['test', 'rules', file]);
});
