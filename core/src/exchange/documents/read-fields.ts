import { type DeliveryDay, parseDay, parseInstant } from '../../delivery-day.ts';
import type { Message } from '../../messages/message.ts';
import type { AnsweredSeries, Reason, UnusableSeries } from '../answer.ts';
import { MAX_MESSAGE_VERSION } from '../schedule.ts';
import { CODES } from './codes.ts';
import { type Fields, findText, groupsOf, type Part, textOf } from './vocabulary.ts';
import { shown, type XmlElement, XmlFault } from './xml.ts';

const MESSAGE_DAY_FORM = /^(\d{4})(\d{2})(\d{2})_TPS_/;
const VERSION_FORM = /^\d{1,3}$/;
/** Limit of newer schemas for an identification. */
export const MAX_FOREIGN_IDENTIFICATION = 60;

type RawSeries = Omit<UnusableSeries, 'fault' | 'slot'>;

/** What can be read of a faulty series to find out whose it is. */
export function readRaw(parts: readonly Part[], element: XmlElement): RawSeries {
  const nested = [...element.children, ...element.children.flatMap(({ children }) => children)];
  const allParts = [...parts, ...parts.flatMap((one) => (one.kind === 'merged' ? one.parts : []))];
  const raw = (field: string) => {
    const part = allParts.find((one) => one.field === field);
    const found = nested.find(({ name }) => name === part?.name);
    return found?.attributes.get('v') ?? (found?.text || null);
  };
  const flow = {
    outParty: raw('outParty'),
    outArea: raw('outArea'),
    inParty: raw('inParty'),
    inArea: raw('inArea'),
  };
  return { identification: raw('identification'), ...flow };
}

/** 'series "11XNORDWIND----J_OUT"', if the identification can be read. */
export function nameOf({ identification }: RawSeries, element: XmlElement): Message {
  return identification === null
    ? { key: 'document.unnamed_series', element: element.name }
    : { key: 'document.series', identification: shown(identification) };
}

export function answeredSeries(fields: Fields): AnsweredSeries {
  expectCode('product', fields, CODES.product);
  expectCode('unit', fields, CODES.unit);
  if (findText(fields, 'curveType') !== null) expectCode('curveType', fields, CODES.curveType);
  return {
    identification: textOf(fields, 'identification'),
    version: versionOf(fields, 'version'),
    businessType: textOf(fields, 'businessType'),
    outParty: findText(fields, 'outParty'),
    outArea: findText(fields, 'outArea'),
    inParty: findText(fields, 'inParty'),
    inArea: findText(fields, 'inArea'),
  };
}

export function reasonOf(fields: Fields): Reason {
  return { code: textOf(fields, 'code'), text: findText(fields, 'text') };
}

export function reasonsOf(fields: Fields): Reason[] {
  return groupsOf(fields, 'reasons').map(reasonOf);
}

/** The reasons of a part and those of its faulty intervals, whose text names the interval. */
export function allReasons(fields: Fields): Reason[] {
  const inErrors = groupsOf(fields, 'timeErrors').flatMap((error) =>
    reasonsOf(error).map(({ code, text }) => ({
      code,
      text: [text, `(${textOf(error, 'interval')})`].filter(Boolean).join(' '),
    })),
  );
  return [...reasonsOf(fields), ...inErrors];
}

/** The single outcome among the reasons of an answer. Several codes may have the same meaning. */
export function singleOutcome<Outcome>(found: readonly Outcome[], codes: object): Outcome {
  const known = Object.keys(codes);
  const [first, ...others] = new Set(found);
  if (first === undefined) throw new XmlFault({ key: 'document.no_outcome', known });
  if (others.length > 0) throw new XmlFault({ key: 'document.outcomes', known });
  return first;
}

export function identificationOf(fields: Fields, field: string): string {
  const text = textOf(fields, field);
  if (text.length <= MAX_FOREIGN_IDENTIFICATION) return text;
  const max = MAX_FOREIGN_IDENTIFICATION;
  throw new XmlFault({ key: 'document.long_identification', text: shown(text), max });
}

export function isVersion(text: string): boolean {
  return VERSION_FORM.test(text) && Number(text) >= 1;
}

export function versionOf(fields: Fields, field: string): number {
  const text = textOf(fields, field);
  if (isVersion(text)) return Number(text);
  throw new XmlFault({ key: 'document.version', text: shown(text), max: MAX_MESSAGE_VERSION });
}

export function createdAt(head: Fields): number {
  const text = textOf(head, 'createdAt');
  const instant = parseInstant(text);
  if (instant === null) throw new XmlFault({ key: 'document.created_at', text: shown(text) });
  return instant;
}

/** Our message identifications start with the day. An acknowledgement has no other reference to it. */
export function dayOfMessageId(messageId: string | null): DeliveryDay | null {
  const [, year, month, day] = MESSAGE_DAY_FORM.exec(messageId ?? '') ?? [];
  return year === undefined ? null : parseDay(`${year}-${month}-${day}`);
}

/** The fields whose codes are checked, as messages name them. */
type CodeField =
  Extract<Message['key'], `document.field_${string}`> extends `document.field_${infer Field}` ? Field : never;

export function expectCode(field: CodeField, fields: Fields, expected: string): void {
  expectOneOf(field, textOf(fields, field), [expected]);
}

export function expectOneOf(field: CodeField, code: string, known: readonly string[]): void {
  if (!known.includes(code)) throw unknownCode(field, code, known);
}

export const unknownCode = (field: CodeField, code: string, known: readonly string[]): XmlFault =>
  new XmlFault({ key: 'document.code', field: { key: `document.field_${field}` }, code: shown(code), known });
