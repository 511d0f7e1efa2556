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
import type { Message } from '../../messages/message.ts';
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
    const fault: Message = { key: 'document.interval', text: shown(text) };
    if (dayStart(day) !== bounds.start) throw new XmlFault(fault);
    const count = (bounds.end - bounds.start) / SLOT_MS;
    throw new XmlFault({ key: 'document.interval_length', fault, count, day, slots: slotCount(day) });
  }
  return day;
}

function boundsOf(text: string): { start: number; end: number } {
  const [from = '', to = '', ...more] = text.split('/');
  const start = parseInstant(from.replace(MINUTE_FORM, '$1:00Z'));
  const end = parseInstant(to.replace(MINUTE_FORM, '$1:00Z'));
  if (start === null || end === null || more.length > 0) {
    const example = intervalText('2026-10-25');
    throw new XmlFault({ key: 'document.interval_form', text: shown(text), example });
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
  if (missing >= 0) throw new XmlFault({ key: 'document.slot_missing', slot: missing + 1, day });
  return values;
}

function readPeriod(period: Fields, day: DeliveryDay, values: SlotValues): void {
  const resolution = textOf(period, 'resolution');
  if (resolution !== CODES.resolution) {
    throw new XmlFault({ key: 'document.resolution', expected: CODES.resolution, text: shown(resolution) });
  }
  const { start, end } = boundsOf(textOf(period, 'interval'));
  const first = (start - dayStart(day)) / SLOT_MS;
  const count = (end - start) / SLOT_MS;
  const fits =
    Number.isInteger(first) && first >= 0 && start < end && end <= dayEnd(day) && Number.isInteger(count);
  if (!fits) throw new XmlFault({ key: 'document.period', text: shown(textOf(period, 'interval')), day });
  const points = groupsOf(period, 'points');
  for (const point of points) {
    const position = positionOf(point, count);
    const at = first + position - 1;
    if (values.powersKw[at] !== -1) throw atPosition(position, { key: 'document.position_twice' }, at + 1);
    values.powersKw[at] = quantityOf(point, position, at + 1);
    const reasons = groupsOf(point, 'reasons');
    if (reasons.length > 0) values.reasons.push({ slot: at + 1, reasons });
  }
  if (points.length < count) {
    const missing = values.powersKw.indexOf(-1, first) - first + 1;
    throw new XmlFault({
      key: 'document.position_missing',
      count: points.length,
      expected: count,
      position: missing,
    });
  }
}

function positionOf(point: Fields, count: number): number {
  const text = textOf(point, 'position');
  if (!POSITION_FORM.test(text)) throw new XmlFault({ key: 'document.position_form', text: shown(text) });
  const position = Number(text);
  if (position > count) throw atPosition(position, { key: 'document.position_beyond', count });
  return position;
}

function quantityOf(point: Fields, position: number, slot: number): number {
  const text = findText(point, 'quantity') ?? '';
  const powerKw = parseMw(text);
  if (typeof powerKw !== 'number') {
    throw atPosition(position, { key: 'document.quantity', text: shown(text), fault: powerKw.fault }, slot);
  }
  return powerKw;
}

const atPosition = (position: number, fault: Message, slot: number | null = null) =>
  new XmlFault(fault, null, slot).within({ key: 'document.position', position });
