import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/runs.ts';
import { anyAnswer, anySchedules } from '../../../test/exchange-documents.ts';
import { areaOf, OPERATOR, slotsOf } from '../../../test/schedule-worlds.ts';
import { slotCount } from '../../delivery-day.ts';
import type { MessageFormat } from '../../enums.ts';
import { tsoCodes } from '../../market-rules.ts';
import { BUILT_IN_RULES } from '../../market-rules-file.ts';
import type { Answer } from '../answer.ts';
import type { Schedule } from '../schedule.ts';
import { answerFileName, messageOfFile, scheduleFileName } from './file-names.ts';
import { readDocument } from './read-document.ts';
import { writeAnswer, writeEssSeries, writeSchedule } from './write-document.ts';
import { readXml, type XmlElement } from './xml.ts';

const FORMATS: readonly MessageFormat[] = ['ess', 'cim'];
const createdAt = Date.parse('2026-10-24T12:00:00Z');

const ESS_FLOW =
  'BusinessType Product ObjectAggregation InArea? OutArea? MeteringPointIdentification? InParty? OutParty? CapacityContractType? CapacityAgreementIdentification? MeasurementUnit';
const CIM_FLOW =
  'businessType product objectAggregation in_Domain.mRID? out_Domain.mRID? marketEvaluationPoint.mRID? in_MarketParticipant.mRID? out_MarketParticipant.mRID? marketAgreement.type? marketAgreement.mRID? connectingLine_RegisteredResource.mRID?';
const CIM_HEAD =
  'sender_MarketParticipant.mRID sender_MarketParticipant.marketRole.type receiver_MarketParticipant.mRID receiver_MarketParticipant.marketRole.type';

/**
 * The structure of both formats: the children of each element, their order and number. Written independently of the
 * tables that the writer uses.
 */
const STRUCTURE: Readonly<Record<MessageFormat, Readonly<Record<string, string>>>> = {
  ess: {
    ScheduleMessage:
      'MessageIdentification MessageVersion MessageType ProcessType ScheduleClassificationType SenderIdentification SenderRole ReceiverIdentification ReceiverRole MessageDateTime ScheduleTimeInterval Domain? SubjectParty? SubjectRole? MatchingPeriod? ScheduleTimeSeries*',
    ScheduleTimeSeries: `SendersTimeSeriesIdentification SendersTimeSeriesVersion ${ESS_FLOW} Period+ Reason?`,
    Period: 'TimeInterval Resolution Interval+',
    Interval: 'Pos Qty Reason*',
    Reason: 'ReasonCode ReasonText?',
    ConfirmationReport:
      'MessageIdentification MessageType MessageDateTime SenderIdentification SenderRole ReceiverIdentification ReceiverRole ScheduleTimeInterval ConfirmedMessageIdentification? ConfirmedMessageVersion? Domain? SubjectParty? SubjectRole? ProcessType? Reason+ ImposedTimeSeries* TimeSeriesConfirmation*',
    TimeSeriesConfirmation: `SendersTimeSeriesIdentification SendersTimeSeriesVersion ${ESS_FLOW} Period* Reason*`,
    ImposedTimeSeries: `ImposedTimeSeriesIdentification ImposedTimeSeriesVersion ${ESS_FLOW} Period+ Reason+`,
    AnomalyReport:
      'MessageIdentification MessageDateTime SenderIdentification SenderRole ReceiverIdentification ReceiverRole ScheduleTimeInterval TimeSeriesAnomaly*',
    TimeSeriesAnomaly: `MessageSenderIdentification SendersMessageIdentification SendersMessageVersion SendersTimeSeriesIdentification SendersTimeSeriesVersion ${ESS_FLOW} Period+ Reason+`,
    AcknowledgementMessage:
      'MessageIdentification MessageDateTime SenderIdentification SenderRole ReceiverIdentification ReceiverRole? ReceivingMessageIdentification? ReceivingMessageVersion? ReceivingPayloadName? DateTimeReceivingMessage? TimeSeriesRejection* Reason+ TimeIntervalError*',
    TimeSeriesRejection:
      'SendersTimeSeriesIdentification SendersTimeSeriesVersion? TimeIntervalError* Reason*',
  },
  cim: {
    Schedule_MarketDocument: `mRID revisionNumber type process.processType process.classificationType ${CIM_HEAD} createdDateTime schedule_Time_Period.timeInterval domain.mRID subject_MarketParticipant.mRID subject_MarketParticipant.marketRole.type matching_Time_Period.timeInterval? TimeSeries*`,
    TimeSeries: `mRID version ${CIM_FLOW} measurement_Unit.name curveType? Period+ Reason*`,
    'schedule_Time_Period.timeInterval': 'start end',
    'schedule_Period.timeInterval': 'start end',
    timeInterval: 'start end',
    Period: 'timeInterval resolution Point+',
    Point: 'position quantity Reason*',
    Reason: 'code text?',
    Confirmation_MarketDocument: `mRID type createdDateTime ${CIM_HEAD} schedule_Period.timeInterval confirmed_MarketDocument.mRID? confirmed_MarketDocument.revisionNumber? domain.mRID subject_MarketParticipant.mRID? subject_MarketParticipant.marketRole.type? process.processType? Reason+ Imposed_TimeSeries* Confirmed_TimeSeries*`,
    Confirmed_TimeSeries: `mRID version ${CIM_FLOW} measure_Unit.name curveType? Period* Reason*`,
    Imposed_TimeSeries: `mRID version ${CIM_FLOW} measure_Unit.name curveType? Period+ Reason+`,
    AnomalyReport_MarketDocument: `mRID createdDateTime ${CIM_HEAD} schedule_Time_Period.timeInterval domain.mRID Anomaly_MarketDocument*`,
    Anomaly_MarketDocument: 'marketParticipant.mRID mRID revisionNumber TimeSeries',
    Acknowledgement_MarketDocument: `mRID createdDateTime ${CIM_HEAD} received_MarketDocument.mRID? received_MarketDocument.revisionNumber? Rejected_TimeSeries* Reason+`,
    Rejected_TimeSeries: 'mRID version? Reason*',
  },
};

