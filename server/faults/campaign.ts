import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  creationClient,
  customerClient,
  type Load,
  probe,
  startClients,
  volumeClient,
} from './clients.ts';
import { compareEverything, type VerifiedDocuments } from './compare.ts';
import { RULES } from './compare-volumes.ts';
import { type ExchangeClient, exchangeClient } from './exchange-client.ts';
import { FAULTS, possibleFaults } from './faults.ts';
import type { FaultKind } from './journal.ts';
import { type FaultResult, Journal } from './journal.ts';
import { createRandom } from './random.ts';
import { violationText } from './report.ts';
import { OutcomeCounter } from './request.ts';
import { type Mode, Target } from './target.ts';
import { createWorld, type World } from './world.ts';

const OPERATOR_KEY = 'operator-key-of-the-fault-campaign';
/** Duration of the writes before a fault is injected. */
const LOAD_BEFORE_FAULT_MS = [400, 1_500] as const;
const LOAD_AFTER_FAULT_MS = 500;
const BACK_WITHIN_MS = 120_000;
const PROBE_EVERY_MS = 100;
const PROBE_TIMEOUT_MS = 5_000;
const PROBES_IN_ROW = 5;

type Log = (message: string) => void;

/** A campaign in one mode. Its folder contains the journal, the state and all data, so that it can be continued. */
export class Campaign {
  readonly mode: Mode;
  readonly journal: Journal;
  private readonly load: Load;
  private readonly clients: readonly Client[];
  private readonly exchange: ExchangeClient;
  private readonly verified: VerifiedDocuments = new Map();
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
    // A continued campaign must not repeat the choices of its earlier run.
    const random = createRandom(seed + journal.history.writes.length);
    this.load = { target, world, journal, random, counter: new OutcomeCounter() };
    this.exchange = exchangeClient(this.load);
    const half = world.contracts.length / 2;
    this.clients = [
      volumeClient(this.load, 'volumes 1', world.contracts.slice(0, half)),
      volumeClient(this.load, 'volumes 2', world.contracts.slice(half)),
      customerClient(this.load),
      creationClient(this.load),
      this.exchange,
    ];
  }

  get target(): Target {
    return this.load.target;
  }

  /** Compares the data of an earlier run, then injects faults until the time is up or a comparison fails. */
  async run(untilMs: number): Promise<void> {
    if (this.journal.history.writes.length > 0) {
      const found = await this.compare();
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
    const { load, target } = this;
    const failures: string[] = [];
    const clients = startClients(this.clients);
    await delay(load.random.integer(...LOAD_BEFORE_FAULT_MS));

    await FAULTS[kind].inject({ target, random: load.random, fail: (text) => failures.push(text) });
    const backAfterS = await this.waitForWrites();
    if (backAfterS === null) failures.push(`no write was acknowledged within ${BACK_WITHIN_MS / 1000} s`);
    await delay(LOAD_AFTER_FAULT_MS);
    await clients.stop();

    const { outcomes, failures: unexpected } = load.counter.take();
    failures.push(...unexpected);
    const lost = outcomes.lost ?? 0;
    if (lost > 0 && !FAULTS[kind].mayLoseConnections)
      failures.push(`${lost} connections broke without an answer`);
    const unplanned = target.ends.slice(this.endsSeen).filter(({ isPlanned }) => !isPlanned);
    this.endsSeen = target.ends.length;
    for (const { how } of unplanned) this.log(`The server ended by itself: ${how}`);
    if (backAfterS !== null) failures.push(...(await this.compare()));
    return { kind, mode: this.mode, backAfterS, serverEnded: unplanned.length, outcomes, failures };
  }

  /**
   * Measures the seconds until writes are acknowledged again. Counts the first of several successive acknowledgements,
   * because a fault may take effect with a delay.
   */
  private async waitForWrites(): Promise<number | null> {
    const startedAt = Date.now();
    let backAt = 0;
    let inRow = 0;
    while (Date.now() - startedAt < BACK_WITHIN_MS) {
      const { outcome } = await probe({ ...this.load, counter: new OutcomeCounter() }, PROBE_TIMEOUT_MS);
      inRow = outcome === 'acknowledged' ? inRow + 1 : 0;
      if (inRow === 1) backAt = Date.now();
      if (inRow === PROBES_IN_ROW) return (backAt - startedAt) / 1000;
      await delay(PROBE_EVERY_MS);
    }
    return null;
  }

  /** Prints each violation with its evidence and returns the texts. */
  private async compare(): Promise<string[]> {
    const violations = await compareEverything(this.load, this.verified, () => this.exchange.takeFiles());
    for (const { rule, text, evidence } of violations) {
      this.log(`VIOLATION ${violationText(rule, text)}`);
      for (const line of evidence) this.log(`    ${line}`);
      const writes = evidence.flatMap((line) => /^write (\d+)/.exec(line)?.[1] ?? []);
      for (const line of this.journal.linesWith(...writes.map((id) => `"id":${id},`)))
        this.log(`    journal: ${line}`);
    }
    return violations.map(({ rule, text }) => violationText(rule, text));
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
