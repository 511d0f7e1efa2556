import { type DeliveryDay, parseDay, parseInstant } from '../../delivery-day.ts';
import type { AnsweredSeries, Reason, UnusableSeries } from '../answer.ts';
import { MAX_MESSAGE_VERSION } from '../schedule.ts';
import { CODES } from './codes.ts';
import { type Fields, findText, groupsOf, type Part, textOf } from './vocabulary.ts';
import { shown, type XmlElement, XmlFault } from './xml.ts';

const MESSAGE_DAY_FORM = /^(\d{4})(\d{2})(\d{2})_TPS_/;
const VERSION_FORM = /^\d{1,3}$/;
/** Limit of newer schemas for an identification. */
export const MAX_FOREIGN_IDENTIFICATION = 60;

type RawSeries = Omit<UnusableSeries, 'fault'>;

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
export function nameOf({ identification }: RawSeries, element: XmlElement): string {
  return identification === null
    ? `a ${element.name} without identification`
    : `series ${shown(identification)}`;
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
  const known = Object.keys(codes).join(', ');
  const [first, ...others] = new Set(found);
  if (first === undefined) throw new XmlFault(`None of its reasons is one of ${known}`);
  if (others.length > 0) throw new XmlFault(`Its reasons among ${known} contradict each other`);
  return first;
}

export function identificationOf(fields: Fields, field: string): string {
  const text = textOf(fields, field);
  if (text.length <= MAX_FOREIGN_IDENTIFICATION) return text;
  throw new XmlFault(
    `The identification ${shown(text)} is longer than ${MAX_FOREIGN_IDENTIFICATION} characters`,
  );
}

export function isVersion(text: string): boolean {
  return VERSION_FORM.test(text) && Number(text) >= 1;
}

export function versionOf(fields: Fields, field: string): number {
  const text = textOf(fields, field);
  if (isVersion(text)) return Number(text);
  throw new XmlFault(`The version ${shown(text)} is not a whole number from 1 to ${MAX_MESSAGE_VERSION}`);
}

export function createdAt(head: Fields): number {
  const text = textOf(head, 'createdAt');
  const instant = parseInstant(text);
  if (instant === null)
    throw new XmlFault(`The time of the message ${shown(text)} is not a date and time with offset`);
  return instant;
}

/** Our message identifications start with the day. An acknowledgement has no other reference to it. */
export function dayOfMessageId(messageId: string | null): DeliveryDay | null {
  const [, year, month, day] = MESSAGE_DAY_FORM.exec(messageId ?? '') ?? [];
  return year === undefined ? null : parseDay(`${year}-${month}-${day}`);
}

export function expectCode(field: string, fields: Fields, expected: string): void {
  expectOneOf(field, textOf(fields, field), [expected]);
}

export function expectOneOf(what: string, code: string, known: readonly string[]): void {
  if (!known.includes(code)) throw unknownCode(what, code, known);
}

export function unknownCode(what: string, code: string, known: readonly string[] | object): XmlFault {
  const codes = Array.isArray(known) ? known : Object.keys(known);
  return new XmlFault(`The ${what} is ${shown(code)}, known are ${codes.join(', ')}`);
}
