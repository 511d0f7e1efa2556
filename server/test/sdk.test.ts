import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints } from '@saldo/api';
import { addDays } from '@saldo/core/delivery-day.ts';
import {
  createBrpClient,
  createClient,
  createMarketClient,
  createOperatorClient,
  isProblem,
  SaldoProblem,
} from '@saldo/sdk';
import { startTestPlatform } from './harness.ts';
import { pngImage } from './png.ts';

const platform = await startTestPlatform();
const { world } = platform;
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
const client = createClient({ baseUrl: platform.baseUrl, apiKey: seller.key });

test('the client calls an endpoint with its path, query and body', async () => {
  const found = await client.call(brpEndpoints.getContract, { params: { contract_id: contract.id } });
  assert.equal(found.id, contract.id);
  const list = await client.call(brpEndpoints.listContracts, { query: { type: 'ppa', limit: 1 } });
  assert.deepEqual(list.contracts, [found]);
  const bulk = await client.call(brpEndpoints.getTransactionsBulk, { query: { ids: ['txn_a', 'txn_b'] } });
  assert.deepEqual(bulk.transactions, []);
  const customer = await client.call(brpEndpoints.updateCustomer, {
    params: { customer_id: producer.id },
    body: { metadata: { from: 'sdk' } },
  });
  assert.deepEqual(customer.metadata, { from: 'sdk' });
});

test('a problem is thrown with its code, fields and request id', async () => {
  const refused = client.call(brpEndpoints.listContracts, { query: { limit: 1000 } });
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof SaldoProblem);
    assert.equal(error.status, 400);
    assert.equal(error.code, 'validation');
    assert.deepEqual(
      error.errors.map(({ field, code }) => [field, code]),
      [['limit', 'value_too_large']],
    );
    assert.match(error.requestId ?? '', /^req_/);
    assert.ok(isProblem(error, 'validation') && isProblem(error) && !isProblem(error, 'rate_limited'));
    return true;
  });
  assert.ok(!isProblem(new Error('no')));
});

const operator = createOperatorClient({ baseUrl: platform.baseUrl, apiKey: await world.operatorKey() });
const brp = createBrpClient({ baseUrl: platform.baseUrl, apiKey: seller.key });
const DAY = '2026-10-25';

test('an operator imports a day, and its BRP reads all pages', async () => {
  const rows = Array.from({ length: 100 }, (_, index) => `${contract.id},${DAY},${index + 1},1.25\n`);
  const header = 'contract,delivery_date,slot,volume\n';
  const seen: number[] = [];
  const result = await operator.volumes.importFile(new Blob([header, ...rows]), {
    format: 'csv',
    onProgress: ({ bytes }) => seen.push(bytes),
  });
  assert.deepEqual([result.rows, result.created, result.rejected], [100, 100, []]);
  assert.equal(seen.at(-1), new Blob([header, ...rows]).size);
  await operator.contracts.putDay(contract.id, '2026-10-26', {
    volumes: Array.from({ length: 96 }, () => 0.5),
  });

  const slots: number[] = [];
  for await (const { slot_number } of brp.contracts.eachTransaction(contract.id)) slots.push(slot_number);
  assert.equal(slots.length, 196);
  const everywhere: string[] = [];
  for await (const { id } of operator.transactions.each({ contract_id: contract.id })) everywhere.push(id);
  assert.equal(new Set(everywhere).size, 196);
  const bulk = await brp.transactions.bulk({ ids: everywhere.slice(0, 3) });
  assert.deepEqual(
    bulk.transactions.map(({ id }) => id),
    everywhere.slice(0, 3),
  );
});

