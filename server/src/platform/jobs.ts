import type { Logger } from 'pino';
import { DatabaseUnavailable } from './db/connection.ts';

/** A periodic background task. Jobs are idempotent. */
export type Job = {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
  /** Aborts a run that waits for the network. Called once, when the jobs are stopped. */
  readonly abort?: () => void;
};

export type RunningJobs = { stop(): Promise<void> };

/**
 * Runs each job in its own loop, with a pause after each run. A failure is logged, and the next run retries: pending
 * work is in the database, so nothing is lost.
 */
export function startJobs(jobs: readonly Job[], logger: Logger): RunningJobs {
  const stopping = new AbortController();
  const loops = jobs.map((job) => loop(job, logger, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      for (const job of jobs) job.abort?.();
      await Promise.all(loops);
    },
  };
}

async function loop(job: Job, logger: Logger, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await job.run();
    } catch (error) {
      // The availability listener logs a lost database once.
      if (!(error instanceof DatabaseUnavailable)) logger.error({ err: error, job: job.name }, 'job failed');
    }
    await pause(job.everyMs, stopping);
  }
}

/** Resolves early when `stopping` is aborted. */
const pause = (ms: number, stopping: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (stopping.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      stopping.removeEventListener('abort', done);
      resolve();
    }
    stopping.addEventListener('abort', done);
  });
