/** Compares transactions in the database with the journal, and nominations with a plain sum of transactions. */
import { slotCount } from '@saldo/core/delivery-day.ts';
import type { History, JournaledWrite } from './journal.ts';
import type { NominationRow, SheetRow, Snapshot } from './snapshot.ts';

/** Kinds of violations. `unreadable`: the platform did not return the data that are compared. */
export const RULES = ['lost', 'doubled', 'versions', 'saldo', 'balance', 'messages', 'unreadable'] as const;

export type Violation = {
  readonly rule: (typeof RULES)[number];
  readonly text: string;
  readonly evidence: readonly string[];
};

const STATUSES = ['valid', 'invalid', 'superseded'] as const;

/** One version of a slot, from its sheet. */
type Cell = {
  readonly kwh: number;
  readonly version: number;
  readonly status: (typeof STATUSES)[number];
  readonly revision: number;
  readonly previous: number | null;
  readonly sheet: SheetRow;
};

/** A client's write to one slot. */
type SlotWrite = { readonly write: JournaledWrite; readonly kwh: number | 'invalidate' };

export function compareVolumes(snapshot: Snapshot, history: History): Violation[] {
  const violations: Violation[] = [];
  const chains = chainsOf(snapshot.sheets, violations);
  const writes = slotWritesOf(history);
  for (const key of new Set([...chains.keys(), ...writes.keys()])) {
    const chain = chains.get(key) ?? [];
    violations.push(...checkChain(key, chain), ...checkWrites(key, chain, writes.get(key) ?? []));
  }
  const current = snapshot.nominations.filter(({ status }) => status !== 'superseded');
  violations.push(...checkSaldo(chains, current), ...checkBalance(current));
  violations.push(...checkNominationVersions(snapshot.nominations));
  return violations;
}

const slotKey = (contract: string, day: string, slot: number) => `${contract} ${day} ${slot}`;

/** Collects the versions of each slot by revision. Invariant: revisions of a contract-day are 1..n. */
function chainsOf(sheets: readonly SheetRow[], violations: Violation[]): Map<string, Cell[]> {
  const chains = new Map<string, Cell[]>();
  const revisions = new Map<string, number>();
  for (const sheet of sheets) {
    const { contract, day, revision, kwh, versions, statuses, previous } = sheet;
    const last = revisions.get(`${contract} ${day}`) ?? 0;
    if (revision !== last + 1) {
      const text = `${contract} ${day} has revision ${revision} after ${last}`;
      violations.push({ rule: 'versions', text, evidence: [JSON.stringify(sheet)] });
    }
    revisions.set(`${contract} ${day}`, revision);
    for (const [at, volume] of kwh.entries()) {
      if (volume === null) continue;
      const key = slotKey(contract, day, at + 1);
      chains.getOrInsert(key, []).push({
        kwh: volume,
        version: versions?.[at] ?? 1,
        status: STATUSES[statuses?.[at] ?? 0]!,
        revision,
        previous: previous?.[at] ?? null,
        sheet,
      });
    }
  }
  return chains;
}

/** Invariant: versions are 1..n, each refers to the one before, and all but the last are superseded. */
function checkChain(key: string, chain: readonly Cell[]): Violation[] {
  const isRight = chain.every((cell, at) => {
    const isLast = at === chain.length - 1;
    const previous = chain[at - 1]?.revision ?? null;
    return (
      cell.version === at + 1 && cell.previous === previous && (cell.status === 'superseded') === !isLast
    );
  });
  return isRight
    ? []
    : [{ rule: 'versions', text: `The versions of ${key} are wrong`, evidence: describe(chain) }];
}

function slotWritesOf(history: History): Map<string, SlotWrite[]> {
  const writes = new Map<string, SlotWrite[]>();
  const add = (key: string, write: SlotWrite) => writes.getOrInsert(key, []).push(write);
  for (const journaled of history.writes) {
    const { write } = journaled;
    if (write.kind === 'invalidation') {
      add(slotKey(write.contract, write.day, write.slot), { write: journaled, kwh: 'invalidate' });
    } else if (write.kind === 'volumes') {
      for (const { contract, day, kwh } of write.days) {
        for (const [at, value] of kwh.entries()) {
          if (value !== null) add(slotKey(contract, day, at + 1), { write: journaled, kwh: value });
        }
      }
    }
  }
  return writes;
}

/**
 * Searches for an execution of the writes that explains the stored versions. An acknowledged write was applied, a
 * refused or unsent one was not, any other may have been applied. A state is the number of versions and whether the
 * last one is invalid. A write that timed out may also have been applied after later ones.
 */
function checkWrites(key: string, chain: readonly Cell[], writes: readonly SlotWrite[]): Violation[] {
  let states = new Set([0]);
  const late: SlotWrite[] = [];
  for (const entry of writes) {
    const { outcome } = entry.write;
    if (outcome === 'not_sent' || outcome === 'refused') continue;
    const done = new Set([...states].flatMap((state) => after(state, entry, chain)));
    if (outcome === 'unanswered') late.push(entry);
    const next = outcome === 'acknowledged' ? done : new Set([...states, ...done]);
    for (const one of late)
      for (const state of [...next]) for (const found of after(state, one, chain)) next.add(found);
    if (next.size === 0) {
      const text = `Write ${entry.write.id} to ${key} was acknowledged and is not there`;
      return [{ rule: 'lost', text, evidence: evidenceOf(chain, writes) }];
    }
    states = next;
  }
  const isInvalid = chain.at(-1)?.status === 'invalid';
  if (states.has(stateOf(chain.length, isInvalid))) return [];
  const reached = Math.max(...states) >> 1;
  const rule = reached < chain.length ? 'doubled' : 'lost';
  return [{ rule, text: `${key} is not what was written to it`, evidence: evidenceOf(chain, writes) }];
}

