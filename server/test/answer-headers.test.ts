import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { brpEndpoints, marketEndpoints, operatorEndpoints } from '@saldo/api';
import type { FastifyInstance } from 'fastify';
import { atEnd } from './clean-up.ts';
import { assertProblem, client, startTestPlatform } from './harness.ts';
import { makeDeal } from './nominated.ts';
import { createRecordedApp } from './recorded-app.ts';

const platform = await startTestPlatform({ now: '2026-10-20T08:00:00Z' });
const { world } = platform;
const { seller, asSeller, contract, sellerGroup } = await makeDeal(platform);
const DAY = '2026-10-22';
await world.volumes(contract, DAY, 250);
await world.nominate();
const operatorKey = await world.operatorKey();
const operator = client(platform.baseUrl, operatorKey);

/** Values that a header cannot carry, or that would end its quoted text. */
const HOSTILE: readonly (readonly [name: string, value: string])[] = [
  ['a euro sign', '€'],
  ['an emoji', '😀'],
  ['NUL', 'a\0b'],
  ['a header line', '\r\nX:1'],
  ['a line break', 'a\nb'],
  ['a second parameter', "\"; filename*=UTF-8''evil.exe"],
  ['a quote', 'a"b'],
  ['a backslash', 'a\\'],
  ['folders', '../../etc/passwd'],
  ['a delete character', 'a\x7fb'],
  ['Latin-1', 'ÄÖÜ'],
  ['a lone surrogate', '\ud800'],
  ['a long text', 'x'.repeat(3000)],
];

const FILE_NAME = /^attachment; filename="[\w-]+(?:\.[A-Za-z]+)"$/;

for (const [name, value] of HOSTILE) {
  test(`a balance group in the name of a file is reduced to safe characters: ${name}`, async () => {
    const eic = encodeURIComponent(value.toWellFormed());
    for (const query of [`eic=${eic}`, `eic=${eic}&tso=DE_AMPRION&format=csv`]) {
      const answer = await asSeller(`/v1/nominations/schedule?delivery_date=${DAY}&${query}`);
      assert.equal(answer.status, 200, answer.text);
      const disposition = answer.headers.get('content-disposition') ?? '';
      assert.match(disposition, FILE_NAME);
      assert.ok(disposition.startsWith(`attachment; filename="${DAY}`), disposition);
      assert.ok(disposition.length < 200, disposition);
      assert.equal(answer.headers.get('x'), null);
    }
    for (const format of ['ess', 'cim']) {
      const path = `/v1/nominations/schedule?delivery_date=${DAY}&eic=${eic}&tso=DE_AMPRION&format=${format}&message_version=1`;
      assertProblem(await asSeller(path), 404, 'nomination_not_found');
    }
  });
}

test('hostile values of other parameters that name files are problems', async () => {
  for (const [, value] of HOSTILE) {
    const hostile = encodeURIComponent(value.toWellFormed());
    for (const [ask, path, status] of [
      [asSeller, `/v1/nominations/schedule?delivery_date=${hostile}`, 400],
      [asSeller, `/v1/nominations/schedule?delivery_date=${DAY}&tso=${hostile}`, 400],
      [asSeller, `/v1/nominations/${hostile}/schedule`, 404],
      [asSeller, `/v1/exports/transactions?delivery_date=${hostile}`, 400],
      [asSeller, `/v1/exports/nominations?delivery_date=${DAY}&format=${hostile}`, 400],
      [operator, `/operator/v1/exports/late?delivery_date=${hostile}`, 400],
      [operator, `/operator/v1/messages/${hostile}/raw`, 404],
    ] as const) {
      const answer = await ask(path);
      assert.equal(answer.status, status, `${path}: ${answer.text}`);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      assert.equal(answer.headers.get('content-disposition'), null);
    }
  }
});

test('only one function writes the name of a file into a header', async () => {
  const folder = path.join(import.meta.dirname, '../src');
  const sources = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const writers: string[] = [];
  for (const name of sources) {
    const text = await readFile(path.join(folder, name), 'utf8');
    if (/content-disposition/i.test(text.replaceAll(/^import .*$/gm, ''))) writers.push(name);
  }
  assert.deepEqual(writers.toSorted(), ['platform/http/answer-headers.ts']);
});

/** The listeners with a header in every answer that cannot be sent. */
async function startBroken() {
  const { app, customerApp } = await createRecordedApp(platform);
  const listen = async (listener: FastifyInstance) => {
    listener.addHook('onRequest', (_request, reply, done) => {
      reply.headers({ 'x-broken': 'line\nbreak', etag: '"of the answer"' });
      done();
    });
    const url = await listener.listen({ host: '127.0.0.1', port: 0 });
    atEnd(() => listener.close());
    return url;
  };
  return { brp: await listen(app), customer: await listen(customerApp) };
}