test('an export has the records of the pages, as a file or one by one', async () => {
  const day = { delivery_date: DAY };
  const [listed, exported, ofAll, allListed] = [[], [], [], []] as unknown[][];
  for await (const record of brp.transactions.each(day)) listed!.push(record);
  for await (const record of brp.exports.eachTransaction(day)) exported!.push(record);
  for await (const record of operator.exports.eachTransaction(day)) {
    ofAll!.push(record);
    assert.equal(record.invalid_reason, null);
  }
  for await (const record of operator.transactions.each(day)) allListed!.push(record);
  assert.equal(listed?.length, 100);
  assert.deepEqual(exported, listed);
  assert.equal(allListed?.length, 100);
  assert.deepEqual(ofAll, allListed);
  const { fileName, mediaType, body } = await brp.exports.transactions({ ...day, format: 'parquet' });
  assert.deepEqual([fileName, mediaType], [`transactions_${DAY}.parquet`, 'application/vnd.apache.parquet']);
  assert.match(Buffer.from(await new Response(body).arrayBuffer()).toString('latin1'), /^PAR1[^]*PAR1$/);
});

test('nominations are created and explained, for the operator and for the BRP', async () => {
  await operator.nominations.run({ delivery_date: DAY });
  const own = [];
  for await (const nomination of brp.nominations.each({ delivery_date: DAY, include_slots: 'true' })) {
    own.push(nomination);
  }
  const [nomination] = own;
  assert.ok(nomination);
  assert.equal(own.length, 1);
  assert.equal(nomination.slots?.[60]?.amount, 1.25);
  const explanation = await brp.nominations.explain(nomination.id);
  // Only the operator sees where a volume comes from; this one was imported.
  const slots = explanation.slots.map(({ transactions, ...slot }) => ({
    ...slot,
    transactions: transactions.map((transaction) => ({ ...transaction, source: null })),
  }));
  assert.deepEqual(await operator.nominations.explain(nomination.id), { ...explanation, slots });
  assert.ok(explanation.slots.every(({ transactions }) => transactions.every((part) => !('source' in part))));
  assert.equal(explanation.slots[60]?.transactions[0]?.contract_id, contract.id);
  assert.equal((await brp.deliveryDays.get(DAY)).slot_count, 100);
});

test('paging through a changing market misses no lasting record', async () => {
  const market = createMarketClient({ baseUrl: platform.customerUrl, apiKey: await world.accountKey() });
  const publish = () => operator.demands.create({ contract_period: 5, delivery_volume: 1000, country: 'DE' });
  const made: string[] = [];
  for (let count = 0; count < 150; count++) made.unshift((await publish()).id);
  const [newest = ''] = made;
  const seen: string[] = [];
  for await (const { id } of market.demands.each()) {
    seen.push(id);
    // Between the first and the second page, one record is withdrawn and one published.
    if (seen.length === 1) await Promise.all([operator.demands.delete(newest), publish()]);
  }
  assert.deepEqual(seen, made);
  const { assets } = await market.assets.list({ page: 1, limit: 1 });
  assert.deepEqual(assets, []);
});

test('an operator offers an asset with an uploaded cover', async () => {
  const { cover_url, media_type } = await operator.assets.uploadCover(pngImage('sdk'));
  assert.equal(media_type, 'image/png');
  const asset = await operator.assets.create({
    name: 'Solarfeld',
    technology: 'solar',
    nominal_power: 9.8,
    tso: 'DE_AMPRION',
    offer: {
      ppa_type: 'PAY_AS_FORECASTED',
      delivery_start: '2027-01-01T00:00:00Z',
      country: 'DE',
      cover_url,
      pricing: [{ years: 10, price: 52 }],
    },
  });
  const market = createMarketClient({ baseUrl: platform.customerUrl, apiKey: await world.accountKey() });
  const { assets } = await market.assets.list();
  assert.deepEqual([assets[0]?.id, assets[0]?.coverUrl], [asset.id, cover_url]);
  assert.equal((await operator.assets.update(asset.id, { offer: null })).offer, null);
  await assert.rejects(operator.assets.uploadCover('no image'), (error) => isProblem(error, 'validation'));
});

