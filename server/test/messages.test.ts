import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statement } from '../src/platform/db/statement.ts';
import { untilBlockedFor } from './blocked.ts';
import { type Answer, client, type RequestOptions, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { seller, sellerGroup, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const GERMAN = { 'accept-language': 'de-AT, en;q=0.5' };
const DAY = '2026-10-25';
const LOCK_CONTRACTS = statement('test_lock_contracts', 'lock table contract in access exclusive mode');
const MOVE_ANSWERS = statement(
  'test_move_answers',
  "update idempotent_answer set created_at = created_at + $1::int * interval '1 day'",
);

/** The same request in both languages. What programs read must be the same. */
async function inBoth(path: string, options: RequestOptions = {}): Promise<{ en: Answer; de: Answer }> {
  const en = await operator(path, options);
  const de = await operator(path, { ...options, headers: { ...options.headers, ...GERMAN } });
  for (const [language, { headers }] of Object.entries({ en, de })) {
    assert.equal(headers.get('content-language'), language);
    assert.equal(headers.get('vary'), 'X-Api-Key, Accept-Encoding, Accept-Language');
  }
  assert.deepEqual(withoutSentences(de.body), withoutSentences(en.body));
  return { en, de };
}

const withoutSentences = (body: object) =>
  JSON.parse(JSON.stringify(body), (name, value) => (['detail', 'message'].includes(name) ? null : value));
const messagesOf = ({ body }: Answer): string[] =>
  (body.errors ?? body.rejected).map(({ message }: { message: string }) => message);

test('errors of fields are in the language of Accept-Language, with all their parts', async () => {
  const { en, de } = await inBoth('/operator/v1/contracts', {
    method: 'POST',
    body: {
      external_id: '',
      type: 'ppa',
      seller_customer_id: null,
      profile: { power: 'x' },
      more: 1,
      delivery_end: '2026-02-30',
    },
  });
  assert.equal(en.body.detail, '6 fields are invalid. Nothing was changed.');
  assert.equal(de.body.detail, '6 Angaben sind ungültig. Nichts wurde geändert.');
  const both = messagesOf(en).map((message, at) => [message, messagesOf(de)[at]]);
  for (const pair of [
    ['must have at least 1 character', 'muss mindestens ein Zeichen haben'],
    ['must be a string', 'muss ein Text sein'],
    ['is required', 'ist eine Pflichtangabe'],
    ['must be a number or an array', 'muss eine Zahl oder eine Liste sein'],
    [
      'must be an existing date-time with an offset, such as 2026-10-24T22:00:00Z',
      'muss ein gültiger Zeitpunkt mit Zeitzone sein, zum Beispiel 2026-10-24T22:00:00Z',
    ],
  ])
    assert.ok(
      both.some((one) => one.join('|') === pair.join('|')),
      `${pair[0]}: ${JSON.stringify(both)}`,
    );
});

test('the kind of a profile has its name in the language of Accept-Language', async () => {
  const { en, de } = await inBoth('/operator/v1/contracts', {
    method: 'POST',
    body: {
      ...{ external_id: 'PPA-1', type: 'ppa', ppa_type: 'baseload' },
      ...{ seller_customer_id: producer.id, buyer_customer_id: consumer.id },
      profile: { kind: 'peakload', power: 1 },
    },
  });
  assert.deepEqual(messagesOf(en), ['must be the ppa_type, which is baseload']);
  assert.deepEqual(messagesOf(de), ['muss der PPA-Art Grundlast entsprechen']);
});

test('the detail of a problem is in the language of Accept-Language', async () => {
  const { en, de } = await inBoth(`/operator/v1/balance-groups/${sellerGroup.eic}`, {
    method: 'PATCH',
    body: { tsos: ['DE_TENNET'] },
  });
  assert.match(en.body.detail, /^Customers are placed in balance group \S+ in DE_AMPRION\.$/);
  assert.match(de.body.detail, /^Dem Bilanzkreis \S+ sind Kunden zugeordnet in: Amprion\.$/);
  const nowhere = await inBoth('/operator/v1/nowhere?x=1');
  assert.equal(nowhere.de.body.detail, 'Die Adresse /operator/v1/nowhere gibt es nicht.');
});

test('rejected lines of an import are in the language of Accept-Language, with German days and numbers', async () => {
  const waiting = await world.customer(seller, { name: 'Mühle', group: sellerGroup });
  const inactive = await world.contract(waiting, consumer, { isActivated: false });
  const { body: brp } = await operator(`/operator/v1/brps/${seller.id}`);
  const { en, de } = await inBoth('/operator/v1/volumes?dry_run=true', {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: Buffer.from(
      [
        'contract,delivery_date,slot,volume',
        `${contract.id},${DAY},101,1`,
        `${contract.id},${DAY},1,9999999`,
        `${contract.id},1999-01-01,1,1`,
        `${inactive.id},${DAY},1,1`,
        `"${contract.id},${DAY},1,1`,
      ].join('\n'),
    ),
  });
  assert.equal(messagesOf(en)[0], `slot must be a whole number from 1 to 100 on ${DAY}`);
  assert.deepEqual(messagesOf(de), [
    'Die Nummer der Viertelstunde (slot) muss am 25.10.2026 eine ganze Zahl von 1 bis 100 sein',
    'Die Menge darf höchstens 2.147.483,647 MWh sein',
    'Der Vertrag liefert am 01.01.1999 nicht',
    `Der Kunde Mühle ist noch nicht aktiv: Der Bilanzkreisverantwortliche ${brp.name} muss ihn aktivieren.`,
    'Ein Anführungszeichen wird in seiner Zeile nicht geschlossen',
  ]);
});

test('a repetition with an Idempotency-Key gets the first answer in its language', async () => {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'messages-1' },
    body: Buffer.from(`contract,delivery_date,slot,volume\n${contract.id},${DAY},101,1`),
  };
  const first = await operator('/operator/v1/volumes', request);
  const again = await operator('/operator/v1/volumes', {
    ...request,
    headers: { ...request.headers, ...GERMAN },
  });
  assert.deepEqual(messagesOf(first), [`slot must be a whole number from 1 to 100 on ${DAY}`]);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('content-language'), null);
});

test('a repetition has no language of its own, when another process answers during its work', async () => {
  const body = Buffer.from(`contract,delivery_date,slot,volume\n${contract.id},1999-01-01,1,1`);
  const headers = { 'content-type': 'text/csv', 'idempotency-key': 'messages-2' };
  const first = await operator('/operator/v1/volumes', { method: 'POST', headers, body });
  assert.equal(first.headers.get('content-language'), 'en');
  // The repetition does not find the stored answer at its start, and finds it at its end.
  await platform.db.transaction((tx) => tx.query(MOVE_ANSWERS, [-2]));
  const { repeated } = await platform.db.transaction(async (tx) => {
    await tx.query(LOCK_CONTRACTS);
    const german = { ...headers, ...GERMAN };
    const repeated = operator('/operator/v1/volumes', { method: 'POST', headers: german, body });
    await untilBlockedFor(tx, 0);
    await tx.query(MOVE_ANSWERS, [2]);
    return { repeated };
  });
  const again = await repeated;
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('content-language'), null);
});

test('an answer without sentences does not depend on Accept-Language', async () => {
  const { headers } = await operator('/operator/v1/brps', { headers: GERMAN });
  assert.equal(headers.get('content-language'), null);
  assert.equal(headers.get('vary'), 'X-Api-Key, Accept-Encoding');
});
