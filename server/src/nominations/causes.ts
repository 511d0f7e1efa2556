import type { AuditAction, NominationCauses } from '@saldo/api';
import { type DeliveryDay, formatInstant } from '@saldo/core/delivery-day.ts';
import { mwhNumber, sumKwh } from '@saldo/core/energy.ts';
import type { CauseKind, Direction } from '@saldo/core/enums.ts';
import { slotClosings } from '@saldo/core/gates.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import {
  attribute,
  type Change,
  changesOfDay,
  type KnownPart,
  knownPart,
} from '@saldo/core/nominations/causes.ts';
import { sendableCells, shareOf } from '@saldo/core/nominations/late-changes.ts';
import { amountOf } from '@saldo/core/nominations/nomination.ts';
import { findActorNames, findPossibleEvents } from '../audit/store.ts';
import { seenBy } from '../contracts/store.ts';
import { perViewer, tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { SheetSources } from '../transactions/sheet-sources.ts';
import {
  applyLateMarks,
  type LateReading,
  lateReadings,
  readContractDays,
  type StoredContractDay,
} from './contract-days.ts';

type Version = {
  id: string;
  position_no: number;
  delivery_day: DeliveryDay;
  direction: Direction;
  version: number;
  previous_id: string | null;
  amounts: number[];
  created_at: number;
  basis_contracts: number[];
  basis_revisions: number[];
  basis_invalidations: number[];
};

const FIND = perViewer(
  statement,
  'find_nomination_versions',
  'brp_no = $2',
  (andTenant) => `select id, position_no, delivery_day, direction, version, previous_id, amounts, created_at,
     basis_contracts, basis_revisions, basis_invalidations
   from nomination where id = $1${andTenant}`,
);

const findVersion = async (db: Db, viewer: Viewer, id: string): Promise<Version | null> =>
  (await db.query<Version>(FIND[viewer.kind], [id, ...tenantValues(viewer)]))[0] ?? null;

/** A change of a visible contract, or of one that the viewer may not see: then without the contract. */
type Attributed = { contractDay: StoredContractDay | null; change: Change | null; kwh: readonly number[] };

/**
 * Explains the difference between a version and an earlier one of the same nomination by the changes of contracts between
 * their bases. Null if the viewer does not see the nomination.
 */
export async function explainChange(
  db: Db,
  viewer: Viewer,
  { id, since }: { id: string; since: string | null },
  rules: MarketRules,
): Promise<NominationCauses | 'no_earlier_version' | null> {
  const after = await findVersion(db, viewer, id);
  if (after === null) return null;
  const earlierId = since ?? after.previous_id;
  const before = earlierId === null ? null : await findVersion(db, viewer, earlierId);
  if (since !== null && (before === null || !isEarlier(before, after))) return 'no_earlier_version';
  const attributed = await attributeChanges(
    db,
    viewer,
    before,
    after,
    slotClosings(after.delivery_day, rules),
  );
  const difference = after.amounts.map((kwh, at) => kwh - (before?.amounts[at] ?? 0));
  return {
    nomination_id: encodeId(ID_PREFIX.nomination, after.id),
    version: after.version,
    since_nomination_id: before && encodeId(ID_PREFIX.nomination, before.id),
    ...sizeOf(difference),
    causes: await wireCauses(db, viewer, attributed),
  };
}

const isEarlier = (before: Version, after: Version): boolean =>
  before.position_no === after.position_no &&
  before.delivery_day === after.delivery_day &&
  before.direction === after.direction &&
  before.version < after.version;

const NOTHING: KnownPart = { revision: 0, invalidations: 0 };

/** What a version knew of each contract, by the contract's number. */
const basisOf = (version: Version | null): ReadonlyMap<number, KnownPart> =>
  new Map(
    version?.basis_contracts.map((contractNo, at) => [
      contractNo,
      { revision: version.basis_revisions[at] ?? 0, invalidations: version.basis_invalidations[at] ?? 0 },
    ]),
  );

async function attributeChanges(
  db: Db,
  viewer: Viewer,
  before: Version | null,
  after: Version,
  closings: readonly number[],
): Promise<Attributed[]> {
  const [knownBefore, knownAfter] = [basisOf(before), basisOf(after)];
  const keys = Array.from(knownAfter, ([contractNo, part]) => ({
    contractNo,
    day: after.delivery_day,
    ...part,
  }));
  const days = await readContractDays(db, keys);
  const sinceOf = ({ contractNo }: StoredContractDay) => knownBefore.get(contractNo) ?? NOTHING;
  const daysBefore = days.map((day) => knownPart(day, sinceOf(day)));
  const sharesBefore = before === null ? () => closings.map(() => 0) : sharesIn(before, daysBefore, closings);
  const sharesAfter = sharesIn(after, days, closings);
  const changed = days.filter((day) => {
    const [known, since] = [knownAfter.get(day.contractNo) ?? NOTHING, sinceOf(day)];
    return known.revision !== since.revision || known.invalidations !== since.invalidations;
  });
  const sources = new SheetSources();
  await sources.load(db, changed);
  const changes = changed.flatMap((day) =>
    changesOfDay({
      day,
      since: sinceOf(day),
      sharesBefore: sharesBefore(knownPart(day, sinceOf(day))),
      sharesOf: sharesAfter,
      followsSeries: (revision) => sources.of(day, revision) !== null,
    }).map((change) => ({ day, change })),
  );
  // In the order of their times; an amount is never below zero, so that the order matters to what each of them did.
  changes.sort((one, other) => one.change.at - other.change.at || one.day.contractNo - other.day.contractNo);
  const saldoBefore = sumOf(daysBefore.map(sharesBefore), closings.length);
  const amounts = { before: before?.amounts ?? closings.map(() => 0), after: after.amounts };
  const { ofChanges, rest } = attribute(
    saldoBefore,
    changes.map(({ change }) => change),
    after.direction,
    amounts,
  );
  const visible = await findVisible(db, viewer, changed);
  return [
    ...changes.map(({ day, change }, at) => ({
      ...(visible.has(day.contractNo) ? { contractDay: day, change } : { contractDay: null, change: null }),
      kwh: ofChanges[at]!,
    })),
    { contractDay: null, change: null, kwh: rest },
  ];
}

/**
 * What parts of contract-days add to the position of a version, counted as the version counted: per slot the reading of
 * late changes whose saldo is the amount.
 */
function sharesIn(version: Version, days: readonly StoredContractDay[], closings: readonly number[]) {
  const { position_no: position, direction, amounts, created_at: createdAt } = version;
  const readings = lateReadings(createdAt, closings);
  const sharesBy = ({ counts, deadlines }: LateReading, day: StoredContractDay): number[] =>
    sendableCells(applyLateMarks(day, counts), deadlines).map((cell) => shareOf(cell, position));
  const chosen: (LateReading | null)[] = amounts.map(() => null);
  for (const reading of readings) {
    if (!chosen.includes(null)) break;
    const saldo = sumOf(
      days.map((day) => sharesBy(reading, day)),
      amounts.length,
    );
    for (const [at, kwh] of saldo.entries())
      if (amountOf(kwh, direction) === amounts[at]) chosen[at] ??= reading;
  }
  const bySlot = chosen.map((reading) => reading ?? readings[0]!);
  const used = [...new Set(bySlot)];
  return (day: StoredContractDay): number[] => {
    const shares = new Map(used.map((reading) => [reading, sharesBy(reading, day)]));
    return bySlot.map((reading, at) => shares.get(reading)![at]!);
  };
}

function sumOf(rows: readonly (readonly number[])[], length: number): number[] {
  const sums = Array.from({ length }, () => 0);
  for (const row of rows) for (const [at, kwh] of row.entries()) sums[at]! += kwh;
  return sums;
}

const FIND_VISIBLE = perViewer(
  statement,
  'find_visible_contracts',
  seenBy('c', '$2'),
  (andTenant) => `select c.no from contract c where c.no = any($1::int[])${andTenant}`,
);

async function findVisible(
  db: Db,
  viewer: Viewer,
  days: readonly StoredContractDay[],
): Promise<ReadonlySet<number>> {
  if (days.length === 0) return new Set();
  const numbers = days.map(({ contractNo }) => contractNo);
  const rows = await db.query<{ no: number }>(FIND_VISIBLE[viewer.kind], [numbers, ...tenantValues(viewer)]);
  return new Set(rows.map(({ no }) => no));
}

const IMPORTS: readonly AuditAction[] = [
  'contract_day.written',
  'volumes.imported',
  'volumes.import_broken_off',
  'profiles.run',
];
/** The actions that can have made a change of each kind. */
const ACTIONS: Readonly<Record<CauseKind, readonly AuditAction[]>> = {
  created: IMPORTS,
  // A customer that becomes active again gets its volumes again.
  corrected: [...IMPORTS, 'customer.updated'],
  invalidated: ['transaction.invalidated', 'customer.updated', 'contract.updated'],
  moved: ['customer.updated'],
  source: [
    'series_day.written',
    'series_values.imported',
    'series_values.import_broken_off',
    'interchange.received',
    'contract.created',
    'contract.updated',
    'customer.updated',
  ],
  other: [],
};

/** Operations of several transactions, whose event follows the last one. */
const AT_END: readonly AuditAction[] = [
  'volumes.imported',
  'volumes.import_broken_off',
  'series_values.imported',
  'series_values.import_broken_off',
  'interchange.received',
  'profiles.run',
];

/** Finds the name of the user or key behind each change; null if several may have made it. */
async function actorNamesOf(db: Db, viewer: Viewer, attributed: readonly Attributed[]) {
  const instants = [...new Set(attributed.flatMap(({ change }) => change?.at ?? []))];
  const actions = [...new Set(Object.values(ACTIONS).flat())];
  const events = await findPossibleEvents(db, instants, actions, AT_END);
  const names = await findActorNames(db, viewer, events);
  const eventsAt = Map.groupBy(events, ({ changed_at }) => changed_at);
  return ({ contractDay, change }: Attributed): string | null => {
    if (contractDay === null || change === null) return null;
    const ofKind: readonly string[] = ACTIONS[change.kind];
    const possible = (eventsAt.get(change.at) ?? []).filter(({ action }) => ofKind.includes(action));
    const contractId = encodeId(ID_PREFIX.contract, contractDay.contractId);
    const ofContract = possible.filter(({ subject }) => subject === contractId);
    const actors = new Set((ofContract.length > 0 ? ofContract : possible).map(({ actor }) => actor));
    return actors.size === 1 ? (names.get([...actors][0]!) ?? null) : null;
  };
}

type Cause = NominationCauses['causes'][number];

/** One cause per contract and kind. What the viewer may not see is one cause without a contract. */
async function wireCauses(db: Db, viewer: Viewer, attributed: readonly Attributed[]): Promise<Cause[]> {
  const nameOf = await actorNamesOf(db, viewer, attributed);
  const groups = Map.groupBy(attributed, ({ contractDay, change }) =>
    contractDay === null || change === null ? 'other' : `${contractDay.contractNo} ${change.kind}`,
  );
  const causes = Array.from(groups.values(), (group) => {
    const { contractDay, change } = group[0]!;
    const kwh = sumOf(
      group.map((one) => one.kwh),
      group[0]!.kwh.length,
    );
    const names = new Set(group.map(nameOf));
    const cause: Cause = {
      kind: change?.kind ?? 'other',
      contract_id: contractDay && encodeId(ID_PREFIX.contract, contractDay.contractId),
      at: change && formatInstant(Math.max(...group.map((one) => one.change?.at ?? 0))),
      actor_name: names.size === 1 ? [...names][0]! : null,
      ...sizeOf(kwh),
    };
    return cause;
  });
  return causes
    .filter(({ slots_changed }) => slots_changed > 0)
    .sort(
      (one, other) =>
        Number(one.kind === 'other') - Number(other.kind === 'other') ||
        Math.abs(other.difference) - Math.abs(one.difference),
    );
}

const sizeOf = (kwh: readonly number[]) => ({
  slots_changed: kwh.filter((one) => one !== 0).length,
  difference: mwhNumber(sumKwh(kwh)),
});
