import {
  type DeliveryDay,
  dayEnd,
  dayOf,
  dayStart,
  formatInstant,
  parseInstant,
  SLOT_MS,
  slotCount,
} from '../../delivery-day.ts';
import { formatMw, parseMw } from '../../energy.ts';
import { CODES } from './codes.ts';
import { type Fields, findText, groupsOf, textOf, type WrittenFields } from './vocabulary.ts';
import { shown, XmlFault } from './xml.ts';

const MINUTE_FORM = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(?::00)?Z$/;
const POSITION_FORM = /^[1-9]\d{0,4}$/;

export type SlotValues = {
  powersKw: number[];
  /** Slots with reasons. */
  reasons: { slot: number; reasons: readonly Fields[] }[];
};

/** '2026-10-24T22:00Z/2026-10-25T23:00Z' */
export function intervalText(day: DeliveryDay): string {
  const minute = (instant: number) => formatInstant(instant).replace(/:00Z$/, 'Z');
  return `${minute(dayStart(day))}/${minute(dayEnd(day))}`;
}

/** The delivery day whose interval this is, from local midnight to local midnight. */
export function dayOfInterval(text: string): DeliveryDay {
  const bounds = boundsOf(text);
  const day = dayOf(bounds.start);
  if (dayStart(day) !== bounds.start || dayEnd(day) !== bounds.end) {
    const slots = (bounds.end - bounds.start) / SLOT_MS;
    const counts =
      dayStart(day) === bounds.start ? `: it has ${slots} quarter-hours, ${day} has ${slotCount(day)}` : '';
    throw new XmlFault(
      `The interval ${shown(text)} is not a German delivery day from midnight to midnight${counts}`,
    );
  }
  return day;
}

function boundsOf(text: string): { start: number; end: number } {
  const [from = '', to = '', ...more] = text.split('/');
  const start = parseInstant(from.replace(MINUTE_FORM, '$1:00Z'));
  const end = parseInstant(to.replace(MINUTE_FORM, '$1:00Z'));
  if (start === null || end === null || more.length > 0) {
    throw new XmlFault(
      `The interval ${shown(text)} is not two UTC times such as ${shown(intervalText('2026-10-25'))}`,
    );
  }
  return { start, end };
}

/** Fields of a period with every slot of the day. */
export function periodFields(
  day: DeliveryDay,
  powersKw: readonly number[],
  reasonsAt: ReadonlyMap<number, Fields[]>,
): WrittenFields {
  return {
    interval: intervalText(day),
    resolution: CODES.resolution,
    points: pointFields(powersKw, reasonsAt),
  };
}

function* pointFields(
  powersKw: readonly number[],
  reasonsAt: ReadonlyMap<number, Fields[]>,
): Generator<WrittenFields> {
  for (const [at, powerKw] of powersKw.entries()) {
    const point = { position: String(at + 1), quantity: formatMw(powerKw) };
    const reasons = reasonsAt.get(at + 1);
    yield reasons ? { ...point, reasons } : point;
  }
}

/** The values of all slots of the day: each exactly once, in one or several periods. */
export function slotValues(periods: readonly Fields[], day: DeliveryDay): SlotValues {
  const values: SlotValues = {
    powersKw: Array.from<number>({ length: slotCount(day) }).fill(-1),
    reasons: [],
  };
  for (const period of periods) readPeriod(period, day, values);
  const missing = values.powersKw.indexOf(-1);
  if (missing >= 0) throw new XmlFault(`Slot ${missing + 1} of ${day} is in none of the periods`);
  return values;
}

function readPeriod(period: Fields, day: DeliveryDay, values: SlotValues): void {
  const resolution = textOf(period, 'resolution');
  if (resolution !== CODES.resolution) {
    throw new XmlFault(`The resolution must be ${CODES.resolution}, not ${shown(resolution)}`);
  }
  const { start, end } = boundsOf(textOf(period, 'interval'));
  const first = (start - dayStart(day)) / SLOT_MS;
  const count = (end - start) / SLOT_MS;
  const fits =
    Number.isInteger(first) && first >= 0 && start < end && end <= dayEnd(day) && Number.isInteger(count);
  if (!fits) throw new XmlFault(`The period ${shown(textOf(period, 'interval'))} does not lie within ${day}`);
  const points = groupsOf(period, 'points');
  for (const point of points) {
    const position = positionOf(point, count);
    const at = first + position - 1;
    if (values.powersKw[at] !== -1) throw new XmlFault(`position ${position}: it stands twice`);
    values.powersKw[at] = quantityOf(point, position);
    const reasons = groupsOf(point, 'reasons');
    if (reasons.length > 0) values.reasons.push({ slot: at + 1, reasons });
  }
  if (points.length < count) {
    const missing = values.powersKw.indexOf(-1, first) - first + 1;
    throw new XmlFault(`It has ${points.length} of ${count} positions: position ${missing} is missing`);
  }
}

function positionOf(point: Fields, count: number): number {
  const text = textOf(point, 'position');
  if (!POSITION_FORM.test(text))
    throw new XmlFault(`The position ${shown(text)} is not a whole number from 1 on`);
  const position = Number(text);
  if (position > count) throw new XmlFault(`position ${position}: the period has only ${count} positions`);
  return position;
}

function quantityOf(point: Fields, position: number): number {
  const text = findText(point, 'quantity') ?? '';
  const powerKw = parseMw(text);
  if (typeof powerKw !== 'number') {
    throw new XmlFault(`position ${position}: the quantity ${shown(text)} ${powerKw.fault}`);
  }
  return powerKw;
}
