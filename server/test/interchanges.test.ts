import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dayStart, SLOT_MS, slotCount } from '@saldo/core/delivery-day.ts';
import { interchange, line, message, profile, quantity, seg } from '../../core/test/mscons-documents.ts';
import { assertProblem, assertRefused, bodyOf, client, startTestPlatform, walk } from './harness.ts';
import { INTERCHANGES, meteringOf, newMalo } from './interchanging.ts';

const platform = await startTestPlatform({ now: '2026-11-18T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { createMeter, send, valuesOf } = meteringOf(platform, operator);

const DAY = '2026-11-16';
const FEED_IN = '2.29.0';
const CONSUMPTION = '1.29.0';
let references = 0;
const nextReference = () => `REF${++references}`;
const sendMessages = (messages: string[], reference = nextReference(), una?: string) =>
  bodyOf(send(interchange(messages, reference, una)));
const start = (slot: number) => dayStart(DAY) + (slot - 1) * SLOT_MS;
/** A message with values of the first slots of the day. */
const valuesMessage = (location: string, kwh: string[], reference = 'M1', obis = FEED_IN) =>
  message([...line(location, obis), ...kwh.flatMap((text, at) => quantity(start(at + 1), text))], reference);
const read = (id: string) => bodyOf(operator(`${INTERCHANGES}/${id}`));
const reasonsOf = (body: { rejected: { message: number; segment: number; reason: string }[] }) =>
  body.rejected.map(({ message: number, segment, reason }) => `${number}/${segment}: ${reason}`);

test('a load profile of a whole day is stored in Wh, with an event per day, and the audit names its revision', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const text = interchange([message(profile(location, FEED_IN, DAY, (slot) => `${slot}.25`))], 'WHOLEDAY');
  const answer = await bodyOf(send(text));
  const { id, ...rest } = answer;
  assert.match(id, /^icg_[0-9a-z]{26}$/);
  assert.deepEqual(rest, {
    messages: 1,
    rejected: [],
    rejected_messages: 0,
    unknown: [],
    unknown_locations: 0,
  });
  const values = await valuesOf(series, DAY);
  assert.deepEqual(
    values,
    Object.fromEntries(Array.from({ length: 96 }, (_, at) => [at + 1, at * 1000 + 1250])),
  );
  assert.deepEqual(await read(id), {
    ...answer,
    sender: '9900000000001',
    reference: 'WHOLEDAY',
    received_at: '2026-11-18T08:00:00Z',
    state: 'applied',
    reason: null,
    remarks: [],
  });
  const { entries } = await bodyOf(operator(`/operator/v1/audit?subject=${id}`));
  assert.equal(entries.length, 1);
  assert.equal(entries[0].action, 'interchange.received');
  assert.deepEqual(entries[0].after.changed_days, {
    count: 1,
    first: [{ series, delivery_date: DAY, revision: 1 }],
  });
  const { events } = await bodyOf(operator('/operator/v1/events?types=series.updated&limit=100'));
  assert.deepEqual(
    events.map(({ data }: { data: object }) => data).filter((data: { id?: string }) => data.id === series),
    [{ object: 'series', id: series, delivery_date: DAY, slots: 96 }],
  );
});

test('a corrected interchange is a next version of the slots that differ', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  await sendMessages([valuesMessage(location, ['1', '2'])]);
  await sendMessages([valuesMessage(location, ['1', '2.5'])]);
  const { values } = await bodyOf(operator(`/operator/v1/series/${series}/values?delivery_date=${DAY}`));
  assert.deepEqual(values, [
    { slot_number: 1, energy_wh: 1000, version: 1 },
    { slot_number: 2, energy_wh: 2500, version: 2 },
  ]);
});

test('the days of clock changes have 92 and 100 slots, by UTC', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  for (const day of ['2026-03-29', '2026-10-25']) {
    await sendMessages([message(profile(location, FEED_IN, day, String))]);
    const values = await valuesOf(series, day);
    const slots = slotCount(day);
    assert.deepEqual([Object.keys(values).length, values[slots]], [slots, slots * 1000]);
  }
});

