import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { downloadBy } from './download.ts';
import { open, openStage } from './stage.ts';

const FIRST = '2026-10-20T08:00:00Z';
const SECOND = '2026-10-22T08:00:00Z';

const { platform, world, user, visit } = await openStage(FIRST);
const { seller, producer, consumer, sellerGroup } = await world.pair();
const api = client(platform.baseUrl, await world.operatorKey());
const asSeller = client(platform.baseUrl, seller.key);
const send = async (method: string, path: string, body: object) => {
  const answer = await api(`/operator/v1${path}`, { method, body });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
};
const { api_keys: keys } = (await api('/operator/v1/api-keys?owner_type=operator')).body;
const operatorKey = keys[0].name;
const { body: customer } = await asSeller(`/v1/customers/${producer.id}`);
const sellerKeys = (await api(`/operator/v1/api-keys?owner_id=${seller.id}`)).body.api_keys;
const sellerKey = sellerKeys[0].name;
const change = (body: object) => asSeller(`/v1/customers/${producer.id}`, { method: 'PATCH', body });

await send('POST', '/brps', { name: 'Föhrwind' });
await send('PATCH', `/balance-groups/${sellerGroup.eic}`, { name: 'Nordwind Erzeugung' });
const contract = await world.contract(producer, consumer, { externalId: 'PPA-PROTOKOLL' });
await send('PUT', `/contracts/${contract.id}/days/2026-10-21`, {
  volumes: Array.from({ length: 96 }, () => 1),
});
platform.clock.set(SECOND);
await change({ metadata: { site: 'Harz' } });
await change({ status: 'deactivated' });
const asOperator = await user({ type: 'operator' });

const list = (page: Page) => page.getByRole('main').locator('details');
const entry = (page: Page, text: string) => list(page).filter({ hasText: text });

const SENTENCES = {
  'en-GB': [
    `${operatorKey} created the BRP Föhrwind.`,
    `${operatorKey} changed the balance group Nordwind Erzeugung: name.`,
    `${operatorKey} wrote the volumes of the contract PPA-PROTOKOLL (Wed 21/10).`,
    `${sellerKey} changed the customer ${customer.name}: metadata.`,
    `${sellerKey} deactivated the customer ${customer.name}.`,
  ],
  'de-DE': [
    `${operatorKey} hat den BKV Föhrwind angelegt.`,
    `${operatorKey} hat den Bilanzkreis Nordwind Erzeugung geändert: Name.`,
    `${operatorKey} hat die Mengen des Vertrags PPA-PROTOKOLL (Mi., 21.10.) geschrieben.`,
    `${sellerKey} hat den Kunden ${customer.name} geändert: Metadaten.`,
    `${sellerKey} hat den Kunden ${customer.name} deaktiviert.`,
  ],
} as const;

for (const locale of ['en-GB', 'de-DE'] as const)
  test(`the audit trail reads as sentences with names, on desktop and phone: ${locale}`, () =>
    visit(
      asOperator,
      async (page) => {
        await open(page, '/operator/audit');
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 900 });
          for (const sentence of SENTENCES[locale]) await entry(page, sentence).waitFor();
        }
      },
      { locale },
    ));

test('an entry leads to its record, and shows the raw details on demand', () =>
  visit(asOperator, async (page) => {
    await open(page, '/operator/audit');
    const deactivated = entry(page, `deactivated the customer ${customer.name}.`);
    await deactivated.getByText('customer.updated').waitFor({ state: 'hidden' });
    await deactivated.locator('summary').press('Enter');
    await deactivated.getByText('customer.updated').waitFor();
    const changes = deactivated.getByRole('table', { name: 'What was changed' });
    await changes.getByRole('row', { name: 'status active deactivated' }).waitFor();
    await deactivated.getByRole('link', { name: customer.name, exact: true }).click();
    await page.waitForURL(`**/operator/customers/${producer.id}`);
  }));

for (const [locale, separator] of [
  ['en-GB', ','],
  ['de-DE', ';'],
] as const)
  test(`the export has the filtered entries with names and sentences: ${locale}`, () =>
    visit(
      asOperator,
      async (page) => {
        await open(page, '/operator/audit?action=customer.updated&from=2026-10-22');
        const file = await downloadBy(page.getByRole('button', { name: 'CSV' }));
        assert.equal(file.name, 'audit.csv');
        const [header = '', ...lines] = file.bytes.toString().trim().split('\r\n');
        assert.deepEqual(header.replace('\ufeff', '').split(separator), [
          ...['id', 'at', 'actor', 'actor_name', 'action', 'subject', 'request_id', 'address', 'user_agent'],
          ...['before', 'after', 'sentence'],
        ]);
        assert.equal(lines.length, 2);
        assert.ok(lines[0]?.endsWith(SENTENCES[locale][4]), lines.join('\n'));
      },
      { locale },
    ));
