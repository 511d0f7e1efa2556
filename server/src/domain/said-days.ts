import { type DeliveryDay, MAX_SLOTS } from './delivery-day.ts';
import type { LineFault, LineFaultCode, SaidLine } from './volume-lines.ts';

/** What neighbouring lines of an import say about one contract and day: taken whole or not at all. */
export type SaidDay = {
  readonly contract: string;
  /** Null when there is no such date; every line of the block is faulty then. */
  readonly day: DeliveryDay | null;
  readonly volumes: (number | null)[];
  hasFaults: boolean;
  /** The lines that have no fault of their own: so many from the first on, unless they stand apart. */
  firstLine: number;
  lineCount: number;
  apart: number[] | null;
};

/** The lines of a day that have no fault of their own. */
export const linesOf = ({ apart, firstLine, lineCount }: SaidDay): number[] =>
  apart ?? Array.from({ length: lineCount }, (_, at) => firstLine + at);

const newDay = ({ contract, day, slotCount }: SaidLine): SaidDay => ({
  contract,
  day,
  volumes: NOTHING_SAID.slice(0, slotCount),
  hasFaults: false,
  firstLine: 0,
  lineCount: 0,
  apart: null,
});

function addLine(day: SaidDay, line: number): void {
  if (day.lineCount === 0) day.firstLine = line;
  if (day.apart === null && line !== day.firstLine + day.lineCount) day.apart = linesOf(day);
  day.apart?.push(line);
  day.lineCount++;
}

/** Copied for every new day, which is much faster than to fill one. */
const NOTHING_SAID = Array.from({ length: MAX_SLOTS }, (): number | null => null);

export type GatherFault = LineFault<LineFaultCode | 'duplicate_slot'>;

const duplicate = (line: SaidLine, slot: number): GatherFault => ({
  code: 'duplicate_slot',
  message: `slot ${slot} of ${line.date} was said before by a line of the same block`,
});

/** Puts lines together to blocks, in the order of the file. */
export class DayGatherer {
  private readonly refuse: (line: number, fault: GatherFault) => void;
  private open: SaidDay | null = null;

  constructor(refuse: (line: number, fault: GatherFault) => void) {
    this.refuse = refuse;
  }

  /** Takes the next line; gives the block before it when it begins a new one. */
  take(said: SaidLine, line: number): SaidDay | null {
    if (!said.isReadable) {
      // It belongs to no block, so it neither ends one nor spoils one.
      if (said.fault !== null) this.refuse(line, said.fault);
      return null;
    }
    let finished: SaidDay | null = null;
    let day = this.open;
    if (!said.isSameDay || day === null) {
      finished = day;
      day = newDay(said);
      this.open = day;
    }
    const fault = said.fault ?? fill(day, said);
    if (fault === null) {
      addLine(day, line);
    } else {
      day.hasFaults = true;
      this.refuse(line, fault);
    }
    return finished;
  }

  /** The last block, when the file has ended. */
  finish(): SaidDay | null {
    const last = this.open;
    this.open = null;
    return last;
  }
}

function fill(day: SaidDay, said: SaidLine): GatherFault | null {
  if (said.volumes === null) {
    if (day.volumes[said.slot - 1] !== null) return duplicate(said, said.slot);
    day.volumes[said.slot - 1] = said.kwh;
    return null;
  }
  for (let at = 0; at < said.volumes.length; at++) {
    if (said.volumes[at] !== null && day.volumes[at] !== null) return duplicate(said, at + 1);
  }
  for (let at = 0; at < said.volumes.length; at++) day.volumes[at] ??= said.volumes[at] ?? null;
  return null;
}
