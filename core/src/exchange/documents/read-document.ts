import type { DocumentKind, MessageFormat } from '../../enums.ts';
import type { MarketRules } from '../../market-rules.ts';
import type { ReadResult, Recognised, ScheduleReading } from './document.ts';
import { DocumentBuilder } from './document-builder.ts';
import { VOCABULARIES } from './formats.ts';
import type { DocumentForm } from './vocabulary.ts';
import { placeOf, readXml, shown, type XmlElement, XmlFault } from './xml.ts';

/** Characters or bytes per step: a few milliseconds of work. */
const STEP_LENGTH = 64 * 1024;

const DECLARATION_LENGTH = 256;
const DECLARED_LATIN1 = /^<\?xml[ \t\r\n][^?>]*encoding[ \t\r\n]*=[ \t\r\n]*["']ISO-8859-1["']/i;

const UNRECOGNISED: Recognised = {
  format: null,
  type: 'unknown',
  tso: null,
  day: null,
  messageId: null,
  version: null,
};
/** Attributes of a root that name its schema. */
const SCHEMA_ATTRIBUTE = /^(?:xmlns(?::.+)?|xsi:.+)$/;

/** Reads a schedule or an answer in either format. The rules have the codes of the TSOs. */
export function readDocument(xml: Uint8Array, rules: MarketRules): ReadResult {
  const steps = readDocumentInSteps(xml, rules);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps of a few milliseconds, so that a server can do other work between them. */
export function* readDocumentInSteps(
  xml: Uint8Array,
  rules: MarketRules,
  reading: ScheduleReading = 'whole',
): Generator<void, ReadResult, void> {
  let text = '';
  let builder: DocumentBuilder | null = null;
  let format: MessageFormat | null = null;
  try {
    text = yield* decode(xml);
    let stepAt = 0;
    for (const element of readXml(text)) {
      if (builder === null || format === null) {
        ({ builder, format } = begin(element, rules, reading));
        continue;
      }
      builder.add(element);
      if (element.at - stepAt < STEP_LENGTH) continue;
      stepAt = element.at;
      yield;
    }
    if (builder === null || format === null) throw new Error('a document has a root element');
    if (builder.needsSecondPass) yield* addEarlySeries(text, builder);
    const document = builder.finish(text.length);
    return { kind: 'ok', format, document, unknownElements: builder.unknownElements };
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    const { fault, at } = error;
    return {
      kind: 'unreadable',
      fault: at === null ? fault : { key: 'document.at', fault, ...placeOf(text, at) },
      recognised: builder?.recognised() ?? UNRECOGNISED,
    };
  }
}

/** Reads the series before the interval of their day, without keeping them in memory until the interval is known. */
function* addEarlySeries(text: string, builder: DocumentBuilder): Generator<void, void, void> {
  let stepAt = 0;
  let isRoot = true;
  for (const element of readXml(text)) {
    if (!isRoot && !builder.addEarly(element)) return;
    isRoot = false;
    if (element.at - stepAt < STEP_LENGTH) continue;
    stepAt = element.at;
    yield;
  }
}

/**
 * Decodes UTF-8 with or without a byte order mark, and ISO-8859-1 where the document declares it. Rejects other encodings
 * by name where they can be recognised.
 */
function* decode(xml: Uint8Array): Generator<void, string, void> {
  const [first, second] = xml;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Without a byte order mark, UTF-16 and UTF-32 show as a zero byte beside the first bracket.
  if (isUtf16 || (first === 0x3c && second === 0) || (first === 0 && second === 0x3c)) {
    throw new XmlFault({ key: 'document.utf16' });
  }
  const start = String.fromCharCode(...xml.subarray(0, DECLARATION_LENGTH));
  // Characters beyond ASCII stand in texts only. Web standards read this name as the superset windows-1252.
  const encoding = DECLARED_LATIN1.test(start) ? 'iso-8859-1' : 'utf-8';
  const decoder = new TextDecoder(encoding, { fatal: true });
  const parts: string[] = [];
  for (let at = 0; at < xml.length; at += STEP_LENGTH) {
    try {
      const isLast = at + STEP_LENGTH >= xml.length;
      parts.push(decoder.decode(xml.subarray(at, at + STEP_LENGTH), { stream: !isLast }));
    } catch {
      throw new XmlFault({ key: 'document.not_utf8' });
    }
    yield;
  }
  return parts.join('');
}

function begin(
  root: XmlElement,
  rules: MarketRules,
  reading: ScheduleReading,
): { builder: DocumentBuilder; format: MessageFormat } {
  for (const format of ['ess', 'cim'] as const) {
    const vocabulary = VOCABULARIES[format];
    for (const [kind, form] of Object.entries(vocabulary.documents) as [DocumentKind, DocumentForm][]) {
      if (form.root !== root.name) continue;
      checkRoot(root, form);
      return { builder: new DocumentBuilder(format, vocabulary, kind, form, rules, reading), format };
    }
  }
  throw new XmlFault({ key: 'document.kind', element: shown(root.name) }, root.at);
}

function checkRoot(root: XmlElement, form: DocumentForm): void {
  const { namespace, rootAttributes } = form;
  for (const name of root.attributes.keys()) {
    if (SCHEMA_ATTRIBUTE.test(name) || Object.hasOwn(rootAttributes, name)) continue;
    throw new XmlFault({ key: 'document.no_attribute', element: root.name, attribute: shown(name) }, root.at);
  }
  if (namespace === null) return;
  const namespaces = [...root.attributes].filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  if (!namespaces.some(([, uri]) => uri.startsWith(namespace.stem))) {
    throw new XmlFault({ key: 'document.namespace', element: root.name, start: namespace.stem }, root.at);
  }
}
