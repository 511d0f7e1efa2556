import { assert } from '../assert.ts';
import { type DeliveryDay, slotCount } from '../delivery-day.ts';
import { kwFromKwh } from '../energy.ts';
import type { Direction, Tso } from '../enums.ts';
import { type ControlArea, controlAreas, type MarketRules, type TsoCodes } from '../market-rules.ts';
import type { Message } from '../messages/message.ts';
import { BRIDGE_COUNT, bridgeIndex, moveBridges } from './bridges.ts';

/**
 * Generation (A01), trade within a control area (A02), consumption (A04), and trade with another area: with explicit
 * capacity (A03), in total (A05), without explicit capacity (A06).
 */
export const BUSINESS_TYPES = ['A01', 'A02', 'A03', 'A04', 'A05', 'A06'] as const;
export type BusinessType = (typeof BUSINESS_TYPES)[number];
/** A02 moves energy between two balance groups, A06 moves the operator's own between two control areas. */
export const OPERATOR_BUSINESS_TYPES: readonly BusinessType[] = ['A02', 'A06'];

/** Energy flows from the out party in the out area to the in party in the in area. */
export type SeriesKey = {
  /** The same in every version, on every day and, for a bridge, in both areas' files. */
  identification: string;
  businessType: BusinessType;
  outParty: string;
  outArea: string;
  inParty: string;
  inArea: string;
};

export type Series = SeriesKey & { version: number; powersKw: readonly number[] };

/** The message to one TSO for one day. Every version has all series. */
export type Schedule = {
  operatorEic: string;
  tso: Tso;
  /** The codes of the TSO on the day. */
  codes: TsoCodes;
  day: DeliveryDay;
  /** The same for all versions of a day. */
  messageId: string;
  version: number;
  series: readonly Series[];
};

/** Nominated amounts of a position per direction; null without a nomination. */
export type NominatedPosition = {
  eic: string;
  tso: Tso;
  outKwh: readonly number[] | null;
  inKwh: readonly number[] | null;
};

export type ScheduleInput = {
  operatorEic: string;
  day: DeliveryDay;
  rules: MarketRules;
  /** Current nominations of all four control areas: bridges depend on all of them. */
  positions: readonly NominatedPosition[];
  /** The newest schedule of each TSO for this day, sent or unsent. */
  previous: readonly Schedule[];
  /** How many slots at the start of the day are closed: TSOs reject a change of a bridge in them. */
  closedSlots: number;
};

export type NextSchedule = {
  tso: Tso;
  /** Closed slots in which the area's nominations would need other bridges, so that the file keeps its values there. */
  withheldSlots: readonly number[];
} & (
  | {
      /** The newest schedule already has these series. */
      kind: 'unchanged';
    }
  | { kind: 'schedule'; schedule: Schedule }
  | {
      /** Slots in which the areas do not net to zero, with the surplus (or deficit) of this area. */
      kind: 'imbalance';
      slots: readonly UnbalancedSlot[];
      message: Message;
    }
  | { kind: 'versions_exhausted'; message: Message }
);

/** The message version has three digits. */
export const MAX_MESSAGE_VERSION = 999;
/** Limit of both formats for the identification of a series or a message. */
export const MAX_IDENTIFICATION_LENGTH = 35;

/** Number of unbalanced slots that an error lists; the rest is counted. */
const NAMED_SLOTS = 5;

type Flow = SeriesKey & { powersKw: readonly number[] };

/** One area's file in the making: the nominated series, including those that only the previous version has. */
type AreaFile = { area: ControlArea; previous: Schedule | null; nominated: Flow[]; withheldSlots: number[] };

/**
 * Builds the next schedule of every TSO that has or had series, in the order of the control areas. A schedule has one
 * mirrored series per nomination and the bridges of its area. Series of the previous version stay, with zeros if they
 * are no longer nominated. The version of a series is that of the message that changed it last.
 */
