import type { Decision } from '@saldo/core/exchange/answer.ts';
import { type MatchedNomination, recordConfirmations } from '../../nominations/actions.ts';
import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { MadeSchedule } from './schedules.ts';

/**
 * The nominations that a confirmation fills: those of the answered version and those of the newest version, which are the
 * current ones. The two versions differ if the TSO has rejected all versions after the answered one.
 */
export function matchedNominations(
  { matched }: Extract<Decision, { kind: 'confirmed' }>,
  answered: MadeSchedule,
  newest: MadeSchedule,
): MatchedNomination[] {
  const idsOf = nominationFinder(answered, newest);
  return [
    ...matched.flatMap(({ series: { identification }, matchedKw }) =>
      matchedKw === null ? [] : idsOf(identification).map((id) => ({ id, matchedKw })),
    ),
    ...unknownToTso(answered, newest),
  ];
}

/** Finds the nominations of a series in the answered and in the newest version, each once. */
export function nominationFinder(answered: MadeSchedule, newest: MadeSchedule) {
  const versions = [answered, newest].map(
    ({ series }) => new Map(series.map((one) => [one.identification, one.nominationId])),
  );
  return (identification: string): string[] => [
    ...new Set(versions.flatMap((ids) => ids.get(identification) ?? [])),
  ];
}

/** Nominations that only versions after the counting one have: the TSO matches nothing for them. */
function unknownToTso(counting: MadeSchedule, newest: MadeSchedule): MatchedNomination[] {
  const known = new Set(counting.series.map(({ identification }) => identification));
  return newest.series.flatMap(({ identification, nominationId, powersKw }) =>
    nominationId === null || known.has(identification)
      ? []
      : [{ id: nominationId, matchedKw: powersKw.map(() => 0) }],
  );
}

/**
 * Fills the current nominations with what the TSO has confirmed of an older version, because it has rejected all versions
 * after that one. Returns the ids of the nominations that changed.
 */
export async function restoreConfirmations(
  tx: Tx,
  counting: MadeSchedule,
  newest: MadeSchedule,
  now: number,
): Promise<string[]> {
  const { confirmedAt, isFinal } = counting.message;
  if (confirmedAt === null) return [];
  const currentIds = new Map(newest.series.map((one) => [one.identification, one.nominationId]));
  const pairs = counting.series.flatMap(({ identification, nominationId: from }) => {
    const to = currentIds.get(identification) ?? null;
    return from === null || to === null || from === to ? [] : [{ from, to }];
  });
  return [
    ...(await inheritConfirmations(tx, pairs, now)),
    ...(await recordConfirmations(tx, unknownToTso(counting, newest), isFinal, now)),
  ];
}

const CONFIRMED = statement(
  'confirmed_nominations',
  'select id, matched, confirmed_at from nomination where id = any($1::uuid[]) and matched is not null',
);

/** Copies what the TSO has confirmed from one version of a nomination to another. Returns the ids of those that changed. */
export async function inheritConfirmations(
  tx: Tx,
  pairs: readonly { from: string; to: string }[],
  now: number,
): Promise<string[]> {
  const confirmed = await tx.query<{ id: string; matched: number[]; confirmed_at: number | null }>(
    CONFIRMED,
    [pairs.map(({ from }) => from)],
  );
  const successor = new Map(pairs.map(({ from, to }) => [from, to]));
  const changed: string[] = [];
  for (const isFinal of [false, true]) {
    const matched = confirmed
      .filter(({ confirmed_at }) => (confirmed_at !== null) === isFinal)
      .map(({ id, matched: matchedKw }) => ({ id: successor.get(id) as string, matchedKw }));
    changed.push(...(await recordConfirmations(tx, matched, isFinal, now)));
  }
  return changed;
}
