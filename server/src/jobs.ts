import type { Logger } from 'pino';
import { DatabaseUnavailable } from './db/connection.ts';

/** Something the platform does by itself, again and again. Running it twice changes nothing. */
export type Job = { readonly name: string; readonly everyMs: number; readonly run: () => Promise<unknown> };

export type RunningJobs = { stop(): Promise<void> };

/**
 * Runs each job in a loop of its own, a pause after each run. One that fails is told in the log and tried again; what
 * it did not do is still there to be done.
 */
export function startJobs(jobs: readonly Job[], logger: Logger): RunningJobs {
  const stopping = new AbortController();
  const loops = jobs.map((job) => loop(job, logger, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function loop(job: Job, logger: Logger, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await job.run();
    } catch (error) {
      // That the database is away is logged once, where it is noticed.
      if (!(error instanceof DatabaseUnavailable)) logger.error({ err: error, job: job.name }, 'job failed');
    }
    await pause(job.everyMs, stopping);
  }
}

/** Ends early when it is time to stop. */
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
