/**
 * Sizes that a reader of interchanges accepts, with a wide margin over what market partners send. The length bounds all
 * else but the structures that are larger than their text, which have their own limits.
 */
export const EDIFACT_LIMITS = {
  interchangeCharacters: 64 * 1024 * 1024,
  /** A segment of a load profile has about 40 characters, the longest one of MSCONS about 500. */
  segmentCharacters: 2000,
  messages: 100_000,
  /** Days of all load profiles of a message. */
  messageDays: 10_000,
  /** Remarks per message; further ones are counted. */
  messageRemarks: 100,
  /** Characters of a wrong text that a fault quotes. */
  quotedCharacters: 40,
} as const;

/** The service characters of an interchange. */
export type Notation = {
  readonly component: string;
  readonly element: string;
  readonly decimal: string;
  /** Precedes a service character that is data. Null: no character does. */
  readonly release: string | null;
  readonly terminator: string;
};

/** The notation of an interchange without UNA. */
export const DEFAULT_NOTATION: Notation = {
  component: ':',
  element: '+',
  decimal: '.',
  release: '?',
  terminator: "'",
};

/** Elements are lists of components. */
export type Segment = { readonly tag: string; readonly elements: readonly (readonly string[])[] };

export const UNA = 'UNA';
export const UNA_LENGTH = 9;
const DECIMAL_MARKS = '.,';
/** Letters, digits, line breaks and control characters cannot be told from data. */
const SERVICE_CHARACTER = /^[!-/:-@[-`{-~]$/;

/** Reads the nine characters of UNA, or returns null if they do not define five different service characters. */
export function parseUna(text: string): Notation | null {
  if (text.length !== UNA_LENGTH || !text.startsWith(UNA)) return null;
  const [component = '', element = '', decimal = '', release = '', reserved, terminator = ''] = text.slice(
    UNA.length,
  );
  const hasRelease = release !== ' ';
  const characters = [component, element, decimal, terminator, ...(hasRelease ? [release] : [])];
  if (reserved !== ' ' || !DECIMAL_MARKS.includes(decimal)) return null;
  if (!characters.every((character) => SERVICE_CHARACTER.test(character))) return null;
  if (new Set(characters).size < characters.length) return null;
  return { component, element, decimal, release: hasRelease ? release : null, terminator };
}

/** Reads segments one after the other. Each character is looked at a bounded number of times. */
export class SegmentCursor {
  private readonly text: string;
  private readonly notation: Notation;
  /** Start of the current segment, and of its terminator. */
  start = 0;
  private end = 0;
  private next: number;

  constructor(text: string, from: number, notation: Notation) {
    this.text = text;
    this.notation = notation;
    this.next = from;
  }

  /** Goes to the next segment. `unterminated` if the text ends within it. */
  advance(): 'segment' | 'unterminated' | 'end' {
    this.start = skipLineBreaks(this.text, this.next);
    if (this.start === this.text.length) return 'end';
    this.end = this.findTerminator();
    if (this.end === -1) return 'unterminated';
    this.next = this.end + 1;
    return 'segment';
  }

  /** Empty if the segment does not start with a tag of three characters and a separator. */
  get tag(): string {
    const after = this.start + 3;
    const isTag = after === this.end || (after < this.end && this.text[after] === this.notation.element);
    return isTag ? this.text.slice(this.start, after) : '';
  }

  /** Null if the segment is too long. */
  read(): Segment | null {
    if (this.end - this.start > EDIFACT_LIMITS.segmentCharacters) return null;
    return { tag: this.tag, elements: splitElements(this.text.slice(this.start, this.end), this.notation) };
  }

  private findTerminator(): number {
    const { text, start, notation } = this;
    let at = text.indexOf(notation.terminator, start);
    while (at !== -1 && isReleased(text, start, at, notation.release)) {
      at = text.indexOf(notation.terminator, at + 1);
    }
    return at;
  }
}

export function skipLineBreaks(text: string, from: number): number {
  let at = from;
  while (text[at] === '\n' || text[at] === '\r') at++;
  return at;
}

/** Whether an odd number of release characters precedes a character: an even number escapes itself. */
function isReleased(text: string, start: number, at: number, release: string | null): boolean {
  let before = at - 1;
  while (before >= start && text[before] === release) before--;
  return (at - 1 - before) % 2 === 1;
}

/** The elements after the tag. */
function splitElements(text: string, notation: Notation): string[][] {
  const { component, element, release } = notation;
  const all =
    release !== null && text.includes(release)
      ? splitReleased(text, notation)
      : text.split(element).map((part) => part.split(component));
  return all.slice(1);
}

function splitReleased(text: string, { component, element, release }: Notation): string[][] {
  const elements: string[][] = [[]];
  let data = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === release) {
      data += text.slice(from, at);
      // The next character is data, whatever it is.
      at++;
      from = at;
    } else if (character === component || character === element) {
      elements.at(-1)!.push(data + text.slice(from, at));
      data = '';
      from = at + 1;
      if (character === element) elements.push([]);
    }
  }
  elements.at(-1)!.push(data + text.slice(from));
  return elements;
}

/** A component of a segment, empty if the segment does not have it. Elements count from 1, components from 0. */
export const componentOf = ({ elements }: Segment, element: number, component = 0): string =>
  elements[element - 1]?.[component] ?? '';

/** The start of a wrong text, for a fault. PostgreSQL stores neither NUL nor half of a surrogate pair as JSON. */
export const quoted = (text: string): string =>
  text
    .slice(0, EDIFACT_LIMITS.quotedCharacters)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\ufffd');
