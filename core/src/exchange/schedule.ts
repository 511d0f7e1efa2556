import { assert } from '../assert.ts';
import { type DeliveryDay, slotCount } from '../delivery-day.ts';
import { kwFromKwh } from '../energy.ts';
import type { Direction, Tso } from '../enums.ts';
import { type ControlArea, controlAreas, type MarketRules, type TsoCodes } from '../market-rules.ts';

/** A02 moves energy between two balance groups, A06 moves the operator's own between two control areas. */
export const BUSINESS_TYPES = ['A02', 'A06'] as const;
export type BusinessType = (typeof BUSINESS_TYPES)[number];

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
};

export type NextSchedule = { tso: Tso } & (
  | {
      /** The newest schedule already has these series. */
      kind: 'unchanged';
    }
  | { kind: 'schedule'; schedule: Schedule }
  | {
      /** Slots in which the areas do not net to zero, with the surplus (or deficit) of this area. */
      kind: 'imbalance';
      slots: readonly { slot: number; powerKw: number }[];
      message: string;
    }
  | { kind: 'versions_exhausted'; message: string }
);

/** The message version has three digits. */
export const MAX_MESSAGE_VERSION = 999;
/** Limit of both formats for the identification of a series or a message. */
export const MAX_IDENTIFICATION_LENGTH = 35;

/** Number of unbalanced slots that an error lists; the rest is counted. */
const NAMED_SLOTS = 5;

type Flow = SeriesKey & { powersKw: readonly number[] };

/**
 * Builds the next schedule of every TSO that has or had series, in the order of the control areas. A schedule has one
 * mirrored series per nomination and the bridges of its area. Series of the previous version stay, with zeros if they
 * are no longer nominated. The version of a series is that of the message that changed it last.
 */
export function buildSchedules(input: ScheduleInput): NextSchedule[] {
  const { operatorEic, day, positions } = input;
  const slots = slotCount(day);
  const areas = controlAreas(input.rules, day);
  assertPositions(positions, slots);
  const flows = new Map(areas.map((area) => [area.tso, nominatedFlows(positions, area, operatorEic)]));
  const saldos = areas.map((area) => netOf(flows.get(area.tso) ?? [], area, operatorEic, slots));
  for (const { from, to, powersKw } of bridgesBetween(areas, saldos, slots)) {
    const bridge = { ...bridgeKey(operatorEic, from, to), powersKw };
    flows.get(from.tso)?.push(bridge);
    flows.get(to.tso)?.push(bridge);
  }
  return areas.flatMap((area) => {
    // A schedule of another operator EIC is not a version of this one.
    const previous = input.previous.find((one) => one.tso === area.tso && one.operatorEic === operatorEic);
    assert(previous === undefined || previous.day === day, 'versions of a schedule are of one day');
    const complete = withPrevious(flows.get(area.tso) ?? [], previous?.series ?? [], slots);
    return complete.length === 0 ? [] : [nextSchedule(operatorEic, day, area, complete, previous ?? null)];
  });
}

function nextSchedule(
  operatorEic: string,
  day: DeliveryDay,
  area: ControlArea,
  flows: readonly Flow[],
  previous: Schedule | null,
): NextSchedule {
  const { tso, ...codes } = area;
  const imbalances = netOf(flows, area, operatorEic, slotCount(day)).flatMap((powerKw, at) =>
    powerKw === 0 ? [] : [{ slot: at + 1, powerKw }],
  );
  if (imbalances.length > 0) {
    return { tso, kind: 'imbalance', slots: imbalances, message: imbalanceMessage(day, tso, imbalances) };
  }
  const known = new Map(previous?.series.map((series) => [series.identification, series]));
  const version = (previous?.version ?? 0) + 1;
  const series = flows.map((flow): Series => {
    const before = known.get(flow.identification);
    return before && hasSamePowers(before, flow) ? before : { ...flow, version };
  });
  if (previous !== null && series.every((one) => one.version < version)) return { tso, kind: 'unchanged' };
  if (version > MAX_MESSAGE_VERSION) {
    return {
      tso,
      kind: 'versions_exhausted',
      message: `The schedule of ${day} for ${tso} has reached version ${MAX_MESSAGE_VERSION}, the last there can be. Agree the remaining change with the TSO directly.`,
    };
  }
  const messageId = messageIdentification(day, operatorEic, codes);
  return { tso, kind: 'schedule', schedule: { operatorEic, tso, codes, day, messageId, version, series } };
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
  const within = { businessType: 'A02', outArea: area, inArea: area } as const;
  const flows: Flow[] = [];
  for (const { eic, outKwh, inKwh } of positions.filter((position) => position.tso === tso)) {
    if (outKwh !== null) {
      const parties = { identification: `${eic}_OUT`, outParty: eic, inParty: operatorEic };
      flows.push({ ...within, ...parties, powersKw: outKwh.map(kwFromKwh) });
    }
    if (inKwh !== null) {
      const parties = { identification: `${eic}_IN`, outParty: operatorEic, inParty: eic };
      flows.push({ ...within, ...parties, powersKw: inKwh.map(kwFromKwh) });
    }
  }
  return flows;
}

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

