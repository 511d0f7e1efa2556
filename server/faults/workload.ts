import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  creationClient,
  customerClient,
  type Load,
  type ProductAddresses,
  probe,
  type RunningClients,
  startClients,
  volumeClient,
} from './clients.ts';
import { compareEverything, type VerifiedDocuments } from './compare.ts';
import { type ExchangeClient, exchangeClient } from './exchange-client.ts';
import type { Journal } from './journal.ts';
import { createRandom, type Random } from './random.ts';
import { violationText } from './report.ts';
import { OutcomeCounter } from './request.ts';
import type { World } from './world.ts';

const PROBE_EVERY_MS = 100;
const PROBE_TIMEOUT_MS = 5_000;
const PROBES_IN_ROW = 5;

export type Log = (message: string) => void;

/** All clients of a campaign with what they have written, and the comparison with the data. */
export class Workload {
  private readonly journal: Journal;
  readonly random: Random;
  readonly counter = new OutcomeCounter();
  private readonly load: Load;
  private readonly clients: readonly Client[];
  private readonly exchange: ExchangeClient;
  private readonly verified: VerifiedDocuments = new Map();
  readonly log: Log;

  constructor(target: ProductAddresses, world: World, journal: Journal, seed: number, log: Log) {
    this.journal = journal;
    this.log = log;
    this.random = createRandom(seed);
    this.load = { target, world, journal, random: this.random, counter: this.counter };
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

  start(): RunningClients {
    return startClients(this.clients);
  }

  /**
   * Measures the seconds until writes are acknowledged again; null if that takes longer than `limitMs`. Counts the first
   * of several successive acknowledgements, because a fault may take effect with a delay, and goes on until the fault
   * `hasTakenEffect`.
   */
  async waitForWrites(
    limitMs: number,
    hasTakenEffect: () => Promise<boolean> = async () => true,
  ): Promise<number | null> {
    const startedAt = Date.now();
    let backAt = 0;
    let inRow = 0;
    while (Date.now() - startedAt < limitMs) {
      const { outcome } = await probe({ ...this.load, counter: new OutcomeCounter() }, PROBE_TIMEOUT_MS);
      inRow = outcome === 'acknowledged' ? inRow + 1 : 0;
      if (inRow === 1) backAt = Date.now();
      if (inRow >= PROBES_IN_ROW && (await hasTakenEffect())) return (backAt - startedAt) / 1000;
      await delay(PROBE_EVERY_MS);
    }
    return null;
  }

  /** Prints each violation with its evidence and returns the texts. */
  async compare(): Promise<string[]> {
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
}
