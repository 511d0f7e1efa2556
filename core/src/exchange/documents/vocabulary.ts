import { assert } from '../../assert.ts';
import { checkEic } from '../../eic.ts';
import type { DocumentKind } from '../../enums.ts';
import { escapeXml, shown, type XmlElement, XmlFault } from './xml.ts';

/**
 * A format is described once, as data: the elements of a part, their order, how often they occur, and the field of each.
 * Reading and writing use the same description.
 */
export type Part = {
  /** Written name. Other versions of the schema use the aliases. */
  name: string;
  aliases?: readonly string[];
  field: string;
  times: '1' | '?' | '*' | '+';
} & (
  | { kind: 'value' | 'eic' | 'interval' }
  /** A group has its own fields; those of a merged element belong to the surrounding part. */
  | { kind: 'group' | 'merged'; parts: readonly Part[] }
);

export type Fields = { [field: string]: string | readonly Fields[] };

/** How a format writes values, and the structure of its documents. */
export type Vocabulary = {
  valuesIn: 'attribute' | 'text';
  documents: Readonly<Record<DocumentKind, DocumentForm>>;
};

export type DocumentForm = {
  root: string;
  /** Namespace without its version, and the version that is written; null for a format without namespaces. */
  namespace: { stem: string; version: string } | null;
  rootAttributes: Readonly<Record<string, string>>;
  /** The file that the document type declaration names; null for a format without one. */
  dtd: string | null;
  parts: readonly Part[];
};

const EIC_SCHEME = 'A01';

export const value = (
  name: string,
  field: string,
  times: Part['times'] = '1',
  aliases: string[] = [],
): Part => ({
  kind: 'value',
  name,
  field,
  times,
  aliases,
});
export const eic = (name: string, field: string, times: Part['times'] = '1'): Part => ({
  kind: 'eic',
  name,
  field,
  times,
});
export const interval = (name: string, field: string, times: Part['times'] = '1'): Part => ({
  kind: 'interval',
  name,
  field,
  times,
});
export const group = (name: string, field: string, times: Part['times'], parts: readonly Part[]): Part => ({
  kind: 'group',
  name,
  field,
  times,
  parts,
});

export function textOf(fields: Fields, field: string): string {
  const found = fields[field];
  assert(typeof found === 'string', `the field ${field} is required`);
  return found;
}

export function findText(fields: Fields, field: string): string | null {
  const found = fields[field];
  return typeof found === 'string' ? found : null;
}

export function groupsOf(fields: Fields, field: string): readonly Fields[] {
  const found = fields[field];
  return typeof found === 'object' ? found : [];
}

/**
 * Whether the elements of a part must stand in the order of their schema. A TSO rejects a schedule in another order; an
 * answer in another order is read.
 */
export type ElementOrder = 'strict' | 'any';

/** Accepts the elements of a part one by one. Rejects unknown, missing, repeated and misplaced ones. */
export class Sequence {
  private at = 0;
  private readonly counts: number[];
  private readonly owner: string;
  private readonly parts: readonly Part[];
  private readonly order: ElementOrder;

  constructor(owner: string, parts: readonly Part[], order: ElementOrder) {
    this.owner = owner;
    this.parts = parts;
    this.order = order;
    this.counts = parts.map(() => 0);
  }

  find({ name }: XmlElement): Part | null {
    return this.parts.find((part) => isNamed(part, name)) ?? null;
  }

  accept(element: XmlElement): Part {
    const to = this.parts.findIndex((part) => isNamed(part, element.name));
    if (to < 0)
      throw new XmlFault(
        { key: 'document.no_element', owner: this.owner, element: shown(element.name) },
        element.at,
      );
    const part = this.parts[to]!;
    if (this.order === 'strict' && to < this.at) {
      throw new XmlFault(
        { key: 'document.wrong_place', owner: this.owner, element: element.name },
        element.at,
      );
    }
    if (this.order === 'strict') this.require(this.at, to, element.at);
    if (this.counts[to]! > 0 && (part.times === '1' || part.times === '?')) {
      throw new XmlFault(
        { key: 'document.element_twice', owner: this.owner, element: element.name },
        element.at,
      );
    }
    this.counts[to]!++;
    this.at = to;
    return part;
  }

  finish(at: number): void {
    this.require(0, this.parts.length, at);
  }

  /** Rejects a missing element among these parts. */
  private require(from: number, to: number, at: number): void {
    for (let index = from; index < to; index++) {
      const { name, times } = this.parts[index]!;
      if (this.counts[index] === 0 && (times === '1' || times === '+')) {
        throw new XmlFault({ key: 'document.lacks', owner: this.owner, element: name }, at);
      }
    }
  }
}

function isNamed(part: Part, name: string): boolean {
  return part.name === name || (part.aliases?.includes(name) ?? false);
}