export function buildSchedules(input: ScheduleInput): NextSchedule[] {
  const { operatorEic, day, positions, closedSlots } = input;
  const slots = slotCount(day);
  assertPositions(positions, slots);
  const files = controlAreas(input.rules, day).map((area): AreaFile => {
    // A schedule of another operator EIC is not a version of this one.
    const previous =
      input.previous.find((one) => one.tso === area.tso && one.operatorEic === operatorEic) ?? null;
    assert(previous === null || previous.day === day, 'versions of a schedule are of one day');
    const known = previous?.series.filter(({ businessType }) => businessType === 'A02') ?? [];
    const nominated = withPrevious(nominatedFlows(positions, area, operatorEic), known, slots);
    return { area, previous, ...keepClosedSurplus(nominated, known, area, operatorEic, closedSlots) };
  });
  const bridges = bridgesOf(files, operatorEic, day, closedSlots);
  return files.flatMap((file, at) => {
    const flows = [...file.nominated, ...(bridges[at] ?? [])].sort((one, other) =>
      orderOf(one) < orderOf(other) ? -1 : 1,
    );
    return flows.length === 0 ? [] : [nextSchedule(operatorEic, day, file, flows)];
  });
}

const orderOf = ({ businessType, identification }: Flow) => businessType + identification;

/**
 * Bridges of closed slots are frozen, and with them the surplus of the area. Where nominations have another surplus in a
 * closed slot, all series of the area keep the values of the previous version there, so that the file nets to zero.
 */
function keepClosedSurplus(
  nominated: Flow[],
  known: readonly Flow[],
  area: ControlArea,
  operatorEic: string,
  closedSlots: number,
): Pick<AreaFile, 'nominated' | 'withheldSlots'> {
  if (closedSlots === 0) return { nominated, withheldSlots: [] };
  const surplus = netOf(nominated, area, operatorEic, closedSlots);
  const frozen = netOf(known, area, operatorEic, closedSlots);
  const isKept = surplus.map((powerKw, at) => powerKw !== frozen[at]);
  if (!isKept.includes(true)) return { nominated, withheldSlots: [] };
  const before = new Map(known.map(({ identification, powersKw }) => [identification, powersKw]));
  return {
    nominated: nominated.map((flow) => ({
      ...flow,
      powersKw: flow.powersKw.map((powerKw, at) =>
        isKept[at] ? (before.get(flow.identification)?.[at] ?? 0) : powerKw,
      ),
    })),
    withheldSlots: isKept.flatMap((kept, at) => (kept ? [at + 1] : [])),
  };
}

function nextSchedule(
  operatorEic: string,
  day: DeliveryDay,
  { area, previous, withheldSlots }: AreaFile,
  flows: readonly Flow[],
): NextSchedule {
  const { tso, ...codes } = area;
  const next = { tso, withheldSlots };
  const imbalances = unbalancedSlots(flows, area, operatorEic, day);
  if (imbalances.length > 0) {
    return { ...next, kind: 'imbalance', slots: imbalances, message: imbalanceMessage(day, tso, imbalances) };
  }
  const known = new Map(previous?.series.map((series) => [series.identification, series]));
  const version = (previous?.version ?? 0) + 1;
  const series = flows.map((flow): Series => {
    const before = known.get(flow.identification);
    return before && hasSamePowers(before, flow) ? before : { ...flow, version };
  });
  if (previous !== null && series.every((one) => one.version < version))
    return { ...next, kind: 'unchanged' };
  if (version > MAX_MESSAGE_VERSION) {
    return {
      ...next,
      kind: 'versions_exhausted',
      message: { key: 'exchange.versions_exhausted', day, tso, version: MAX_MESSAGE_VERSION },
    };
  }
  const messageId = messageIdentification(day, operatorEic, codes);
  return {
    ...next,
    kind: 'schedule',
    schedule: { operatorEic, tso, codes, day, messageId, version, series },
  };
}

function assertPositions(positions: readonly NominatedPosition[], slots: number): void {
  const keys = new Set(positions.map(({ eic, tso }) => `${eic} ${tso}`));
  assert(keys.size === positions.length, 'a position is given once');
  for (const { outKwh, inKwh } of positions) {
    for (const amounts of [outKwh, inKwh]) {
      assert(amounts === null || amounts.length === slots, 'a nomination has every slot of its day');
      assert(amounts?.every(isAmount) ?? true, 'an amount is a whole number of kWh, not below zero');
    }
  }
}