test('a UNA with a decimal comma, other service characters and line breaks are read', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  await sendMessages([valuesMessage(location, ['1,5', '2'])], nextReference(), "UNA:+,? '");
  assert.deepEqual(await valuesOf(series, DAY), { 1: 1500, 2: 2000 });
  const withPoint = await sendMessages([valuesMessage(location, ['1.5'])], nextReference(), "UNA:+,? '");
  assert.deepEqual(reasonsOf(withPoint), ['1/10: The value must be a number such as 1250.5']);
  const text = interchange([valuesMessage(location, ['3'])], nextReference());
  assert.equal((await send(text.replaceAll("'", "'\r\n").replace("? '\r\n", "? '"))).status, 200);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 3000, 2: 2000 });
  const other = interchange([valuesMessage(location, ['4'])], nextReference(), '');
  const swapped = other.replaceAll(
    /[+:'?]/g,
    (mark) => ({ '+': '|', ':': '^', "'": '~', '?': '!' })[mark] ?? '',
  );
  assert.equal((await send(`UNA^|.! ~${swapped.replaceAll('!|', '+').replaceAll('!^', ':')}`)).status, 200);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 4000, 2: 2000 });
});

test('hours fill four quarter-hours, and substitute values count as true ones do', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const body = [
    ...line(location, `${FEED_IN}*255`),
    ...quantity(start(1), '0.01', { minutes: 60 }),
    ...quantity(start(5), '7', { code: '67' }),
  ];
  assert.deepEqual((await sendMessages([message(body)])).rejected, []);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 3, 2: 2, 3: 3, 4: 2, 5: 7000 });
});

test('an asset takes feed-in, a customer consumption, and the other direction is a remark', async () => {
  const [ofAsset, ofCustomer] = [newMalo(), newMalo()];
  const asset = await createMeter(ofAsset);
  const customer = await createMeter(ofCustomer, 'customer');
  const both = (location: string, reference: string) =>
    message(
      [
        ...[...line(location, CONSUMPTION), ...quantity(start(1), '1')],
        ...[...line(location, FEED_IN), ...quantity(start(1), '2')],
      ],
      reference,
    );
  const { id, rejected } = await sendMessages([both(ofAsset, 'M1'), both(ofCustomer, 'M2')]);
  assert.deepEqual(rejected, []);
  assert.deepEqual([await valuesOf(asset, DAY), await valuesOf(customer, DAY)], [{ 1: 2000 }, { 1: 1000 }]);
  assert.deepEqual((await read(id)).remarks, [
    {
      message: 1,
      segment: null,
      text: `${ofAsset}: the consumption (1.29.0) is not read, because the series of this location has the other direction`,
    },
    {
      message: 2,
      segment: null,
      text: `${ofCustomer}: the feed-in (2.29.0) is not read, because the series of this location has the other direction`,
    },
  ]);
});

test('other quantities and products are remarks, in the language of the reader', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const body = [
    ...line(location, FEED_IN),
    ...quantity(start(1), '1'),
    ...quantity(start(2), '2', { code: '79' }),
    ...line(location, '3.29.0'),
    ...quantity(start(1), '3'),
  ];
  const { id } = await sendMessages([message(body)]);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 1000 });
  const german = await operator(`${INTERCHANGES}/${id}`, { headers: { 'accept-language': 'de' } });
  assert.equal(german.headers.get('content-language'), 'de');
  assert.deepEqual(german.body.remarks, [
    {
      message: 1,
      segment: 13,
      text: `${location}: 1 Werte mit dem Qualifier 79 werden nicht gelesen; er steht weder für einen wahren Wert (220) noch für einen Ersatzwert (67)`,
    },
    {
      message: 1,
      segment: 19,
      text: `${location}: Das Produkt 1-1:3.29.0 ist kein Lastgang der Wirkarbeit und wird nicht gelesen`,
    },
  ]);
});

