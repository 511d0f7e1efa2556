import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { monotonicNow } from './clock.ts';
import { DatabaseUnavailable } from './db/connection.ts';

/** A periodic background task. Jobs are idempotent. */
export type Job = {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
  /** Aborts a run that waits for the network. Called once, when the jobs are stopped. */
  readonly abort?: () => void;
};

type JobCounts = {
  runs: number;
  failures: number;
  seconds: number;
  /** Monotonic time of the end of the last run that did not fail. Null before the first one. */
  succeededAt: number | null;
};

export type RunningJobs = {
  /** Runs of each job since the start. */
  readonly counts: Readonly<Record<string, Readonly<JobCounts>>>;
  stop(): Promise<void>;
};

/**
 * Runs each job in its own loop, with a pause after each run. A failure is logged, and the next run retries: pending
 * work is in the database, so nothing is lost.
 */
export function startJobs(jobs: readonly Job[], logger: Logger): RunningJobs {
  const stopping = new AbortController();
  const counts = Object.fromEntries(
    jobs.map(({ name }): [string, JobCounts] => [
      name,
      { runs: 0, failures: 0, seconds: 0, succeededAt: null },
    ]),
  );
  const loops = jobs.map((job) => loop(job, counts[job.name]!, logger, stopping.signal));
  return {
    counts,
    async stop() {
      stopping.abort();
      for (const job of jobs) job.abort?.();
      await Promise.all(loops);
    },
  };
}

async function loop(job: Job, counts: JobCounts, logger: Logger, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const begunAt = monotonicNow();
    try {
      await job.run();
      counts.succeededAt = monotonicNow();
    } catch (error) {
      counts.failures++;
      // The availability listener logs a lost or full database.
      if (!(error instanceof DatabaseUnavailable)) logger.error({ err: error, job: job.name }, 'job failed');
    }
    counts.runs++;
    counts.seconds += (monotonicNow() - begunAt) / 1000;
    await delay(job.everyMs, null, { signal: stopping }).catch(() => null);
  }
}
