import { type DeliveryDay, dayEnd, dayStart, formatInstant, SLOT_MS, slotStart } from './delivery-day.ts';

const DATE_LENGTH = 10;

/** The letters of a date as numbers, since ten of them one by one would take longer than the rest. */
type DateBytes = { readonly year: number; readonly month: number; readonly day: number };

/** A slot's members as bytes, as they are for the day that was asked for last. */
type Piece = {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly startAt: number;
  readonly endAt: number;
  readonly startsOnSecondDate: boolean;
  readonly endsOnSecondDate: boolean;
  day: DeliveryDay;
};

/** The slots of one day; a delivery day lies on two dates of UTC. */
export type SlotsOfDay = {
  readonly day: DeliveryDay;
  readonly first: DateBytes;
  readonly second: DateBytes;
  readonly pieces: (Piece | undefined)[];
};

/**
 * The times and number of slots as JSON members, with what always stands around them: a page has a hundred of them, and
 * to print their times would cost more than the rest of it. Slots of all days that begin at the same time of UTC, which
 * are those of a summer or a winter, differ in their dates alone; so each is printed once, and its dates are changed.
 */
export class SlotMembers {
  private readonly before: string;
  private readonly after: string;
  private readonly piecesByTime = new Map<string, (Piece | undefined)[]>();

  constructor(before: string, after: string) {
    this.before = before;
    this.after = after;
  }

  of(day: DeliveryDay): SlotsOfDay {
    const start = formatInstant(dayStart(day));
    const time = start.slice(DATE_LENGTH);
    let pieces = this.piecesByTime.get(time);
    if (pieces === undefined) this.piecesByTime.set(time, (pieces = []));
    return { day, first: dateBytes(start), second: dateBytes(formatInstant(dayEnd(day))), pieces };
  }

  /** To be used at once: the next day that is asked for is written into the same bytes. */
  bytesAt(slots: SlotsOfDay, slot: number): Uint8Array {
    const piece = slots.pieces[slot - 1];
    if (piece === undefined) return (slots.pieces[slot - 1] = this.printed(slots, slot)).bytes;
    if (piece.day !== slots.day) {
      writeDate(piece.view, piece.startAt, piece.startsOnSecondDate ? slots.second : slots.first);
      writeDate(piece.view, piece.endAt, piece.endsOnSecondDate ? slots.second : slots.first);
      piece.day = slots.day;
    }
    return piece.bytes;
  }

  private printed({ day }: SlotsOfDay, slot: number): Piece {
    const start = slotStart(day, slot);
    const firstDate = formatInstant(dayStart(day)).slice(0, DATE_LENGTH);
    const [startText, endText] = [formatInstant(start), formatInstant(start + SLOT_MS)];
    const untilStart = `${this.before}"delivery_start":"`;
    const untilEnd = `${untilStart}${startText}","delivery_end":"`;
    const bytes = Buffer.from(`${untilEnd}${endText}","slot_number":${slot}${this.after}`, 'latin1');
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

/** `2026`, `-10-` and `25` of an instant's text: four, four and two bytes. */
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
