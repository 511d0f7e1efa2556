import {
  componentOf,
  DEFAULT_NOTATION,
  EDIFACT_LIMITS,
  type Notation,
  parseUna,
  quoted,
  type Segment,
  SegmentCursor,
  skipLineBreaks,
  UNA,
  UNA_LENGTH,
} from './edifact.ts';

/** Sender and reference identify an interchange. */
type InterchangeHeader = {
  /** The syntax identifier, such as UNOC. It says in which character set the text is. */
  readonly syntax: string;
  readonly sender: string;
  readonly receiver: string;
  readonly reference: string;
};

/** The place of a message in its interchange. */
export type MessagePlace = {
  /** Counts from 1. */
  readonly number: number;
  readonly reference: string;
  /** Where its UNH starts. */
  readonly from: number;
  /** What is wrong with its envelope. */
  readonly rejection: MessageRejection | null;
};

/** Segments count from UNH = 1. */
type MessageRejection = { readonly segment: number; readonly fault: EnvelopeFault };

export type EnvelopeFault =
  | { readonly key: 'mscons.segment_too_long'; readonly maxCharacters: number }
  | { readonly key: 'mscons.message_header' }
  | { readonly key: 'mscons.message_unfinished' }
  | { readonly key: 'mscons.message_count'; readonly stated: string; readonly found: number }
  | { readonly key: 'mscons.message_reference'; readonly stated: string; readonly expected: string };

type InterchangeFault =
  | { readonly key: 'mscons.interchange_too_large'; readonly maxCharacters: number }
  | { readonly key: 'mscons.too_many_messages'; readonly max: number }
  | { readonly key: 'mscons.service_characters' }
  | { readonly key: 'mscons.interchange_header' }
  | { readonly key: 'mscons.character_set'; readonly found: string; readonly known: readonly string[] }
  | { readonly key: 'mscons.test_interchange' }
  | { readonly key: 'mscons.unterminated_segment' }
  | { readonly key: 'mscons.unexpected_segment'; readonly found: string }
  | { readonly key: 'mscons.interchange_unfinished' }
  | { readonly key: 'mscons.interchange_count'; readonly stated: string; readonly found: number }
  | { readonly key: 'mscons.interchange_reference'; readonly stated: string; readonly expected: string }
  | { readonly key: 'mscons.text_after_end' };

export type Interchange = {
  readonly kind: 'interchange';
  readonly header: InterchangeHeader;
  readonly notation: Notation;
  readonly messages: readonly MessagePlace[];
};

export type RejectedInterchange = {
  readonly kind: 'rejected';
  /** Null if it could not be read. */
  readonly header: InterchangeHeader | null;
  readonly fault: InterchangeFault;
};

const NUMBER_FORM = /^\d{1,9}$/;
/** Data elements of UNB: the identification of a party has up to 35 characters, the reference up to 14. */
const PARTY_FORM = /^[ -~\u00a0-\u00ff]{1,35}$/;
const REFERENCE_FORM = /^[ -~\u00a0-\u00ff]{1,14}$/;
const UNB_REFERENCE = 5;
/**
 * Latin alphabets and UTF-8. All that is read is in their common part, ASCII; other alphabets would change the names of
 * parties at most, but MSCONS prescribes UNOC.
 */
const SYNTAXES: readonly string[] = ['UNOA', 'UNOB', 'UNOC', 'UNOW', 'UNOY'];
const UTF8_SYNTAXES: readonly string[] = ['UNOW', 'UNOY'];
const UNB_TEST_INDICATOR = 11;

/**
 * Reads the envelopes of an interchange: its header and trailer, and where its messages are. The contents of the messages
 * are read afterwards, one by one, because a wrong trailer rejects all of them.
 */
export function readInterchange(text: string): Interchange | RejectedInterchange {
  if (text.length > EDIFACT_LIMITS.interchangeCharacters) {
    return rejected(null, {
      key: 'mscons.interchange_too_large',
      maxCharacters: EDIFACT_LIMITS.interchangeCharacters,
    });
  }
  const start = readStart(text);
  if ('fault' in start) return rejected(null, start.fault);
  const { cursor, first, header, notation } = start;
  if (!SYNTAXES.includes(header.syntax)) {
    const found = quoted(header.syntax);
    return rejected(header, { key: 'mscons.character_set', found, known: SYNTAXES });
  }
  if (componentOf(first, UNB_TEST_INDICATOR) === '1')
    return rejected(header, { key: 'mscons.test_interchange' });
  const messages: MessagePlace[] = [];
  const fault = new EnvelopeReader(cursor, header, messages).read();
  return fault === null ? { kind: 'interchange', header, notation, messages } : rejected(header, fault);
}

/** The header of an interchange, which identifies it. Null if it cannot be read. */
export function readHeader(text: string): InterchangeHeader | null {
  const start = readStart(text);
  return 'fault' in start ? null : start.header;
}

/** Whether the text must be decoded as UTF-8. Its header is the same in ISO 8859-1, because it is ASCII up to here. */
export const isUtf8Syntax = ({ syntax }: InterchangeHeader): boolean => UTF8_SYNTAXES.includes(syntax);

type Start = {
  readonly cursor: SegmentCursor;
  readonly first: Segment;
  readonly header: InterchangeHeader;
  readonly notation: Notation;
};

