import { type DeliveryDay, MAX_SLOTS } from '../delivery-day.ts';
import type { RejectionCode } from '../enums.ts';
import type { Message } from '../messages/message.ts';

/** Why a line of an import is rejected. */
export type LineFault = { readonly code: RejectionCode; readonly message: Message };

/** One line of an import. A reader reuses one object for all lines, since a market day has a million of them. */
export type ParsedLine = {
  /** False if contract and date could not be read. */
  isReadable: boolean;
  /** Whether contract and date equal those of the previous readable line. */
  isSameDay: boolean;
  contract: string;
  /** As written; `day` is null if that date does not exist. */
  date: string;
  day: DeliveryDay | null;
  slotCount: number;
  /** For a line with one slot; otherwise `volumes` has the whole day. */
  slot: number;
  kwh: number;
  volumes: (number | null)[] | null;
  fault: LineFault | null;
};

/** Adjacent lines of an import with the same contract and day: written as a whole or not at all. */
export type ContractDayInput = {
  readonly contract: string;
  /** Null if the date does not exist; then every line of the group has a fault. */
  readonly day: DeliveryDay | null;
  /** In kWh; null for a slot without a line. */
  readonly volumes: (number | null)[];
  hasFaults: boolean;
  /** Lines without a fault: `lineCount` from `firstLine` on, or `scatteredLines` if they are not adjacent. */
  firstLine: number;
  lineCount: number;
  scatteredLines: number[] | null;
};

/** Numbers of the lines without a fault. */
export const linesOf = ({ scatteredLines, firstLine, lineCount }: ContractDayInput): number[] =>
  scatteredLines ?? Array.from({ length: lineCount }, (_, at) => firstLine + at);

/** Copied for every new day, which is faster than filling an array. */
const NO_VOLUMES = Array.from({ length: MAX_SLOTS }, (): number | null => null);

const emptyDay = ({ contract, day, slotCount }: ParsedLine, firstLine: number): ContractDayInput => ({
  contract,
  day,
  volumes: NO_VOLUMES.slice(0, slotCount),
  hasFaults: false,
  firstLine,
  lineCount: 0,
  scatteredLines: null,
});

function addLine(input: ContractDayInput, lineNumber: number): void {
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

/** Groups lines into contract days, in the order of the file. */
export class ContractDayGrouper {
  private readonly reject: (lineNumber: number, fault: LineFault) => void;
  private open: ContractDayInput | null = null;
  /** Whether lines since the last readable one could not be read. */
  private hasGap = false;

  constructor(reject: (lineNumber: number, fault: LineFault) => void) {
    this.reject = reject;
  }

  /** Adds the next line. Returns the previous group if the line starts a new one. */
  add(line: ParsedLine, lineNumber: number): ContractDayInput | null {
    if (!line.isReadable) {
      if (line.fault !== null) this.addUnreadable(lineNumber, line.fault);
      return null;
    }
    let finished: ContractDayInput | null = null;
    let input = this.open;
    if (!line.isSameDay || input === null) {
      finished = input;
      input = emptyDay(line, lineNumber);
      this.open = input;
    } else if (this.hasGap) {
      input.hasFaults = true;
    }
    this.hasGap = false;
    const fault = line.fault ?? addVolumes(input, line);
    if (fault === null) {
      addLine(input, lineNumber);
    } else {
      input.hasFaults = true;
      this.reject(lineNumber, fault);
    }
    return finished;
  }

  /**
   * Adds a line whose contract and day are not known. The lines around it decide whether it belongs to a group: if both
   * have the same contract and day, it does, and its group has a fault.
   */
  addUnreadable(lineNumber: number, fault: LineFault): void {
    this.hasGap = true;
    this.reject(lineNumber, fault);
  }

  /** Returns the last group at the end of the file. */
  finish(): ContractDayInput | null {
    const last = this.open;
    this.open = null;
    return last;
  }
}

function addVolumes(input: ContractDayInput, line: ParsedLine): LineFault | null {
  if (line.volumes === null) {
    if (input.volumes[line.slot - 1] !== null) return duplicateSlot(line, line.slot);
    input.volumes[line.slot - 1] = line.kwh;
    return null;
  }
  for (let at = 0; at < line.volumes.length; at++) {
    if (line.volumes[at] !== null && input.volumes[at] !== null) return duplicateSlot(line, at + 1);
  }
  for (let at = 0; at < line.volumes.length; at++) input.volumes[at] ??= line.volumes[at] ?? null;
  return null;
}
