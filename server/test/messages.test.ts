import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const inGerman = { headers: { 'accept-language': 'de-AT, en;q=0.5' } };

test('a problem is in the language of Accept-Language, which its headers name', async () => {
  const path = '/operator/v1/brps?limit=0';
  const english = await operator(path);
  assert.equal(english.body.detail, 'One field is invalid.');
  assert.equal(english.headers.get('content-language'), 'en');
  const german = await operator(path, inGerman);
  assert.equal(german.body.detail, 'Eine Angabe ist ungültig.');
  assert.equal(german.headers.get('content-language'), 'de');
  for (const { headers } of [english, german])
    assert.equal(headers.get('vary'), 'X-Api-Key, Accept-Encoding, Accept-Language');
  const { detail: _en, errors: _english, ...common } = english.body;
  const { detail: _de, errors: _german, ...same } = german.body;
  assert.deepEqual(same, common, 'what programs read is the same');
});

test('an answer without sentences does not depend on Accept-Language', async () => {
  const { headers } = await operator('/operator/v1/brps', inGerman);
  assert.equal(headers.get('content-language'), null);
  assert.equal(headers.get('vary'), 'X-Api-Key, Accept-Encoding');
});
