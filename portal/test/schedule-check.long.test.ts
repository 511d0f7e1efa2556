import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { operating } from '../../server/test/exchanging.ts';
import { client } from '../../server/test/harness.ts';
import { listNominated, only } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { downloadBy } from './download.ts';
import { cellsOf, open, openStage } from './stage.ts';

const DAY = '2026-10-25';
const OPERATOR = '11XSALDO-------Z';
const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const { seller, sellerGroup, buyer, buyerGroup, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
await world.volumes(contract, DAY, only(DAY, [9, 61], 1234, 2500));
await world.nominate();
const ask = client(platform.baseUrl, seller.key);
const [nomination] = await listNominated(ask, `&delivery_date=${DAY}`);
assert.ok(nomination);
const csv = (await ask(`/v1/nominations/schedule?delivery_date=${DAY}`)).text;
const xml = (
  await ask(
    `/v1/nominations/schedule?delivery_date=${DAY}&eic=${sellerGroup.eic}&tso=DE_AMPRION&format=ess&message_version=3`,
  )
).text;
const changed = csv
  .replace(/,9,(.*),4\.936,1\.234\n/, ',9,$1,4.000,1.000\n')
  .replace(/,61,(.*),4\.936,1\.234\n/, ',61,$1,5.000,1.250\n');
const asSeller = await user({ type: 'brp', brpNo: seller.no });
const asBuyer = await user({ type: 'brp', brpNo: buyer.no });

const choose = (page: Page, name: string, text: string) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });

/** Drops a file on the page as a mouse does. */
const drop = (page: Page, name: string, text: string) =>
  page.getByText('Drop your schedule here').evaluate(
    (element, file) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([file.text], file.name));
      element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    { name, text },
  );

test('a dropped schedule that is equal is reported as such, in CSV and XML', () =>
  visit(asSeller, async (page) => {
    await open(page, '/check');
    await drop(page, 'schedule.csv', csv);
    await page.getByText('All 100 quarter-hours are equal. The TSO will find no difference.').waitFor();
    await eventually(async () =>
      assert.deepEqual(
        (await cellsOf(page, 'Series with the operator')).map(([eic, tso, , state]) => [eic, tso, state]),
        [[sellerGroup.eic, 'Amprion', 'equal']],
      ),
    );
    await choose(page, 'schedule.xml', xml);
    await page.getByText(/schedule\.xml · .*25 October 2026 · Message version 3/).waitFor();
    await page.getByText('All 100 quarter-hours are equal.').first().waitFor();
  }));

test('quarter-hours that differ are marked on the chart and can be reached with the keyboard', () =>
  visit(asSeller, async (page) => {
    await open(page, '/check');
    await choose(page, 'schedule.csv', changed);
    await page.getByText('2 quarter-hours differ.').waitFor();
    const chart = page.getByRole('slider');
    await chart.waitFor();
    await eventually(async () => assert.equal(await chart.locator('path.fill-bad').count(), 2));
    const said = () => chart.getAttribute('aria-valuetext');
    await eventually(async () =>
      assert.match(
        (await said()) ?? '',
        /Nominated 4\.936 MW · Your file 4\.000 MW · Nominated − your file \+0\.936 MW$/,
      ),
    );
    await eventually(async () => assert.equal(await chart.getAttribute('aria-valuenow'), '9'));
    const next = page.getByRole('button', { name: 'Next difference' });
    await next.focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=slider][aria-valuenow="61"]').waitFor();
    await eventually(async () =>
      assert.match((await said()) ?? '', /Your file 5\.000 MW · Nominated − your file −0\.064 MW$/),
    );
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await eventually(async () =>
      assert.match((await said()) ?? '', /Nominated 10\.000 MW · Your file 10\.000 MW$/),
    );
    const rows = await cellsOf(page, 'Quarter-hours that differ');
    assert.deepEqual(
      rows.map(([slot = '', ...rest]) => [slot.split(/\s/, 1)[0], ...rest]),
      [
        ['02:00A', '4.936', '4.000', '+0.936'],
        ['14:00', '4.936', '5.000', '−0.064'],
      ],
    );
    await page.getByRole('link', { name: 'Open the nomination' }).first().click();
    await page.waitForURL(`**/nominations/${nomination.id}*`);
  }));

