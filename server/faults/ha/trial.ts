import { setTimeout as delay } from 'node:timers/promises';
import { RULES } from '../compare-volumes.ts';
import type { FailoverKind, FaultResult } from '../journal.ts';
import { signal } from '../processes.ts';
import { createRandom } from '../random.ts';
import { violationText } from '../report.ts';
import type { Log, Workload } from '../workload.ts';
import type { Cluster, DatabaseMachine } from './cluster.ts';

/** Duration of the writes before a fault. */
const LOAD_BEFORE_FAULT_MS = [1_000, 3_000] as const;
/** The goal for each fail-over. */
const BACK_WITHIN_S = 30;
const GIVE_UP_AFTER_MS = 150_000;
/** Delay of a service manager before it starts a program again. */
const RESTART_AFTER_MS = 1_000;
const SWITCHOVER_WITHIN_MS = 60_000;

/** A timer that is later than this means that the whole trial stood still, for instance on a laptop that slept. */
const SUSPENDED_MS = 3_000;
const HEARTBEAT_MS = 250;

type Injected = {
  /** The primary before the fault, which another machine has to replace. Null: the fault changes no primary. */
  readonly replaced: DatabaseMachine | null;
  /** Starts or resumes what the fault has ended. */
  repair(): Promise<void>;
};

/** Resolves when the fault was caused. The time until writes are back is measured from then on. */
type Inject = (cluster: Cluster) => Promise<Injected>;

const FAULTS: Readonly<Record<FailoverKind, Inject>> = {
  'kill postgres': killPostgres,
  'kill patroni': killPatroni,
  'kill machine': killMachine,
  'freeze machine': freezePrimary,
  switchover: switchOver,
  'freeze standby': freezeStandby,
};

const isFailover = ({ kind }: FaultResult) => kind !== 'freeze standby';

/** Patroni continues, and fails over. */
async function killPostgres(cluster: Cluster): Promise<Injected> {
  const replaced = await cluster.getPrimary();
  for (const pid of replaced.postgresPids()) signal(pid, 'SIGKILL');
  return { replaced, repair: async () => {} };
}

/** Postgres continues as a primary without a lock, until Patroni is started again. */
async function killPatroni(cluster: Cluster): Promise<Injected> {
  const replaced = await cluster.getPrimary();
  await replaced.patroni.end('SIGKILL');
  return {
    replaced,
    async repair() {
      await delay(RESTART_AFTER_MS);
      replaced.patroni.start();
    },
  };
}

async function killMachine(cluster: Cluster): Promise<Injected> {
  const replaced = await cluster.getPrimary();
  const pids = replaced.pids();
  // Stopped first, so that none sees another one end.
  for (const name of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of pids) signal(pid, name);
  return {
    replaced,
    async repair() {
      await delay(RESTART_AFTER_MS);
      replaced.etcd.start();
      replaced.patroni.start();
    },
  };
}

/** As when the network or the host below a machine fails: its connections stay open and silent. */
async function freezePrimary(cluster: Cluster): Promise<Injected> {
  const replaced = await cluster.getPrimary();
  return { replaced, repair: freeze(replaced) };
}

async function freezeStandby(cluster: Cluster): Promise<Injected> {
  return { replaced: null, repair: freeze(await cluster.getSynchronousStandby()) };
}

/** Suspends all processes of a machine, and returns how to resume them. */
function freeze(machine: DatabaseMachine): () => Promise<void> {
  const pids = machine.pids();
  for (const pid of pids) signal(pid, 'SIGSTOP');
  // A process that was forked in the meantime.
  const late = machine.pids().filter((pid) => !pids.includes(pid));
  for (const pid of late) signal(pid, 'SIGSTOP');
  return async () => {
    // Parents resume last, because they would react to children that do not answer.
    for (const pid of [...pids, ...late].toReversed()) signal(pid, 'SIGCONT');
  };
}

/** Patroni refuses it while it connects to etcd again, so it is repeated, as a person would. */
async function switchOver(cluster: Cluster): Promise<Injected> {
  const replaced = await cluster.getPrimary();
  const deadline = Date.now() + SWITCHOVER_WITHIN_MS;
  while (!(await cluster.requestSwitchover(replaced))) {
    if (Date.now() > deadline) throw new Error('Patroni refused the switchover.');
    await delay(RESTART_AFTER_MS);
  }
  return { replaced, repair: async () => {} };
}