test('an answer whose headers cannot be sent is the 500 problem on every route', async () => {
  const broken = await startBroken();
  const account = await world.accountKey();
  const [nomination] = (await asSeller(`/v1/nominations?delivery_date=${DAY}`)).body.nominations;
  const { listContracts, exportTransactions, checkSchedule } = brpEndpoints;
  const csv = (await asSeller(`/v1/nominations/schedule?delivery_date=${DAY}`)).text;
  for (const [method, url, key, body] of [
    ['GET', `${broken.brp}${listContracts.path}`, seller.key],
    ['HEAD', `${broken.brp}${listContracts.path}`, seller.key],
    // Large enough to be compressed.
    ['GET', `${broken.brp}/v1/transactions?limit=100`, seller.key],
    ['GET', `${broken.brp}/v1/nominations/${nomination.id}`, seller.key],
    ['GET', `${broken.brp}/v1/nominations/schedule?delivery_date=${DAY}`, seller.key],
    ['GET', `${broken.brp}${exportTransactions.path}?delivery_date=${DAY}`, seller.key],
    ['GET', `${broken.brp}${exportTransactions.path}?delivery_date=${DAY}&format=parquet`, seller.key],
    ['POST', `${broken.brp}${checkSchedule.path}`, seller.key, csv],
    ['GET', `${broken.brp}${operatorEndpoints.exportLate.path}`, operatorKey],
    ['GET', `${broken.brp}/openapi.json`, null],
    ['GET', `${broken.brp}/docs`, null],
    ['GET', `${broken.customer}/v1/assets`, account],
    ['GET', `${broken.customer}${marketEndpoints.listMarketEvents.path}`, account],
    ['GET', `${broken.customer}/openapi.json`, null],
  ] as const) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const response = await fetch(url, {
        method,
        headers: {
          'accept-encoding': encoding,
          'content-type': 'text/csv',
          ...(key === null ? {} : { 'x-api-key': key }),
        },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
      });
      const text = await response.text();
      const about = `${method} ${url} ${encoding}: ${response.status} ${text}`;
      assert.equal(response.status, 500, about);
      assert.equal(response.headers.get('content-type'), 'application/problem+json', about);
      assert.match(response.headers.get('x-request-id') ?? '', /^[\w.-]+$/, about);
      for (const name of ['x-broken', 'etag', 'content-disposition', 'content-encoding'])
        assert.equal(response.headers.get(name), null, `${name}: ${about}`);
      if (method === 'HEAD') continue;
      const problem = JSON.parse(text) as Record<string, unknown>;
      assert.deepEqual([problem['status'], problem['title']], [500, 'Internal Error'], about);
      assert.ok(String(problem['type']).endsWith('/errors/internal_error'));
    }
  }
});

test('a problem keeps its status when a header of its answer cannot be sent', async () => {
  const { brp } = await startBroken();
  for (const [url, key, status] of [
    [`${brp}/v1/contracts/con_x`, seller.key, 404],
    [`${brp}/v1/contracts?limit=0`, seller.key, 400],
    [`${brp}/v1/contracts`, 'wrong', 401],
  ] as const) {
    const response = await fetch(url, { headers: { 'x-api-key': key } });
    assert.equal(response.status, status, await response.text());
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.match(response.headers.get('x-request-id') ?? '', /^[\w.-]+$/);
  }
});

test('the names of files are as before', async () => {
  const [nomination] = (await asSeller(`/v1/nominations?delivery_date=${DAY}`)).body.nominations;
  for (const [ask, path, name] of [
    [asSeller, `/v1/nominations/schedule?delivery_date=${DAY}`, `${DAY}.csv`],
    [
      asSeller,
      `/v1/nominations/schedule?delivery_date=${DAY}&eic=${sellerGroup.eic}&tso=DE_AMPRION`,
      `${DAY}_${sellerGroup.eic}_DE_AMPRION.csv`,
    ],
    [
      asSeller,
      `/v1/nominations/${nomination.id}/schedule`,
      `${DAY}_${sellerGroup.eic}_DE_AMPRION_out_v1.csv`,
    ],
    [asSeller, `/v1/exports/transactions?delivery_date=${DAY}`, `transactions_${DAY}.csv`],
    [operator, `/operator/v1/exports/late?delivery_date=${DAY}`, `late_${DAY}.csv`],
    [operator, '/operator/v1/exports/late', 'late.csv'],
  ] as const) {
    const answer = await ask(path);
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${name}"`, answer.text);
  }
});
