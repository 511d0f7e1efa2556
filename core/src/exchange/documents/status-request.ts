import { type DeliveryDay, formatInstant, parseDay } from '../../delivery-day.ts';
import type { MessageFormat, Tso } from '../../enums.ts';
import { controlAreas, findAreaByParty, type MarketRules, type TsoCodes } from '../../market-rules.ts';
import { CIM_STATUS_REQUEST } from './cim.ts';
import { CODES } from './codes.ts';
import { ESS_STATUS_REQUEST } from './ess.ts';
import { statusRequestStem } from './file-names.ts';
import { VOCABULARIES } from './formats.ts';
import { dayOfInterval, intervalText } from './slots.ts';
import {
  type DocumentForm,
  type Fields,
  groupsOf,
  readGroup,
  textOf,
  type WrittenFields,
  writeDocument,
} from './vocabulary.ts';
import { readXml, XmlFault } from './xml.ts';

/** Asks a TSO to send its last answer to the schedule of a day again. */
export type StatusRequest = { operatorEic: string; codes: TsoCodes; day: DeliveryDay; createdAt: number };

const FORMS: Readonly<Record<MessageFormat, DocumentForm>> = {
  ess: ESS_STATUS_REQUEST,
  cim: CIM_STATUS_REQUEST,
};

/** Attributes of a CIM schedule that select the requested one. */
const ATTRIBUTES = {
  subject: 'subject_MarketParticipant.mRID',
  subjectRole: 'subject_MarketParticipant.marketRole.type',
  interval: 'schedule_Time_Period.timeInterval',
} as const;

/** A TSO acknowledges a status request under the identification, or under what all those of the day begin with. */
const IDENTIFICATION_FORM = /^(\d{4})(\d{2})(\d{2})_SRQ_([^_]+)(?:_|$)/;

export function writeStatusRequest(request: StatusRequest, format: MessageFormat): string {
  const { operatorEic, codes, day, createdAt } = request;
  const { type, process } = CODES.statusRequest;
  const interval = intervalText(day);
  const asked: WrittenFields =
    format === 'ess'
      ? { process, interval }
      : {
          attributes: [
            { name: ATTRIBUTES.subject, value: operatorEic },
            { name: ATTRIBUTES.subjectRole, value: CODES.role.operator },
            { name: ATTRIBUTES.interval, value: interval },
          ],
        };
  return writeDocument(VOCABULARIES[format], FORMS[format], {
    id: statusRequestId(request),
    type,
    sender: operatorEic,
    senderRole: CODES.role.operator,
    receiver: codes.party,
    receiverRole: CODES.role.tso,
    createdAt: formatInstant(createdAt),
    ...asked,
  });
}

/** Unlike a schedule, each request is a message of its own: '20261025_SRQ_AMP_20261024T120000Z' */
export function statusRequestId({ day, codes, createdAt }: StatusRequest): string {
  return `${statusRequestStem(day, codes)}_${formatInstant(createdAt).replaceAll(/[-:]/g, '')}`;
}

/** The TSO and day of a status request with this identification. Null for any other message. */
export function statusRequestOf(
  messageId: string,
  rules: MarketRules,
): { tso: Tso; day: DeliveryDay } | null {
  const [, year, month, date, tag] = IDENTIFICATION_FORM.exec(messageId) ?? [];
  const day = parseDay(`${year}-${month}-${date}`);
  const area = day && controlAreas(rules, day).find((one) => one.tag === tag);
  return day && area ? { tso: area.tso, day } : null;
}

/** A status request as the simulator reads it. */
export type ReadStatusRequest = {
  id: string;
  format: MessageFormat;
  operatorEic: string;
  tso: Tso;
  day: DeliveryDay;
};

/** Null for any document that is no status request. */
export function readStatusRequest(text: string, rules: MarketRules): ReadStatusRequest | null {
  try {
    const [root, ...children] = readXml(text);
    for (const format of ['ess', 'cim'] as const) {
      if (root?.name !== FORMS[format].root) continue;
      const element = { ...root, attributes: new Map<string, string>(), children };
      const fields = readGroup(VOCABULARIES[format], FORMS[format].parts, element, 'strict');
      const area = findAreaByParty(rules, textOf(fields, 'receiver'));
      const day = dayOfInterval(requestedInterval(fields, format));
      const [id, operatorEic] = [textOf(fields, 'id'), textOf(fields, 'sender')];
      return area && { id, format, operatorEic, tso: area.tso, day };
    }
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
  }
  return null;
}

function requestedInterval(fields: Fields, format: MessageFormat): string {
  if (format === 'ess') return textOf(fields, 'interval');
  const found = groupsOf(fields, 'attributes').find((one) => textOf(one, 'name') === ATTRIBUTES.interval);
  return found === undefined ? '' : textOf(found, 'value');
}