const EIC = /^\d{2}[A-Z][A-Z0-9-]{13}$/;
const ROLE = /^A0[48]$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/;
const INTERVAL = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ\/\d{4}-\d\d-\d\dT\d\d:\d\dZ$/;
const VERSION = /^[1-9]\d{0,2}$/;
const IDENTIFICATION = /^.{1,44}$/;
const CODE = /^A\d\d$/;

/** The format of every value, by the end of its element's name. */
const TYPES: readonly [RegExp, RegExp][] = [
  [
    /(Sender|Receiver|MessageSender)Identification$|Party$|Area$|Domain(\.mRID)?$|MarketParticipant\.mRID$|marketParticipant\.mRID$|domain\.mRID$/,
    EIC,
  ],
  [/Role$|marketRole\.type$/, ROLE],
  [/DateTime$/, TIME],
  [/^(start|end)$/, MINUTE],
  [/Interval$/, INTERVAL],
  [/Version$|^version$|revisionNumber$/, VERSION],
  [/^(Pos|position)$/, /^[1-9]\d{0,2}$/],
  [/^(Qty|quantity)$/, /^\d+\.\d{3}$/],
  [/^(Resolution|resolution)$/, /^PT15M$/],
  [/^(MeasurementUnit|measure(ment)?_Unit\.name)$/, /^MAW$/],
  [/^(Product|product)$/, /^8716867000016$/],
  [/Identification$|mRID$/, IDENTIFICATION],
  [/^(ReasonText|text)$/, /./],
  [/Type$|type$|Code$|^code$|Aggregation$/, CODE],
];

