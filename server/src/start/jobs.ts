import { addDays, dayOf, dayStart } from '@saldo/core/delivery-day.ts';
import { answerOutbox } from '@saldo/simulator/folders.ts';
import { CONFORMING } from '@saldo/simulator/tso.ts';
import { checkpointEvents, deleteOldEvents } from '../events/actions.ts';
import { type AlarmRow, countByKind, wireAlarm } from '../exchange/alarms.ts';
import { remindOfGates } from '../exchange/process/gate-reminders.ts';
import { receiveDue } from '../exchange/process/receive.ts';
import { logFaults, logUnreadable, remoteJobs } from '../exchange/process/remote-jobs.ts';
import { sendDue } from '../exchange/process/send.ts';
import { watchExchange, watchValues } from '../exchange/process/watch.ts';
import { SEAL_EVERY_MS, sealDue } from '../ledger/seal.ts';
import { nominateDue } from '../nominations/actions.ts';
import { remindOfExpiringKeys } from '../parties/key-reminders.ts';
import type { Job } from '../platform/jobs.ts';
import { deleteOldRequests } from '../requests/store.ts';
import { followSandboxClock } from '../sandbox/operator-routes.ts';
import { applyUnread } from '../sources/read-interchange.ts';
import { runProfiles } from '../transactions/profiles.ts';
import { deleteOldDeliveries } from '../webhooks/fan-out.ts';
import { createWebhookWorker, type WorkerDependencies, webhookJob } from '../webhooks/worker.ts';
import type { AppDependencies } from './app.ts';
import { exchangeOf } from './exchange-settings.ts';
import { readLedgerKey } from './ledger-key-file.ts';

/** Upper bound for the delay between a debounced change of volumes and its nomination. */
export const NOMINATE_EVERY_MS = 250;
const MAKE_PROFILES_EVERY_MS = 10 * 60_000;
/** The first run follows the start, for interchanges that the last process has not read to their end. */
const READ_INTERCHANGES_EVERY_MS = 10_000;
const FOLLOW_CLOCK_EVERY_MS = 1_000;
const WRITE_LAST_USED_EVERY_MS = 5_000;
const DELETE_EVENTS_EVERY_MS = 60_000;
const COUNT_EVENTS_EVERY_MS = 10_000;
const REMIND_EVERY_MS = 10_000;
/** Short, so that a change seconds before its gate is still sent in time. */
const SEND_EVERY_MS = 1_000;
const RECEIVE_EVERY_MS = 1_000;
const WATCH_EVERY_MS = 1_000;
const WATCH_VALUES_EVERY_MS = 10_000;
const SIMULATE_EVERY_MS = 1_000;
const DELETE_EVERY_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;
const CONFORMING_TSO = { behaviour: CONFORMING, format: null, isIntermediateOnly: false, isImmediate: false };

/** All periodic jobs of the platform. */
export const jobsOf = (app: AppDependencies): Job[] => [
  ...platformJobs(app),
  ...exchangeJobs(app),
  ...webhookJobs(app),
];

