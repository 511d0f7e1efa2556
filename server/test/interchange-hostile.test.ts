import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dayStart, SLOT_MS } from '@saldo/core/delivery-day.ts';
import { EDIFACT_LIMITS } from '@saldo/core/series/edifact.ts';
import fc from 'fast-check';
import {
  interchange,
  line,
  MALO,
  message,
  profile,
  quantity,
  seg,
} from '../../core/test/mscons-documents.ts';
import { runs } from '../../test/runs.ts';
import { assertProblem, assertRefused, bodyOf, client, startTestPlatform } from './harness.ts';
import { INTERCHANGES, meteringOf, newMalo } from './interchanging.ts';

/** Interchanges that no honest sender makes: each is answered, stored byte by byte, and changes nothing that is not valid. */
const platform = await startTestPlatform({ now: '2026-11-18T08:00:00Z' });
const key = await platform.world.operatorKey();
const operator = client(platform.baseUrl, key);
const { createMeter, send, valuesOf } = meteringOf(platform, operator);

const DAY = '2026-11-16';
const OBIS = '2.29.0';
let references = 0;
const nextReference = () => `BAD${++references}`;
const start = (slot: number) => dayStart(DAY) + (slot - 1) * SLOT_MS;
const newest = async () => (await bodyOf(operator(`${INTERCHANGES}?limit=1`))).interchanges[0] ?? null;
const rawOf = async (id: string) => {
  const response = await fetch(`${platform.baseUrl}${INTERCHANGES}/${id}/raw`, {
    headers: { 'x-api-key': key },
  });
  return Buffer.from(await response.arrayBuffer());
};
const valueMessage = (location: string, kwh: string, reference: string) =>
  message([...line(location, OBIS), ...quantity(start(1), kwh)], reference);

test('an interchange beyond the limit is 413, compressed or not, and is not stored', async () => {
  const tooLarge = Buffer.alloc(EDIFACT_LIMITS.interchangeCharacters + 1, "FTX'");
  assertProblem(await send(tooLarge), 413, 'payload_too_large');
  assertProblem(await send(gzipSync(tooLarge), { 'content-encoding': 'gzip' }), 413, 'payload_too_large');
  assertRefused(await send('no gzip', { 'content-encoding': 'gzip' }), ' invalid_format');
  assert.equal(await newest(), null);
});

test('10,000 messages are read, applied, rejected and listed, with bounded lists', async () => {
  const locations = Array.from({ length: 20 }, newMalo);
  const series = await Promise.all(locations.map((location) => createMeter(location)));
  const unknown = Array.from({ length: 2500 }, newMalo);
  const messages = Array.from({ length: 10_000 }, (_, at) => {
    if (at % 4 === 0) return valueMessage(locations[0]!, '1.23456', `M${at}`);
    if (at % 4 === 1) return valueMessage(unknown[(at - 1) / 4]!, '1', `M${at}`);
    return valueMessage(locations[at % locations.length]!, String(at), `M${at}`);
  });
  const answer = await bodyOf(send(interchange(messages, nextReference())));
  assert.deepEqual([answer.messages, answer.rejected_messages, answer.rejected.length], [10_000, 2500, 1000]);
  assert.deepEqual([answer.unknown_locations, answer.unknown.length], [2500, 1000]);
  // The last message of a location counts.
  const last = Array.from({ length: 20 }, (_, at) => 9980 + at).filter((at) => at % 4 > 1);
  for (const at of last)
    assert.deepEqual(await valuesOf(series[at % 20]!, DAY), { 1: at * 1000 }, `message ${at}`);
});

test('a message of many days is applied whole', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const days = Array.from(
    { length: 250 },
    (_, at) =>
      `2025-${String(1 + Math.floor(at / 25)).padStart(2, '0')}-${String(1 + (at % 25)).padStart(2, '0')}`,
  );
  const body = [...line(location, OBIS), ...days.flatMap((day, at) => quantity(dayStart(day), String(at)))];
  await bodyOf(send(interchange([message(body)], nextReference())));
  for (const at of [0, 100, 249]) assert.deepEqual(await valuesOf(series, days[at]!), { 1: at * 1000 });
  const broken = [...body, ...quantity(dayStart(days[0]!), '7')];
  const { rejected } = await bodyOf(
    send(interchange([message(broken.with(4, seg('QTY', '220:9:KWH')))], nextReference())),
  );
  assert.equal(rejected[0].reason, 'The message has two values for slot 1 of 2025-01-01');
  assert.deepEqual(await valuesOf(series, days[0]!), { 1: 0 });
});