test('a request repeated with its idempotency key is applied once', async () => {
  const idempotencyKey = 'onboarding-of-repeated';
  const first = await operator.brps.create({ name: 'Repeated' }, { idempotencyKey });
  let replayed: string | null = null;
  const onResponse = ({ headers }: Response) => {
    replayed = headers.get('idempotent-replayed');
  };
  const second = await operator.brps.create({ name: 'Repeated' }, { idempotencyKey, onResponse });
  assert.deepEqual(second, first);
  assert.equal(replayed, 'true');
  await assert.rejects(operator.brps.create({ name: 'Other' }, { idempotencyKey }), (error) =>
    isProblem(error, 'idempotency_key_reused'),
  );
});

test('a lost answer is requested again, and nothing is created twice', async () => {
  let lost = 0;
  const lossy: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (lost++ > 0) return response;
    await response.body?.cancel();
    throw new TypeError('connection reset');
  };
  const options = { baseUrl: platform.baseUrl, apiKey: await world.operatorKey(), random: () => 0 };
  const account = await createOperatorClient({ ...options, fetch: lossy }).accounts.create({
    name: 'Lost once',
  });
  assert.equal(lost, 2);
  const named = [];
  for await (const { id, name } of operator.accounts.each()) if (name === 'Lost once') named.push(id);
  assert.deepEqual(named, [account.id]);
});

test('a record changed by another client meanwhile is not overwritten', async () => {
  let etag = '';
  const onResponse = ({ headers }: Response) => {
    etag = headers.get('etag') ?? '';
  };
  await brp.customers.get(producer.id, { onResponse });
  const stale = etag;
  await brp.customers.update(producer.id, { metadata: { changed: 'once' } }, { ifMatch: stale });
  const late = brp.customers.update(producer.id, { metadata: { changed: 'twice' } }, { ifMatch: stale });
  await assert.rejects(late, (error) => isProblem(error, 'precondition_failed'));
});

test('a move is previewed, made from the same version, and found in the placements', async () => {
  const own = await brp.balanceGroups.list();
  const { eic } = await world.group(seller, ['DE_AMPRION']);
  const balance_group = { eic, tso: 'DE_AMPRION' as const };
  let ifMatch = '';
  const onResponse = ({ headers }: Response) => {
    ifMatch = headers.get('etag') ?? '';
  };
  await brp.customers.get(producer.id, { onResponse });
  const preview = await brp.customers.preview(producer.id, { balance_group }, { ifMatch });
  assert.deepEqual(preview.customer.balance_group, balance_group);
  const [before] = (await brp.customers.placements(producer.id)).placements;
  assert.deepEqual(
    [before?.balance_group.eic, before?.first_day, before?.last_day],
    [own.balance_groups[0]?.eic, null, null],
    'a preview changes nothing',
  );
  assert.deepEqual(await brp.customers.update(producer.id, { balance_group }, { ifMatch }), preview.customer);
  const { placements } = await brp.customers.placements(producer.id);
  assert.deepEqual(
    placements.map(({ first_day, last_day }) => [first_day, last_day]),
    [
      [preview.effective_day, null],
      [null, addDays(preview.effective_day, -1)],
    ],
  );
  const late = brp.customers.preview(producer.id, { status: 'deactivated' }, { ifMatch });
  await assert.rejects(late, (error) => isProblem(error, 'precondition_failed'));

  const asOperator = await operator.customers.preview(producer.id, { status: 'deactivated' });
  assert.deepEqual([asOperator.customer.status, asOperator.customer.brp_id], ['deactivated', seller.id]);
  assert.deepEqual(await operator.customers.placements(producer.id), { placements });
});

test('revoking a key returns null, and the key is rejected afterwards', async () => {
  const owner = { type: 'brp' as const, id: seller.id };
  const { id, secret } = await operator.apiKeys.create({ owner, name: 'short-lived' });
  assert.equal(await operator.apiKeys.revoke(id), null);
  const refused = createBrpClient({ baseUrl: platform.baseUrl, apiKey: secret }).contracts.list();
  await assert.rejects(refused, (error) => isProblem(error, 'invalid_api_key'));
});
