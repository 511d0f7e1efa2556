import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alarm, Message, Reconciliation } from '@saldo/api';
import { watchExchange } from '../src/exchange/process/watch.ts';
import { statement } from '../src/platform/db/statement.ts';
import { agree, newPlace, operating } from './exchanging.ts';
import { type Answer, type Client, client, type RequestOptions, startTestPlatform } from './harness.ts';
import { listNominated } from './nominated.ts';

/** Each test has its own day. 14:30 in winter is 13:30Z. */
const platform = await startTestPlatform({ now: '2026-11-16T08:00:00Z' });
const { clock, db, exchange, world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, answer } = operating(platform, operator);
const [seller, buyer] = [await newPlace(platform, 'DE_TENNET'), await newPlace(platform, 'DE_TENNET')];
const contract = await agree(world, seller, buyer);
const GERMAN = { 'accept-language': 'de-AT, en;q=0.5' };

/** The same request in both languages. */
async function inBoth(ask: Client, path: string, options: RequestOptions = {}) {
  const en = await ask(path, options);
  const de = await ask(path, { ...options, headers: { ...options.headers, ...GERMAN } });
  for (const [language, { headers }] of Object.entries({ en, de })) {
    assert.equal(headers.get('content-language'), language, path);
    assert.equal(headers.get('vary'), 'X-Api-Key, Accept-Encoding, Accept-Language');
  }
  return { en, de };
}

const errorsOf = ({ body }: Answer) => body.errors.map(({ message }: { message: string }) => message);
const xml = (body: string) => ({ method: 'POST', body, headers: { 'content-type': 'application/xml' } });

async function sendAt(instant: string, day: string): Promise<void> {
  clock.set(instant);
  await world.volumes(contract, day, 1000);
  await world.nominate();
  await send({ delivery_date: day });
}

test('a document that cannot be read is refused with its reason, and stored with it', async () => {
  const { en, de } = await inBoth(
    operator,
    '/operator/v1/exchange/receive',
    xml('<AcknowledgementMessage><b></a>'),
  );
  assert.match(en.body.detail, /^b is closed by "a" \(line 1, column 28\)\. It is kept as msg_\w+\.$/);
  assert.match(
    de.body.detail,
    /^b wird durch „a“ geschlossen \(Zeile 1, Spalte 28\)\. Das Dokument ist als msg_\w+ gespeichert\.$/,
  );
  const id = /msg_\w+/.exec(en.body.detail)?.[0];
  const stored = await inBoth(operator, `/operator/v1/messages/${id}`);
  assert.equal(stored.en.body.error, 'b is closed by "a" (line 1, column 28).');
  assert.equal(stored.de.body.error, 'b wird durch „a“ geschlossen (Zeile 1, Spalte 28).');
  const { body } = await operator(`/operator/v1/audit?subject=${id}`, { headers: GERMAN });
  assert.equal(body.entries[0].after.error, stored.en.body.error, 'the audit trail is in English');
});

test('a rejected schedule and its alarm have the reasons of the TSO in both languages', async () => {
  const day = '2026-11-18';
  await sendAt('2026-11-17T13:00:00Z', day);
  await answer({ rejections: [{ tso: 'DE_TENNET', day }] });
  const messages = await inBoth(operator, `/operator/v1/messages?delivery_date=${day}&state=rejected`);
  const [english, german] = [messages.en, messages.de].map(({ body }) => body.messages as Message[]);
  assert.match(english?.[0]?.error ?? '', /^The TSO rejected the schedule: A02.*A59.*\.$/);
  assert.match(german?.[0]?.error ?? '', /^Der ÜNB hat den Fahrplan abgelehnt: A02.*A59.*\.$/);
  const { error: _en, ...same } = english?.[0] ?? assert.fail();
  const { error: _de, ...other } = german?.[0] ?? assert.fail();
  assert.deepEqual(other, same, 'what programs read is the same');

  await watchExchange(db, clock, exchange);
  const alarms = await inBoth(operator, `/operator/v1/exchange/alarms?delivery_date=${day}`);
  const [alarm, alarmInGerman] = [alarms.en, alarms.de].map(({ body }) => (body.alarms as Alarm[])[0]?.text);
  const version = 'Version 1 of the schedule of 18 Nov 2026 for TenneT was rejected.';
  assert.equal(alarm, `${version} ${english?.[0]?.error}`);
  assert.equal(
    alarmInGerman,
    `Version 1 des Fahrplans des 18.11.2026 für TenneT wurde abgelehnt. ${german?.[0]?.error}`,
  );
});

