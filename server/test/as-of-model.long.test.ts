import { test } from 'node:test';
import { compareSnapshots } from './as-of-oracle.ts';
import { runningClock, startTestPlatform } from './harness.ts';

const INSTANTS = 25;

// A platform each, so that the lists stay short enough for a busy machine. Two files share the runs for the same reason.
for (const run of [1, 2, 3, 4]) {
  const platform = await startTestPlatform({ clock: runningClock('2026-10-20T08:00:00Z') });
  test(`lists as of ${INSTANTS} instants stay the same while everything changes: run ${run}`, () =>
    compareSnapshots(platform, INSTANTS, run));
}