/** The operator's saldo in an area per slot: incoming minus outgoing power. */
function netOf(
  flows: readonly Flow[],
  { area }: ControlArea,
  operatorEic: string,
  slots: number,
): readonly number[] {
  const net = Array.from<number>({ length: slots }).fill(0);
  for (const { outParty, outArea, inParty, inArea, powersKw } of flows) {
    const incoming = inParty === operatorEic && inArea === area ? 1 : 0;
    const outgoing = outParty === operatorEic && outArea === area ? 1 : 0;
    for (const [at, powerKw] of powersKw.entries()) net[at]! += (incoming - outgoing) * powerKw;
  }
  return net;
}

type Bridge = { from: ControlArea; to: ControlArea; powersKw: number[] };

/**
 * Per slot, the first area with a surplus fills the first area with a deficit, and so on. If the areas do not net to
 * zero, it is unknown which one is wrong: the slot gets no bridges, and its areas are reported as unbalanced.
 */
function bridgesBetween(
  areas: readonly ControlArea[],
  saldos: readonly (readonly number[])[],
  slots: number,
): Bridge[] {
  const bridges = new Map<string, Bridge>();
  for (let at = 0; at < slots; at++) {
    const left = saldos.map((saldo) => saldo[at]!);
    if (left.reduce((sum, powerKw) => sum + powerKw, 0) !== 0) continue;
    for (;;) {
      const source = left.findIndex((powerKw) => powerKw > 0);
      if (source < 0) break;
      const target = left.findIndex((powerKw) => powerKw < 0);
      const powerKw = Math.min(left[source]!, -left[target]!);
      left[source]! -= powerKw;
      left[target]! += powerKw;
      const [from, to] = [areas[source]!, areas[target]!];
      const key = `${from.tag} ${to.tag}`;
      const bridge = bridges.get(key) ?? {
        from,
        to,
        powersKw: Array.from<number>({ length: slots }).fill(0),
      };
      bridge.powersKw[at] = powerKw;
      bridges.set(key, bridge);
    }
  }
  return [...bridges.values()];
}

/** A TSO rejects a schedule that lacks a series of the previous version, so such a series stays with zeros. */
function withPrevious(flows: readonly Flow[], previous: readonly Series[], slots: number): Flow[] {
  const present = new Set(flows.map(({ identification }) => identification));
  const gone = previous.filter(({ identification }) => !present.has(identification));
  const zeros = Array.from<number>({ length: slots }).fill(0);
  const order = (flow: Flow) => flow.businessType + flow.identification;
  const complete = [...flows, ...gone.map((series) => ({ ...series, powersKw: zeros }))];
  return complete.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

function hasSamePowers(one: Flow, other: Flow): boolean {
  return one.powersKw.every((powerKw, at) => powerKw === other.powersKw[at]);
}

function imbalanceMessage(
  day: DeliveryDay,
  tso: Tso,
  imbalances: readonly { slot: number; powerKw: number }[],
): string {
  const named = imbalances
    .slice(0, NAMED_SLOTS)
    .map(({ slot, powerKw }) => `slot ${slot} by ${powerKw > 0 ? '+' : ''}${powerKw} kW`);
  const more = imbalances.length - named.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `The schedule of ${day} for ${tso} does not net to zero and is not sent: ${named.join(', ')}${rest}.`;
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
