import { type DeliveryDay, formatInstant } from '../../delivery-day.ts';
import type { MessageFormat, Tso } from '../../enums.ts';
import { findAreaByParty, type MarketRules, type TsoCodes } from '../../market-rules.ts';
import { compactDay } from '../schedule.ts';
import { CIM_STATUS_REQUEST } from './cim.ts';
import { CODES } from './codes.ts';
import { ESS_STATUS_REQUEST } from './ess.ts';
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
const ATTRIBUTES = { process: 'process.processType', interval: 'schedule_Time_Period.timeInterval' } as const;

export function writeStatusRequest(request: StatusRequest, format: MessageFormat): string {
  const { operatorEic, codes, day, createdAt } = request;
  const { type, process } = CODES.statusRequest;
  const interval = intervalText(day);
  const asked: WrittenFields =
    format === 'ess'
      ? { process, interval }
      : {
          attributes: [
            { name: ATTRIBUTES.process, value: process },
            { name: ATTRIBUTES.interval, value: interval },
          ],
        };
  return writeDocument(VOCABULARIES[format], FORMS[format], {
    id: identification(request),
    type,
    sender: operatorEic,
    senderRole: CODES.role.operator,
    receiver: codes.party,
    receiverRole: CODES.role.tso,
    createdAt: formatInstant(createdAt),
    ...asked,
  });
}

/** The day and TSO of a status request, for the simulator. Null for any other document. */
export function readStatusRequest(text: string, rules: MarketRules): { tso: Tso; day: DeliveryDay } | null {
  try {
    const [root, ...children] = readXml(text);
    for (const format of ['ess', 'cim'] as const) {
      if (root?.name !== FORMS[format].root) continue;
      const element = { ...root, attributes: new Map<string, string>(), children };
      const fields = readGroup(VOCABULARIES[format], FORMS[format].parts, element);
      const area = findAreaByParty(rules, textOf(fields, 'receiver'));
      return area && { tso: area.tso, day: dayOfInterval(requestedInterval(fields, format)) };
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

/** '20261025_SRQ_AMP_20261024T120000Z': unlike a schedule, each request is a message of its own. */
function identification({ day, codes, createdAt }: StatusRequest): string {
  const time = formatInstant(createdAt).replaceAll(/[-:]/g, '');
  return `${compactDay(day)}_SRQ_${codes.tag}_${time}`;
}

/** '20261025_SRQ_11XSALDO-------Z_10XDE-RWENET---W_2026-10-24T12-00-00Z.XML' */
export function statusRequestFileName({ day, operatorEic, codes, createdAt }: StatusRequest): string {
  const time = formatInstant(createdAt).replaceAll(':', '-');
  return `${compactDay(day)}_SRQ_${operatorEic}_${codes.party}_${time}.XML`;
}
