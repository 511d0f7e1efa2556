import { setImmediate } from 'node:timers/promises';
import type { DocumentKind, MessageFormat } from '../../domain/enums.ts';
import type { ReadResult, Recognised } from './document.ts';
import { DocumentBuilder } from './document-builder.ts';
import { VOCABULARIES } from './formats.ts';
import type { DocumentForm } from './vocabulary.ts';
import { placeOf, readXml, shown, type XmlElement, XmlFault } from './xml.ts';

/** What is read or decoded between two pauses: a few milliseconds of work. */
const SLICE_LENGTH = 64 * 1024;

const NOTHING: Recognised = {
  format: null,
  type: 'unknown',
  tso: null,
  day: null,
  messageId: null,
  version: null,
};
/** Attributes with which a root may name its schema, whatever it is. */
const SCHEMA_ATTRIBUTE = /^(?:xmlns(?::.+)?|xsi:.+)$/;

/**
 * Reads a schedule or an answer in either format. The work is done in slices with the server's other work between them,
 * so that a document of any size delays nobody.
 */
export async function readDocument(xml: Uint8Array): Promise<ReadResult> {
  const slices = readInSlices(xml);
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await setImmediate();
  }
}

function* readInSlices(xml: Uint8Array): Generator<void, ReadResult, void> {
  let text = '';
  let builder: DocumentBuilder | null = null;
  let format: MessageFormat | null = null;
  try {
    text = yield* decode(xml);
    let pausedAt = 0;
    for (const element of readXml(text)) {
      if (builder === null || format === null) {
        ({ builder, format } = begin(element));
        continue;
      }
      builder.take(element);
      if (element.at - pausedAt < SLICE_LENGTH) continue;
      pausedAt = element.at;
      yield;
    }
    if (builder === null || format === null) throw new Error('a document without a root is not read');
    return { kind: 'ok', format, document: builder.finish(text.length) };
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    const place = error.at === null ? '' : ` (${placeOf(text, error.at)})`;
    return {
      kind: 'unreadable',
      reason: `${error.message}${place}.`,
      recognised: builder?.recognised() ?? NOTHING,
    };
  }
}

/** UTF-8 with or without its mark; everything else is told apart as well as it can be. */
function* decode(xml: Uint8Array): Generator<void, string, void> {
  const [first, second] = xml;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Without a mark, every second byte of the opening bracket and its neighbour is zero.
  if (isUtf16 || (first === 0x3c && second === 0) || (first === 0 && second === 0x3c)) {
    throw new XmlFault('The document is in UTF-16 or UTF-32; it must be in UTF-8');
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parts: string[] = [];
  for (let at = 0; at < xml.length; at += SLICE_LENGTH) {
    try {
      const isLast = at + SLICE_LENGTH >= xml.length;
      parts.push(decoder.decode(xml.subarray(at, at + SLICE_LENGTH), { stream: !isLast }));
    } catch {
      // The decoder's own error says no more than this.
      throw new XmlFault('The document is not in UTF-8, whatever it declares');
    }
    yield;
  }
  return parts.join('');
}

function begin(root: XmlElement): { builder: DocumentBuilder; format: MessageFormat } {
  for (const format of ['ess', 'cim'] as const) {
    const vocabulary = VOCABULARIES[format];
    for (const [kind, form] of Object.entries(vocabulary.documents) as [DocumentKind, DocumentForm][]) {
      if (form.root !== root.name) continue;
      checkRoot(root, form);
      return { builder: new DocumentBuilder(format, vocabulary, kind, form), format };
    }
  }
  throw new XmlFault(`${shown(root.name)} is no schedule message and no answer to one`, root.at);
}

function checkRoot(root: XmlElement, form: DocumentForm): void {
  const { namespace, rootAttributes } = form;
  for (const name of root.attributes.keys()) {
    if (SCHEMA_ATTRIBUTE.test(name) || Object.hasOwn(rootAttributes, name)) continue;
    throw new XmlFault(`${root.name} has no attribute ${shown(name)}`, root.at);
  }
  if (namespace === null) return;
  const said = [...root.attributes].filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  if (!said.some(([, uri]) => uri.startsWith(namespace.stem))) {
    throw new XmlFault(`The namespace of ${root.name} must begin with ${namespace.stem}`, root.at);
  }
}
