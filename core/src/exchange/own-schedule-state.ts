import type { ScheduleStep } from '../enums.ts';

/** A version of a nomination with one step that its BRP has done with it, or with none. */
export type KnownVersion = { version: number; isSent: boolean; step: ScheduleStep | null };

/**
 * The version that a BRP knows, if the current one is another: the newest one with a step of the BRP; without any, the
 * newest one before that the operator has sent to the TSO. Null when nothing has changed since.
 */
export function changedSince<V extends KnownVersion>(current: number, versions: readonly V[]): V | null {
  const own = newest(versions.filter(({ step }) => step !== null));
  if (own !== null) return own.version < current ? own : null;
  return newest(versions.filter(({ version, isSent }) => isSent && version < current));
}

const newest = <V extends KnownVersion>(versions: readonly V[]): V | null =>
  versions.toSorted((one, other) => other.version - one.version)[0] ?? null;