/** Throws for unexpected children and for values of another format. */
function checkStructure(format: MessageFormat, element: XmlElement): void {
  const { name, children } = element;
  const structure = STRUCTURE[format][name];
  if (structure === undefined) {
    assert.equal(children.length, 0, `${name} holds a value`);
    const value = format === 'ess' ? element.attributes.get('v') : element.text;
    const type = TYPES.find(([names]) => names.test(name));
    assert.ok(type, `${name} has a type`);
    assert.match(value ?? '', type[1], name);
    assert.equal(element.attributes.get('codingScheme'), type[1] === EIC ? 'A01' : undefined, name);
    return;
  }
  const pattern = structure
    .split(' ')
    .map((part) => part.replaceAll('.', '\\.').replace(/^(.*?)([?*+]?)$/, '(?:$1 )$2'))
    .join('');
  const found = children.map((child) => `${child.name} `).join('');
  assert.match(found, new RegExp(`^${pattern}$`), name);
  for (const child of children) checkStructure(format, child);
}

function parse(text: string): XmlElement {
  const [root, ...children] = [...readXml(text)];
  return { ...root!, children };
}

function readBack(text: string, format: MessageFormat) {
  const read = readDocument(Buffer.from(text), BUILT_IN_RULES);
  assert.ok(read.kind === 'ok', JSON.stringify(read));
  assert.equal(read.format, format);
  return read.document;
}

test('schedules of random worlds have the structure of their format, with every slot of the day', () => {
  fc.assert(
    fc.property(anySchedules, (schedules) => {
      for (const schedule of schedules) {
        for (const format of FORMATS) {
          const root = parse(writeSchedule(schedule, format, createdAt));
          checkStructure(format, root);
          const series = root.children.filter(({ name }) => name.endsWith('TimeSeries'));
          assert.equal(series.length, schedule.series.length);
          for (const { children } of series) {
            const [period, ...more] = children.filter(({ name }) => name === 'Period');
            assert.deepEqual(more, []);
            const positions = period!.children.slice(2).map(({ children: [position] }) => position!);
            assert.deepEqual(
              positions.map((position) => Number(position.attributes.get('v') ?? position.text)),
              Array.from({ length: slotCount(schedule.day) }, (_, at) => at + 1),
            );
          }
        }
      }
    }),
    { numRuns: runs(15) },
  );
});

test('schedules of random worlds are read back unchanged, in both formats', () => {
  fc.assert(
    fc.property(anySchedules, (schedules) => {
      for (const schedule of schedules) {
        for (const format of FORMATS) {
          const document = readBack(writeSchedule(schedule, format, createdAt), format);
          assert.deepEqual(document, { kind: 'schedule', createdAt, schedule, unusable: [], headFaults: [] });
        }
      }
    }),
    { numRuns: runs(20) },
  );
});

test('answers have the structure of their format and are read back unchanged', () => {
  const anyCase = anySchedules
    .filter((schedules) => schedules.length > 0)
    .chain((schedules) => fc.constantFrom(...schedules))
    .chain((schedule) => anyAnswer(schedule));
  fc.assert(
    fc.property(anyCase, (answer: Answer) => {
      for (const format of FORMATS) {
        const text = writeAnswer(answer, format);
        checkStructure(format, parse(text));
        assert.deepEqual(readBack(text, format), answer);
      }
    }),
    { numRuns: runs(150) },
  );
});

const schedule: Schedule = {
  operatorEic: OPERATOR,
  tso: 'DE_TENNET',
  codes: tsoCodes(BUILT_IN_RULES, 'DE_TENNET', '2026-03-29'),
  day: '2026-03-29',
  messageId: '20260329_TPS_11XSALDO-------Z_TTG',
  version: 7,
  series: [
    {
      identification: '11XALBSTROM----X_OUT',
      version: 3,
      businessType: 'A02',
      outParty: '11XALBSTROM----X',
      outArea: areaOf('DE_TENNET'),
      inParty: OPERATOR,
      inArea: areaOf('DE_TENNET'),
      powersKw: slotsOf('2026-03-29', { 1: 250, 92: 23_000 }),
    },
  ],
};