test('a swapped direction is shown with the nomination that is missing', () =>
  visit(asSeller, async (page) => {
    await open(page, '/check');
    await choose(page, 'schedule.csv', csv.replaceAll(',out,', ',in,'));
    await page.getByText('1 nomination is missing in the file, 1 series has no nomination.').waitFor();
    await page.getByRole('table').getByText(sellerGroup.eic).nth(1).waitFor();
    await eventually(async () =>
      assert.deepEqual(
        (await cellsOf(page, 'Series with the operator')).map(([eic, , direction, state]) => [
          eic,
          direction?.replace(/\s+/g, ' '),
          state,
        ]),
        [
          [sellerGroup.eic, '↙ receives', 'no nomination; direction swapped?'],
          [sellerGroup.eic, '↗ delivers', 'missing in the file'],
        ],
      ),
    );
  }));

test('a file with two readings is a question, and the answer continues the check', () =>
  visit(asSeller, async (page) => {
    await open(page, '/check');
    // Without the numbers that would decide it.
    const [header = '', ...lines] = csv.trimEnd().split('\n');
    const ambiguous = lines.map((line) => line.replace(/,[\d.]+$/, ','));
    await choose(page, 'schedule.csv', [header, ...ambiguous].join('\n').replaceAll(',', ';'));
    await page.getByText('Which decimal mark does the file use?').waitFor();
    await page.getByRole('button', { name: 'Point: 1.234 is a little more than one' }).click();
    await page.getByText('All 100 quarter-hours are equal.').first().waitFor();
  }));

test('faults of a file are listed, in German too', () =>
  visit(
    asSeller,
    async (page) => {
      await open(page, '/check');
      await page.getByRole('heading', { name: 'Fahrplan prüfen' }).waitFor();
      await choose(page, 'kurz.csv', csv.split('\n').slice(0, 97).join('\n'));
      await page.getByText('kurz.csv lässt sich nicht vergleichen').waitFor();
      await page
        .getByText(/hat 96 der 100 Viertelstunden des 25\.10\.2026: es fehlen 97, 98, 99, 100/)
        .waitFor();
      assert.ok(!(await page.getByRole('alert').innerText()).includes('missing'));
      await choose(
        page,
        'fahrplan.csv',
        `\u{feff}${changed.replaceAll(',', ';').replaceAll(/(\d)\.(\d{3})\b/g, '$1,$2')}`,
      );
      await page.getByText('2 Viertelstunden weichen ab.').waitFor();
      await page.getByRole('table', { name: 'Abweichende Viertelstunden' }).getByText('+0,936').waitFor();
    },
    { locale: 'de-DE' },
  ));

/** The seller's message with a forecast that balances it, except in slot 61, and a wrong role. */
const faulty = xml
  .replace('<SenderRole v="A08"/>', '<SenderRole v="A01"/>')
  .replace(/<ScheduleTimeSeries>[^]*<\/ScheduleTimeSeries>/, (own) =>
    [
      own.replace(/(<Pos v="9"\/>\s*<Qty v=")4\.936/, '$14.937'),
      own
        .replace(/(<SendersTimeSeriesIdentification v=")[^"]*/, '$1FORECAST')
        .replace('<BusinessType v="A02"/>', '<BusinessType v="A01"/>')
        .replace(/<InParty v="[^"]*"/, `<InParty v="${sellerGroup.eic}"`)
        .replace(/<OutParty v="[^"]*"/, '<OutParty v="11XFC-PROD-----E"'),
    ].join('\n'),
  );

test('a file that is dropped on any page is checked, with the reasons of the TSO first', () =>
  visit(asSeller, async (page) => {
    await open(page, '/contracts');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const isTaken = await page.locator('#content').evaluate((element, text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], 'dropped.xml'));
      const event = (type: string) => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      // An event that is not handled leaves the portal.
      return [event('dragover'), event('drop')].every((one) => !element.dispatchEvent(one));
    }, faulty);
    assert.ok(isTaken);
    await page.waitForURL('**/check');
    await page.getByText('2 reasons for the TSO to reject the file, 1 quarter-hour differs.').waitFor();
    const rows = await cellsOf(page, 'Why the TSO would reject the file');
    assert.deepEqual(
      rows.map(([code, series, slots]) => [code, series, slots]),
      [
        ['A54', 'whole file', '9 (02:00A)'],
        ['A78', 'whole file', '–'],
      ],
    );
    const titles = await page.getByRole('heading', { level: 2 }).allInnerTexts();
    assert.deepEqual(titles.slice(0, 2), ['Why the TSO would reject the file', 'Series with the operator']);
    await page.getByText('The role of the sender is "A01", known are A08.').waitFor();
  }));

