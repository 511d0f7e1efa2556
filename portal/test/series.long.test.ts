import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayStart, SLOT_MS } from '@saldo/core/delivery-day.ts';
import type { Page } from 'playwright-core';
import { interchange, line, message, quantity } from '../../core/test/mscons-documents.ts';
import { eventually } from '../../server/test/until.ts';
import { cellsOf, follow, open, openStage, settled } from './stage.ts';

const DAY = '2026-10-22';
const MALO = '51238696781';
const OBIS_FEED_IN = '2.29.0';

const { world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const { producer, consumer } = await world.pair();
const asset = await world.asset('Windpark Uckermark');
const contract = await world.contract(producer, consumer, {
  externalId: 'PPA-1',
  assetUuid: asset.uuid,
  ppaType: 'produced',
});
const asOperator = await user({ type: 'operator' });
const PLANT = `/operator/assets/${asset.id}?day=${DAY}`;

/** 1,000 kWh in every slot but the last, which is a gap. */
const FORECAST = [
  'series,kind,delivery_date,slot,energy_kwh',
  ...Array.from({ length: 95 }, (_, at) => `${MALO},forecast,${DAY},${at + 1},1000`),
].join('\n');

/** The first two slots of the day. */
const METER = interchange([
  message([
    ...line(MALO, OBIS_FEED_IN),
    ...['900', '1100.5'].flatMap((kwh, at) => quantity(dayStart(DAY) + at * SLOT_MS, kwh)),
  ]),
]);

async function createSeries(page: Page, kind: 'forecast' | 'meter'): Promise<void> {
  await page.getByRole('button', { name: `New ${kind}` }).click();
  const dialog = page.getByRole('dialog', { name: `New ${kind} series` });
  await dialog.getByLabel('Market location').fill(MALO);
  await dialog.locator('button[type=submit]').click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: `Windpark Uckermark, ${kind}` }).waitFor();
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName));
      return transfer;
    },
    [name, text] as const,
  );
  await page.getByText('Drop a file here').dispatchEvent('drop', { dataTransfer });
}

/** The cells of slots 1 to 3 and of the last slot. */
const someOf = (rows: string[][]) => [...rows.slice(0, 3), ...rows.slice(-1)].map(([, , ...cells]) => cells);

test('an operator creates the series of a plant, imports files, and a contract follows them', () =>
  visit(asOperator, async (page) => {
    await open(page, PLANT);
    await createSeries(page, 'forecast');
    await createSeries(page, 'meter');

    await page.getByRole('link', { name: 'Import values' }).click();
    await page.getByRole('heading', { level: 1, name: 'Import of values' }).waitFor();
    await drop(page, 'forecast.csv', FORECAST);
    await page.getByText('An import would add 95 quarter-hours and correct 0.').waitFor();
    await eventually(async () =>
      assert.deepEqual(
        (await cellsOf(page, 'Incomplete days')).map(([series, , missing]) => [series, missing]),
        [[MALO, '1']],
      ),
    );
    await page.getByRole('button', { name: 'Import now' }).click();
    await page.getByText('95 quarter-hours were added and 0 corrected.').waitFor();
    await drop(page, 'meter.edi', METER);
    await page.getByText('This is an MSCONS interchange, which has no dry run').waitFor();
    await page.getByRole('button', { name: 'Import now' }).click();
    await page.getByText('1 of 1 message applied.').waitFor();
    await page.getByRole('link', { name: 'Show the interchange' }).click();
    await page.getByRole('heading', { level: 1, name: 'Interchange R1' }).waitFor();

    await follow(page, PLANT);
    await page.getByText('Forecast: 1 quarter-hour without a value').waitFor();
    await page.getByText('Meter: 94 quarter-hours without a value').waitFor();
    await eventually(async () =>
      assert.deepEqual(someOf(await cellsOf(page, 'Series')), [
        ['1,000.000', '900.000', '−100.000'],
        ['1,000.000', '1,100.500', '+100.500'],
        ['1,000.000', 'no value', '–'],
        ['no value', 'no value', '–'],
      ]),
    );

    await follow(page, `/operator/contracts/${contract.id}?day=${DAY}`);
    await page.getByRole('button', { name: 'Take volumes from series' }).click();
    const dialog = page.getByRole('dialog', { name: 'Source of PPA-1' });
    await dialog.getByLabel('Forecast').selectOption({ label: `Windpark Uckermark, forecast · ${MALO}` });
    await dialog.getByLabel('Meter').selectOption({ label: `Windpark Uckermark, meter · ${MALO}` });
    await dialog.getByLabel('Share in %').fill('50');
    await dialog.locator('button[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Forecast: 93', { exact: true }).waitFor();
    await page.getByText('Meter: 2', { exact: true }).waitFor();
    await eventually(async () => {
      // The first table of this name has the versions of the selected slot: one.
      const [, ...rows] = await cellsOf(page, 'Transactions');
      assert.deepEqual(
        rows.slice(0, 3).map(([, , volume, , status, origin]) => [volume, status, origin]),
        [
          ['0.450', 'valid', 'Meter'],
          ['0.550', 'valid', 'Meter'],
          ['0.500', 'valid', 'Forecast'],
        ],
      );
      assert.equal(rows.length, 95, 'the gap has no volume');
    });
    await page.getByRole('row', { name: '00:15' }).getByRole('link', { name: 'Meter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Windpark Uckermark, meter' }).waitFor();
    await settled(page);
    await page.locator('[role=slider][aria-valuenow="2"]').waitFor();
  }));
