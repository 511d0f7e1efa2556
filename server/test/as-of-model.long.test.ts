import { test } from 'node:test';
import { compareSnapshots } from './as-of-oracle.ts';
import { runningClock, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform({ clock: runningClock('2026-10-20T08:00:00Z') });

test('lists as of 200 instants stay the same while everything changes', () =>
  compareSnapshots(platform, 200));
