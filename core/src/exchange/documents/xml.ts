import type { Message } from '../../messages/message.ts';

/**
 * Reads the subset of XML that schedule messages need: elements, attributes, text and comments. A document type
 * declaration and style sheet instructions are skipped, and what they refer to is never loaded. Internal subsets, custom
 * entities and other processing instructions are rejected, because they let a document attack its reader. All sizes are
 * limited.
 */
export const XML_LIMITS = {
  depth: 8,
  /** One child of the root, read in one step. A series with a reason in each of 100 slots is far shorter. */
  partLength: 256 * 1024,
  attributes: 20,
  valueLength: 2000,
  nameLength: 100,
  /** White space and comments between two tags. */
  gapLength: 64 * 1024,
} as const;

export type XmlElement = {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  /** Trimmed. */
  text: string;
  /** Offset of its start in the document. */
  at: number;
};

/** A fault of a document: a sentence without its full stop, for the person who corrects it. */
export class XmlFault extends Error {
  readonly fault: Message;
  /** Offset in the text, or null. */
  readonly at: number | null;
  /** The quarter-hour of the fault, or null. */
  readonly slot: number | null;

  constructor(fault: Message, at: number | null = null, slot: number | null = null) {
    super(fault.key);
    this.fault = fault;
    this.at = at;
    this.slot = slot;
  }