/** Reads UNA and UNB. */
function readStart(text: string): Start | { readonly fault: InterchangeFault } {
  let from = skipLineBreaks(text, 0);
  let notation = DEFAULT_NOTATION;
  if (text.startsWith(UNA, from)) {
    const stated = parseUna(text.slice(from, from + UNA_LENGTH));
    if (stated === null) return { fault: { key: 'mscons.service_characters' } };
    notation = stated;
    from += UNA_LENGTH;
  }
  const cursor = new SegmentCursor(text, from, notation);
  const first = cursor.advance() === 'segment' && cursor.tag === 'UNB' ? cursor.read() : null;
  const header = first === null ? null : parseHeader(first);
  if (first === null || header === null) return { fault: { key: 'mscons.interchange_header' } };
  return { cursor, first, header, notation };
}

const rejected = (header: InterchangeHeader | null, fault: InterchangeFault): RejectedInterchange => ({
  kind: 'rejected',
  header,
  fault,
});

function parseHeader(segment: Segment): InterchangeHeader | null {
  const header = {
    syntax: componentOf(segment, 1),
    sender: componentOf(segment, 2),
    receiver: componentOf(segment, 3),
    reference: componentOf(segment, UNB_REFERENCE),
  };
  const isComplete =
    PARTY_FORM.test(header.sender) &&
    PARTY_FORM.test(header.receiver) &&
    REFERENCE_FORM.test(header.reference);
  return isComplete ? header : null;
}

export const SEGMENT_TOO_LONG: EnvelopeFault = {
  key: 'mscons.segment_too_long',
  maxCharacters: EDIFACT_LIMITS.segmentCharacters,
};

type OpenMessage = {
  readonly reference: string;
  readonly from: number;
  readonly headerFault: EnvelopeFault | null;
  segments: number;
};

/** Reads from the segment after UNB to the end of the text. */
class EnvelopeReader {
  private readonly cursor: SegmentCursor;
  private readonly header: InterchangeHeader;
  private readonly messages: MessagePlace[];
  private open: OpenMessage | null = null;

  constructor(cursor: SegmentCursor, header: InterchangeHeader, messages: MessagePlace[]) {
    this.cursor = cursor;
    this.header = header;
    this.messages = messages;
  }

  read(): InterchangeFault | null {
    const { cursor } = this;
    for (;;) {
      const found = cursor.advance();
      if (found === 'end') return { key: 'mscons.interchange_unfinished' };
      if (found === 'unterminated') return { key: 'mscons.unterminated_segment' };
      const { tag } = cursor;
      if (tag === 'UNZ') return this.finish();
      if (tag === 'UNH') {
        if (this.messages.length === EDIFACT_LIMITS.messages) {
          return { key: 'mscons.too_many_messages', max: EDIFACT_LIMITS.messages };
        }
        this.begin();
      } else if (this.open === null) {
        return { key: 'mscons.unexpected_segment', found: quoted(tag) };
      } else {
        this.open.segments++;
        if (tag === 'UNT') this.close(trailerFault(cursor.read(), this.open));
      }
    }
  }

  private begin(): void {
    this.abandon();
    const segment = this.cursor.read();
    const reference = segment === null ? '' : componentOf(segment, 1);
    const isNamed = REFERENCE_FORM.test(reference);
    this.open = {
      reference: isNamed ? reference : '',
      from: this.cursor.start,
      headerFault: isNamed ? null : { key: 'mscons.message_header' },
      segments: 1,
    };
  }

  /** Ends a message whose UNT is missing. */
  private abandon(): void {
    if (this.open !== null) this.close({ key: 'mscons.message_unfinished' });
  }

  private close(fault: EnvelopeFault | null): void {
    const { reference, from, headerFault, segments } = this.open!;
    const rejection = fault === null ? null : { segment: segments, fault };
    this.messages.push({
      number: this.messages.length + 1,
      reference,
      from,
      rejection: headerFault === null ? rejection : { segment: 1, fault: headerFault },
    });
    this.open = null;
  }

  private finish(): InterchangeFault | null {
    this.abandon();
    const { cursor, header, messages } = this;
    const trailer = cursor.read();
    const stated = trailer === null ? '' : componentOf(trailer, 1);
    const reference = trailer === null ? '' : componentOf(trailer, 2);
    if (!isCount(stated, messages.length)) {
      return { key: 'mscons.interchange_count', stated: quoted(stated), found: messages.length };
    }
    if (reference !== header.reference) {
      return {
        key: 'mscons.interchange_reference',
        stated: quoted(reference),
        expected: header.reference,
      };
    }
    return cursor.advance() === 'end' ? null : { key: 'mscons.text_after_end' };
  }
}

/** The count of UNT includes UNH and UNT. */
function trailerFault(segment: Segment | null, { reference, segments }: OpenMessage): EnvelopeFault | null {
  if (segment === null) return SEGMENT_TOO_LONG;
  const count = componentOf(segment, 1);
  if (!isCount(count, segments))
    return { key: 'mscons.message_count', stated: quoted(count), found: segments };
  const stated = componentOf(segment, 2);
  if (stated === reference) return null;
  return { key: 'mscons.message_reference', stated: quoted(stated), expected: reference };
}

const isCount = (text: string, count: number): boolean => NUMBER_FORM.test(text) && Number(text) === count;
