import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { signedIn } from './browser.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';

const platform = await startTestPlatform();
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const account = await world.account();
const other = await world.account();
const asUser = async ({ no }: { no: number }, permissions: 'viewer' | 'member' = 'member') =>
  (await signedIn(platform, { type: 'account', accountNo: no }, permissions)).browser.request;
const buyer = await asUser(account);
const stranger = await asUser(other);

const PATH = '/portal/v1/inquiries';
const offer = {
  ppa_type: 'PAY_AS_PRODUCED',
  average_annual_power: 12_000,
  delivery_start: '2027-01-01T00:00:00Z',
  additional_info: null,
  state: null,
  country: 'DE',
  cover_url: null,
  pricing: [{ years: 5, price: 61.5 }],
};
const plant = { name: 'Windpark Nord', nominal_power: 12.5, technology: 'wind_onshore', tso: 'DE_50HERTZ' };
const offered = (await operator.post('/operator/v1/assets', { ...plant, offer })).body.id;
const unpublished = (await operator.post('/operator/v1/assets', plant)).body.id;
const demand = (
  await operator.post('/operator/v1/demands', { contract_period: 10, delivery_volume: 1000, country: 'DE' })
).body.id;
const statusOf = async (answer: ReturnType<typeof buyer>) => {
  const { status, body } = await answer;
  return [status, status >= 400 ? body.type.split('/errors/')[1] : body?.status];
};

test('an inquiry is open until the operator answers it, and the account sees the answer', async () => {
  const created = await buyer.post(PATH, { asset_id: offered, message: 'Sieben Jahre?' });
  assert.equal(created.status, 201);
  const { id } = created.body;
  assert.deepEqual(
    [created.body.status, created.body.account.id, created.body.asset_id, created.body.demand_id],
    ['open', encodeId(ID_PREFIX.account, account.id), offered, null],
  );
  assert.deepEqual((await operator('/operator/v1/inquiries?status=open')).body.inquiries[0], created.body);
  const answered = await operator.post(`/operator/v1/inquiries/${id}/answer`, { answer: 'Ja.' });
  assert.deepEqual([answered.body.status, answered.body.answer], ['answered', 'Ja.']);
  assert.deepEqual((await buyer(PATH)).body.inquiries[0], answered.body);
  assert.deepEqual((await operator('/operator/v1/inquiries?status=open')).body.inquiries, []);
  const { entries } = (await operator(`/operator/v1/audit?subject=${id}`)).body;
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action),
    ['inquiry.created', 'inquiry.answered'],
  );
});

test('an inquiry is about one published offer or demand', async () => {
  const ask = (about: object) => buyer.post(PATH, { message: 'Noch zu haben?', ...about });
  assert.equal((await ask({ demand_id: demand })).body.demand_id, demand);
  assert.deepEqual(await statusOf(ask({ asset_id: unpublished })), [404, 'asset_not_found']);
  assert.deepEqual(await statusOf(ask({ demand_id: 'dem_x' })), [404, 'demand_not_found']);
  for (const about of [{}, { asset_id: offered, demand_id: demand }])
    assert.deepEqual(await statusOf(ask(about)), [400, 'validation']);
  assert.deepEqual(problemOf(await ask({ asset_id: offered, message: ' ' })).code, 'validation');
});

test('other accounts and viewers neither see nor change an inquiry', async () => {
  const { id } = (await buyer.post(PATH, { asset_id: offered, message: 'Preis?' })).body;
  assert.deepEqual((await stranger(PATH)).body.inquiries, []);
  assert.deepEqual(await statusOf(stranger.post(`${PATH}/${id}/close`)), [404, 'inquiry_not_found']);
  const viewer = await asUser(account, 'viewer');
  assert.equal((await viewer(PATH)).body.inquiries[0].id, id);
  assert.deepEqual(await statusOf(viewer.post(`${PATH}/${id}/close`)), [403, 'insufficient_permissions']);
  assert.deepEqual(await statusOf(buyer.post(`${PATH}/${id}/close`)), [200, 'closed']);
  const again = operator.post(`/operator/v1/inquiries/${id}/answer`, { answer: 'Zu spät.' });
  assert.deepEqual(await statusOf(again), [409, 'invalid_status_transition']);
});

test('an account has a limited number of open inquiries, also when they come at once', async () => {
  const asker = await asUser(await world.account());
  const ask = () => asker.post(PATH, { asset_id: offered, message: 'Und?' });
  const answers = await Promise.all(Array.from({ length: LIMITS.openInquiries + 3 }, ask));
  const refused = answers.filter(({ status }) => status !== 201);
  assert.deepEqual(
    refused.map((answer) => [answer.status, problemOf(answer).code]),
    Array.from({ length: 3 }, () => [409, 'too_many_inquiries']),
  );
});

test('inquiries are listed newest first, page by page', async () => {
  const ids: string[] = [];
  let after = '';
  do {
    const { inquiries, pagination } = (await operator(`/operator/v1/inquiries?limit=20${after}`)).body;
    ids.push(...inquiries.map(({ id }: { id: string }) => id));
    after = pagination.next_cursor && `&after=${pagination.next_cursor}`;
  } while (after);
  assert.ok(ids.length > LIMITS.openInquiries);
  assert.deepEqual(ids, [...new Set(ids)].sort().reverse());
});

test('users watch offers of their own choice', async () => {
  const colleague = await asUser(account);
  const watched = async (by: typeof buyer) => (await by('/portal/v1/watched-offers')).body.asset_ids;
  for (let times = 0; times < 2; times++)
    assert.equal((await buyer.put(`/portal/v1/watched-offers/${offered}`)).status, 204);
  assert.deepEqual([await watched(buyer), await watched(colleague)], [[offered], []]);
  const unknown = buyer.put(`/portal/v1/watched-offers/${unpublished}`);
  assert.deepEqual(await statusOf(unknown), [404, 'asset_not_found']);
  await operator.patch(`/operator/v1/assets/${offered}`, { offer: null });
  assert.deepEqual(await watched(buyer), []);
  assert.equal((await buyer.delete(`/portal/v1/watched-offers/${offered}`)).status, 204);
  assert.equal((await buyer.delete('/portal/v1/watched-offers/nonsense')).status, 204);
});