test('a message that cannot be applied is rejected with segment and reason, and the others are applied', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const faulty = (from: string, to: string, reference: string) =>
    valuesMessage(location, ['9', '9', '9'], reference).replace(from, to);
  const wrongMalo = `${location.slice(0, 10)}${(Number(location[10]) + 1) % 10}`;
  const answer = await sendMessages([
    faulty('220:9:KWH', '220:9.0001:KWH', 'M1'),
    faulty('220:9:KWH', '220:-9:KWH', 'M2'),
    faulty('220:9:KWH', '220:9:MWH', 'M3'),
    faulty('UNT+19', 'UNT+18', 'M4'),
    faulty("+M5'UNH", "+M5'UNH", 'M5').replace(/\+M5'$/, "+M6'"),
    faulty(location, wrongMalo, 'M6'),
    faulty('DTM+164', 'DTM+999', 'M7'),
    valuesMessage(location, ['9'], 'M8').replace('2.4c', '2.4b'),
    message([...line(location, FEED_IN), ...quantity(start(1), '9', { minutes: 30 })], 'M9'),
    message([...line(location, FEED_IN), ...quantity(start(1) + 60_000, '9')], 'M10'),
    valuesMessage(location, ['1', '2'], 'M11'),
  ]);
  assert.deepEqual(reasonsOf(answer), [
    '1/10: The value must be a whole number of Wh over its interval',
    '2/10: The value must be 0 or more',
    '3/10: The unit of the value is "MWH", not KWH',
    '4/19: UNT states "18" segments, the message has 19',
    '5/19: UNT has the reference "M6", UNH has "M5"',
    `6/7: The identification of the market location has a wrong check digit: the last digit of this MaLo must be ${location[10]}`,
    '7/10: The value has no start (DTM+163) or no end (DTM+164)',
    '8/1: The message is "MSCONS:D:04B:UN:2.4b", not MSCONS:D:04B:UN:2.4c',
    '9/10: The interval of the value has 30 minutes, not 15 or 60',
    '10/10: The start of the value must be the start of an interval of PT15M',
  ]);
  assert.deepEqual([answer.messages, answer.rejected_messages], [11, 10]);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 1000, 2: 2000 });
});

test('the same interchange again changes nothing and has the same answer, also compressed', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const text = interchange([valuesMessage(location, ['1']), valuesMessage(location, ['x'], 'M2')], 'TWICE');
  const first = await bodyOf(send(text));
  await bodyOf(
    operator.put(`/operator/v1/series/${series}/days/${DAY}`, {
      energy_kwh: Array.from({ length: 96 }, (_, at) => (at === 0 ? 5 : null)),
    }),
  );
  assert.deepEqual(await bodyOf(send(text)), first);
  assert.deepEqual(await bodyOf(send(gzipSync(text), { 'content-encoding': 'gzip' })), first);
  assert.deepEqual(await valuesOf(series, DAY), { 1: 5000 });
  const { entries } = await bodyOf(operator(`/operator/v1/audit?subject=${first.id}`));
  assert.equal(entries.length, 1);
});

test('other bytes under the reference of an interchange are a conflict, and nothing is stored', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const text = interchange([valuesMessage(location, ['1'])], 'TAKEN');
  const { id } = await bodyOf(send(text));
  const newest = async () => (await bodyOf(operator(`${INTERCHANGES}?limit=1`))).interchanges[0].id;
  const conflict = await send(text.replace('220:1:', '220:2:'));
  assertProblem(conflict, 409, 'interchange_conflict');
  assert.match(conflict.body.detail, new RegExp(`${id}, received at 2026-11-18T08:00:00Z`));
  assert.deepEqual([await newest(), await valuesOf(series, DAY)], [id, { 1: 1000 }]);
  // Another sender has references of its own.
  await bodyOf(send(text.replaceAll('9900000000001', '9900000000009')));
});