test('why a schedule is not sent is in both languages, with German days and times', async () => {
  const day = '2026-11-20';
  clock.set('2026-11-19T13:45:00Z');
  await world.volumes(contract, day, 2000);
  const body = { delivery_date: day };
  const { en, de } = await inBoth(operator, '/operator/v1/exchange/send', { method: 'POST', body });
  const unsent = await inBoth(operator, `/operator/v1/exchange/unsent?delivery_date=${day}`);
  assert.equal(unsent.en.body.unsent.length, 2);
  assert.deepEqual(
    en.body.faults.map(({ error }: { error: string }) => error),
    [
      'Changes for 20 Nov 2026 are held until the wait phase ends on 19 Nov 2026 at 16:00 German time. They are sent automatically then, and rejected schedules on request.',
    ],
  );
  assert.deepEqual(
    de.body.faults.map(({ error }: { error: string }) => error),
    [
      'Änderungen für den 20.11.2026 werden bis zum Ende der Wartephase am 19.11.2026, 16:00 Uhr zurückgehalten. Dann werden sie von selbst gesendet, abgelehnte Fahrpläne auf Anforderung.',
    ],
  );
});

test('reasons of a reconciliation are in both languages; the words of the TSO stay', async () => {
  const day = '2026-11-21';
  await sendAt('2026-11-20T13:00:00Z', day);
  const deviation = { eic: buyer.group.eic, tso: null, day: null, slots: [45], differenceKw: -1 };
  await answer({ deviations: [deviation] });
  const [nomination] = await listNominated(buyer.ask, `&delivery_date=${day}`);
  const { en, de } = await inBoth(buyer.ask, `/v1/nominations/${nomination?.id}/reconciliation`);
  const [english, german] = [en, de].map(({ body }) => body as Reconciliation);
  const reasonsOf = ({ reasons, slots }: Reconciliation = assert.fail()) =>
    [...reasons, ...slots.flatMap((slot) => slot.reasons)].map(({ code, text }) => `${code} ${text}`);
  assert.ok(reasonsOf(english).includes('A07 Schedule partially accepted.'), String(reasonsOf(english)));
  assert.ok(reasonsOf(german).includes('A07 Fahrplan teilweise angenommen.'), String(reasonsOf(german)));
  assert.ok(reasonsOf(german).includes('A44 Menge verringert.'), String(reasonsOf(german)));
});

test('faults of a schedule that is checked are in both languages', async () => {
  const check = '/v1/schedules/check';
  const fromXml = await inBoth(seller.ask, check, xml('<a/>'));
  assert.deepEqual(errorsOf(fromXml.en), [
    '"a" is no schedule message and no answer to one (line 1, column 1)',
  ]);
  assert.deepEqual(errorsOf(fromXml.de), [
    '„a“ ist weder ein Fahrplan noch eine Antwort auf einen (Zeile 1, Spalte 1)',
  ]);
  const csv = `delivery_date,eic,tso,direction,slot_number,power_mw\n2026-11-21,${seller.group.eic},DE_TENNET,out,99,-1\n`;
  const options = { method: 'POST', body: csv, headers: { 'content-type': 'text/csv' } };
  const fromCsv = await inBoth(seller.ask, check, options);
  assert.deepEqual(errorsOf(fromCsv.en), [
    'line 2: slot_number "99" is not from 1 to 96; 2026-11-21 has 96 slots',
  ]);
  assert.deepEqual(errorsOf(fromCsv.de), [
    'Zeile 2: slot_number „99“ liegt nicht zwischen 1 und 96; der 21.11.2026 hat 96 Viertelstunden',
  ]);
});

test('a sentence that was stored before messages were is shown as it is', async () => {
  const text = 'It answers a schedule that was never sent.';
  const { body } = await operator('/operator/v1/messages?state=failed');
  const [message] = body.messages as Message[];
  const stored = statement('store_old_error', "update message set error = $1 where state = 'failed'");
  await db.transaction((tx) => tx.query(stored, [text]));
  const { en, de } = await inBoth(operator, `/operator/v1/messages/${message?.id}`);
  assert.deepEqual([en.body.error, de.body.error], [text, text]);
});
