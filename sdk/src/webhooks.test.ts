import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { SaldoWebhookError, signWebhook, verifyWebhook } from './webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = `whsec_${Buffer.from('another secret of another one').toString('base64')}`;
const NOW = Date.parse('2026-11-15T13:02:11Z');
const now = () => NOW;
const EVENT = { id: 'evt_1', type: 'contract.created', data: { object: 'contract', id: 'con_ä€😀' } };
const BODY = JSON.stringify(EVENT);

/** Independent of the code under test. */
function signed(body = BODY, { id = 'evt_1', at = NOW / 1000, secret = SECRET } = {}) {
  const key = Buffer.from(secret.slice(6), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
}

const refused = (message: RegExp, ...input: Parameters<typeof verifyWebhook>) =>
  assert.rejects(verifyWebhook(...input), (error) => {
    assert.ok(error instanceof SaldoWebhookError);
    assert.match(error.message, message);
    return true;
  });

test('a webhook is verified and parsed, as text or bytes, with headers of fetch or of Node.js', async () => {
  assert.deepEqual(await verifyWebhook(signed(), BODY, SECRET, { now }), EVENT);
  assert.deepEqual(await verifyWebhook(signed(), new TextEncoder().encode(BODY), SECRET, { now }), EVENT);
  assert.deepEqual(await verifyWebhook(new Headers(signed()), BODY, SECRET, { now }), EVENT);
  const named = Object.fromEntries(
    Object.entries(signed()).map(([name, value]) => [name.replace('webhook', 'Webhook'), value]),
  );
  assert.deepEqual(await verifyWebhook(named, BODY, SECRET, { now }), EVENT);
});

test('during a rotation one of the signatures and one of the secrets are enough', async () => {
  const [own, other] = [signed(), signed(BODY, { secret: OTHER })];
  const signature = `v1a,xyz ${other['webhook-signature']} ${own['webhook-signature']}`;
  const both = { ...own, 'webhook-signature': signature };
  assert.deepEqual(await verifyWebhook(both, BODY, SECRET, { now }), EVENT);
  assert.deepEqual(await verifyWebhook(both, BODY, OTHER, { now }), EVENT);
  assert.deepEqual(await verifyWebhook(own, BODY, [OTHER, SECRET], { now }), EVENT);
});

test('anything that was changed is refused', async () => {
  const headers = signed();
  await refused(/No signature is valid/, headers, `${BODY} `, SECRET, { now });
  await refused(/No signature is valid/, headers, BODY, OTHER, { now });
  await refused(/No signature is valid/, { ...headers, 'webhook-id': 'evt_2' }, BODY, SECRET, { now });
  const later = { ...headers, 'webhook-timestamp': String(NOW / 1000 + 1) };
  await refused(/No signature is valid/, later, BODY, SECRET, { now });
  for (const signature of [
    'v1,',
    'v1',
    'v1,***',
    headers['webhook-signature'].replace('v1,', 'v2,'),
    'v1,AAAA',
  ])
    await refused(/No signature is valid/, { ...headers, 'webhook-signature': signature }, BODY, SECRET, {
      now,
    });
  for (const name of Object.keys(headers))
    await refused(new RegExp(`header ${name} is missing`), { ...headers, [name]: undefined }, BODY, SECRET, {
      now,
    });
});

test('a webhook of more than five minutes ago or ahead is refused', async () => {
  for (const seconds of [300, -300]) {
    const headers = signed(BODY, { at: NOW / 1000 - seconds });
    assert.deepEqual(await verifyWebhook(headers, BODY, SECRET, { now }), EVENT);
    const over = signed(BODY, { at: NOW / 1000 - seconds - Math.sign(seconds) });
    await refused(/more than 300 s/, over, BODY, SECRET, { now });
    assert.deepEqual(await verifyWebhook(over, BODY, SECRET, { now, toleranceS: 400 }), EVENT);
  }
  for (const text of ['', 'soon', '1e9', '-5', ' 7'])
    await refused(/webhook-timestamp/, { ...signed(), 'webhook-timestamp': text }, BODY, SECRET, { now });
});

test('it interoperates with the public package in both ways', async () => {
  const library = new Webhook(SECRET);
  const at = new Date();
  const theirs = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': library.sign('evt_1', at, BODY),
  };
  assert.deepEqual(await verifyWebhook(theirs, BODY, SECRET), EVENT);
  assert.deepEqual(library.verify(BODY, await signWebhook('evt_1', BODY, SECRET)), EVENT);
  await assert.rejects(async () => library.verify(BODY, await signWebhook('evt_1', BODY, OTHER)));
});

test('a secret in another form is an error of the caller', async () => {
  for (const secret of ['', 'whsec_', 'whsec_***'])
    await assert.rejects(verifyWebhook(signed(), BODY, secret, { now }), TypeError);
});

test('a parsed body is an error of the caller', async () => {
  const parsed = JSON.parse(BODY) as string;
  const headers = await signWebhook('evt_1', BODY, SECRET);
  await assert.rejects(verifyWebhook(headers, parsed, SECRET), /TypeError: body must be the text or bytes/);
});