function isAmount(kwh: number): boolean {
  return Number.isInteger(kwh) && Number.isSafeInteger(kwFromKwh(kwh)) && kwh >= 0;
}

/** Mirrors nominations: what a group delivers, the operator receives, and vice versa. */
function nominatedFlows(
  positions: readonly NominatedPosition[],
  { tso, area }: ControlArea,
  operatorEic: string,
): Flow[] {
  const flows: Flow[] = [];
  for (const { eic, outKwh, inKwh } of positions.filter((position) => position.tso === tso)) {
    for (const [direction, amountsKwh] of [['out', outKwh] as const, ['in', inKwh] as const]) {
      if (amountsKwh === null) continue;
      const series = nominatedSeries({ eic, direction }, area, operatorEic);
      flows.push({ ...series, powersKw: amountsKwh.map(kwFromKwh) });
    }
  }
  return flows;
}

/** The series of a nomination in the operator's schedule. */
export function nominatedSeries(
  { eic, direction }: { eic: string; direction: Direction },
  area: string,
  operatorEic: string,
): SeriesKey {
  const [outParty, inParty] = direction === 'out' ? [eic, operatorEic] : [operatorEic, eic];
  return {
    identification: seriesIdentification(eic, direction),
    businessType: 'A02',
    outParty,
    outArea: area,
    inParty,
    inArea: area,
  };
}

/** Each side names a series after its counterpart: '11XNORDWIND----J_OUT' */
export const seriesIdentification = (counterpartEic: string, direction: Direction): string =>
  `${counterpartEic}_${direction.toUpperCase()}`;

function bridgeKey(operatorEic: string, from: ControlArea, to: ControlArea): SeriesKey {
  return {
    identification: `BRIDGE_${from.tag}_${to.tag}`,
    businessType: 'A06',
    outParty: operatorEic,
    outArea: from.area,
    inParty: operatorEic,
    inArea: to.area,
  };
}

export type UnbalancedSlot = { readonly slot: number; readonly powerKw: number };

/** The slots in which the flows of a balance group do not net to zero in an area: a TSO rejects such a file (A54). */
export const unbalancedSlots = (
  flows: readonly Flow[],
  area: Pick<TsoCodes, 'area'>,
  eic: string,
  day: DeliveryDay,
): UnbalancedSlot[] =>
  netOf(flows, area, eic, slotCount(day)).flatMap((powerKw, at) =>
    powerKw === 0 ? [] : [{ slot: at + 1, powerKw }],
  );

/** The operator's saldo in an area: incoming minus outgoing power, in the first `slots` slots. */
function netOf(
  flows: readonly Flow[],
  { area }: Pick<TsoCodes, 'area'>,
  operatorEic: string,
  slots: number,
): readonly number[] {
  const net = Array.from<number>({ length: slots }).fill(0);
  for (const { outParty, outArea, inParty, inArea, powersKw } of flows) {
    const incoming = inParty === operatorEic && inArea === area ? 1 : 0;
    const outgoing = outParty === operatorEic && outArea === area ? 1 : 0;
    const sign = incoming - outgoing;
    for (let at = 0; at < slots; at++) net[at]! += sign * powersKw[at]!;
  }
  return net;
}

/**
 * The bridges of each file, in the order of the files. In an open slot both areas have the same value: the previous one,
 * moved by the difference of the surpluses. If the areas do not net to zero there, it is unknown which one is wrong: the
 * bridges stay, and areas whose surplus differs from them are reported as unbalanced. In a closed slot each file keeps
 * its own value.
 */
