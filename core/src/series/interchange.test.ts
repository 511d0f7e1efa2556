import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEAD_SEGMENTS, interchange, line, MALO, message, seg } from '../../test/mscons-documents.ts';
import { EDIFACT_LIMITS } from './edifact.ts';
import { isUtf8Syntax, readHeader, readInterchange } from './interchange.ts';

const BODY = line(MALO, '1.29.0');
const SEGMENTS = HEAD_SEGMENTS + BODY.length + 1;

const faultOf = (text: string) => {
  const found = readInterchange(text);
  return found.kind === 'rejected' ? found.fault : null;
};
/** Message numbers with the rejection of their envelope. */
const rejectionsOf = (text: string) => {
  const found = readInterchange(text);
  assert.equal(found.kind, 'interchange');
  return found.kind === 'interchange' ? found.messages.map(({ rejection }) => rejection) : [];
};

test('an interchange has a header and the places of its messages, with or without UNA', () => {
  const messages = [message(BODY, 'M1'), message(BODY, 'M2')];
  for (const una of ['', "UNA:+.? '", "\r\nUNA:+.? '\r\n"]) {
    const text = interchange(messages, 'R7', una);
    const found = readInterchange(text);
    assert.ok(found.kind === 'interchange');
    assert.deepEqual(found.header, readHeader(text));
    assert.deepEqual(found.header, {
      syntax: 'UNOC',
      sender: '9900000000001',
      receiver: '9900000000002',
      reference: 'R7',
    });
    assert.deepEqual(
      found.messages.map(({ number, reference, from }) => ({
        number,
        reference,
        starts: text.startsWith('UNH', from),
      })),
      [
        { number: 1, reference: 'M1', starts: true },
        { number: 2, reference: 'M2', starts: true },
      ],
    );
  }
  assert.equal(faultOf(interchange([])), null);
});

test('a wrong trailer rejects the interchange and keeps its header', () => {
  const text = interchange([message(BODY)]);
  assert.deepEqual(readInterchange(text.replace('UNZ+1+', 'UNZ+2+')), {
    kind: 'rejected',
    header: { syntax: 'UNOC', sender: '9900000000001', receiver: '9900000000002', reference: 'R1' },
    fault: { key: 'mscons.interchange_count', stated: '2', found: 1 },
  });
  assert.deepEqual(faultOf(text.replace("UNZ+1+R1'", "UNZ+1+R2'")), {
    key: 'mscons.interchange_reference',
    stated: 'R2',
    expected: 'R1',
  });
  assert.equal(faultOf(text.replace("UNZ+1+R1'", "UNZ'"))?.key, 'mscons.interchange_count');
  assert.equal(
    faultOf(text.replace("UNZ+1+R1'", `UNZ+1+R1${'+x'.repeat(2000)}'`))?.key,
    'mscons.interchange_count',
  );
  assert.equal(faultOf(text.replace("UNZ+1+R1'", ''))?.key, 'mscons.interchange_unfinished');
  assert.equal(faultOf(text.slice(0, -1))?.key, 'mscons.unterminated_segment');
  assert.equal(faultOf(`${text}${text}`)?.key, 'mscons.text_after_end');
  assert.equal(faultOf(`${text}\r\n`), null);
});

test('a header that is missing, incomplete or that of a test rejects the interchange', () => {
  const text = interchange([message(BODY)]);
  assert.deepEqual(readInterchange(''), {
    kind: 'rejected',
    header: null,
    fault: { key: 'mscons.interchange_header' },
  });
  assert.equal(faultOf(text.replace('UNB+', 'UNX+'))?.key, 'mscons.interchange_header');
  assert.equal(faultOf(text.replace(':500+9900000000002', ':500+'))?.key, 'mscons.interchange_header');
  assert.equal(faultOf(text.replaceAll('R1', 'R'.repeat(15)))?.key, 'mscons.interchange_header');
  assert.equal(faultOf(text.replaceAll('R1', 'R\0'))?.key, 'mscons.interchange_header');
  assert.equal(faultOf(text.replace("UNA:+.? '", "UNA:+.:  '"))?.key, 'mscons.service_characters');
  assert.equal(faultOf(text.replace("+TL'", "+TL++++1'"))?.key, 'mscons.test_interchange');
  assert.deepEqual(faultOf(text.replace('UNH+', "XYZ+1'UNH+")), {
    key: 'mscons.unexpected_segment',
    found: 'XYZ',
  });
});

test('the syntax identifier names the character set, and unknown ones reject the interchange', () => {
  const text = interchange([message(BODY)]);
  const isUtf8 = (syntax: string) => {
    const stated = text.replace('UNOC', syntax);
    assert.equal(faultOf(stated), null);
    return isUtf8Syntax(readHeader(stated)!);
  };
  assert.deepEqual(['UNOA', 'UNOB', 'UNOC'].map(isUtf8), [false, false, false]);
  assert.deepEqual(['UNOW', 'UNOY'].map(isUtf8), [true, true]);
  assert.deepEqual(faultOf(text.replace('UNOC', 'UNOE')), {
    key: 'mscons.character_set',
    found: 'UNOE',
    known: ['UNOA', 'UNOB', 'UNOC', 'UNOW', 'UNOY'],
  });
  assert.equal(readHeader(text.replace('UNB+', 'UNX+')), null);
});

test('a wrong UNT rejects its message only, with segments counted from UNH = 1', () => {
  const good = message(BODY, 'M2');
  const withTrailer = (trailer: string) =>
    interchange([message(BODY).replace(`UNT+${SEGMENTS}+M1'`, trailer), good]);
  assert.deepEqual(rejectionsOf(withTrailer(`UNT+${SEGMENTS}+M1'`)), [null, null]);
  assert.deepEqual(rejectionsOf(withTrailer(`UNT+0${SEGMENTS}+M1'`)), [null, null]);
  assert.deepEqual(rejectionsOf(withTrailer("UNT+9+M1'")), [
    { segment: SEGMENTS, fault: { key: 'mscons.message_count', stated: '9', found: SEGMENTS } },
    null,
  ]);
  assert.deepEqual(rejectionsOf(withTrailer(`UNT+${SEGMENTS}+M2'`)), [
    { segment: SEGMENTS, fault: { key: 'mscons.message_reference', stated: 'M2', expected: 'M1' } },
    null,
  ]);
  // The message ends where the next one begins.
  assert.deepEqual(rejectionsOf(withTrailer('')), [
    { segment: SEGMENTS - 1, fault: { key: 'mscons.message_unfinished' } },
    null,
  ]);
  assert.deepEqual(rejectionsOf(withTrailer(`UNT+${SEGMENTS}+M1+${'x'.repeat(2000)}'`))[0]?.fault, {
    key: 'mscons.segment_too_long',
    maxCharacters: 2000,
  });
  assert.deepEqual(rejectionsOf(interchange([good, good.replace('UNH+M2', 'UNH+')])), [
    null,
    { segment: 1, fault: { key: 'mscons.message_header' } },
  ]);
});

test('an interchange beyond the limits is rejected before its messages are read', () => {
  const tooLong = 'x'.repeat(EDIFACT_LIMITS.interchangeCharacters + 1);
  assert.equal(faultOf(tooLong)?.key, 'mscons.interchange_too_large');
  const many = interchange(
    Array.from({ length: EDIFACT_LIMITS.messages + 1 }, () => seg('UNH', '1') + seg('UNT', '2', '1')),
  );
  assert.deepEqual(faultOf(many), { key: 'mscons.too_many_messages', max: EDIFACT_LIMITS.messages });
});
