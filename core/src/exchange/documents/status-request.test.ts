import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyDay, OPERATOR } from '../../../test/schedule-worlds.ts';
import { TSOS } from '../../enums.ts';
import { tsoCodes } from '../../market-rules.ts';
import { BUILT_IN_RULES } from '../../market-rules-file.ts';
import { MAX_IDENTIFICATION_LENGTH } from '../schedule.ts';
import { messageOfFile, statusRequestFileName } from './file-names.ts';
import {
  readStatusRequest,
  type StatusRequest,
  statusRequestId,
  statusRequestOf,
  writeStatusRequest,
} from './status-request.ts';

const request: StatusRequest = {
  operatorEic: OPERATOR,
  codes: tsoCodes(BUILT_IN_RULES, 'DE_AMPRION', '2026-10-25'),
  day: '2026-10-25',
  createdAt: Date.parse('2026-10-24T12:00:00Z'),
};

test('a status request in ESS has the elements of its DTD in their order', () => {
  assert.equal(
    writeStatusRequest(request, 'ess'),
    `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE StatusRequest SYSTEM "../scheduleV2r3/dtd/request-xml.dtd">
<StatusRequest DtdVersion="1" DtdRelease="0">
<MessageIdentification v="20261025_SRQ_AMP_20261024T120000Z"/>
<MessageType v="A59"/>
<ProcessType v="A17"/>
<SenderIdentification v="${OPERATOR}" codingScheme="A01"/>
<SenderRole v="A08"/>
<ReceiverIdentification v="10XDE-RWENET---W" codingScheme="A01"/>
<ReceiverRole v="A04"/>
<MessageDateTime v="2026-10-24T12:00:00Z"/>
<RequestedTimeInterval v="2026-10-24T22:00Z/2026-10-25T23:00Z"/>
</StatusRequest>
`,
  );
});

test('a status request in CIM has the elements of its schema in their order', () => {
  assert.equal(
    writeStatusRequest(request, 'cim'),
    `<?xml version="1.0" encoding="UTF-8"?>
<StatusRequest_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-5:statusrequestdocument:4:0">
<mRID>20261025_SRQ_AMP_20261024T120000Z</mRID>
<type>A59</type>
<sender_MarketParticipant.mRID codingScheme="A01">${OPERATOR}</sender_MarketParticipant.mRID>
<sender_MarketParticipant.marketRole.type>A08</sender_MarketParticipant.marketRole.type>
<receiver_MarketParticipant.mRID codingScheme="A01">10XDE-RWENET---W</receiver_MarketParticipant.mRID>
<receiver_MarketParticipant.marketRole.type>A04</receiver_MarketParticipant.marketRole.type>
<createdDateTime>2026-10-24T12:00:00Z</createdDateTime>
<AttributeInstanceComponent>
<attribute>subject_MarketParticipant.mRID</attribute>
<attributeValue>${OPERATOR}</attributeValue>
</AttributeInstanceComponent>
<AttributeInstanceComponent>
<attribute>subject_MarketParticipant.marketRole.type</attribute>
<attributeValue>A08</attributeValue>
</AttributeInstanceComponent>
<AttributeInstanceComponent>
<attribute>schedule_Time_Period.timeInterval</attribute>
<attributeValue>2026-10-24T22:00Z/2026-10-25T23:00Z</attributeValue>
</AttributeInstanceComponent>
</StatusRequest_MarketDocument>
`,
  );
});

test('a status request is read back with its TSO and day, in both formats', () => {
  fc.assert(
    fc.property(
      anyDay,
      fc.constantFrom(...TSOS),
      fc.constantFrom('ess' as const, 'cim' as const),
      (day, tso, format) => {
        const text = writeStatusRequest(
          { ...request, day, codes: tsoCodes(BUILT_IN_RULES, tso, day) },
          format,
        );
        const id = /(?:MessageIdentification v="|<mRID>)([^"<]+)/.exec(text)?.[1] ?? '';
        assert.deepEqual(readStatusRequest(text, BUILT_IN_RULES), {
          id,
          format,
          operatorEic: OPERATOR,
          tso,
          day,
        });
        assert.ok(id.length > 0 && id.length <= MAX_IDENTIFICATION_LENGTH, id);
        assert.deepEqual(statusRequestOf(id, BUILT_IN_RULES), { tso, day });
      },
    ),
  );
});

test('any other document is no status request', () => {
  for (const text of [
    '',
    '<nonsense/>',
    '<StatusRequest/>',
    writeStatusRequest(request, 'ess').replace('22:00Z/', '21:00Z/'),
    writeStatusRequest(request, 'cim').replace('schedule_Time_Period.timeInterval', 'other'),
    writeStatusRequest(request, 'ess').replace('10XDE-RWENET---W', OPERATOR),
  ]) {
    assert.equal(readStatusRequest(text, BUILT_IN_RULES), null, text);
  }
});

test('the file of a status request is named without version and time', () => {
  assert.equal(statusRequestFileName(request), '20261025_SRQ_11XSALDO-------Z_10XDE-RWENET---W.XML');
});

test('a status request is recognised by its identification, and by its file', () => {
  const about = { tso: 'DE_AMPRION', day: '2026-10-25' };
  assert.equal(statusRequestId(request), '20261025_SRQ_AMP_20261024T120000Z');
  assert.deepEqual(statusRequestOf(statusRequestId(request), BUILT_IN_RULES), about);
  const named = messageOfFile(BUILT_IN_RULES, `/out/${statusRequestFileName(request).toLowerCase()}`);
  assert.deepEqual(named, { messageId: '20261025_SRQ_AMP', version: null });
  assert.deepEqual(statusRequestOf('20261025_SRQ_AMP', BUILT_IN_RULES), about);
  for (const other of ['20261025_TPS_11XSALDO-------Z_AMP', '20261325_SRQ_AMP', '20261025_SRQ_XXX_1', ''])
    assert.equal(statusRequestOf(other, BUILT_IN_RULES), null, other);
  for (const other of ['20261025_SRQ_11XSALDO-------Z_10XDE-RWENET---W_001.XML', '20261025_SRQ.XML'])
    assert.equal(messageOfFile(BUILT_IN_RULES, other), null, other);
});
