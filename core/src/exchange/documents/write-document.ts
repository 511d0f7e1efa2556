import { assert } from '../../assert.ts';
import { type DeliveryDay, formatInstant } from '../../delivery-day.ts';
import type { MessageFormat } from '../../enums.ts';
import { findAreaByParty } from '../../market-rules.ts';
import { BUILT_IN_RULES } from '../../market-rules-file.ts';
import type {
  Acknowledgement,
  Anomaly,
  Answer,
  AnsweredSeries,
  Confirmation,
  ConfirmedSeries,
  Reason,
} from '../answer.ts';
import type { Schedule, Series } from '../schedule.ts';
import { ACKNOWLEDGEMENT_CODES, CODES, codeFor } from './codes.ts';
import { VOCABULARIES } from './formats.ts';
import { intervalText, periodFields } from './slots.ts';
import { type Fields, type WrittenFields, writeDocument, writeParts } from './vocabulary.ts';

const NO_REASONS: ReadonlyMap<number, Fields[]> = new Map();

export function writeSchedule(schedule: Schedule, format: MessageFormat, createdAt: number): string {
  const { operatorEic, codes, day } = schedule;
  const fields: WrittenFields = {
    id: schedule.messageId,
    version: String(schedule.version),
    ...CODES.schedule,
    sender: operatorEic,
    senderRole: CODES.role.operator,
    receiver: codes.party,
    receiverRole: CODES.role.tso,
    createdAt: formatInstant(createdAt),
    interval: intervalText(day),
    // Only CIM has the subject and the area of a schedule.
    ...(format === 'cim'
      ? { domain: codes.area, subject: operatorEic, subjectRole: CODES.role.operator }
      : {}),
    series: schedule.series.values().map((series) => seriesFields(series, day)),
  };
  return writeDocument(VOCABULARIES[format], VOCABULARIES[format].documents.schedule, fields);
}

/** A single series, for a party that includes it in its own schedule. */
export function writeEssSeries(series: Series, day: DeliveryDay): string {
  const part = VOCABULARIES.ess.documents.schedule.parts.find(({ field }) => field === 'series');
  assert(part?.kind === 'group', 'a schedule has series');
  const content = writeParts(VOCABULARIES.ess, [part], { series: [seriesFields(series, day)] });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${content}`;
}

/** The document of a TSO, for the simulator and for tests. */
export function writeAnswer(
  answer: Answer,
  format: MessageFormat,
  rules = BUILT_IN_RULES,
  finalType: 'A08' | 'A09' = 'A08',
): string {
  const vocabulary = VOCABULARIES[format];
  const area = findAreaByParty(rules, answer.sender);
  assert(area !== null, 'only a TSO answers');
  const fields: WrittenFields = {
    id: answer.id,
    createdAt: formatInstant(answer.createdAt),
    sender: answer.sender,
    senderRole: CODES.role.tso,
    receiver: answer.receiver,
    receiverRole: CODES.role.operator,
    ...(format === 'cim' ? { domain: area.area } : {}),
    ...answeredMessage(answer),
    ...contentFields(answer),
    ...(answer.kind === 'confirmation' ? { type: answer.isFinal ? finalType : 'A07' } : {}),
  };
  return writeDocument(vocabulary, vocabulary.documents[answer.kind], fields);
}

function answeredMessage({ answers }: Answer): WrittenFields {
  if (answers === null) return {};
  const { messageId: answeredId, version } = answers;
  return version === null ? { answeredId } : { answeredId, answeredVersion: String(version) };
}

function contentFields(answer: Answer): WrittenFields {
  switch (answer.kind) {
    case 'acknowledgement':
      return acknowledgementFields(answer);
    case 'confirmation':
      return confirmationFields(answer);
    case 'anomaly':
      return anomalyFields(answer);
  }
}

function acknowledgementFields({ outcome, reasons, rejectedSeries }: Acknowledgement): WrittenFields {
  const code = codeFor(ACKNOWLEDGEMENT_CODES, outcome);
  assert(
    reasons.some((reason) => reason.code === code),
    'an acknowledgement gives its outcome as a reason',
  );
  return {
    rejections: rejectedSeries.map(({ identification, reasons }) => ({
      identification,
      ...reasonFields(reasons),
    })),
    ...reasonFields(reasons),
  };
}

function confirmationFields(confirmation: Confirmation): WrittenFields {
  const { day, reasons, series, imposed } = confirmation;
  return {
    interval: intervalText(day),
    ...reasonFields(reasons),
    imposed: imposed.values().map((one) => confirmedFields(one, day)),
    series: series.values().map((one) => confirmedFields(one, day)),
  };
}

function confirmedFields(
  { powersKw, slotReasons, reasons, ...name }: ConfirmedSeries,
  day: DeliveryDay,
): WrittenFields {
  const reasonsAt = new Map(slotReasons.map(({ slot, reasons }) => [slot, reasons.map(reasonField)]));
  const periods = powersKw === null ? {} : { periods: [periodFields(day, powersKw, reasonsAt)] };
  return { ...flowFields(name), ...periods, ...reasonFields(reasons) };
}

function anomalyFields({ day, sides }: Anomaly): WrittenFields {
  return {
    interval: intervalText(day),
    sides: sides.values().map((side) => ({
      party: side.party,
      messageId: side.messageId,
      messageVersion: String(side.messageVersion),
      ...seriesFields(side, day),
      ...reasonFields(side.reasons),
    })),
  };
}

function seriesFields(
  series: AnsweredSeries & { powersKw: readonly number[] },
  day: DeliveryDay,
): WrittenFields {
  return { ...flowFields(series), periods: [periodFields(day, series.powersKw, NO_REASONS)] };
}

function flowFields(series: AnsweredSeries): WrittenFields {
  const { outParty, outArea, inParty, inArea } = series;
  return {
    identification: series.identification,
    version: String(series.version),
    businessType: series.businessType,
    product: CODES.product,
    aggregation: CODES.aggregation,
    ...(inArea === null ? {} : { inArea }),
    ...(outArea === null ? {} : { outArea }),
    ...(inParty === null ? {} : { inParty }),
    ...(outParty === null ? {} : { outParty }),
    unit: CODES.unit,
    curveType: CODES.curveType,
  };
}

function reasonField({ code, text }: Reason): Fields {
  return text === null ? { code } : { code, text };
}

function reasonFields(reasons: readonly Reason[]): WrittenFields {
  return reasons.length === 0 ? {} : { reasons: reasons.map(reasonField) };
}
