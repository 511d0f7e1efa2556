import { type DocumentForm, eic, group, interval, type Part, type Vocabulary, value } from './vocabulary.ts';

/** ENTSO-E Scheduling System 2.3: values stand in attributes, the order of the elements is that of its DTD. */
const REASONS: readonly Part[] = [value('ReasonCode', 'code'), value('ReasonText', 'text', '?')];
const reasons = (times: '*' | '+' | '?'): Part => group('Reason', 'reasons', times, REASONS);

const PERIOD: readonly Part[] = [
  interval('TimeInterval', 'interval'),
  value('Resolution', 'resolution'),
  group('Interval', 'points', '+', [value('Pos', 'position'), value('Qty', 'quantity'), reasons('*')]),
];
const periods = (times: '*' | '+'): Part => group('Period', 'periods', times, PERIOD);

const FLOW: readonly Part[] = [
  value('BusinessType', 'businessType'),
  value('Product', 'product'),
  value('ObjectAggregation', 'aggregation'),
  eic('InArea', 'inArea', '?'),
  eic('OutArea', 'outArea', '?'),
  eic('MeteringPointIdentification', 'meteringPoint', '?'),
  eic('InParty', 'inParty', '?'),
  eic('OutParty', 'outParty', '?'),
  value('CapacityContractType', 'agreementType', '?'),
  value('CapacityAgreementIdentification', 'agreementId', '?'),
  value('MeasurementUnit', 'unit'),
];
const SERIES_NAME: readonly Part[] = [
  value('SendersTimeSeriesIdentification', 'identification'),
  value('SendersTimeSeriesVersion', 'version'),
];
const IMPOSED_NAME: readonly Part[] = [
  value('ImposedTimeSeriesIdentification', 'identification'),
  value('ImposedTimeSeriesVersion', 'version'),
];
const SERIES: readonly Part[] = [...SERIES_NAME, ...FLOW, periods('+'), reasons('?')];

/** Answers may lack what the platform does not use. */
const correspondents = (rolesTimes: '1' | '?'): readonly Part[] => [
  eic('SenderIdentification', 'sender'),
  value('SenderRole', 'senderRole', rolesTimes),
  eic('ReceiverIdentification', 'receiver'),
  value('ReceiverRole', 'receiverRole', rolesTimes),
];
const SUBJECT: readonly Part[] = [
  eic('Domain', 'domain', '?'),
  eic('SubjectParty', 'subject', '?'),
  value('SubjectRole', 'subjectRole', '?'),
];
const TIME_ERRORS = group('TimeIntervalError', 'timeErrors', '*', [
  interval('QuantityTimeInterval', 'interval'),
  reasons('+'),
]);

/** German TSOs send every document with a declaration of this path and expect one. */
const form = (root: string, dtd: string, parts: readonly Part[]): DocumentForm => ({
  root,
  namespace: null,
  rootAttributes: { DtdVersion: '2', DtdRelease: '3' },
  dtd: `../scheduleV2r3/dtd/${dtd}`,
  parts,
});

const DOCUMENTS: Vocabulary['documents'] = {
  schedule: form('ScheduleMessage', 'schedule-xml.dtd', [
    value('MessageIdentification', 'id'),
    value('MessageVersion', 'version'),
    value('MessageType', 'type'),
    value('ProcessType', 'process'),
    value('ScheduleClassificationType', 'classification'),
    ...correspondents('1'),
    value('MessageDateTime', 'createdAt'),
    interval('ScheduleTimeInterval', 'interval'),
    ...SUBJECT,
    interval('MatchingPeriod', 'matchingPeriod', '?'),
    group('ScheduleTimeSeries', 'series', '*', SERIES),
  ]),
  acknowledgement: form('AcknowledgementMessage', 'acknowledgement-xml.dtd', [
    value('MessageIdentification', 'id'),
    value('MessageDateTime', 'createdAt'),
    ...correspondents('?'),
    value('ReceivingMessageIdentification', 'answeredId', '?'),
    value('ReceivingMessageVersion', 'answeredVersion', '?'),
    value('ReceivingPayloadName', 'payloadName', '?'),
    value('DateTimeReceivingMessage', 'receivedAt', '?'),
    group('TimeSeriesRejection', 'rejections', '*', [
      value('SendersTimeSeriesIdentification', 'identification'),
      value('SendersTimeSeriesVersion', 'version', '?'),
      TIME_ERRORS,
      reasons('*'),
    ]),
    reasons('+'),
    TIME_ERRORS,
  ]),
  confirmation: form('ConfirmationReport', 'confirmation-xml.dtd', [
    value('MessageIdentification', 'id'),
    value('MessageType', 'type'),
    value('MessageDateTime', 'createdAt'),
    ...correspondents('?'),
    interval('ScheduleTimeInterval', 'interval'),
    value('ConfirmedMessageIdentification', 'answeredId', '?'),
    value('ConfirmedMessageVersion', 'answeredVersion', '?'),
    ...SUBJECT,
    value('ProcessType', 'process', '?'),
    reasons('+'),
    group('ImposedTimeSeries', 'imposed', '*', [...IMPOSED_NAME, ...FLOW, periods('+'), reasons('*')]),
    group('TimeSeriesConfirmation', 'series', '*', [...SERIES_NAME, ...FLOW, periods('*'), reasons('*')]),
  ]),
  anomaly: form('AnomalyReport', 'anomaly-xml.dtd', [
    value('MessageIdentification', 'id'),
    value('MessageDateTime', 'createdAt'),
    ...correspondents('?'),
    interval('ScheduleTimeInterval', 'interval'),
    group('TimeSeriesAnomaly', 'sides', '*', [
      eic('MessageSenderIdentification', 'party'),
      value('SendersMessageIdentification', 'messageId'),
      value('SendersMessageVersion', 'messageVersion'),
      ...SERIES_NAME,
      ...FLOW,
      periods('+'),
      reasons('*'),
    ]),
  ]),
};

/** StatusRequest 1.0, which ESS 2.3 uses unchanged. */
export const ESS_STATUS_REQUEST: DocumentForm = {
  ...form('StatusRequest', 'request-xml.dtd', [
    value('MessageIdentification', 'id'),
    value('MessageType', 'type'),
    value('ProcessType', 'process'),
    ...correspondents('1'),
    value('MessageDateTime', 'createdAt'),
    interval('RequestedTimeInterval', 'interval'),
  ]),
  rootAttributes: { DtdVersion: '1', DtdRelease: '0' },
};

export const ESS: Vocabulary = { valuesIn: 'attribute', documents: DOCUMENTS };
