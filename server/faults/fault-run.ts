/** One fault: caused while clients write, then all data are compared with the journal. */
import { setTimeout as delay } from 'node:timers/promises';
import { RULES } from './compare-volumes.ts';
import { createRandom } from './random.ts';
import { type FaultResult, violationText } from './report.ts';
import type { Log, Workload } from './workload.ts';

/** What is under test: one server with its database, or a cluster. */
export type System = {
  readonly mode: string;
  /** Duration of the writes before a fault. */
  readonly loadBeforeMs: readonly [least: number, most: number];
  readonly backWithinS: number;
  /** What servers wrote to their logs before they ended by themselves. */
  unplannedEnds(): readonly string[];
};

export type Injected = {
  /** Writes that are acknowledged before do not count. */
  hasTakenEffect?(): Promise<boolean>;
  /** Called when writes are back: starts or resumes what the fault has ended. */
  repair?(): Promise<void>;
};

export type Fault = {
  readonly kind: string;
  /** Resolves when the cause has ended. The recovery time is measured from then on. `fail` reports a failure of the product. */
  inject(fail: (text: string) => void): Promise<Injected>;
  /** Whether client connections may break, which is allowed only when the fault kills the server itself. */
  readonly mayLoseConnections?: boolean;
  /** Whether requests may be answered 503. A slow client and a full log affect no request of others. */
  readonly mayReject?: boolean;
};

const GIVE_UP_AFTER_MS = 150_000;
const LOAD_AFTER_FAULT_MS = 500;

export async function runFault(system: System, workload: Workload, fault: Fault): Promise<FaultResult> {
  const { kind, mayLoseConnections = false, mayReject = true } = fault;
  const failures: string[] = [];
  const fail = (text: string) => void failures.push(text);
  const endsBefore = system.unplannedEnds().length;
  const clients = workload.start();
  await delay(workload.random.integer(...system.loadBeforeMs));

  const injected = await fault.inject(fail);
  const backAfterS = await workload.waitForWrites(GIVE_UP_AFTER_MS, injected.hasTakenEffect);
  if (backAfterS === null || backAfterS > system.backWithinS)
    fail(`writes were not back within ${system.backWithinS} s`);
  await injected.repair?.();
  await delay(LOAD_AFTER_FAULT_MS);
  await clients.stop();

  const { outcomes, failures: unexpected } = workload.counter.take();
  failures.push(...unexpected);
  const { lost = 0, unavailable = 0 } = outcomes;
  if (lost > 0 && !mayLoseConnections) fail(`${lost} connections broke without an answer`);
  if (unavailable > 0 && !mayReject) fail(`${unavailable} requests were answered 503`);
  if (backAfterS !== null) failures.push(...(await workload.compare()));
  const ends = system.unplannedEnds().slice(endsBefore);
  for (const end of ends) workload.log(`The server ended by itself: ${end}`);
  return { kind, mode: system.mode, backAfterS, serverEnded: ends.length, outcomes, failures };
}

/** Shuffles all kinds of faults, then repeats. The order depends only on the seed and the number of faults so far. */
export function nextFault<T>(faults: readonly T[], seed: number, done: number): T {
  const round = Math.floor(done / faults.length);
  return createRandom(seed + round).shuffle(faults)[done % faults.length]!;
}

/** The data differ from the journal, or nothing more can be found out: the run ends, and its folder is kept. */
export const isFatal = ({ backAfterS, failures }: FaultResult): boolean =>
  backAfterS === null ||
  failures.some((text) => RULES.some((rule) => text.startsWith(violationText(rule, ''))));

export function logResult(log: Log, number: number, result: FaultResult): void {
  const { kind, mode, backAfterS, serverEnded, outcomes, failures } = result;
  const back = backAfterS === null ? 'writes are not back' : `writes back after ${backAfterS.toFixed(1)} s`;
  const counts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  const server = serverEnded === 0 ? '' : `; THE SERVER ENDED ${serverEnded} times`;
  log(`${mode} ${number}, ${kind}: ${back}; ${counts.join(', ')}${server}`);
  for (const failure of failures) log(`    FAILURE ${failure}`);
}

/** All failures of a run, with the fault before each of them. */
export const failuresOf = (results: readonly FaultResult[]): string[] =>
  results.flatMap(({ mode, kind, failures, serverEnded }) => [
    ...failures.map((text) => `${mode}, ${kind}: ${text}`),
    ...(serverEnded > 0 ? [`${mode}, ${kind}: the server ended`] : []),
  ]);