const platformJobs = ({ config, db, clock, lastUsed }: AppDependencies): Job[] => [
  {
    name: 'nominate',
    everyMs: NOMINATE_EVERY_MS,
    run: () => nominateDue(db, clock, config.marketRules, { debounced: true }),
  },
  {
    name: 'profiles',
    everyMs: MAKE_PROFILES_EVERY_MS,
    run: () => runProfiles(db, clock, config.profileDays),
  },
  {
    name: 'interchanges',
    everyMs: READ_INTERCHANGES_EVERY_MS,
    run: () => applyUnread(db, clock),
  },
  {
    name: 'ledger',
    everyMs: SEAL_EVERY_MS,
    // The file is read each time, so that a rotation of the key needs no restart.
    run: () => sealDue(db, readLedgerKey(config.ledgerKeyFile), clock),
  },
  {
    name: 'events',
    everyMs: DELETE_EVENTS_EVERY_MS,
    run: () => deleteOldEvents(db, dayStart(addDays(dayOf(clock.now()), -config.eventDays))),
  },
  { name: 'event-checkpoints', everyMs: COUNT_EVENTS_EVERY_MS, run: () => checkpointEvents(db) },
  { name: 'key-reminders', everyMs: REMIND_EVERY_MS, run: () => remindOfExpiringKeys(db, clock.now()) },
  {
    name: 'gate-reminders',
    everyMs: REMIND_EVERY_MS,
    run: () => remindOfGates(db, clock.now(), config.marketRules),
  },
  { name: 'last-used', everyMs: WRITE_LAST_USED_EVERY_MS, run: () => lastUsed.flush() },
  {
    name: 'request-log',
    everyMs: DELETE_EVERY_MS,
    run: () => {
      const { days, stored } = config.requestLog;
      return deleteOldRequests(db, clock.machineNow() - days * DAY_MS, stored);
    },
  },
  ...(config.sandbox
    ? [{ name: 'clock', everyMs: FOLLOW_CLOCK_EVERY_MS, run: () => followSandboxClock(db, clock) }]
    : []),
];

function webhookJobs(app: AppDependencies): Job[] {
  const { db, clock, logger, metrics, poller, sealer, eventIds: ids, webhooks } = app;
  const { replication } = db;
  const dependencies: WorkerDependencies = {
    ...{ db, clock, logger, ids, sealer, send: webhooks.send, random: Math.random },
    untilReplicated: async () => replication?.untilReplicated(),
  };
  const worker = createWebhookWorker(dependencies);
  const about = 'Tries of webhooks since the start, by outcome.';
  metrics.addLabelledCounter('saldo_webhook_tries_total', about, 'outcome', worker.counts);
  return [
    webhookJob(dependencies, worker, poller),
    { name: 'webhook-retention', everyMs: DELETE_EVERY_MS, run: () => deleteOldDeliveries(db) },
  ];
}

function exchangeJobs({ config, db, clock, logger, metrics }: AppDependencies): Job[] {
  const exchange = exchangeOf(config);
  let openAlarms = countByKind([]);
  const about = 'Open alarms by kind.';
  metrics.addLabelledGauge('saldo_exchange_alarms', about, 'kind', () => openAlarms);
  const log = (rows: readonly AlarmRow[], what: string) => {
    for (const alarm of rows.map((row) => wireAlarm(row, 'en')))
      logger.warn({ alarm }, `${what}: ${alarm.text}`);
  };
  return [
    {
      name: 'send',
      everyMs: SEND_EVERY_MS,
      async run() {
        logFaults(logger, (await sendDue(db, clock, exchange)).faults);
      },
    },
    {
      name: 'receive',
      everyMs: RECEIVE_EVERY_MS,
      async run() {
        logUnreadable(logger, await receiveDue(db, clock, exchange, exchange.inbox));
      },
    },
    ...remoteJobs(db, clock, logger, exchange),
    {
      name: 'watch',
      everyMs: WATCH_EVERY_MS,
      async run() {
        const { begun, raised, ended, open } = await watchExchange(db, clock, exchange);
        openAlarms = open;
        log(begun, 'alarm');
        log(raised, 'alarm is critical now');
        log(ended, 'alarm ended');
      },
    },
    {
      name: 'watch-values',
      everyMs: WATCH_VALUES_EVERY_MS,
      async run() {
        log(await watchValues(db, clock, exchange), 'alarm');
      },
    },
    ...(config.exchange.isSimulated && config.exchange.hasFolders
      ? [
          {
            name: 'simulate',
            everyMs: SIMULATE_EVERY_MS,
            run: () =>
              answerOutbox(config.exchange, { ...CONFORMING_TSO, rules: config.marketRules }, clock.now()),
          },
        ]
      : []),
  ];
}