/** The fields of an element and of all elements in it. */
export function readGroup(
  vocabulary: Vocabulary,
  parts: readonly Part[],
  element: XmlElement,
  order: ElementOrder,
): Fields {
  const fields: Fields = {};
  rejectAttributes(element, []);
  if (element.text !== '') throw holding(element);
  const sequence = new Sequence(element.name, parts, order);
  for (const child of element.children) {
    const part = sequence.accept(child);
    if (part.kind === 'merged') {
      Object.assign(fields, readGroup(vocabulary, part.parts, child, order));
    } else if (part.kind === 'group') {
      const groups = fields[part.field] as Fields[] | undefined;
      const read = readGroup(vocabulary, part.parts, child, order);
      if (groups) groups.push(read);
      else fields[part.field] = [read];
    } else {
      fields[part.field] = readValue(vocabulary, part, child);
    }
  }
  sequence.finish(element.at);
  return fields;
}

/** The value of an element. An interval is 'from/to' in both formats. */
export function readValue(vocabulary: Vocabulary, part: Part, element: XmlElement): string {
  const { name, at } = element;
  if (part.kind === 'interval' && vocabulary.valuesIn === 'text') return readBounds(vocabulary, element);
  if (element.children.length > 0) throw new XmlFault({ key: 'document.value_only', element: name }, at);
  const inAttribute = vocabulary.valuesIn === 'attribute';
  const scheme = part.kind === 'eic' ? ['codingScheme'] : [];
  rejectAttributes(element, inAttribute ? ['v', ...scheme] : scheme);
  if (part.kind === 'eic' && element.attributes.get('codingScheme') !== EIC_SCHEME) {
    throw new XmlFault({ key: 'document.eic_scheme', element: name, scheme: EIC_SCHEME }, at);
  }
  if (inAttribute && element.text !== '') throw holding(element);
  const found = inAttribute ? element.attributes.get('v')?.trim() : element.text;
  if (found === undefined || found === '')
    throw new XmlFault({ key: 'document.no_value', element: name }, at);
  const fault = part.kind === 'eic' ? checkEic(found) : null;
  if (fault !== null)
    throw new XmlFault({ key: 'document.no_eic', element: name, text: shown(found), fault: fault }, at);
  return found;
}

const holding = ({ name, text, at }: XmlElement) =>
  new XmlFault({ key: 'document.holds', element: name, text: shown(text) }, at);

const BOUNDS: readonly Part[] = [value('start', 'start'), value('end', 'end')];

function readBounds(vocabulary: Vocabulary, element: XmlElement): string {
  const fields = readGroup(vocabulary, BOUNDS, element, 'any');
  return `${textOf(fields, 'start')}/${textOf(fields, 'end')}`;
}

function rejectAttributes(element: XmlElement, known: readonly string[]): void {
  for (const attribute of element.attributes.keys()) {
    if (known.includes(attribute)) continue;
    const fault = {
      key: 'document.no_attribute',
      element: element.name,
      attribute: shown(attribute),
    } as const;
    throw new XmlFault(fault, element.at);
  }
}

/** Fields to write. Groups may be generated while writing. */
export type WrittenFields = { [field: string]: string | Iterable<WrittenFields> };

export function writeDocument(vocabulary: Vocabulary, form: DocumentForm, fields: WrittenFields): string {
  const { root, namespace, rootAttributes, dtd } = form;
  const attributes = Object.entries(rootAttributes).map(([name, text]) => ` ${name}="${escapeXml(text)}"`);
  if (namespace !== null) attributes.unshift(` xmlns="${namespace.stem}${namespace.version}"`);
  const content = writeParts(vocabulary, form.parts, fields);
  const declaration = dtd === null ? '' : `<!DOCTYPE ${root} SYSTEM "${escapeXml(dtd)}">\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${declaration}<${root}${attributes.join('')}>\n${content}</${root}>\n`;
}

export function writeParts(vocabulary: Vocabulary, parts: readonly Part[], fields: WrittenFields): string {
  const pieces: string[] = [];
  for (const part of parts) {
    if (part.kind === 'merged') {
      pieces.push(writeGroup(vocabulary, part.name, part.parts, fields));
      continue;
    }
    const found = fields[part.field];
    if (found === undefined) {
      assert(part.times === '?' || part.times === '*', `${part.name} cannot be left out`);
    } else if (typeof found === 'string') {
      pieces.push(writeValue(vocabulary, part, found));
    } else {
      assert(part.kind === 'group', `${part.name} is no group`);
      for (const one of found) pieces.push(writeGroup(vocabulary, part.name, part.parts, one));
    }
  }
  return pieces.join('');
}

function writeGroup(
  vocabulary: Vocabulary,
  name: string,
  parts: readonly Part[],
  fields: WrittenFields,
): string {
  return `<${name}>\n${writeParts(vocabulary, parts, fields)}</${name}>\n`;
}

function writeValue({ valuesIn }: Vocabulary, part: Part, text: string): string {
  const { name, kind } = part;
  const scheme = kind === 'eic' ? ` codingScheme="${EIC_SCHEME}"` : '';
  if (valuesIn === 'attribute') return `<${name} v="${escapeXml(text)}"${scheme}/>\n`;
  if (kind !== 'interval') return `<${name}${scheme}>${escapeXml(text)}</${name}>\n`;
  const [start = '', end = ''] = text.split('/');
  return `<${name}><start>${escapeXml(start)}</start><end>${escapeXml(end)}</end></${name}>\n`;
}