test('escapes, unterminated segments and wrong counts are answered with a reason', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const good = interchange([valueMessage(location, '1', 'M1')], 'ESCAPED');
  const faults: [text: string, reason: RegExp][] = [
    [good.slice(0, -1), /does not end/],
    [`${good.slice(0, -1)}?'`, /does not end/],
    [good.replace(/UNZ.*/, ''), /UNZ is missing/],
    [good.replace('UNZ+1', 'UNZ+0'), /states "0" messages/],
    [good.replace('UNZ+1', 'UNZ+99999999999999999999'), /messages, the interchange has 1/],
    [good.replace('UNZ+1+ESCAPED', 'UNZ+1+OTHER'), /has the reference "OTHER"/],
    [`${good}x`, /text after UNZ/],
    [`${good}${good}`, /text after UNZ/],
    [good.replace('UNOC', 'UNOF'), /character set "UNOF"/],
    [good.replace("+TL'", "+TL++++1'"), /marked as a test/],
    ['?'.repeat(1_000_000), /does not begin with a UNB/],
    [`UNA:::? '${good}`, /service characters/],
    [good.replace('UNH', `${'?'.repeat(1_000_001)}'UNH`), /segment "" outside/],
  ];
  for (const [text, reason] of faults) {
    const answer = await send(text);
    assertRefused(answer, ' invalid_format');
    assert.match(answer.body.errors[0].message, reason);
    assert.deepEqual([(await newest()).state, await valuesOf(series, DAY)], ['rejected', {}]);
  }
  const escaped = good
    .replace("UNS+D'", "UNS+D'FTX+ACB++?'UNZ?+9?+X?'??'FTX+??????'")
    .replace('UNT+13', 'UNT+15');
  assert.deepEqual((await bodyOf(send(escaped))).rejected, []);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 1000 });
});

test('binary bytes are stored as they came, and quoted in reasons without control characters', async () => {
  const text = (syntax: string, kwh: string, tag = 'FTX') =>
    interchange(
      [message([seg(tag, 'x'), ...line(MALO, OBIS), ...quantity(start(1), kwh)])],
      nextReference(),
    ).replace('UNOC', syntax);
  for (const bytes of [
    Buffer.from(text('UNOC', '1\0\u0001'), 'latin1'),
    Buffer.from(text('UNOC', '1', 'F\0X'), 'latin1'),
    Buffer.from(text('UNOC', '1').replace('KWH', '\0\x85\xff'), 'latin1'),
    Buffer.from(text('UNOY', '1').replace('KWH', `${'x'.repeat(39)}\u{1f600}`)),
    Buffer.concat([
      Buffer.from(text('UNOW', '1').replace('KWH', 'Ü').slice(0, -1)),
      Buffer.from([0xff, 0x27]),
    ]),
  ]) {
    const answer = await send(bytes);
    const stored = await newest();
    assert.deepEqual(await rawOf(stored.id), bytes);
    const reason = answer.status === 200 ? answer.body.rejected[0].reason : stored.reason;
    assert.doesNotMatch(reason, /\p{Cc}|\p{Cs}/u);
  }
});

test('UTF-8 is read where the header says so, and ISO 8859-1 elsewhere', async () => {
  const unitOf = async (syntax: string, encoding: 'latin1' | 'utf8') => {
    const text = interchange([valueMessage(MALO, '1', 'M1')], nextReference());
    const bytes = Buffer.from(text.replace('UNOC', syntax).replace('KWH', 'Ä'), encoding);
    return (await bodyOf(send(bytes))).rejected[0].reason;
  };
  for (const [syntax, encoding] of [
    ['UNOA', 'latin1'],
    ['UNOB', 'latin1'],
    ['UNOC', 'latin1'],
    ['UNOW', 'utf8'],
    ['UNOY', 'utf8'],
  ] as const)
    assert.equal(await unitOf(syntax, encoding), 'The unit of the value is "Ä", not KWH');
});

test('any damage to an interchange is answered, and what came is stored', async () => {
  const location = newMalo();
  await createMeter(location);
  const good = Buffer.from(interchange([message(profile(location, OBIS, DAY, String))], 'DAMAGED'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 5,
      }),
      async (damages) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of damages) bytes[at] = byte;
        const answer = await send(bytes);
        if (answer.status === 409) return;
        const [id = ''] = /icg_\w+/.exec(answer.text) ?? [];
        assert.ok([200, 400].includes(answer.status), answer.text);
        assert.deepEqual(await rawOf(id), bytes);
      },
    ),
    { numRuns: runs(60) },
  );
});