test('an interchange with a wrong envelope is rejected and stored, and may come again corrected', async () => {
  const location = newMalo();
  const series = await createMeter(location);
  const good = interchange([valuesMessage(location, ['1'])], 'MENDED');
  const cutOff = good.slice(0, -20);
  const refused = await send(cutOff);
  assertRefused(refused, ' invalid_format');
  const [{ message: reason }] = refused.body.errors;
  const [, id = ''] = /stored as (icg_\w+)/.exec(reason) ?? [];
  const stored = await read(id);
  assert.deepEqual(
    [stored.state, stored.messages, stored.sender, stored.reference],
    ['rejected', 0, '9900000000001', 'MENDED'],
  );
  assert.match(reason, new RegExp(stored.reason));
  assert.deepEqual(await valuesOf(series, DAY), {});
  // The same bytes again are the same interchange.
  assert.deepEqual((await send(cutOff)).body.errors, refused.body.errors);
  assert.equal((await bodyOf(operator(`${INTERCHANGES}?limit=1`))).interchanges[0].id, id);

  const accepted = await bodyOf(send(good));
  assert.deepEqual(await valuesOf(series, DAY), { 1: 1000 });
  assert.notEqual(accepted.id, id);
  assert.deepEqual((await send(cutOff)).body.errors, refused.body.errors);
  const wrongCount = await send(interchange([], 'WRONG').replace('UNZ+0', 'UNZ+1'), {
    'accept-language': 'de',
  });
  assert.match(
    wrongCount.body.errors[0].message,
    /^UNZ nennt „1“ Nachrichten, die Übertragungsdatei hat 0; die Übertragungsdatei ist als icg_/,
  );
  assertRefused(await send('no interchange'), ' invalid_format');
  assert.equal((await bodyOf(operator(`${INTERCHANGES}?limit=1`))).interchanges[0].sender, null);
});

test('interchanges are listed newest first, and their exact bytes can be read', async () => {
  const bytes = Buffer.from(
    interchange([seg('UNH', 'M1') + seg('FTX', 'Zähler é') + seg('UNT', '3', 'M1')], 'BYTES'),
    'latin1',
  );
  const { id } = await bodyOf(send(bytes));
  const all = await walk(operator, INTERCHANGES, 'interchanges', 3);
  const times = all.map((one: { id: string }) => one.id);
  assert.deepEqual(times, times.toSorted().toReversed());
  assert.equal(times[0], id);
  const response = await fetch(`${platform.baseUrl}${INTERCHANGES}/${id}/raw`, {
    headers: { 'x-api-key': await world.operatorKey() },
  });
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);
  assert.equal(response.headers.get('content-type'), 'application/edifact');
  assert.equal(response.headers.get('content-disposition'), `attachment; filename="${id}.edi"`);
  for (const unknown of [id.replace(/.$/, id.endsWith('0') ? '1' : '0'), 'icg_x']) {
    assertProblem(await operator(`${INTERCHANGES}/${unknown}`), 404, 'interchange_not_found');
    assertProblem(await operator(`${INTERCHANGES}/${unknown}/raw`), 404, 'interchange_not_found');
  }
});

test('the options of files with values are none of interchanges, and a body is required', async () => {
  const text = interchange([], 'OPTIONS');
  assertRefused(await send(text, {}, '?dry_run=true'), 'dry_run validation_failed');
  assertRefused(await send(text, {}, '?decimal=comma'), 'decimal validation_failed');
  assertRefused(await send(''), ' required');
  assertProblem(await send(text, { 'content-type': 'application/xml' }), 415, 'unsupported_media_type');
  const repeated = { 'idempotency-key': 'interchange-1' };
  const first = await bodyOf(send(text, repeated));
  const again = await send(text, repeated);
  assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [first, 'true']);
  assertProblem(await send(interchange([], 'OTHER'), repeated), 409, 'idempotency_key_reused');
});
