import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { downloadBy } from './download.ts';
import { open, openStage } from './stage.ts';

const DAY = '2026-10-21';
const { platform, world, user, visit } = await openStage();
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
await world.volumes(contract, DAY, 250);
await world.nominate();
const asSeller = client(platform.baseUrl, seller.key);
const asBrp = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

for (const [locale, texts] of [
  ['en-GB', { csv: 'Schedule CSV', file: `schedule_${DAY}_v1.csv`, done: 'was downloaded.' }],
  ['de-DE', { csv: 'Fahrplan CSV', file: `fahrplan_${DAY}_v1.csv`, done: 'wurde heruntergeladen.' }],
] as const)
  test(`the schedule of a day is a file named after it, and its download is confirmed: ${locale}`, () =>
    visit(
      asBrp,
      async (page) => {
        await open(page, `/nominations?day=${DAY}`);
        const { name } = await downloadBy(page.getByRole('button', { name: texts.csv }));
        assert.equal(name, texts.file);
        await page.getByText(`${texts.file} ${texts.done}`).waitFor();
      },
      { locale },
    ));

for (const [locale, create, text] of [
  ['en-GB', 'Create', 'Please choose a customer from the list.'],
  ['de-DE', 'Anlegen', 'Bitte einen Kunden aus der Liste wählen.'],
] as const)
  test(`a contract without parties asks for customers of the list: ${locale}`, () =>
    visit(
      asOperator,
      async (page) => {
        await open(page, '/operator/contracts/new');
        await page.getByRole('button', { name: create, exact: true }).click();
        await page.getByText(text).nth(1).waitFor();
      },
      { locale },
    ));

test('a key that has been rotated says until when it is replaced', () =>
  visit(
    asBrp,
    async (page) => {
      await open(page, '/keys');
      await page
        .getByRole('button', { name: /^Erneuern: / })
        .first()
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Erneuern' }).click();
      await page.getByRole('button', { name: 'Ich habe den Schlüssel gespeichert' }).click();
      await page.getByText('wird ersetzt bis').filter({ visible: true }).waitFor();
    },
    { locale: 'de-DE' },
  ));

test('a nomination whose quarter-hours all differ is confirmed differently, not partially', async () => {
  const [nomination] = await listNominated(asSeller, `&delivery_date=${DAY}`);
  assert.ok(nomination);
  await confirm(platform, nomination, (kw) => kw - 40);
  await visit(
    asBrp,
    async (page) => {
      await open(page, `/nominations?day=${DAY}`);
      await page.getByRole('cell', { name: 'abweichend bestätigt' }).waitFor();
    },
    { locale: 'de-DE' },
  );
});
