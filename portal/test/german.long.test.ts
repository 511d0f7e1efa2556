import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { only } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { downloadBy } from './download.ts';
import { follow, open, openStage } from './stage.ts';

const DAY = '2026-10-25';
const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
await world.volumes(contract, DAY, only(DAY, [9, 61], 1234, 2500));
await world.nominate();
const ask = client(platform.baseUrl, seller.key);
const asSeller = await user({ type: 'brp', brpNo: seller.no });
const asOperator = await user({ type: 'operator' });

/** Opens a page in German in an English browser, so that only the page's language can be the cause of a format. */
async function openGerman(page: Page, path: string): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('saldo.language', 'de'));
  await open(page, path);
}

const downloaded = async (page: Page, name: string): Promise<string> =>
  (await downloadBy(page.getByRole('button', { name, exact: true }))).bytes.toString();

const german = (csv: string) => `\u{feff}${csv.replaceAll(',', ';').replaceAll('.', ',')}`;

test('in German, CSV files have semicolons, decimal commas and a byte order mark; the dialog has a choice', () =>
  visit(asSeller, async (page) => {
    await openGerman(page, `/nominations?day=${DAY}`);
    const schedule = (await ask(`/v1/nominations/schedule?delivery_date=${DAY}`)).text;
    assert.equal(await downloaded(page, 'Fahrplan CSV'), german(schedule));
    const [header = '', first = ''] = (await downloaded(page, 'CSV')).split('\r\n');
    assert.match(header, /^\u{feff}nomination_id;version;/u);
    assert.match(first, /;2,500;10,000;$/);

    const exported = (await ask(`/v1/exports/nominations?delivery_date=${DAY}&format=csv`)).text;
    const files: string[] = [];
    for (const format of [null, 'CSV']) {
      await page.getByRole('button', { name: 'Exportieren…' }).click();
      if (format !== null) await page.getByRole('dialog').getByLabel('Format').selectOption(format);
      files.push(await downloaded(page, 'Herunterladen'));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    assert.deepEqual(files, [german(exported), exported]);
  }));

test('the German schedule is equal when it is checked', () =>
  visit(asSeller, async (page) => {
    await openGerman(page, `/nominations?day=${DAY}`);
    const text = await downloaded(page, 'Fahrplan CSV');
    await follow(page, '/check');
    const file = { name: 'fahrplan.csv', mimeType: '', buffer: Buffer.from(text) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Alle 100 Viertelstunden sind gleich.').first().waitFor();
  }));

test('a form with a text that is no date is not sent', () =>
  visit(asOperator, async (page) => {
    await openGerman(page, '/operator/contracts/new');
    let requests = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') requests++;
    });
    const first = page.getByLabel('Erster Liefertag');
    await first.fill('31.11.2026');
    await page.locator('button[type=submit]').click();
    await eventually(async () =>
      assert.equal(await first.evaluate((input) => input === document.activeElement), true),
    );
    await eventually(async () =>
      assert.equal(await first.getAttribute('title'), 'Kein Datum; schreiben Sie es wie TT.MM.JJJJ'),
    );
    assert.equal(requests, 0);
  }));

test('messages of the server are in German at their fields', () =>
  visit(asSeller, async (page) => {
    await openGerman(page, `/nominations?day=${DAY}`);
    await page.getByRole('button', { name: 'Exportieren…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Erster Liefertag').fill('24.10.2025');
    await dialog.getByRole('button', { name: 'Herunterladen' }).click();
    await dialog.getByText('liegt zu spät: Der Zeitraum darf höchstens 366 Liefertage umfassen').waitFor();
    assert.ok(!(await dialog.innerText()).includes('must'));
  }));

test('after a change of the language the page asks for the sentences of the server again', () =>
  visit(asSeller, async (page) => {
    const askedIn = (language: string) =>
      page.waitForRequest(
        (request) =>
          request.url().includes('/v1/nominations?') && request.headers()['accept-language'] === language,
      );
    const first = askedIn('de');
    await openGerman(page, `/nominations?day=${DAY}`);
    await first;
    const again = askedIn('en');
    await page.getByLabel('Sprache').selectOption('en');
    await again;
  }));
