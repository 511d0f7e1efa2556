import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { listNominated } from '../../server/test/nominated.ts';
import { sealAll } from '../../server/test/proving.ts';
import { faultsOf } from './axe.ts';
import { cellsOf, open, openStage } from './stage.ts';

const DAY = '2026-10-21';
const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer, { externalId: 'PPA-1' });
const volumes = (first: number) => Array.from({ length: 96 }, (_, at) => (at === 0 ? first : 250));
await world.volumes(contract, DAY, volumes(250));
await world.nominate();
platform.clock.set('2026-10-20T09:00:00Z');
await world.volumes(contract, DAY, volumes(400));
await world.nominate();
platform.clock.set('2026-10-20T10:00:00Z');
const versions = await listNominated(client(platform.baseUrl, seller.key), `&delivery_date=${DAY}`);
const current = versions.find(({ status }) => status !== 'superseded')!;
const visitor = await user({ type: 'brp', brpNo: seller.no });

test('a nomination shows what was known at a time, and the difference to now', () =>
  visit(visitor, async (page) => {
    await open(page, `/nominations/${current.id}?view=evidence`);
    await page.getByText('The same as now.').waitFor();
    assert.deepEqual(await faultsOf(page, 'evidence of a nomination'), []);
    await page.getByRole('textbox', { name: 'Time' }).fill('10:30');
    await page.getByText('1 quarter-hour has changed since').first().waitFor();
    const [row = []] = await cellsOf(page, '1 quarter-hour has changed since');
    assert.deepEqual(row.slice(2), ['0.250', '0.400', '+0.150']);
    await page.getByRole('textbox', { name: 'Time' }).fill('09:59');
    await page.getByText('Nothing was stored at that time.').waitFor();
  }));

test('a contract’s day shows the same, in German', () =>
  visit(
    visitor,
    async (page) => {
      await open(page, `/contracts/${contract.id}?day=${DAY}`);
      await page.getByRole('button', { name: 'Stand am…' }).click();
      await page.getByRole('textbox', { name: 'Uhrzeit' }).fill('10:30');
      await page.getByText('1 Viertelstunde hat sich seither geändert').first().waitFor();
      const [row = []] = await cellsOf(page, '1 Viertelstunde hat sich seither geändert');
      assert.deepEqual(row.slice(2), ['0,250', '0,400', '+0,150']);
    },
    { locale: 'de-DE' },
  ));

test('the proof of a nomination is there once it is sealed, and the browser verifies it', () =>
  visit(visitor, async (page) => {
    await open(page, `/nominations/${current.id}?view=evidence`);
    await page.getByRole('button', { name: 'Load the proof' }).click();
    await page.getByText('The last change is not sealed yet.').waitFor();
    await sealAll(platform);
    await page.getByRole('button', { name: 'Load the proof' }).click();
    await page.getByRole('button', { name: 'Verify here' }).click();
    await page.getByText('Verified in this browser').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the proof' }).click(),
    ]);
    const { proof } = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.equal(JSON.parse(Buffer.from(proof.entry, 'base64').toString()).id, current.id);
  }));