/** Causes fail-overs while clients write, and compares all data after each of them. */
export class FailoverTrial {
  readonly results: FaultResult[] = [];
  private readonly cluster: Cluster;
  private readonly workload: Workload;
  private readonly seed: number;
  private readonly log: Log;

  constructor(cluster: Cluster, workload: Workload, seed: number, log: Log) {
    this.cluster = cluster;
    this.workload = workload;
    this.seed = seed;
    this.log = log;
  }

  get failovers(): number {
    return this.results.filter(isFailover).length;
  }

  /** Ends early when a comparison fails, or when the cluster does not recover. */
  async run(failovers: number): Promise<void> {
    while (this.failovers < failovers) {
      const heartbeat = watchForSuspension();
      const result = await this.runFault(this.nextKind());
      const suspendedMs = heartbeat.stop();
      if (suspendedMs > 0 && !result.failures.some(isFatal)) {
        // Its times mean nothing. The comparison found no difference, so the same kind of fault is repeated.
        this.log(`Not counted: all programs of the trial stood still for ${suspendedMs / 1000} s.`);
        await this.cluster.untilComplete();
        continue;
      }
      this.results.push(result);
      this.logResult(result);
      if (result.backAfterS === null || result.failures.some(isFatal)) return;
    }
  }

  /** Shuffles all kinds of faults, then repeats. The order depends only on the seed. */
  private nextKind(): FailoverKind {
    const kinds = Object.keys(FAULTS) as FailoverKind[];
    const done = this.results.length;
    const round = Math.floor(done / kinds.length);
    return createRandom(this.seed + round).shuffle(kinds)[done % kinds.length]!;
  }

  private async runFault(kind: FailoverKind): Promise<FaultResult> {
    const { cluster, workload } = this;
    const failures: string[] = [];
    const endsBefore = cluster.ends.length;
    const clients = workload.start();
    await delay(workload.random.integer(...LOAD_BEFORE_FAULT_MS));

    const injected = await FAULTS[kind](cluster);
    const { replaced } = injected;
    const isReplaced = async () => {
      const primary = await cluster.findPrimary();
      return primary !== null && primary.name !== replaced?.name;
    };
    const backAfterS = await workload.waitForWrites(GIVE_UP_AFTER_MS, isReplaced);
    if (backAfterS === null || backAfterS > BACK_WITHIN_S)
      failures.push(`writes were not back within ${BACK_WITHIN_S} s`);
    await injected.repair();
    if (!(await cluster.untilComplete())) failures.push(INCOMPLETE);
    await clients.stop();

    const { outcomes, failures: unexpected } = workload.counter.take();
    failures.push(...unexpected);
    if ((outcomes.lost ?? 0) > 0) failures.push(`${outcomes.lost} connections broke without an answer`);
    const ends = cluster.ends.slice(endsBefore);
    for (const end of ends) this.log(end);
    if (backAfterS !== null) failures.push(...(await workload.compare()));
    return { kind, mode: 'patroni', backAfterS, serverEnded: ends.length, outcomes, failures };
  }

  private logResult({ kind, backAfterS, serverEnded, outcomes, failures }: FaultResult): void {
    const back = backAfterS === null ? 'writes are not back' : `writes back after ${backAfterS.toFixed(1)} s`;
    const counts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
    const server = serverEnded === 0 ? '' : `; SALDO ENDED ${serverEnded} times`;
    this.log(`${this.failovers} fail-overs, ${kind}: ${back}; ${counts.join(', ')}${server}`);
    for (const failure of failures) this.log(`    FAILURE ${failure}`);
  }
}

function watchForSuspension(): { stop(): number } {
  let [last, suspendedMs] = [Date.now(), 0];
  const beat = () => {
    const gap = Date.now() - last;
    if (gap > SUSPENDED_MS) suspendedMs += gap;
    last = Date.now();
  };
  const timer = setInterval(beat, HEARTBEAT_MS);
  return {
    stop() {
      clearInterval(timer);
      beat();
      return suspendedMs;
    },
  };
}

const INCOMPLETE = 'not all machines of the database took part again';
const isFatal = (text: string) =>
  text === INCOMPLETE || RULES.some((rule) => text.startsWith(violationText(rule, '')));
