import { type DocumentForm, eic, group, interval, type Part, type Vocabulary, value } from './vocabulary.ts';

/** IEC 62325-451-1, -2 and -5: values are the text of elements, intervals have a start and an end. */
const REASONS: readonly Part[] = [value('code', 'code'), value('text', 'text', '?')];
const reasons = (times: '*' | '+'): Part => group('Reason', 'reasons', times, REASONS);

const PERIOD: readonly Part[] = [
  interval('timeInterval', 'interval'),
  value('resolution', 'resolution'),
  group('Point', 'points', '+', [value('position', 'position'), value('quantity', 'quantity'), reasons('*')]),
];
const periods = (times: '*' | '+'): Part => group('Period', 'periods', times, PERIOD);

/** Two editions of the schemas differ in what they call the unit. */
const UNITS = ['measurement_Unit.name', 'measure_Unit.name'];

const series = (unitName: string, rest: readonly Part[]): readonly Part[] => [
  value('mRID', 'identification'),
  value('version', 'version'),
  value('businessType', 'businessType'),
  value('product', 'product'),
  value('objectAggregation', 'aggregation'),
  eic('in_Domain.mRID', 'inArea', '?'),
  eic('out_Domain.mRID', 'outArea', '?'),
  eic('marketEvaluationPoint.mRID', 'meteringPoint', '?'),
  eic('in_MarketParticipant.mRID', 'inParty', '?'),
  eic('out_MarketParticipant.mRID', 'outParty', '?'),
  value('marketAgreement.type', 'agreementType', '?'),
  value('marketAgreement.mRID', 'agreementId', '?'),
  eic('connectingLine_RegisteredResource.mRID', 'line', '?'),
  value(unitName, 'unit', '1', UNITS),
  value('curveType', 'curveType', '?'),
  ...rest,
];
const SERIES = series('measurement_Unit.name', [periods('+'), reasons('*')]);

/** Answers may lack what the platform does not use. */
const correspondents = (rolesTimes: '1' | '?'): readonly Part[] => [
  eic('sender_MarketParticipant.mRID', 'sender'),
  value('sender_MarketParticipant.marketRole.type', 'senderRole', rolesTimes),
  eic('receiver_MarketParticipant.mRID', 'receiver'),
  value('receiver_MarketParticipant.marketRole.type', 'receiverRole', rolesTimes),
];
const SUBJECT: readonly Part[] = [
  eic('subject_MarketParticipant.mRID', 'subject', '?'),
  value('subject_MarketParticipant.marketRole.type', 'subjectRole', '?'),
];
const scheduleInterval = (name: string): Part => ({
  ...interval(name, 'interval'),
  aliases: ['schedule_Time_Period.timeInterval', 'schedule_Period.timeInterval'],
});
const TIME_ERRORS = group('InError_Period', 'timeErrors', '*', [
  interval('timeInterval', 'interval'),
  reasons('+'),
]);

const form = (
  root: string,
  standard: '451-1' | '451-2' | '451-5',
  name: string,
  version: string,
  parts: readonly Part[],
): DocumentForm => ({
  root,
  namespace: { stem: `urn:iec62325.351:tc57wg16:${standard}:${name}:`, version },
  rootAttributes: {},
  dtd: null,
  parts,
});

const DOCUMENTS: Vocabulary['documents'] = {
  schedule: form('Schedule_MarketDocument', '451-2', 'scheduledocument', '5:2', [
    value('mRID', 'id'),
    value('revisionNumber', 'version'),
    value('type', 'type'),
    value('process.processType', 'process'),
    value('process.classificationType', 'classification'),
    ...correspondents('1'),
    value('createdDateTime', 'createdAt'),
    scheduleInterval('schedule_Time_Period.timeInterval'),
    eic('domain.mRID', 'domain'),
    ...SUBJECT,
    interval('matching_Time_Period.timeInterval', 'matchingPeriod', '?'),
    group('TimeSeries', 'series', '*', SERIES),
  ]),
  acknowledgement: form('Acknowledgement_MarketDocument', '451-1', 'acknowledgementdocument', '8:0', [
    value('mRID', 'id'),
    value('createdDateTime', 'createdAt'),
    ...correspondents('?'),
    value('received_MarketDocument.mRID', 'answeredId', '?'),
    value('received_MarketDocument.revisionNumber', 'answeredVersion', '?'),
    value('received_MarketDocument.type', 'answeredType', '?'),
    value('received_MarketDocument.process.processType', 'answeredProcess', '?'),
    value('received_MarketDocument.title', 'payloadName', '?'),
    value('received_MarketDocument.createdDateTime', 'receivedAt', '?'),
    group('Rejected_TimeSeries', 'rejections', '*', [
      value('mRID', 'identification'),
      value('version', 'version', '?'),
      TIME_ERRORS,
      reasons('*'),
    ]),
    reasons('+'),
    TIME_ERRORS,
  ]),
  confirmation: form('Confirmation_MarketDocument', '451-2', 'confirmationdocument', '5:0', [
    value('mRID', 'id'),
    value('type', 'type'),
    value('createdDateTime', 'createdAt'),
    ...correspondents('?'),
    scheduleInterval('schedule_Period.timeInterval'),
    value('confirmed_MarketDocument.mRID', 'answeredId', '?'),
    value('confirmed_MarketDocument.revisionNumber', 'answeredVersion', '?'),
    value('related_MarketDocument.mRID', 'related', '?'),
    eic('domain.mRID', 'domain', '?'),
    ...SUBJECT,
    value('process.processType', 'process', '?'),
    reasons('+'),
    group('Imposed_TimeSeries', 'imposed', '*', series('measure_Unit.name', [periods('+'), reasons('*')])),
    group('Confirmed_TimeSeries', 'series', '*', series('measure_Unit.name', [periods('*'), reasons('*')])),
  ]),
  anomaly: form('AnomalyReport_MarketDocument', '451-2', 'anomalydocument', '5:2', [
    value('mRID', 'id'),
    value('createdDateTime', 'createdAt'),
    ...correspondents('?'),
    scheduleInterval('schedule_Time_Period.timeInterval'),
    eic('domain.mRID', 'domain', '?'),
    group('Anomaly_MarketDocument', 'sides', '*', [
      eic('marketParticipant.mRID', 'party'),
      value('mRID', 'messageId'),
      value('revisionNumber', 'messageVersion'),
      {
        kind: 'merged',
        name: 'TimeSeries',
        field: '',
        times: '1',
        parts: series('measurement_Unit.name', [periods('+'), reasons('*')]),
      },
    ]),
  ]),
};

/** The request names what it asks for as pairs of attribute and value. */
export const CIM_STATUS_REQUEST = form(
  'StatusRequest_MarketDocument',
  '451-5',
  'statusrequestdocument',
  '4:0',
  [
    value('mRID', 'id'),
    value('type', 'type'),
    ...correspondents('1'),
    value('createdDateTime', 'createdAt'),
    group('AttributeInstanceComponent', 'attributes', '+', [
      value('attribute', 'name'),
      value('attributeValue', 'value'),
    ]),
  ],
);

export const CIM: Vocabulary = { valuesIn: 'text', documents: DOCUMENTS };