function bridgesOf(
  files: readonly AreaFile[],
  operatorEic: string,
  day: DeliveryDay,
  closedSlots: number,
): Flow[][] {
  const slots = slotCount(day);
  const pairs = files.flatMap(({ area: from }, at) =>
    files.flatMap(({ area: to }, other) =>
      at === other ? [] : [{ at, other, key: bridgeKey(operatorEic, from, to) }],
    ),
  );
  const known = files.map(
    ({ previous }) =>
      new Map(previous?.series.map(({ identification, powersKw }) => [identification, powersKw])),
  );
  const zeros = Array.from<number>({ length: slots }).fill(0);
  const powers = Array.from<readonly number[]>({ length: BRIDGE_COUNT }).fill(zeros);
  for (const { at, other, key } of pairs) {
    const before = known[at]?.get(key.identification) ?? known[other]?.get(key.identification);
    if (before !== undefined) powers[bridgeIndex(at, other)] = before;
  }
  const surpluses = files.map(({ area, nominated }) => netOf(nominated, area, operatorEic, slots));
  const moved = moveOpenSlots(powers, surpluses, closedSlots, slots);
  const flows: Flow[][] = files.map(() => []);
  for (const { at, other, key } of pairs) {
    const open = moved[bridgeIndex(at, other)]!;
    for (const file of [at, other]) {
      const before = known[file]?.get(key.identification);
      const powersKw = open.map((powerKw, slot) => (slot < closedSlots ? (before?.[slot] ?? 0) : powerKw));
      // A bridge that was never above zero is in no file.
      if (before !== undefined || powersKw.some((powerKw) => powerKw > 0))
        flows[file]?.push({ ...key, powersKw });
    }
  }
  return flows;
}

function moveOpenSlots(
  before: readonly (readonly number[])[],
  surpluses: readonly (readonly number[])[],
  closedSlots: number,
  slots: number,
): number[][] {
  const powers = before.map((powersKw) => [...powersKw]);
  for (let at = closedSlots; at < slots; at++) {
    const surplusesKw = surpluses.map((surplus) => surplus[at]!);
    if (surplusesKw.reduce((sum, powerKw) => sum + powerKw, 0) !== 0) continue;
    const moved = moveBridges(
      before.map((powersKw) => powersKw[at]!),
      surplusesKw,
    );
    for (const [bridge, powerKw] of moved.entries()) powers[bridge]![at] = powerKw;
  }
  return powers;
}

/** A TSO rejects a schedule that lacks a series of the previous version, so such a series stays with zeros. */
function withPrevious(flows: readonly Flow[], previous: readonly Series[], slots: number): Flow[] {
  const present = new Set(flows.map(({ identification }) => identification));
  const gone = previous.filter(({ identification }) => !present.has(identification));
  const zeros = Array.from<number>({ length: slots }).fill(0);
  return [...flows, ...gone.map((series) => ({ ...series, powersKw: zeros }))];
}

function hasSamePowers(one: Flow, other: Flow): boolean {
  return one.powersKw.every((powerKw, at) => powerKw === other.powersKw[at]);
}

function imbalanceMessage(day: DeliveryDay, tso: Tso, imbalances: readonly UnbalancedSlot[]): Message {
  return { key: 'exchange.imbalance', day, tso, slots: namedImbalances(imbalances) };
}

/** The first slots with their surplus, and the number of the others. */
export function namedImbalances(imbalances: readonly UnbalancedSlot[]): Message | Message[] {
  const items = imbalances.slice(0, NAMED_SLOTS).map(({ slot, powerKw }): Message => {
    return { key: 'exchange.imbalance_of_slot', slot, sign: powerKw > 0 ? '+' : '', powerKw };
  });
  const count = imbalances.length - items.length;
  return count > 0 ? { key: 'exchange.and_more', items, count } : items;
}

/** The balance group and direction of the nomination that a series mirrors; null for a bridge. */
export function nominationOf(
  series: SeriesKey,
  operatorEic: string,
): { eic: string; direction: Direction } | null {
  if (series.businessType === 'A06') return null;
  return series.inParty === operatorEic
    ? { eic: series.outParty, direction: 'out' }
    : { eic: series.inParty, direction: 'in' };
}

/** '20261025_TPS_11XSALDO-------Z_AMP' */
export function messageIdentification(day: DeliveryDay, operatorEic: string, { tag }: TsoCodes): string {
  return `${compactDay(day)}_TPS_${operatorEic}_${tag}`;
}

/** '20261025' */
export function compactDay(day: DeliveryDay): string {
  return day.replaceAll('-', '');
}