test('only the series that differ are loaded, as CSV and as a message', () =>
  visit(asSeller, async (page) => {
    await open(page, '/check');
    await choose(page, 'schedule.csv', changed);
    const load = page.getByRole('button', { name: 'Load only what differs' });
    const asCsv = await downloadBy(load);
    assert.equal(asCsv.name, `${DAY}_differences.csv`);
    assert.equal(asCsv.bytes.toString(), csv);
    await choose(page, 'schedule.xml', faulty);
    await page.getByText('2 reasons for the TSO').waitFor();
    const asXml = await downloadBy(load);
    assert.equal(asXml.name, `${DAY}_differences.xml`);
    const times = /<MessageDateTime [^>]*>/;
    assert.equal(asXml.bytes.toString().replace(times, ''), xml.replace(times, ''));
    await choose(page, 'schedule.csv', csv);
    await page.getByText('All 100 quarter-hours are equal.').first().waitFor();
    assert.equal(await load.count(), 0);
  }));

test('a submitted file is remembered, in German too', () =>
  visit(
    asSeller,
    async (page) => {
      await open(page, '/check');
      await choose(page, 'fahrplan.xml', xml);
      await page.getByText('Nicht geprüft wurde, ob die Datei ausgeglichen ist').waitFor();
      await page.getByRole('button', { name: 'Als angemeldet markieren' }).click();
      await page.getByText('Version 3 ist als angemeldet markiert, mit 1 Nominierung.').waitFor();
      await choose(
        page,
        'fahrplan.xml',
        xml.replace('<MessageVersion v="3"/>', '<MessageVersion v="4"/>').replace(`${OPERATOR}_OUT`, 'NEU'),
      );
      await page.getByText('2 Gründe für den ÜNB, die Datei abzulehnen').waitFor();
      await page
        .getByText('Version 3 der Nachricht hatte diese Zeitreihe, und in der Datei fehlt sie')
        .waitFor();
    },
    { locale: 'de-DE' },
  ));

test('a complete message of the day is downloaded with the version that is asked for', () =>
  visit(asSeller, async (page) => {
    for (const path of [`/nominations?day=${DAY}`, `/nominations/${nomination.id}`]) {
      await open(page, path);
      await page.getByRole('button', { name: 'Schedule XML…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Schedule message of Sun, 25/10/2026' });
      const version = dialog.getByLabel('Message version');
      await version.fill('1000');
      await dialog.getByText('A whole number from 1 to 999').waitFor();
      await eventually(async () =>
        assert.ok(await dialog.getByRole('button', { name: 'Download' }).isDisabled()),
      );
      await version.fill('3');
      const start = dialog.getByRole('button', { name: 'Download' });
      const ess = await downloadBy(start);
      assert.equal(ess.name, `20261025_TPS_${sellerGroup.eic}_10XDE-RWENET---W_003.XML`);
      assert.equal(ess.bytes.toString(), xml);
      await page.getByText(`${ess.name} has been downloaded.`).waitFor();
      await page.getByRole('button', { name: 'Schedule XML…' }).click();
      await dialog.getByLabel('Format').selectOption('CIM');
      assert.match((await downloadBy(start)).bytes.toString(), /<Schedule_MarketDocument /);
    }
  }));

test('a nomination shows the TSO’s reasons in the language of the page', async () => {
  const operator = client(platform.baseUrl, await world.operatorKey());
  const { send, answer } = operating(platform, operator);
  await send({ delivery_date: DAY });
  const deviation = { eic: buyerGroup.eic, tso: null, day: null, slots: [61], differenceKw: -36 };
  await answer({ deviations: [deviation] });
  const [cut] = await listNominated(client(platform.baseUrl, buyer.key), `&delivery_date=${DAY}`);
  await visit(asBuyer, async (page) => {
    await open(page, `/nominations/${cut?.id}`);
    const panel = page.getByRole('region', { name: 'Answer of the TSO' });
    await panel.getByText('Time series modified.').waitFor();
    const [row = []] = await cellsOf(page, 'Quarter-hours with differences or reasons');
    assert.deepEqual(row.slice(1, 5), ['4.936', '4.900', '4.900', '+0.036']);
    assert.match(row[5] ?? '', /A44\s+Quantity decreased\./);
  });
  await visit(
    asBuyer,
    async (page) => {
      await open(page, `/nominations/${cut?.id}`);
      const panel = page.getByRole('region', { name: 'Antwort des ÜNB' });
      await panel.getByText('Zeitreihe geändert.').waitFor();
      await panel.getByText('Menge verringert.').waitFor();
    },
    { locale: 'de-DE' },
  );
});
