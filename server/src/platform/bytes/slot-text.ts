import {
  type DeliveryDay,
  dayEnd,
  dayStart,
  formatInstant,
  SLOT_MS,
  slotStart,
} from '@saldo/core/delivery-day.ts';

const DATE_LENGTH = 10;

/** The ten characters of a date as three integers, so that writing a date takes three stores instead of ten. */
type DateBytes = { readonly year: number; readonly month: number; readonly day: number };

/** The text of a slot. The bytes contain the dates of the most recently written day. */
type SlotBytes = {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly startAt: number;
  readonly endAt: number;
  readonly startsOnSecondDate: boolean;
  readonly endsOnSecondDate: boolean;
  day: DeliveryDay;
};

/** The slots of one delivery day, which spans two UTC dates. */
export type SlotsOfDay = {
  readonly day: DeliveryDay;
  readonly first: DateBytes;
  readonly second: DateBytes;
  readonly templates: (SlotBytes | undefined)[];
};

/** The texts before the start, the end and the number of a slot. */
type Notation = readonly [start: string, end: string, number: string];
const JSON_MEMBERS: Notation = ['"delivery_start":"', '","delivery_end":"', '","slot_number":'];
export const CSV_FIELDS: Notation = ['', ',', ','];

/**
 * Writes the times and the number of a slot, with constant text before and after them. Days with the
 * same UTC offset (summer or winter time) share one template per slot, in which only the dates change. Formatting the
 * times each time would cost more than the rest of a page of transactions.
 */
export class SlotText {
  private readonly before: string;
  private readonly after: string;
  private readonly notation: Notation;
  private readonly templatesByTime = new Map<string, (SlotBytes | undefined)[]>();

  constructor(before: string, after: string, notation = JSON_MEMBERS) {
    this.before = before;
    this.after = after;
    this.notation = notation;
  }

  of(day: DeliveryDay): SlotsOfDay {
    const start = formatInstant(dayStart(day));
    const time = start.slice(DATE_LENGTH);
    let templates = this.templatesByTime.get(time);
    if (templates === undefined) this.templatesByTime.set(time, (templates = []));
    return { day, first: dateBytes(start), second: dateBytes(formatInstant(dayEnd(day))), templates };
  }

  /** The caller must copy the result before the next call, which may overwrite it with another day. */
  bytesAt(slots: SlotsOfDay, slot: number): Uint8Array {
    const template = slots.templates[slot - 1];
    if (template === undefined) return (slots.templates[slot - 1] = this.createTemplate(slots, slot)).bytes;
    if (template.day !== slots.day) {
      writeDate(template.view, template.startAt, template.startsOnSecondDate ? slots.second : slots.first);
      writeDate(template.view, template.endAt, template.endsOnSecondDate ? slots.second : slots.first);
      template.day = slots.day;
    }
    return template.bytes;
  }

  private createTemplate({ day }: SlotsOfDay, slot: number): SlotBytes {
    const start = slotStart(day, slot);
    const firstDate = formatInstant(dayStart(day)).slice(0, DATE_LENGTH);
    const [startText, endText] = [formatInstant(start), formatInstant(start + SLOT_MS)];
    const [beforeStart, beforeEnd, beforeNumber] = this.notation;
    const untilStart = this.before + beforeStart;
    const untilEnd = untilStart + startText + beforeEnd;
    const bytes = Buffer.from(`${untilEnd}${endText}${beforeNumber}${slot}${this.after}`, 'latin1');
    return {
      bytes,
      view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
      startAt: untilStart.length,
      endAt: untilEnd.length,
      startsOnSecondDate: !startText.startsWith(firstDate),
      endsOnSecondDate: !endText.startsWith(firstDate),
      day,
    };
  }
}

/** '2026', '-10-' and '25' of an instant's text: four, four and two bytes. */
const dateBytes = (instant: string): DateBytes => ({
  year: (twoBytes(instant, 0) << 16) | twoBytes(instant, 2),
  month: (twoBytes(instant, 4) << 16) | twoBytes(instant, 6),
  day: twoBytes(instant, 8),
});

const twoBytes = (text: string, at: number) => (text.charCodeAt(at) << 8) | text.charCodeAt(at + 1);

function writeDate(view: DataView, at: number, { year, month, day }: DateBytes): void {
  view.setUint32(at, year);
  view.setUint32(at + 4, month);
  view.setUint16(at + 8, day);
}