test('a schedule in ESS begins as the TSOs expect it', () => {
  const text = writeSchedule(schedule, 'ess', createdAt);
  const expected = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ScheduleMessage SYSTEM "../scheduleV2r3/dtd/schedule-xml.dtd">
<ScheduleMessage DtdVersion="2" DtdRelease="3">
<MessageIdentification v="20260329_TPS_11XSALDO-------Z_TTG"/>
<MessageVersion v="7"/>
<MessageType v="A01"/>
<ProcessType v="A17"/>
<ScheduleClassificationType v="A01"/>
<SenderIdentification v="11XSALDO-------Z" codingScheme="A01"/>
<SenderRole v="A08"/>
<ReceiverIdentification v="10XDE-EON-NETZ-C" codingScheme="A01"/>
<ReceiverRole v="A04"/>
<MessageDateTime v="2026-10-24T12:00:00Z"/>
<ScheduleTimeInterval v="2026-03-28T23:00Z/2026-03-29T22:00Z"/>
<ScheduleTimeSeries>
<SendersTimeSeriesIdentification v="11XALBSTROM----X_OUT"/>
<SendersTimeSeriesVersion v="3"/>
<BusinessType v="A02"/>
<Product v="8716867000016"/>
<ObjectAggregation v="A01"/>
<InArea v="10YDE-EON------1" codingScheme="A01"/>
<OutArea v="10YDE-EON------1" codingScheme="A01"/>
<InParty v="11XSALDO-------Z" codingScheme="A01"/>
<OutParty v="11XALBSTROM----X" codingScheme="A01"/>
<MeasurementUnit v="MAW"/>
<Period>
<TimeInterval v="2026-03-28T23:00Z/2026-03-29T22:00Z"/>
<Resolution v="PT15M"/>
<Interval>
<Pos v="1"/>
<Qty v="0.250"/>
</Interval>
`;
  assert.equal(text.slice(0, expected.length), expected);
  assert.match(
    text,
    /<Interval>\n<Pos v="92"\/>\n<Qty v="23\.000"\/>\n<\/Interval>\n<\/Period>\n<\/ScheduleTimeSeries>\n<\/ScheduleMessage>\n$/,
  );
});

test('a schedule in CIM names its schema, area and sender', () => {
  const root = parse(writeSchedule(schedule, 'cim', createdAt));
  assert.equal(root.attributes.get('xmlns'), 'urn:iec62325.351:tc57wg16:451-2:scheduledocument:5:2');
  const textOf = (name: string) => root.children.find((child) => child.name === name)?.text;
  assert.deepEqual(
    [
      textOf('domain.mRID'),
      textOf('subject_MarketParticipant.mRID'),
      textOf('receiver_MarketParticipant.mRID'),
    ],
    [areaOf('DE_TENNET'), OPERATOR, schedule.codes.party],
  );
});

test('a single series is written as a document of its own', () => {
  const text = writeEssSeries(schedule.series[0]!, schedule.day);
  const root = parse(text);
  assert.equal(root.name, 'ScheduleTimeSeries');
  checkStructure('ess', root);
});

test('file names have day, sender, receiver and version, and for an answer its kind and time', () => {
  const stem = '20260329_TPS_11XSALDO-------Z_10XDE-EON-NETZ-C_007';
  assert.equal(scheduleFileName(schedule), `${stem}.XML`);
  assert.deepEqual(
    (['acknowledgement', 'confirmation', 'anomaly'] as const).map((kind) =>
      answerFileName(schedule, { kind, createdAt }),
    ),
    ['ACK', 'CNF', 'ANO'].map((tag) => `${stem}_${tag}_2026-10-24T12-00-00Z.XML`),
  );
  assert.match(scheduleFileName({ ...schedule, version: 999 }), /_999\.XML$/);
});

test('the name of a file leads to its schedule', () => {
  const name = scheduleFileName(schedule);
  const message = { messageId: schedule.messageId, version: 7 };
  for (const given of [name, name.toLowerCase(), `/outbox/${name}`, `C:\\out\\${name}`]) {
    assert.deepEqual(messageOfFile(BUILT_IN_RULES, given), message, given);
  }
  for (const other of [
    '',
    'report.xml',
    name.replace('20260329', '20260230'),
    name.replace('10XDE-EON-NETZ-C', OPERATOR),
    name.replace('_007', '_7'),
    answerFileName(schedule, { kind: 'acknowledgement', createdAt }),
  ]) {
    assert.equal(messageOfFile(BUILT_IN_RULES, other), null, other);
  }
});
