import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { signedIn } from './browser.ts';
import { assertRefused, type Client, client, startTestPlatform, walk } from './harness.ts';
import { insertPlatformRows } from './platform-rows.ts';

/** More records than the operator's search reads before it uses the index. */
const platform = await startTestPlatform();
const filler = new pg.Client({ connectionString: platform.databaseUrl });
await filler.connect();
await insertPlatformRows(filler, { brps: 10, rowsPerBrp: 150, days: 0 });
const { rows: texts } = await filler.query<{ query: string }>(
  `select search_query(value)::text as query from unnest(array['', 'ab', 'a''b\\c', E'\n']) with ordinality v (value, n)
   order by n`,
);
await filler.end();

const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const [brp, other, third] = [
  await world.brp('Märkische Ökostrom 100% GmbH'),
  await world.brp('Havel_Energie AG'),
  await world.brp('Third'),
];
const [group, otherGroup] = [await world.group(brp), await world.group(other)];
const NAMES = [
  'Windpark Größ-Föhr 100%',
  "Stadtwerke O'Hara\\West",
  'ΑΙΟΛΟΣ Πάρκο',
  'Ёлка',
  'Solar_Süd',
  '🌬 Böe',
  'Hauptstraße 7',
];
for (const [at, name] of NAMES.entries()) {
  const metadata = { cost_center: `Kostenstelle ${at}ÄÖ` };
  const producer = await world.customer(brp, { name, status: 'active', group, metadata });
  const consumer = await world.customer(other, {
    name: `Abnehmer ${at}`,
    status: 'active',
    group: otherGroup,
  });
  const asset = await world.asset(`Anlage ${name}`);
  await world.contract(producer, consumer, { externalId: `Öko%${at}_PPA`, assetUuid: asset.uuid });
}
const { browser: user } = await signedIn(platform, { type: 'brp', brpNo: brp.no });
const { browser: otherUser } = await signedIn(platform, { type: 'brp', brpNo: other.no });
const { browser: thirdUser } = await signedIn(platform, { type: 'brp', brpNo: third.no });

const fold = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss');
type Found = Awaited<ReturnType<typeof walk>>[number];
type Party = { name: string; eic: string };

/** The searched texts of a record. */
const TEXTS: Record<string, (record: Found) => string[]> = {
  contracts: ({ external_id, seller, buyer }: { external_id: string; seller: Party; buyer: Party }) => [
    external_id,
    ...[seller, buyer].flatMap(({ name, eic }) => [name, eic]),
  ],
  customers: ({ name, metadata }: { name: string; metadata: Record<string, string> }) => [
    name,
    ...Object.values(metadata),
  ],
  assets: ({ name }: { name: string }) => [name],
  brps: ({ name }: { name: string }) => [name],
  balance_groups: ({ eic, name }: { eic: string; name: string }) => [eic, name],
};

const SEARCHES = [
  ...['a', 'e', 'ß', '%', '_', '\\', "'", '4', 'q', '🌬', 'ö'],
  ...['00', 'ar', "o'", 'qx', '0_', '-1', ' 1', 'IE'],
  ...[
    'PPA',
    'ppa-14',
    'stadtwerke 1',
    'STADTWERKE',
    'windpark',
    'größ',
    'GRÖSS',
    'groß',
    '100%',
    'föhr',
    'fo\u0308hr',
  ],
  ...[
    "O'HARA\\west",
    'αιολο',
    'ёЛКА',
    'solar_s',
    'solarXs',
    'kostenstelle 1ä',
    'öko%3_ppa',
    'eic000000000',
    'cost_center',
    'STRASSE',
    'STRAẞE',
    'm%hle',
    'xyzzy',
  ],
  ...[group.eic, group.eic.slice(3, 9).toLowerCase(), 'a & b', ':*', '!x', '%%%', '___', ' ', '\0'],
  ...['x'.repeat(200), 'Windpark 1'.repeat(20)],
];

async function assertFound(request: Client, path: string, list: string): Promise<void> {
  const all = await walk(request, path, list, 100);
  assert.ok(all.length > 0, path);
  for (const search of SEARCHES) {
    const expected = all.filter((record) =>
      TEXTS[list]?.(record).some((text) => fold(text).includes(fold(search))),
    );
    const found = await walk(request, `${path}?search=${encodeURIComponent(search)}`, list, 100);
    assert.deepEqual(found, expected, `${path}: ${JSON.stringify(search)}`);
  }
  assert.deepEqual(await walk(request, `${path}?search=`, list, 100), all, 'empty text is no filter');
}

test('the operator’s search finds what a linear search of all records finds, in the same order', async () => {
  for (const list of ['contracts', 'customers', 'assets', 'brps', 'balance_groups']) {
    await assertFound(operator, `/operator/v1/${list.replace('_', '-')}`, list);
  }
});

test('a BRP’s search finds what a linear search of its own records finds, in the same order', async () => {
  const request = client(platform.baseUrl, brp.key);
  await assertFound(user.request, '/portal/v1/contracts', 'contracts');
  await assertFound(request, '/v1/customers', 'customers');
  await assertFound(request, '/v1/balance-groups', 'balance_groups');
});

test('a search never finds records of another BRP', async () => {
  const found = async (request: Client, path: string, list: string) =>
    (await walk(request, path, list, 100)).length;
  const contracts = `/portal/v1/contracts?search=${encodeURIComponent('größ')}`;
  assert.equal(await found(user.request, contracts, 'contracts'), 1);
  assert.equal(await found(otherUser.request, contracts, 'contracts'), 1, 'the other party of the contract');
  assert.equal(await found(thirdUser.request, contracts, 'contracts'), 0);
  const groups = `/v1/balance-groups?search=${group.eic}`;
  assert.equal(await found(client(platform.baseUrl, brp.key), groups, 'balance_groups'), 1);
  assert.equal(await found(client(platform.baseUrl, other.key), groups, 'balance_groups'), 0);
});

test('a search applies together with other filters, page by page', async () => {
  const ids = async (query: string, limit: number) =>
    (await walk(operator, `/operator/v1/contracts?${query}`, 'contracts', limit)).map(({ id }) => id);
  const found = await ids('search=ppa-1&type=ppa', 7);
  assert.ok(found.length > 300, `${found.length} contracts`);
  assert.deepEqual(found, await ids('search=ppa-1', 100));
  assert.deepEqual(await ids('search=ppa-1&type=intraday', 100), []);
  assert.deepEqual(await ids(`search=wind&eic=${group.eic}`, 1), await ids(`search=windpark%20gr`, 100));
});

test('a search of too many characters is rejected, and one in the BRP’s list of contracts is unknown', async () => {
  for (const list of ['contracts', 'customers', 'assets', 'brps', 'balance-groups']) {
    const path = `/operator/v1/${list}?search=`;
    assertRefused(await operator(path + 'ö'.repeat(201)), 'search value_too_large');
    assert.equal((await operator(`${path}${encodeURIComponent('𝔊'.repeat(200))}`)).status, 200);
    assert.equal((await operator(`${path}%00`)).status, 200);
  }
  assertRefused(await client(platform.baseUrl, brp.key)('/v1/contracts?search=x'), 'search unknown_field');
});

test('a query of trigrams quotes its text, and text without characters matches nothing', () => {
  assert.deepEqual(
    texts.map(({ query }) => query),
    ['', "'ab':*", String.raw`'a''b' & '''b\\' & 'b\\c'`, ''],
  );
});
