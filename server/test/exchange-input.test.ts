import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { decodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { receiveDue } from '../src/exchange/process/receive.ts';
import { AT_REST_MS } from '../src/exchange/transport/at-rest.ts';
import { statement } from '../src/platform/db/statement.ts';
import { agree, newPlace, operating, readSchedule, receiveAll } from './exchanging.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { listNominated } from './nominated.ts';

const DAY = '2026-10-25';
const platform = await startTestPlatform({ environment: { MESSAGE_LIMIT_MB: '64' } });
const small = await startTestPlatform({ environment: { MESSAGE_LIMIT_MB: '1' } });
const { world } = platform;
const operatorKey = await world.operatorKey();
const operator = client(platform.baseUrl, operatorKey);
const { send, receive, messages } = operating(platform, operator);
const [seller, buyer] = [await newPlace(platform, 'DE_TENNET'), await newPlace(platform, 'DE_TENNET')];
const contract = await agree(world, seller, buyer);
await world.volumes(contract, DAY, 1000);
await send({ delivery_date: DAY });
const [sent] = await messages('&direction=out');
const schedule = await readSchedule(
  Buffer.from((await operator(`/operator/v1/messages/${sent?.id}/raw`)).text),
);
const final = answersTo(schedule, CONFORMING, platform.clock.now()).final ?? assert.fail();
const ess = writeAnswer(final, 'ess');
const cim = writeAnswer(final, 'cim');
/** The value of slot 7, in either format. */
const essValue = /(<Pos v="7"\/>\s*<Qty v=")4\.000/;
const cimValue = /(<position>7<\/position>\s*<quantity>)4\.000/;
const stillPending = async () => {
  for (const { ask } of [seller, buyer]) {
    for (const { status, slots } of await listNominated(ask)) {
      assert.equal(status, 'pending');
      assert.deepEqual(new Set(slots.map(({ matched_amount }) => matched_amount)), new Set([null]));
    }
  }
};

const swap = (document: string, from: string | RegExp, to: string) => {
  const swapped = document.replace(from, to);
  assert.notEqual(swapped, document, `${String(from)} is in the document`);
  return swapped;
};
const bytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding);
const DOCTYPE = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>';

/** Documents that must be rejected, and a part of the reported reason. */
const unusable: Record<string, [document: string | Buffer, reason: RegExp]> = {
  'a document type declaration with entities': [
    swap(ess, /<!DOCTYPE[^>]*>/, DOCTYPE),
    /document type declaration is malformed or has an internal subset/,
  ],
  'an entity': [swap(ess, essValue, '$1&a;'), /entit/i],
  'an entity in cim': [swap(cim, cimValue, '$1&b;'), /entit/i],
  'utf-16': [bytes(`\ufeff${ess}`, 'utf16le'), /UTF-16/],
  latin1: [bytes(swap(ess, 'A88', 'Ä88'), 'latin1'), /UTF-8/],
  'another declared encoding': [swap(ess, 'UTF-8', 'ISO-8859-7'), /encoding|ISO-8859-7/i],
  'a truncated file': [ess.slice(0, ess.length / 2), /cut off/],
  'a truncated file in cim': [cim.slice(0, cim.length - 30), /./],
  'no xml': ['Sehr geehrte Damen und Herren', /./],
  'nothing at all': [' ', /./],
  'another root': ['<html><body/></html>', /html/],
  'too deep': [`${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`, /./],
  '99 of 100 positions': [swap(ess, /<Interval>\s*<Pos v="100"\/>.*?<\/Interval>/s, ''), /99|100/],
  'a position too many': [
    swap(ess, /(<Interval>\s*<Pos v=")100("\/>.*?<\/Interval>)/s, '$1100$2$1101$2'),
    /101|100/,
  ],
  'a position twice': [swap(ess, '<Pos v="8"/>', '<Pos v="7"/>'), /7|twice|order/],
  'a position twice in cim': [swap(cim, '<position>8<', '<position>7<'), /7|twice|order/],
  'a negative value': [swap(ess, essValue, '$1-4.000'), /negative/],
  'a decimal comma': [swap(ess, essValue, '$14,000'), /comma/],
  'a decimal comma in cim': [swap(cim, cimValue, '$14,000'), /comma/],
  'an exponent': [swap(ess, essValue, '$14e3'), /decimal number/],
  'four decimals': [swap(ess, essValue, '$14.0001'), /decimals/],
  'an unknown header code': [
    swap(ess, '<ReasonCode v="A06"/>', '<ReasonCode v="A66"/>'),
    /None of its reasons is one of A06, A07, A08/,
  ],
  'a series of ours with other parties': [
    swap(ess, `<OutParty v="${seller.group.eic}"`, `<OutParty v="${buyer.group.eic}"`),
    /other parties or areas than ours/,
  ],
  'a wrong resolution': [swap(ess, 'PT15M', 'PT60M'), /PT60M|PT15M/],
  'our own schedule': [
    Buffer.from((await operator(`/operator/v1/messages/${sent?.id}/raw`)).text),
    /schedule/,
  ],
};

for (const [name, [document, reason]] of Object.entries(unusable)) {
  test(`${name}: rejected with the reason, stored unchanged, and no nomination changes`, async () => {
    const before = await messages('&state=failed');
    const answer = await receive(document);
    assert.deepEqual([answer.status, problemOf(answer).code], [400, 'unreadable_message'], answer.text);
    assert.match(answer.body.detail, reason);
    const after = await messages('&state=failed');
    const [kept] = after.filter(({ id }) => !before.some((known) => known.id === id));
    assert.ok(kept && after.length === before.length + 1);
    assert.match(kept.error ?? '', reason);
    assert.ok(answer.body.detail.includes(kept.id));
    const raw = await fetch(`${platform.baseUrl}/operator/v1/messages/${kept.id}/raw`, {
      headers: { 'x-api-key': operatorKey },
    });
    assert.deepEqual(Buffer.from(await raw.arrayBuffer()), Buffer.from(document), 'to the byte');
    assert.match(raw.headers.get('content-security-policy') ?? '', /default-src 'none'; sandbox/);
    await stillPending();
  });
}

/** Valid answers that are not for us, or not current. */
const foreign: Record<string, [document: string, error: RegExp]> = {
  'another receiver': [swap(ess, /(Receiver\w+ v=")11XSALDO-------Z/, '$111XRHEINSTROM--O'), /addressed to/],
  'another sender': [swap(ess, /(Sender\w+ v=")10XDE-EON-NETZ-C/, '$110XDE-VE-TRANSMK'), /comes from/],
  'a message that was never sent': [
    swap(ess, /(ConfirmedMessageIdentification v=")[^"]+/, '$120261025_TPS_11XSALDO-------Z_AMP'),
    /never sent/,
  ],
  'a version that was never sent': [
    swap(ess, /(ConfirmedMessageVersion v=")1/, '$17'),
    /Version 7 .* never sent/,
  ],
};

for (const [name, [document, error]] of Object.entries(foreign)) {
  test(`${name}: recorded as ignored, and no nomination changes`, async () => {
    const answer = await receive(document);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.body.message.state, answer.body.nominations], ['ignored', []]);
    assert.match(answer.body.message.error, error);
    await stillPending();
  });
}

test('only XML is accepted, and a body is required', async () => {
  assert.equal((await receive(ess, 'application/json')).status, 415);
  assert.equal((await receive(ess, 'text/plain')).status, 415);
  const empty = await operator('/operator/v1/exchange/receive', { method: 'POST' });
  assert.deepEqual(problemOf(empty), { code: 'validation', errors: [' required'] });
});

test('a document over the limit is rejected and not stored; in the inbox it is reported and set aside', async () => {
  const smallOperator = client(small.baseUrl, await small.world.operatorKey());
  const tooLarge = `${ess}<!--${'x'.repeat(1024 * 1024)}-->`;
  const answer = await operating(small, smallOperator).receive(tooLarge);
  assert.deepEqual([answer.status, problemOf(answer).code], [413, 'payload_too_large']);
  assert.deepEqual(await operating(small, smallOperator).messages(), []);

  const { inboxDir } = small.config.exchange;
  await writeFile(path.join(inboxDir, 'large.xml'), tooLarge);
  await receiveAll(small);
  const [message, ...more] = await operating(small, smallOperator).messages();
  assert.deepEqual([message?.state, message?.file_name, more], ['failed', 'large.xml', []]);
  assert.match(message?.error ?? '', /at most 1048576 are accepted/);
  assert.deepEqual(await readdir(inboxDir), ['done']);
  assert.deepEqual(await readdir(path.join(inboxDir, 'done')), ['large.xml']);
  const raw = await smallOperator(`/operator/v1/messages/${message?.id}/raw`);
  assert.deepEqual([raw.status, problemOf(raw).code], [404, 'message_not_found']);
});

test('the inbox imports complete files only, each once, unreadable ones too', async () => {
  const { inboxDir } = platform.config.exchange;
  const before = (await messages()).length;
  await writeFile(path.join(inboxDir, '.half.xml'), ess.slice(0, 100));
  await writeFile(path.join(inboxDir, 'half.xml.tmp'), ess.slice(0, 100));
  await writeFile(path.join(inboxDir, 'broken.xml'), 'not at all');
  const run = () => receiveDue(platform.db, platform.clock, platform.exchange, platform.exchange.inbox);
  await run();
  platform.rest(AT_REST_MS);
  const runs = await Promise.all([run(), run(), run()]);
  assert.equal(
    runs.reduce((sum, { received }) => sum + received, 0),
    1,
  );
  await run();
  const after = await messages();
  assert.equal(after.length, before + 1);
  assert.deepEqual([after.at(-1)?.file_name, after.at(-1)?.state], ['broken.xml', 'failed']);
  assert.deepEqual((await readdir(inboxDir)).toSorted(), ['.half.xml', 'done', 'half.xml.tmp']);
  await stillPending();
});

test('a receive that is repeated with its Idempotency-Key is applied once', async () => {
  const before = (await messages()).length;
  const again = () =>
    operator('/operator/v1/exchange/receive', {
      method: 'POST',
      body: swap(ess, /(ConfirmedMessageVersion v=")1/, '$19'),
      headers: { 'content-type': 'application/xml', 'idempotency-key': 'one answer' },
    });
  const [first, second] = [await again(), await again()];
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.equal(second.text, first.text);
  assert.equal((await messages()).length, before + 1);
});

const BREAK = statement(
  'test_break_message',
  "update message set state = 'stored', document = '\\x00' where id = $1",
);
const MEND = statement('test_mend_message', "update message set state = 'failed' where id = $1");

test('a stored message whose processing fails stays stored, is reported, and delays no other', async () => {
  const { inboxDir } = platform.config.exchange;
  const run = () => receiveDue(platform.db, platform.clock, platform.exchange, platform.exchange.inbox);
  const [victim] = await messages('&state=failed');
  const uuid = decodeId(ID_PREFIX.message, victim?.id ?? '');
  await writeFile(path.join(inboxDir, 'next.xml'), 'not at all');
  await run();
  platform.rest(AT_REST_MS);
  await platform.db.transaction((tx) => tx.query(BREAK, [uuid]));
  await assert.rejects(run(), AggregateError);
  const after = await messages();
  assert.equal(after.find(({ id }) => id === victim?.id)?.state, 'stored');
  assert.deepEqual([after.at(-1)?.file_name, after.at(-1)?.state], ['next.xml', 'failed']);
  await platform.db.transaction((tx) => tx.query(MEND, [uuid]));
  await run();
});

test('requests are answered while a document of a million positions is parsed', async () => {
  const [head = '', ...rest] = ess.split('<TimeSeriesConfirmation>');
  const one = `<TimeSeriesConfirmation>${rest[0]?.split('</TimeSeriesConfirmation>', 1)[0]}</TimeSeriesConfirmation>`;
  const count = 10_000;
  const series = Array.from({ length: count }, (_, at) =>
    one.replace(/(SendersTimeSeriesIdentification v=")[^"]+/, `$1series-${at}`),
  );
  const huge = `${swap(head, /(ConfirmedMessageVersion v=")1/, '$15')}${series.join('')}</ConfirmationReport>`;
  assert.ok(huge.split('<Interval>').length > 1_000_000);
  const done = new AbortController();
  const receiving = receive(huge).finally(() => done.abort());
  let answeredMeanwhile = 0;
  while (!done.signal.aborted) {
    assert.equal((await seller.ask('/v1/contracts?limit=1')).status, 200);
    answeredMeanwhile++;
  }
  const answer = await receiving;
  assert.deepEqual([answer.status, answer.body.message.state], [200, 'ignored'], answer.text.slice(0, 500));
  // If it were parsed in one piece, only a handful of requests would be answered: during the upload and the storing.
  assert.ok(answeredMeanwhile > 100, `${answeredMeanwhile} were answered meanwhile`);
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const raw = await operator(`/operator/v1/messages/${answer.body.message.id}/raw`);
  assert.equal(hash(raw.text), hash(huge));
  await stillPending();
});

test('an answer in CIM to a schedule in ESS counts', async () => {
  const answer = await receive(cim);
  assert.deepEqual(
    [answer.status, answer.body.message.state, answer.body.message.format],
    [200, 'applied', 'cim'],
  );
  assert.equal(answer.body.nominations.length, 2);
  for (const { ask } of [seller, buyer]) assert.equal((await listNominated(ask))[0]?.status, 'match');
});
