import { type DeliveryDay, MAX_SLOTS } from '../delivery-day.ts';
import type { RejectionCode, SeriesKind } from '../enums.ts';
import type { Message } from '../messages/message.ts';
import { volumesFromPower } from './volume.ts';

/** Why a line of an import is rejected. */
export type LineFault = { readonly code: RejectionCode; readonly message: Message };

/** One line of an import. A reader reuses one object for all lines, since a market day has a million of them. */
export type ParsedLine = {
  /** False if subject and date could not be read. */
  isReadable: boolean;
  /** Whether subject and date equal those of the previous readable line. */
  isSameDay: boolean;
  /** The contract or series that the line is about, as it names it. */
  subject: string;
  /** The kind that a line about a series states. */
  kind: SeriesKind | null;
  /** As written; `day` is null if that date does not exist. */
  date: string;
  day: DeliveryDay | null;
  slotCount: number;
  /** For a line with one slot; otherwise `values` has a value or null for each slot of the day. */
  slot: number;
  value: number;
  values: (number | null)[] | null;
  /**
   * Whether the values are W of a volume, of which the whole block makes kWh. All others have their final unit. The lines
   * of a block agree; a line that does not has a fault.
   */
  isPower: boolean;
  fault: LineFault | null;
};

/** Adjacent lines of an import with the same subject and day, a block: written as a whole or not at all. */
export type DayInput = {
  readonly subject: string;
  readonly kind: SeriesKind | null;
  /** Null if the date does not exist; then every line of the block has a fault. */
  readonly day: DeliveryDay | null;
  /** kWh of a contract, Wh of a series; null for a slot without a line. */
  values: (number | null)[];
  readonly isPower: boolean;
  hasFaults: boolean;
  /** Lines without a fault: `lineCount` from `firstLine` on, or `scatteredLines` if they are not adjacent. */
  firstLine: number;
  lineCount: number;
  scatteredLines: number[] | null;
};

/** Numbers of the lines without a fault. */
export const linesOf = ({ scatteredLines, firstLine, lineCount }: DayInput): number[] =>
  scatteredLines ?? Array.from({ length: lineCount }, (_, at) => firstLine + at);

/** Whether the block itself has a value for every slot of its day. */
export const isWhole = ({ hasFaults, values }: DayInput): boolean => !hasFaults && !values.includes(null);

/** Copied for every new day, which is faster than filling an array. */
const NO_VALUES = Array.from({ length: MAX_SLOTS }, (): number | null => null);

const emptyDay = ({ subject, kind, day, slotCount, isPower }: ParsedLine, firstLine: number): DayInput => ({
  subject,
  kind,
  day,
  values: NO_VALUES.slice(0, slotCount),
  isPower,
  hasFaults: false,
  firstLine,
  lineCount: 0,
  scatteredLines: null,
});

/** The values of a power become volumes when all of them are known. */
function complete(input: DayInput | null): DayInput | null {
  if (input?.isPower) input.values = volumesFromPower(input.values);
  return input;
}

function addLine(input: DayInput, lineNumber: number): void {
  if (input.lineCount === 0) input.firstLine = lineNumber;
  const isAdjacent = lineNumber === input.firstLine + input.lineCount;
  if (input.scatteredLines === null && !isAdjacent) input.scatteredLines = linesOf(input);
  input.scatteredLines?.push(lineNumber);
  input.lineCount++;
}

const duplicateSlot = (line: ParsedLine, slot: number): LineFault => ({
  code: 'duplicate_slot',
  message: { key: 'import.slot_twice', slot, day: line.date },
});

/** Groups lines into the days of their subjects, in the order of the file. */
export class DayGrouper {
  private readonly reject: (lineNumber: number, fault: LineFault) => void;
  private open: DayInput | null = null;
  /** Whether lines since the last readable one could not be read. */
  private hasGap = false;

  constructor(reject: (lineNumber: number, fault: LineFault) => void) {
    this.reject = reject;
  }

  /** Adds the next line. Returns the previous group if the line starts a new one. */
  add(line: ParsedLine, lineNumber: number): DayInput | null {
    if (!line.isReadable) {
      if (line.fault !== null) this.addUnreadable(lineNumber, line.fault);
      return null;
    }
    let finished: DayInput | null = null;
    let input = this.open;
    if (!line.isSameDay || input === null) {
      finished = complete(input);
      input = emptyDay(line, lineNumber);
      this.open = input;
    } else if (this.hasGap) {
      input.hasFaults = true;
    }
    this.hasGap = false;
    const fault = line.fault ?? addValues(input, line);
    if (fault === null) {
      addLine(input, lineNumber);
    } else {
      input.hasFaults = true;
      this.reject(lineNumber, fault);
    }
    return finished;
  }

  /**
   * Adds a line whose subject and day are not known. The lines around it decide whether it belongs to a group: if both
   * have the same subject and day, it does, and its group has a fault.
   */
  addUnreadable(lineNumber: number, fault: LineFault): void {
    this.hasGap = true;
    this.reject(lineNumber, fault);
  }

  /** Returns the last group at the end of the file. */
  finish(): DayInput | null {
    const last = complete(this.open);
    this.open = null;
    return last;
  }
}

function addValues(input: DayInput, line: ParsedLine): LineFault | null {
  const { values } = input;
  if (line.values === null) {
    if (values[line.slot - 1] !== null) return duplicateSlot(line, line.slot);
    values[line.slot - 1] = line.value;
    return null;
  }
  for (let at = 0; at < line.values.length; at++) {
    if (line.values[at] !== null && values[at] !== null) return duplicateSlot(line, at + 1);
  }
  for (let at = 0; at < line.values.length; at++) values[at] ??= line.values[at] ?? null;
  return null;
}
