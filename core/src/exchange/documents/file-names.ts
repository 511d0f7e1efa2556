import { formatInstant, parseDay } from '../../delivery-day.ts';
import { findAreaByParty, type MarketRules, tsoCodes } from '../../market-rules.ts';
import type { Answer } from '../answer.ts';
import { compactDay, messageIdentification, type Schedule } from '../schedule.ts';

type NamedSchedule = Pick<Schedule, 'day' | 'operatorEic' | 'codes' | 'version'>;

const VERSION_DIGITS = 3;
const ANSWER_TAGS = { acknowledgement: 'ACK', confirmation: 'CNF', anomaly: 'ANO' } as const;
const SCHEDULE_FORM = /^(\d{4})(\d{2})(\d{2})_TPS_([^_]{16})_([^_]{16})_(\d{3})\.XML$/;

/** '20261025_TPS_11XSALDO-------Z_10XDE-RWENET---W_001.XML' */
export const scheduleFileName = (schedule: NamedSchedule): string => `${fileStem(schedule)}.XML`;

/** '…_001_ACK_2026-10-24T12-00-00Z.XML', starting with the name of the answered schedule. */
export function answerFileName(schedule: NamedSchedule, answer: Pick<Answer, 'kind' | 'createdAt'>): string {
  const time = formatInstant(answer.createdAt).replaceAll(':', '-');
  return `${fileStem(schedule)}_${ANSWER_TAGS[answer.kind]}_${time}.XML`;
}

/** The schedule in a file of this name, or null. A TSO may give the name in lower case or with folders before it. */
export function messageOfFile(
  rules: MarketRules,
  fileName: string,
): { messageId: string; version: number } | null {
  const name = fileName
    .slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
    .toUpperCase();
  const [, year, month, date, operatorEic = '', party = '', version] = SCHEDULE_FORM.exec(name) ?? [];
  const day = parseDay(`${year}-${month}-${date}`);
  const area = findAreaByParty(rules, party);
  if (day === null || area === null) return null;
  return {
    messageId: messageIdentification(day, operatorEic, tsoCodes(rules, area.tso, day)),
    version: Number(version),
  };
}

function fileStem({ day, operatorEic, codes, version }: NamedSchedule): string {
  const digits = String(version).padStart(VERSION_DIGITS, '0');
  return `${compactDay(day)}_TPS_${operatorEic}_${codes.party}_${digits}`;
}
