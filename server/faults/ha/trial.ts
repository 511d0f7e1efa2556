import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, type Injected, isFatal, logResult, nextFault, runFault } from '../fault-run.ts';
import { signal } from '../processes.ts';
import type { FaultResult } from '../report.ts';
import type { Log, Workload } from '../workload.ts';
import type { Cluster, DatabaseMachine } from './cluster.ts';

/** Delay of a service manager before it starts a program again. */
const RESTART_AFTER_MS = 1_000;
const SWITCHOVER_WITHIN_MS = 60_000;

const INCOMPLETE = 'not all machines of the database took part again';
/** A timer that is later than this means that the whole trial stood still, for instance on a laptop that slept. */
const SUSPENDED_MS = 3_000;
const HEARTBEAT_MS = 250;

/** A fault of a cluster, whose cause has ended when the promise resolves. */
type Caused = {
  /** The primary before the fault, which another machine has to replace. Null: the fault changes no primary. */
  readonly replaced: DatabaseMachine | null;
  /** Starts or resumes what the fault has ended. */
  repair(): Promise<void>;
};

const FAULTS: Readonly<Record<string, (cluster: Cluster) => Promise<Caused>>> = {
  'kill postgres': killPostgres,
  'kill patroni': killPatroni,
  'kill machine': killMachine,
  'freeze machine': freezePrimary,
  switchover: switchOver,
  'freeze standby': freezeStandby,
};

const isFailover = ({ kind }: FaultResult) => kind !== 'freeze standby';

/** Patroni continues, and fails over. */
async function killPostgres(cluster: Cluster): Promise<Caused> {
  const replaced = await cluster.getPrimary();
  for (const pid of replaced.postgresPids()) signal(pid, 'SIGKILL');
  return { replaced, repair: async () => {} };
}

/** Postgres continues as a primary without a lock, until Patroni is started again. */
async function killPatroni(cluster: Cluster): Promise<Caused> {
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

async function killMachine(cluster: Cluster): Promise<Caused> {
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
async function freezePrimary(cluster: Cluster): Promise<Caused> {
  const replaced = await cluster.getPrimary();
  return { replaced, repair: freeze(replaced) };
}

async function freezeStandby(cluster: Cluster): Promise<Caused> {
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
async function switchOver(cluster: Cluster): Promise<Caused> {
  const replaced = await cluster.getPrimary();
  const deadline = Date.now() + SWITCHOVER_WITHIN_MS;
  while (!(await cluster.requestSwitchover(replaced))) {
    if (Date.now() > deadline) throw new Error('Patroni refused the switchover.');
    await delay(RESTART_AFTER_MS);
  }
  return { replaced, repair: async () => {} };
}

/** Causes fail-overs while clients write, and ends early when a comparison fails or the cluster does not recover. */
export async function runTrial(
  cluster: Cluster,
  workload: Workload,
  { failovers, seed, log }: { failovers: number; seed: number; log: Log },
): Promise<FaultResult[]> {
  const results: FaultResult[] = [];
  const kinds = Object.keys(FAULTS);
  while (countFailovers(results) < failovers) {
    const heartbeat = watchForSuspension();
    const result = await runFault(
      cluster,
      workload,
      faultOf(cluster, nextFault(kinds, seed, results.length)),
    );
    const suspendedMs = heartbeat.stop();
    const isLast = isFatal(result) || result.failures.includes(INCOMPLETE);
    if (suspendedMs > 0 && !isLast) {
      // Its times mean nothing. The comparison found no difference, so the same kind of fault is repeated.
      log(`Not counted: all programs of the trial stood still for ${suspendedMs / 1000} s.`);
      await cluster.untilComplete();
      continue;
    }
    results.push(result);
    logResult(log, results.length, result);
    if (isLast) break;
  }
  return results;
}

export const countFailovers = (results: readonly FaultResult[]): number => results.filter(isFailover).length;

const faultOf = (cluster: Cluster, kind: string): Fault => ({
  kind,
  async inject(fail): Promise<Injected> {
    const { replaced, repair } = await FAULTS[kind]!(cluster);
    return {
      async hasTakenEffect() {
        const primary = await cluster.findPrimary();
        return primary !== null && primary.name !== replaced?.name;
      },
      async repair() {
        await repair();
        if (!(await cluster.untilComplete())) fail(INCOMPLETE);
      },
    };
  },
});

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
