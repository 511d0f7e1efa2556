import { type DeliveryDay, formatInstant, parseDay } from '../../delivery-day.ts';
import { findAreaByParty, type MarketRules, type TsoCodes, tsoCodes } from '../../market-rules.ts';
import type { Answer, AnsweredMessage } from '../answer.ts';
import { compactDay, messageIdentification, type Schedule } from '../schedule.ts';

type NamedSchedule = Pick<Schedule, 'day' | 'operatorEic' | 'codes' | 'version'>;
/** A status request has no version. */
type NamedMessage = Omit<NamedSchedule, 'version'> & { version: number | null };

const VERSION_DIGITS = 3;
const ANSWER_TAGS = { acknowledgement: 'ACK', confirmation: 'CNF', anomaly: 'ANO' } as const;
const FILE_FORM = /^(\d{4})(\d{2})(\d{2})_(TPS|SRQ)_([^_]{16})_([^_]{16})(?:_(\d{3}))?\.XML$/;

/** '20261025_TPS_11XSALDO-------Z_10XDE-RWENET---W_001.XML' */
export const scheduleFileName = (schedule: NamedSchedule): string => `${fileStem(schedule)}.XML`;

/** '…_001_ACK_2026-10-24T12-00-00Z.XML', starting with the name of the answered message. */
export function answerFileName(message: NamedMessage, answer: Pick<Answer, 'kind' | 'createdAt'>): string {
  const time = formatInstant(answer.createdAt).replaceAll(':', '-');
  return `${fileStem(message)}_${ANSWER_TAGS[answer.kind]}_${time}.XML`;
}

/**
 * The message in a file of this name, or null. A TSO may give the name in lower case or with folders before it. All
 * status requests about a day have the same file name: the result is what their identifications begin with.
 */
export function messageOfFile(rules: MarketRules, fileName: string): AnsweredMessage | null {
  const name = fileName
    .slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
    .toUpperCase();
  const [, year, month, date, kind, operatorEic = '', party = '', version] = FILE_FORM.exec(name) ?? [];
  const day = parseDay(`${year}-${month}-${date}`);
  const area = findAreaByParty(rules, party);
  // Only the file of a schedule has a version in its name.
  if (day === null || area === null || (kind === 'TPS') !== (version !== undefined)) return null;
  const codes = tsoCodes(rules, area.tso, day);
  return version === undefined
    ? { messageId: statusRequestStem(day, codes), version: null }
    : { messageId: messageIdentification(day, operatorEic, codes), version: Number(version) };
}

/** '20261025_SRQ_11XSALDO-------Z_10XDE-RWENET---W.XML': gateways take any longer name for that of a schedule. */
export const statusRequestFileName = (request: Omit<NamedMessage, 'version'>): string =>
  `${fileStem({ ...request, version: null })}.XML`;

/** '20261025_SRQ_AMP': the identifications of all status requests about a day begin with it. */
export const statusRequestStem = (day: DeliveryDay, { tag }: TsoCodes): string =>
  `${compactDay(day)}_SRQ_${tag}`;

function fileStem({ day, operatorEic, codes, version }: NamedMessage): string {
  const parties = `${operatorEic}_${codes.party}`;
  if (version === null) return `${compactDay(day)}_SRQ_${parties}`;
  return `${compactDay(day)}_TPS_${parties}_${String(version).padStart(VERSION_DIGITS, '0')}`;
}
