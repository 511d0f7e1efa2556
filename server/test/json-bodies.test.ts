import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brpEndpoints,
  type Endpoint,
  marketEndpoints,
  operatorEndpoints,
  portalEndpoints,
  sandboxEndpoints,
} from '@saldo/api';
import { openBrowser, signedIn } from './browser.ts';
import { type Answer, assertRefused, client, type RequestOptions, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform({ environment: { SANDBOX: 'on' } });
const { world } = platform;
const { seller, producer } = await world.pair();
const asSeller = client(platform.baseUrl, seller.key);
const operatorKey = await world.operatorKey();
const customer = `/v1/customers/${producer.id}`;
const patch = (body: string, type = 'application/json') =>
  asSeller.patch(customer, body, { headers: { 'content-type': type } });

test('a member that is given twice is rejected, and nothing changes', async () => {
  const before = (await asSeller(customer)).text;
  const bodies: [body: string, ...fields: string[]][] = [
    ['{"status":"active","status":"deactivated"}', 'status'],
    ['{"status":"deactivated","status":"deactivated"}', 'status'],
    ['{"status":"active","\\u0073tatus":"deactivated"}', 'status'],
    ['{"balance_group":{"eic":"x","tso":"DE_AMPRION","tso":"DE_TENNET"}}', 'balance_group.tso'],
    ['{"metadata":{"a":"1","a":"2"},"metadata":{"b":"1"}}', 'metadata', 'metadata.a'],
    ['{"metadata":{"__proto__":"1","__proto__":"2"}}', 'metadata.__proto__'],
    ['{"list":[{"a":1},{"a":1,"a":2}]}', 'list[1].a'],
  ];
  for (const [body, ...fields] of bodies)
    for (const type of ['application/json', 'application/merge-patch+json'])
      assertRefused(await patch(body, type), ...fields.map((field) => `${field} invalid_type`));
  assert.equal((await asSeller(customer)).text, before);
});

test('members such as __proto__ are data, and equal names in different objects are accepted', async () => {
  const metadata = '{"__proto__":"1","constructor":"2","status":"3","metadata":"4"}';
  const answer = await patch(`{"metadata":${metadata}}`);
  assert.equal(answer.status, 200, answer.text);
  assert.ok(answer.text.includes('"__proto__":"1"'), answer.text);
  assert.equal((await asSeller(customer)).body.metadata.status, '3');
});

type Send = (path: string, options: RequestOptions) => Promise<Answer>;

test('every operation with a JSON body rejects a member that is given twice', async () => {
  const browser = await signedIn(platform, { type: 'brp', brpNo: seller.no });
  const { no: accountNo } = await world.account();
  const ofAccount = await signedIn(platform, { type: 'account', accountNo });
  const stranger = openBrowser(platform);
  const apis: [table: Record<string, Endpoint>, send: Send][] = [
    [brpEndpoints, asSeller],
    [operatorEndpoints, client(platform.baseUrl, operatorKey)],
    [sandboxEndpoints, client(platform.baseUrl, operatorKey)],
    [marketEndpoints, client(platform.customerUrl, await world.accountKey())],
    [portalEndpoints, (path, options) => browser.request(path, options)],
  ];
  let count = 0;
  for (const [table, send] of apis)
    for (const { id, method, path, body, stream, problems } of Object.values(table)) {
      if (body === null || stream !== undefined) continue;
      const isOpen = table === portalEndpoints && !problems.includes('invalid_session');
      const isOfAccounts = id === 'createInquiry';
      const ask: Send = isOpen
        ? (at, options) => stranger.request(at, options)
        : isOfAccounts
          ? (at, options) => ofAccount.request(at, options)
          : send;
      const answer = await ask(path.replaceAll(/\{\w+\}/g, 'x'), { method, body: '{"a":{"b":1,"b":2}}' });
      assert.equal(answer.status, 400, id);
      assertRefused(answer, 'a.b invalid_type');
      count++;
    }
  assert.ok(count > 20);
});
