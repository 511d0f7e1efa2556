import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RULES } from './compare-volumes.ts';
import { FAULTS, possibleFaults } from './faults.ts';
import { type FaultKind, type FaultResult, Journal } from './journal.ts';
import { createRandom } from './random.ts';
import { violationText } from './report.ts';
import { type Mode, Target } from './target.ts';
import { type Log, Workload } from './workload.ts';
import { createWorld, type World } from './world.ts';

const OPERATOR_KEY = 'operator-key-of-the-fault-campaign';
/** Duration of the writes before a fault is injected. */
const LOAD_BEFORE_FAULT_MS = [400, 1_500] as const;
const LOAD_AFTER_FAULT_MS = 500;
const BACK_WITHIN_MS = 120_000;

/** A campaign in one mode. Its folder contains the journal, the state and all data, so that it can be continued. */
export class Campaign {
  readonly mode: Mode;
  readonly journal: Journal;
  readonly target: Target;
  private readonly workload: Workload;
  private readonly log: Log;
  private readonly seed: number;
  private endsSeen = 0;

  static async open(mode: Mode, folder: string, seed: number, log: Log): Promise<Campaign> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const journal = new Journal(path.join(folder, 'journal.ndjson'));
    const target = await Target.open(mode, folder, OPERATOR_KEY, journal, log);
    await target.start();
    const worldFile = path.join(folder, 'world.json');
    if (!existsSync(worldFile)) {
      const world = await createWorld(target.baseUrl, OPERATOR_KEY);
      await writeFile(worldFile, JSON.stringify(world), { mode: 0o600 });
    }
    const world = JSON.parse(await readFile(worldFile, 'utf8')) as World;
    return new Campaign(target, world, journal, seed, log);
  }

  private constructor(target: Target, world: World, journal: Journal, seed: number, log: Log) {
    this.mode = target.mode;
    this.journal = journal;
    this.log = log;
    this.seed = seed;
    this.target = target;
    this.workload = new Workload(target, world, journal, seed, log);
  }

  /** Compares the data of an earlier run, then injects faults until the time is up or a comparison fails. */
  async run(untilMs: number): Promise<void> {
    if (this.journal.history.writes.length > 0) {
      const found = await this.workload.compare();
      if (found.length > 0) throw new ViolationFound('The journal of the earlier run and the data differ.');
    }
    while (Date.now() < untilMs) {
      const result = await this.runFault(this.nextKind());
      this.journal.append({ entry: 'fault', result });
      this.logResult(result);
      if (result.failures.some(isViolation)) throw new ViolationFound('Stopped at the first violation.');
    }
  }

  /** Shuffles all kinds of faults, then repeats. The order depends only on the seed and the number of faults so far. */
  private nextKind(): FaultKind {
    const kinds = possibleFaults(this.target);
    const done = this.journal.history.faults.length;
    const round = Math.floor(done / kinds.length);
    return createRandom(this.seed + round).shuffle(kinds)[done % kinds.length]!;
  }

  private async runFault(kind: FaultKind): Promise<FaultResult> {
    const { workload, target } = this;
    const { random } = workload;
    const failures: string[] = [];
    const clients = workload.start();
    await delay(random.integer(...LOAD_BEFORE_FAULT_MS));

    await FAULTS[kind].inject({ target, random, fail: (text) => failures.push(text) });
    const backAfterS = await workload.waitForWrites(BACK_WITHIN_MS);
    if (backAfterS === null) failures.push(`no write was acknowledged within ${BACK_WITHIN_MS / 1000} s`);
    await delay(LOAD_AFTER_FAULT_MS);
    await clients.stop();

    const { outcomes, failures: unexpected } = workload.counter.take();
    failures.push(...unexpected);
    const lost = outcomes.lost ?? 0;
    if (lost > 0 && !FAULTS[kind].mayLoseConnections)
      failures.push(`${lost} connections broke without an answer`);
    const rejected = outcomes.unavailable ?? 0;
    if (rejected > 0 && FAULTS[kind].mayReject === false)
      failures.push(`${rejected} requests were answered 503`);
    const unplanned = target.ends.slice(this.endsSeen).filter(({ isPlanned }) => !isPlanned);
    this.endsSeen = target.ends.length;
    for (const { how } of unplanned) this.log(`The server ended by itself: ${how}`);
    if (backAfterS !== null) failures.push(...(await this.workload.compare()));
    return { kind, mode: this.mode, backAfterS, serverEnded: unplanned.length, outcomes, failures };
  }

  private logResult({ kind, mode, backAfterS, serverEnded, outcomes, failures }: FaultResult): void {
    const { length } = this.journal.history.faults;
    const back = backAfterS === null ? 'writes are not back' : `writes back after ${backAfterS.toFixed(1)} s`;
    const counts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
    const server = serverEnded === 0 ? '' : `; THE SERVER ENDED ${serverEnded} times`;
    this.log(`${mode} ${length}, ${kind}: ${back}; ${counts.join(', ')}${server}`);
    for (const failure of failures) this.log(`    FAILURE ${failure}`);
  }
}

/** The data differ from the journal. The folder is kept for analysis. */
export class ViolationFound extends Error {
  override name = 'ViolationFound';
}

const isViolation = (text: string) => RULES.some((rule) => text.startsWith(violationText(rule, '')));