  /** The same fault with the name of the part that contains it. */
  within(part: Message): XmlFault {
    return new XmlFault({ key: 'document.within', part, fault: this.fault }, this.at, this.slot);
  }
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
// Lengths are bounded, so that no expression scans a whole document.
const OPEN = /<([A-Za-z_][\w.:-]{0,200})/y;
const ATTRIBUTE = /[ \t\r\n]{1,200}([A-Za-z_][\w.:-]{0,200})[ \t\r\n]{0,200}=[ \t\r\n]{0,200}(["'])/y;
const OPEN_END = /[ \t\r\n]{0,200}(\/?)>/y;
const CLOSE = /<\/([A-Za-z_][\w.:-]{0,200})[ \t\r\n]{0,200}>/y;
const SPACES = ' \t\r\n';
const DECLARATION = /<\?xml([ \t\r\n][^?]{0,200})\?>/y;
const DECLARED_ENCODING = /encoding[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/;
const ENCODINGS: readonly string[] = ['UTF-8', 'ISO-8859-1'];
const DECLARED_VERSION = /version[ \t\r\n]*=[ \t\r\n]*(?:"1\.0"|'1\.0')/;
/** A declaration without internal subset. Its name is not checked, because TSOs send wrong ones. */
const DOCTYPE =
  /<!DOCTYPE[ \t\r\n]{1,200}[A-Za-z_:][\w.:-]{0,200}(?:[ \t\r\n]{1,200}(?:SYSTEM|PUBLIC[ \t\r\n]{1,200}(?:"[^"<>]{0,500}"|'[^'<>]{0,500}'))[ \t\r\n]{1,200}(?:"[^"<>]{0,500}"|'[^'<>]{0,500}'))?[ \t\r\n]{0,200}>/y;
const STYLE_SHEET = /<\?xml-stylesheet[ \t\r\n](?:[^<>?]|\?(?!>)){0,500}\?>/y;
const REFERENCE = /&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|([A-Za-z]+));|&/g;
/** XML allows tab, line ends and the control characters above ASCII. */
const FORBIDDEN = /[[\p{Cc}\ufffe\uffff]--[\t\n\r\u007f-\u009f]]/v;
const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** Yields the root without its children, then each child of the root with all of its content. */
export function* readXml(text: string): Generator<XmlElement, void, void> {
  const reader = new XmlReader(text);
  reader.readProlog();
  const root = reader.openRoot();
  yield root.element;
  if (!root.isEmpty) {
    for (let child = reader.readChild(); child !== null; child = reader.readChild()) yield child;
  }
  reader.readEpilog();
}

class XmlReader {
  private at = 0;
  private partAt = 0;
  private readonly text: string;
  /** The root's qualified name, and the namespace prefix that all elements share: '' or 'ns:'. */
  private rootName = '';
  private prefix = '';
  private hasDoctype = false;

  constructor(text: string) {
    this.text = text;
  }

  readProlog(): void {
    if (/^<\?xml(?!-)/.test(this.text)) {
      DECLARATION.lastIndex = 0;
      const declaration = DECLARATION.exec(this.text);
      if (declaration === null) throw this.fault({ key: 'document.xml_declaration' });
      this.at = DECLARATION.lastIndex;
      const [, attributes = ''] = declaration;
      if (!DECLARED_VERSION.test(attributes)) throw this.fault({ key: 'document.xml_version' }, 0);
      const [, quoted, singleQuoted] = DECLARED_ENCODING.exec(attributes) ?? [];
      const encoding = quoted ?? singleQuoted ?? 'UTF-8';
      if (!ENCODINGS.includes(encoding.toUpperCase())) {
        throw this.fault({ key: 'document.encoding', encoding: shown(encoding), known: ENCODINGS }, 0);
      }
    }
    this.skipGap();
    if (this.at >= this.text.length) throw new XmlFault({ key: 'document.empty' });
  }

  openRoot(): { element: XmlElement; isEmpty: boolean } {
    const at = this.at;
    const { name, attributes, isEmpty } = this.readOpeningTag();
    const colon = name.indexOf(':');
    this.rootName = name;
    this.prefix = name.slice(0, colon + 1);
    return { element: { name: name.slice(colon + 1), attributes, children: [], text: '', at }, isEmpty };
  }

  /** The next child of the root, or null at the end of the root. */
  readChild(): XmlElement | null {
    this.skipGap();
    if (this.text.startsWith('</', this.at)) {
      this.readClosingTag(this.rootName);
      return null;
    }
    this.partAt = this.at;
    return this.readElement(2);
  }

  readEpilog(): void {
    this.skipGap();
    if (this.at < this.text.length) {
      throw this.fault({ key: 'document.after_end', element: this.rootName });
    }
  }

  private readElement(depth: number): XmlElement {
    const at = this.at;
    if (depth > XML_LIMITS.depth) {
      throw this.fault({ key: 'document.depth', max: XML_LIMITS.depth });
    }
    const { name, attributes, isEmpty } = this.readOpeningTag();
    const localName = this.localName(name);
    if (isEmpty) return { name: localName, attributes, children: [], text: '', at };
    const children: XmlElement[] = [];
    let text = '';
    for (;;) {
      text += this.readText();
      if (this.text.startsWith('</', this.at)) {
        this.readClosingTag(name);
        break;
      }
      children.push(this.readElement(depth + 1));
    }
    text = text.trim();
    if (children.length > 0 && text !== '') {
      throw this.fault({ key: 'document.mixed', element: localName, text: shown(text) }, at);
    }
    return { name: localName, attributes, children, text, at };
  }

  private readOpeningTag(): { name: string; attributes: ReadonlyMap<string, string>; isEmpty: boolean } {
    const { text } = this;
    OPEN.lastIndex = this.at;
    const opening = OPEN.exec(text);
    if (opening === null) throw this.noElement();
    const name = opening[1]!;
    if (name.length > XML_LIMITS.nameLength) {
      throw this.fault({ key: 'document.long_name', max: XML_LIMITS.nameLength });
    }
    let at = OPEN.lastIndex;
    let attributes: Map<string, string> | null = null;
    for (;;) {
      ATTRIBUTE.lastIndex = at;
      const attribute = ATTRIBUTE.exec(text);
      if (attribute === null) break;
      const [, key = '', quote = ''] = attribute;
      const from = ATTRIBUTE.lastIndex;
      const end = text.indexOf(quote, from);
      const found = { attribute: shown(key), element: name };
      if (end < 0) throw this.fault({ key: 'document.attribute_cut_off', ...found });
      attributes ??= new Map();
      if (attributes.has(key)) throw this.fault({ key: 'document.attribute_twice', ...found });
      if (attributes.size === XML_LIMITS.attributes)
        throw this.fault({ key: 'document.attributes', element: name });
      attributes.set(key, this.valueOf(from, end));
      at = end + 1;
    }
    OPEN_END.lastIndex = at;
    const end = OPEN_END.exec(text);
    if (end === null) throw this.fault({ key: 'document.tag', element: name });
    this.at = OPEN_END.lastIndex;
    return { name, attributes: attributes ?? NO_ATTRIBUTES, isEmpty: end[1] === '/' };
  }

  private readClosingTag(name: string): void {
    CLOSE.lastIndex = this.at;
    const closing = CLOSE.exec(this.text);
    if (closing === null) throw this.fault({ key: 'document.closing_tag', element: name });
    if (closing[1] !== name)
      throw this.fault({ key: 'document.closed_by', element: name, other: shown(closing[1]!) });
    this.at = CLOSE.lastIndex;
  }

  /** Text up to the next tag, without comments. */
  private readText(): string {
    let text = '';
    for (;;) {
      const end = this.text.indexOf('<', this.at);
      if (end < 0) throw this.fault({ key: 'document.cut_off' }, this.text.length);
      if (end > this.at) {
        text += this.valueOf(this.at, end);
        this.at = end;
      }
      if (end - this.partAt > XML_LIMITS.partLength) {
        throw this.fault({ key: 'document.long_part', max: XML_LIMITS.partLength });
      }
      if (!this.skipMarkup()) return text;
    }
  }

  /** White space and comments, up to a limit. */
  private skipGap(): void {
    const end = this.at + XML_LIMITS.gapLength;
    do {
      while (this.at <= end && this.at < this.text.length && SPACES.includes(this.text.charAt(this.at))) {
        this.at++;
      }
      if (this.at > end) throw this.fault({ key: 'document.space' });
    } while (this.skipMarkup());
  }

  /** Skips a comment or a part of the prolog here. Rejects everything else that starts with '<!' or '<?'. */
  private skipMarkup(): boolean {
    const { text, at } = this;
    if (text.charAt(at) !== '<') return false;
    const second = text.charAt(at + 1);
    if (second === '?') {
      this.skipStyleSheet();
      return true;
    }
    if (second !== '!') return false;
    if (text.startsWith('<!--', at)) {
      const end = text.indexOf('--', at + 4);
      if (end < 0 || end - at > XML_LIMITS.gapLength) throw this.fault({ key: 'document.open_comment' });
      if (text.charAt(end + 2) !== '>') throw this.fault({ key: 'document.comment' });
      this.at = end + 3;
      return true;
    }
    if (text.startsWith('<!DOCTYPE', at)) {
      this.skipDoctype();
      return true;
    }
    if (text.startsWith('<![CDATA[', at)) throw this.fault({ key: 'document.cdata' });
    throw this.fault({ key: 'document.declaration' });
  }

  private skipStyleSheet(): void {
    STYLE_SHEET.lastIndex = this.at;
    if (this.rootName !== '' || !STYLE_SHEET.test(this.text)) {
      throw this.fault({ key: 'document.instruction' });
    }
    this.at = STYLE_SHEET.lastIndex;
  }

  private skipDoctype(): void {
    if (this.rootName !== '' || this.hasDoctype) {
      throw this.fault({ key: 'document.doctype_place' });
    }
    this.hasDoctype = true;
    DOCTYPE.lastIndex = this.at;
    if (!DOCTYPE.test(this.text)) {
      throw this.fault({ key: 'document.doctype' });
    }
    this.at = DOCTYPE.lastIndex;
  }

  private valueOf(from: number, end: number): string {
    const { valueLength, gapLength } = XML_LIMITS;
    const raw = this.text.slice(from, Math.min(end, from + gapLength + 1));
    // White space between elements is not a value and has its own limit.
    if (raw.length > valueLength && (raw.length > gapLength || raw.trim() !== '')) {
      throw this.fault({ key: 'document.long_value', max: valueLength });
    }
    if (raw.includes('<')) throw this.fault({ key: 'document.bracket' });
    const value = raw.includes('&') ? raw.replace(REFERENCE, (...found) => this.characterOf(found)) : raw;
    if (FORBIDDEN.test(value)) throw this.fault({ key: 'document.character' });
    return value;
  }

  private characterOf([reference, decimal, hexadecimal, name]: string[]): string {
    if (name !== undefined) {
      const character = Object.hasOwn(NAMED_CHARACTERS, name) ? NAMED_CHARACTERS[name] : undefined;
      if (character === undefined) throw this.fault({ key: 'document.entity', entity: shown(reference!) });
      return character;
    }
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
    if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code < 0xe000)) {
      throw this.fault({ key: 'document.ampersand' });
    }
    return String.fromCodePoint(code);
  }

  private localName(name: string): string {
    if (!name.startsWith(this.prefix))
      throw this.fault({ key: 'document.foreign_element', element: shown(name) });
    return name.slice(this.prefix.length);
  }

  private noElement(): XmlFault {
    if (this.at >= this.text.length) return this.fault({ key: 'document.cut_off' });
    return this.fault({ key: 'document.no_tag', text: shown(this.text.slice(this.at, this.at + 10)) });
  }

  private fault(fault: Message, at = this.at): XmlFault {
    return new XmlFault(fault, at);
  }
}

/** Text of a document in a message: on one line, at most 40 characters. */
export function shown(text: string): string {
  const line = text.replaceAll(/[^\x20-\x7e]+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}

export function placeOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) {
    line++;
    lineStart = end + 1;
  }
  return { line, column: at - lineStart + 1 };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const TO_ESCAPE = /[&<>"']/;

export function escapeXml(value: string): string {
  // Testing first is faster, because hardly any value needs escaping.
  return TO_ESCAPE.test(value) ? value.replaceAll(/[&<>"']/g, (character) => ESCAPES[character]!) : value;
}