const stateOf = (versions: number, isInvalid: boolean) => versions * 2 + (isInvalid ? 1 : 0);

/** Returns the state after a write, or none if the stored versions contradict the write. */
function after(state: number, { kwh }: SlotWrite, chain: readonly Cell[]): number[] {
  const versions = state >> 1;
  const isInvalid = state % 2 === 1;
  if (kwh === 'invalidate') return versions > 0 && !isInvalid ? [stateOf(versions, true)] : [];
  if (!isInvalid && chain[versions - 1]?.kwh === kwh) return [state];
  return chain[versions]?.kwh === kwh ? [stateOf(versions + 1, false)] : [];
}

const describe = (chain: readonly Cell[]): string[] =>
  chain.slice(-10).map(({ version, kwh, status, revision, previous }) => {
    return `version ${version}: ${kwh} kWh, ${status}, revision ${revision}, previous revision ${previous}`;
  });

const evidenceOf = (chain: readonly Cell[], writes: readonly SlotWrite[]): string[] => [
  `${chain.length} versions, the newest last:`,
  ...describe(chain),
  `${writes.length} writes, the newest last:`,
  ...writes.slice(-20).map(({ write: { id, outcome, key }, kwh }) => {
    return `write ${id}: ${kwh} → ${outcome ?? 'interrupted'}${key === null ? '' : ` (key ${key})`}`;
  }),
];

const amountsOf = ({ amounts }: NominationRow): number[] => (amounts ?? []).map(Number);

/** Compares the current nominations with a plain sum of all valid transactions per position, day and slot. */
function checkSaldo(chains: Map<string, Cell[]>, current: readonly NominationRow[]): Violation[] {
  const saldos = new Map<string, number[]>();
  const add = (position: number, day: string, slot: number, kwh: number) => {
    const zeros = () => Array.from({ length: slotCount(day) }, () => 0);
    saldos.getOrInsertComputed(`${position} ${day}`, zeros)[slot - 1]! += kwh;
  };
  for (const [key, chain] of chains) {
    const last = chain.at(-1);
    if (last?.status !== 'valid') continue;
    const [, day = '', slot] = key.split(' ');
    add(last.sheet.sender_position, day, Number(slot), last.kwh);
    add(last.sheet.receiver_position, day, Number(slot), -last.kwh);
  }
  const nominated = new Map<string, number[]>();
  for (const nomination of current) {
    const key = `${nomination.position} ${nomination.day}`;
    const sign = nomination.direction === 'out' ? 1 : -1;
    const before = nominated.get(key);
    nominated.set(
      key,
      amountsOf(nomination).map((kwh, at) => (before?.[at] ?? 0) + sign * kwh),
    );
  }
  const keys = new Set([...saldos.keys(), ...nominated.keys()]);
  return [...keys].flatMap((key): Violation[] => {
    const [saldo = [], found = []] = [saldos.get(key), nominated.get(key)];
    const slots = Array.from({ length: Math.max(saldo.length, found.length) }, (_, at) => at + 1);
    const wrong = slots.filter((slot) => (saldo[slot - 1] ?? 0) !== (found[slot - 1] ?? 0));
    if (wrong.length === 0) return [];
    const evidence = wrong.map(
      (slot) => `slot ${slot}: sum ${saldo[slot - 1]}, nominated ${found[slot - 1]} kWh`,
    );
    return [{ rule: 'saldo', text: `Position and day ${key}: the nomination is not the sum`, evidence }];
  });
}

function checkBalance(current: readonly NominationRow[]): Violation[] {
  const sums = new Map<string, number>();
  for (const nomination of current) {
    for (const [at, kwh] of amountsOf(nomination).entries()) {
      const key = `${nomination.day} ${at + 1}`;
      sums.set(key, (sums.get(key) ?? 0) + (nomination.direction === 'out' ? kwh : -kwh));
    }
  }
  const wrong = [...sums].filter(([, sum]) => sum !== 0).map(([key, sum]) => `${key}: ${sum} kWh`);
  return wrong.length === 0 ? [] : [{ rule: 'balance', text: 'Slots do not net to zero', evidence: wrong }];
}

function checkNominationVersions(nominations: readonly NominationRow[]): Violation[] {
  const violations: Violation[] = [];
  for (const [at, nomination] of nominations.entries()) {
    const before = nominations[at - 1];
    const isSame = (other: NominationRow | undefined) =>
      other?.position === nomination.position &&
      other.day === nomination.day &&
      other.direction === nomination.direction;
    const [previous, version] = isSame(before) ? [before?.id, (before?.version ?? 0) + 1] : [null, 1];
    const isLast = !isSame(nominations[at + 1]);
    const isRight =
      nomination.version === version &&
      nomination.previous_id === previous &&
      (nomination.status === 'superseded') === !isLast;
    if (isRight) continue;
    const { amounts: _, ...row } = nomination;
    const text = `Nomination ${nomination.id} does not follow the version before it`;
    violations.push({ rule: 'versions', text, evidence: [JSON.stringify(row)] });
  }
  return violations;
}
