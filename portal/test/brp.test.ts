import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAccount } from '../../server/src/parties/actions.ts';
import { client } from '../../server/test/harness.ts';
import { confirm, kwhOf, listNominated, only } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { downloadBy } from './download.ts';
import { cellsOf, drawn, follow, goTo, hold, holdLiveRefresh, open, openStage, settled } from './stage.ts';

const LONG_DAY = '2026-10-25';
const SHORT_DAY = '2026-03-29';
const NOW = '2026-10-20T08:00:00Z';

const { platform, world, user, visit } = await openStage('2026-03-27T08:00:00Z');
const nord = await world.brp('Nordlicht');
const sued = await world.brp('Suedwind');
const third = await world.brp('Westwerk');
const nordGroup = await world.group(nord);
const nordSecond = await world.group(nord);
const suedGroup = await world.group(sued);
const producer = await world.customer(nord, { name: 'Windpark Deich', group: nordGroup });
const second = await world.customer(nord, { name: 'Solarfeld Anger', group: nordSecond });
const consumer = await world.customer(sued, { name: 'Stahlwerk Ost', group: suedGroup });
const waiting = await world.customer(nord, { name: 'Waldhof', metadata: { site: 'Harz' } });
const contract = await world.contract(producer, consumer, { externalId: 'PPA-DEICH' });
const secondContract = await world.contract(second, consumer, { externalId: 'PPA-ANGER' });
await world.volumes(contract, SHORT_DAY, 250);
await world.nominate();
platform.clock.set(NOW);
await world.volumes(contract, LONG_DAY, only(LONG_DAY, [9, 13], 777, 1250));
await world.volumes(secondContract, LONG_DAY, 40);
await world.nominate();

const api = client(platform.baseUrl, nord.key);
const asNord = await user({ type: 'brp', brpNo: nord.no });

const nominationOf = async (day: string, eic = nordGroup.eic) => {
  const [found] = await listNominated(api, `&delivery_date=${day}&eic=${eic}`);
  assert.ok(found);
  return found;
};

const slider = (page: Page) => page.getByRole('slider');

/** The line of the matched amounts; empty if nothing is drawn. */
const matchedLine = (page: Page) => slider(page).locator('path.stroke-ok').getAttribute('d');

async function quarterHours(page: Page): Promise<string[][]> {
  await page.getByRole('button', { name: 'By quarter-hour' }).click();
  return (await cellsOf(page, 'Quarter-hours')).map(([label = '', ...rest]) => [
    label.split(/\s*#/, 1)[0] ?? '',
    ...rest,
  ]);
}

/** Chooses in the export dialog and downloads. */
async function exportDays(
  page: Page,
  choose: Record<string, string>,
): Promise<{ name: string; bytes: Buffer }> {
  await page.getByRole('button', { name: 'Export…' }).click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(choose)) {
    const field = dialog.getByLabel(label);
    if (label.endsWith('day')) await field.fill(value);
    else await field.selectOption(value);
  }
  const file = await downloadBy(dialog.getByRole('button', { name: 'Download' }));
  await page
    .getByText(/^Export complete: /)
    .last()
    .waitFor();
  await dialog.waitFor({ state: 'detached' });
  return file;
}

test('whole days are exported in each format, with the filters of the page', async () => {
  const exported = async (path: string) => (await api(`/v1/exports/${path}`)).text;
  await visit(asNord, async (page) => {
    await open(page, `/nominations?day=${LONG_DAY}&eic=${nordGroup.eic}`);
    const nominations = await exportDays(page, {});
    assert.equal(nominations.name, `nominations_${LONG_DAY}.csv`);
    const ofGroup = `delivery_date=${LONG_DAY}&eic=${nordGroup.eic}`;
    assert.equal(nominations.bytes.toString(), await exported(`nominations?${ofGroup}`));
    const days = { 'First delivery day': SHORT_DAY, 'Last delivery day': LONG_DAY };
    const lines = await exportDays(page, { Data: 'transactions', Format: 'ndjson', ...days });
    assert.equal(lines.name, `transactions_${SHORT_DAY}_${LONG_DAY}.ndjson`);
    const range = 'delivery_start=2026-03-28T23:00:00Z&delivery_end=2026-10-25T23:00:00Z';
    assert.equal(lines.bytes.toString(), await exported(`transactions?format=ndjson&${range}`));
    await follow(page, `/contracts/${secondContract.id}?day=${LONG_DAY}`);
    const parquet = await exportDays(page, { Format: 'parquet' });
    assert.equal(parquet.name, `transactions_${LONG_DAY}.parquet`);
    assert.match(parquet.bytes.toString('latin1'), /^PAR1[^]*PAR1$/);
  });
});

test('an export shows its progress and can be cancelled', async () => {
  await visit(
    asNord,
    async (page) => {
      await open(page, `/nominations?day=${LONG_DAY}`);
      await page.getByRole('button', { name: 'Exportieren…' }).click();
      const dialog = page.getByRole('dialog');
      await page.route('**/v1/exports/**', () => new Promise(() => {}));
      await dialog.getByRole('button', { name: 'Herunterladen' }).click();
      await dialog.getByText('0 B empfangen…').waitFor();
      await dialog.getByRole('button', { name: 'Abbrechen' }).click();
      await dialog.waitFor({ state: 'detached' });
    },
    { locale: 'de-DE' },
  );
});

test('an export of too many days or of no day is refused at its field', async () => {
  await visit(asNord, async (page) => {
    await open(page, `/nominations?day=${LONG_DAY}`);
    await page.getByRole('button', { name: 'Export…' }).click();
    const dialog = page.getByRole('dialog');
    const start = dialog.getByRole('button', { name: 'Download' });
    await dialog.getByLabel('First delivery day').fill('2025-10-24');
    await start.click();
    await dialog.getByText('must be within 366 delivery days from delivery_start').waitFor();
    await dialog.getByLabel('First delivery day').fill('2026-10-26');
    await dialog.getByText('The last day must not come before the first.').waitFor();
    await eventually(async () => assert.equal(await start.isDisabled(), true));
  });
});

test('an export ends with the page that started it', async () => {
  await visit(asNord, async (page) => {
    await open(page, `/nominations?day=${LONG_DAY}`);
    const { asked } = await hold(page, (url) => url.pathname === '/v1/nominations');
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    const request = await asked;
    const ended = page.waitForEvent('requestfailed', (failed) => failed === request);
    await follow(page, '/contracts');
    await ended;
    await drawn(page);
    assert.equal(await page.locator('[role=status][aria-live=polite]').innerText(), '');
  });
});

test('a day of 100 quarter-hours labels the repeated hour A and B', async () => {
  const { id } = await nominationOf(LONG_DAY);
  await visit(asNord, async (page) => {
    await open(page, `/nominations/${id}`);
    const rows = await quarterHours(page);
    assert.equal(rows.length, 100);
    const labels = rows.map(([label]) => label);
    assert.deepEqual(labels.slice(7, 18), [
      '01:45–02:00A',
      '02:00A–02:15A',
      '02:15A–02:30A',
      '02:30A–02:45A',
      '02:45A–02:00B',
      '02:00B–02:15B',
      '02:15B–02:30B',
      '02:30B–02:45B',
      '02:45B–03:00',
      '03:00–03:15',
      '03:15–03:30',
    ]);
    assert.deepEqual([rows[8]?.[2], rows[9]?.[2], rows[12]?.[2]], ['0.777', '1.250', '0.777']);
    assert.deepEqual([rows[8]?.[1], rows[12]?.[1]], ['00:00', '01:00'], 'and in UTC');
    await eventually(async () => assert.equal(await slider(page).getAttribute('aria-valuemax'), '100'));
    await page.getByText('this day has 100 quarter-hours').waitFor();
  });
});

test('a day of 92 quarter-hours has none between two and three o’clock', async () => {
  const { id } = await nominationOf(SHORT_DAY);
  await visit(asNord, async (page) => {
    await open(page, `/nominations/${id}`);
    const labels = (await quarterHours(page)).map(([label]) => label ?? '');
    assert.equal(labels.length, 92);
    assert.deepEqual(labels.slice(6, 9), ['01:30–01:45', '01:45–03:00', '03:00–03:15']);
    assert.deepEqual(
      labels.filter((label) => label.includes('02:')),
      [],
    );
    await follow(page, `/contracts/${contract.id}?day=${SHORT_DAY}`);
    const transactions = await cellsOf(page, 'Transactions');
    assert.equal(transactions.filter(([label]) => label?.startsWith('02:')).length, 0);
    await eventually(async () => assert.equal(await slider(page).getAttribute('aria-valuemax'), '92'));
  });
});

test('an unmatched value is labelled so, and never shown as zero', async () => {
  const nomination = await nominationOf(LONG_DAY);
  await visit(asNord, async (page) => {
    await open(page, `/nominations/${nomination.id}`);
    await eventually(async () => assert.equal(await matchedLine(page), ''));
    await eventually(async () =>
      assert.match((await slider(page).getAttribute('aria-valuetext')) ?? '', /not matched yet$/),
    );
    for (const [, , , , matched, difference] of await quarterHours(page))
      assert.deepEqual([matched, difference], ['not yet', '']);
    await confirm(platform, nomination, (kw, at) => (at === 12 ? 0 : kw));
    await page.reload();
    await settled(page);
    await eventually(async () => assert.notEqual(await matchedLine(page), ''));
    const rows = await quarterHours(page);
    assert.deepEqual(rows[12]?.slice(4), ['0.000', '+0.777'], 'matched with zero is shown as zero');
    assert.deepEqual(rows[11]?.slice(4), ['1.250', '0.000']);
    await page
      .getByRole('heading', { name: /^1 quarter-hour, Σ [+-][\d.]+ MWh, at most [\d.]+ MW$/ })
      .waitFor();
    await eventually(async () =>
      assert.equal(
        await slider(page).getAttribute('aria-valuenow'),
        '13',
        'the first mismatch is selected initially',
      ),
    );
  });
});

test('the chart works with the keyboard alone and announces every value', async () => {
  const nomination = await nominationOf(LONG_DAY);
  await visit(asNord, async (page) => {
    await open(page, `/nominations/${nomination.id}?slot=1`);
    const isFocused = () => slider(page).evaluate((element) => element === document.activeElement);
    for (let tabs = 0; tabs < 80 && !(await isFocused()); tabs++) await page.keyboard.press('Tab');
    await eventually(async () => assert.ok(await isFocused(), 'the Tab key reaches the chart'));
    const press = async (key: string, slot: number): Promise<string> => {
      await page.keyboard.press(key);
      await page.locator(`[role=slider][aria-valuenow="${slot}"]`).waitFor();
      return (await slider(page).getAttribute('aria-valuetext')) ?? '';
    };
    assert.match(await press('ArrowRight', 2), /^Slot 2, 00:15 · Nominated 1\.250 MWh \(5\.000 MW\)/);
    assert.match(await press('PageUp', 6), /^Slot 6, 01:15 ·/);
    assert.match(await press('End', 100), /^Slot 100, 23:45 ·/);
    assert.match(await press('ArrowRight', 100), /^Slot 100/);
    assert.match(await press('Home', 1), /^Slot 1, 00:00 ·/);
    for (let slot = 2; slot <= 9; slot++) await press('ArrowUp', slot);
    assert.match(await press('ArrowLeft', 8), /^Slot 8, 01:45 ·/);
    assert.match(await press('ArrowRight', 9), /^Slot 9, 02:00A · Nominated 0\.777 MWh \(3\.108 MW\)/);
    await page.waitForURL(/[?&]slot=9(?:&|$)/);
    await page.getByRole('link', { name: 'PPA-DEICH' }).waitFor();
    await eventually(async () => assert.ok(await isFocused(), 'and it keeps the focus'));
  });
});

test('filters are kept in the address, survive a reload and apply to the download', () =>
  visit(asNord, async (page) => {
    await open(page, `/nominations?day=${LONG_DAY}`);
    await eventually(async () => assert.equal((await cellsOf(page, 'Nominations')).length, 2));
    await page.getByLabel('Balance group').selectOption(nordSecond.eic);
    await page.waitForURL((url) => url.searchParams.get('eic') === nordSecond.eic);
    await page.reload();
    await settled(page);
    await eventually(async () =>
      assert.equal(await page.getByLabel('Balance group').inputValue(), nordSecond.eic),
    );
    await eventually(async () =>
      assert.deepEqual(
        (await cellsOf(page, 'Nominations')).map(([group]) => group?.split('\n', 1)[0]),
        [nordSecond.eic],
      ),
    );
    const download = await downloadBy(page.getByRole('button', { name: 'CSV', exact: true }));
    assert.equal(download.name, `nominations-${LONG_DAY}.csv`);
    const [names = '', ...lines] = download.bytes.toString().replace('\uFEFF', '').trim().split(/\r?\n/);
    const at = (name: string) => names.split(',').indexOf(name);
    const read = lines.map((line) => line.split(','));
    const nomination = await nominationOf(LONG_DAY, nordSecond.eic);
    assert.deepEqual(
      read.map((cells) => [
        cells[at('nomination_id')],
        Number(cells[at('slot_number')]),
        kwhOf(Number(cells[at('amount_mwh')])),
      ]),
      nomination.slots.map(({ slot_number, amount }) => [nomination.id, slot_number, kwhOf(amount)]),
    );
    assert.deepEqual(
      [read[8]?.[at('local_time')], read[12]?.[at('local_time')], read[8]?.[at('matched_amount_mwh')]],
      ['02:00A', '02:00B', ''],
      'an unmatched value is empty, not zero',
    );
  }));

test('search text is kept in the address too', () =>
  visit(asNord, async (page) => {
    await open(page, '/customers');
    await eventually(async () => assert.equal((await cellsOf(page, 'Customers')).length, 3));
    await page.getByRole('searchbox').fill('harz');
    await page.waitForURL((url) => url.searchParams.get('search') === 'harz');
    await page.reload();
    await settled(page);
    await eventually(async () => assert.equal(await page.getByRole('searchbox').inputValue(), 'harz'));
    await eventually(async () =>
      assert.deepEqual(
        (await cellsOf(page, 'Customers')).map(([name]) => name?.split('\n', 1)[0]),
        ['Waldhof'],
      ),
    );
  }));

test('numbers and times have the German format', async () => {
  const { id } = await nominationOf(LONG_DAY);
  await visit(
    asNord,
    async (page) => {
      await open(page, `/nominations/${id}?slot=9`);
      await eventually(async () =>
        assert.match((await slider(page).getAttribute('aria-valuetext')) ?? '', /0,777 MWh \(3,108 MW\)/),
      );
      await follow(page, '/');
      await page.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor();
    },
    { locale: 'de-DE' },
  );
});

test('a BRP sees its own records and none of another BRP, in lists and by address', async () => {
  const { id } = await nominationOf(LONG_DAY);
  const asThird = await user({ type: 'brp', brpNo: third.no });
  const foreign = [
    'Windpark Deich',
    'Stahlwerk Ost',
    'Waldhof',
    'PPA-DEICH',
    nordGroup.eic,
    suedGroup.eic,
    'Nordlicht',
  ];
  await visit(asThird, async (page) => {
    const lists = ['/', '/contracts', `/nominations?day=${LONG_DAY}`, '/month'];
    lists.push('/customers', '/balance-groups', '/keys');
    const records = [`/contracts/${contract.id}`, `/nominations/${id}`, `/customers/${waiting.id}`];
    for (const url of [...lists, ...records]) {
      await goTo(page, url);
      const text = await page.locator('main').innerText();
      for (const name of foreign) assert.ok(!text.includes(name), `${url} shows ${name}`);
      if (records.includes(url)) assert.match(text, /^Not found/, url);
    }
    for (const url of ['/operator/brps', '/operator/customers', '/operator/audit']) {
      await page.goto(url);
      await page.waitForURL((landed) => landed.pathname === '/');
    }
  });
  const account = await platform.db.transaction((tx) =>
    createAccount(tx, { name: 'Stadtwerk' }, platform.clock.now()),
  );
  await visit(await user({ type: 'account', accountNo: account.no }), async (page) => {
    for (const url of ['/nominations', '/customers', '/operator/brps']) {
      await page.goto(url);
      await page.waitForURL((landed) => landed.pathname === '/');
    }
    const statuses = await page.evaluate(async () => {
      const paths = ['/v1/nominations', '/v1/customers', '/operator/v1/brps'];
      return Promise.all(paths.map(async (path) => (await fetch(path)).status));
    });
    assert.deepEqual(statuses, [401, 401, 401]);
  });
  await visit(await user({ type: 'operator' }), async (page) => {
    await page.goto('/customers');
    await page.getByRole('heading', { level: 1, name: 'Platform' }).waitFor();
    await open(page, '/operator/customers');
    await eventually(async () => assert.equal((await cellsOf(page, 'Customers')).length, 4));
  });
});

test('a read-only user sees no controls for changes, and the server rejects changes', async () => {
  const asReader = await user({ type: 'brp', brpNo: nord.no }, 'viewer');
  await visit(asReader, async (page) => {
    const customers = [`/customers/${waiting.id}`, `/customers/${producer.id}`];
    const names = ['Activate', 'Deactivate', 'Save', 'Add entry', 'New key', 'Rotate', 'Revoke', 'Settings'];
    for (const url of [...customers, '/balance-groups', '/keys']) {
      await goTo(page, url);
      for (const name of names) {
        assert.equal(await page.locator('main').getByRole('button', { name }).count(), 0, `${url} ${name}`);
      }
    }
    const statuses = await page.evaluate(async (customer) => {
      const send = async (method: string, url: string, body: object) => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch(url, { method, headers, body: JSON.stringify(body) })).status;
      };
      return [
        await send('PATCH', `/v1/customers/${customer}`, { status: 'active' }),
        await send('POST', '/portal/v1/api-keys', { name: 'x', scopes: ['contracts:read'] }),
      ];
    }, waiting.id);
    assert.deepEqual(statuses, [403, 403]);
  });
  assert.equal((await api(`/v1/customers/${waiting.id}`)).body.status, 'pending');
});

test('a customer is activated', () =>
  visit(asNord, async (page) => {
    await open(page, '/');
    await page.getByRole('link', { name: '1 customer' }).click();
    await page.getByRole('link', { name: /Waldhof/ }).click();
    await page.getByRole('heading', { level: 1, name: /Waldhof/ }).waitFor();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Activate Waldhof?' });
    await dialog.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('Waldhof is active.').waitFor();
    await page.getByRole('button', { name: 'Deactivate' }).waitFor();
    assert.equal((await api(`/v1/customers/${waiting.id}`)).body.status, 'active');
  }));

test('a new key is shown once with a command to try it, and has exactly its scopes', () =>
  visit(asNord, async (page) => {
    await open(page, '/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await dialog.getByLabel('Name').fill('Dispatch');
    await dialog.getByRole('checkbox', { name: /nominations:read/ }).uncheck();
    await dialog.getByRole('button', { name: 'New key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    await shown.waitFor();
    const [secret = '', command = ''] = await shown.locator('code').allInnerTexts();
    assert.equal(command, `curl -H 'X-Api-Key: ${secret}' '${platform.baseUrl}/v1/contracts?limit=3'`);
    const withKey = client(platform.baseUrl, secret);
    const contracts = await withKey('/v1/contracts?limit=3');
    assert.equal(contracts.status, 200, contracts.text);
    assert.deepEqual(
      contracts.body.contracts.map(({ external_id }: { external_id: string }) => external_id),
      ['PPA-DEICH', 'PPA-ANGER'],
    );
    await eventually(async () => assert.equal((await withKey('/v1/nominations')).status, 403));
    // Browsers let a page keep a dialog open at the first Escape, but not at the second.
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    await shown.getByRole('button', { name: 'I have stored the key' }).click();
    const row = page.getByRole('row', { name: /Dispatch/ });
    await row.getByText('active').filter({ visible: true }).waitFor();
    assert.ok(!(await page.content()).includes(secret), 'the secret is not shown again');
    await row.getByRole('button', { name: 'Revoke: Dispatch' }).click();
    await page
      .getByRole('dialog', { name: 'Revoke Dispatch?' })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await row.getByText('revoked').filter({ visible: true }).waitFor();
  }));

test('the list of keys has no total while ended keys are hidden', async () => {
  const owner = await world.brp('Ostkraft');
  await world.key(owner);
  await world.key(owner, ['contracts:read'], Date.parse(NOW) - 1);
  const operator = client(platform.baseUrl, await world.operatorKey());
  const visitor = await user({ type: 'brp', brpNo: owner.no });
  await visit(visitor, async (page) => {
    await open(page, '/keys');
    await page.getByText('All 3 shown').waitFor();
    const rows = page.getByRole('table', { name: 'API keys' }).locator('tbody tr');
    await page.getByRole('checkbox', { name: 'Hide keys that have ended' }).check();
    await eventually(async () => assert.equal(await rows.count(), 2));
    assert.equal(await page.getByText(/\d shown/).count(), 0);
    const { api_keys: keys } = (await operator(`/operator/v1/api-keys?owner_id=${owner.id}`)).body;
    for (const { id } of keys) await operator.delete(`/operator/v1/api-keys/${id}`);
    await page.reload();
    await page.getByText('No active keys').waitFor();
    assert.equal(await page.getByText('No keys yet').count(), 0);
  });
});

const metadataOf = async (id: string) => (await api(`/v1/customers/${id}`)).body.metadata;

test('metadata can be added, changed and removed, and only the changes are sent', async () => {
  const metadata = { site: 'Moor', meter: '4711', room: '7' };
  const { id } = await world.customer(nord, { name: 'Moorhof', metadata });
  await visit(asNord, async (page) => {
    await open(page, `/customers/${id}`);
    const editor = page.getByRole('region', { name: 'Metadata' });
    const save = editor.getByRole('button', { name: 'Save' });
    await eventually(async () => assert.ok(await save.isDisabled(), 'nothing is changed yet'));
    await editor.getByRole('button', { name: 'Remove meter' }).click();
    const keys = await editor
      .getByRole('textbox', { name: /^Key/ })
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
    assert.deepEqual(keys.toSorted(), ['room', 'site']);
    await editor.getByRole('textbox', { name: `Value ${keys.indexOf('site') + 1}` }).fill('Harz');
    await editor.getByRole('button', { name: 'Add entry' }).click();
    await editor.getByRole('textbox', { name: 'Key 3' }).fill('site');
    await editor.getByRole('alert').getByText('This key is repeated.').waitFor();
    await eventually(async () => assert.ok(await save.isDisabled(), 'a repeated key is not sent'));
    await editor.getByRole('textbox', { name: 'Key 3' }).fill('contact');
    await editor.getByRole('textbox', { name: 'Value 3' }).fill('Jule');
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await save.click();
    assert.deepEqual((await sent).postDataJSON(), {
      metadata: { meter: null, site: 'Harz', contact: 'Jule' },
    });
    await page.getByText('Saved.').waitFor();
  });
  assert.deepEqual(await metadataOf(id), { site: 'Harz', contact: 'Jule', room: '7' });
});

test('metadata changed by another program meanwhile is shown, and the own input is kept', async () => {
  const { id } = await world.customer(nord, { name: 'Heidehof', metadata: { site: 'Heide' } });
  await visit(asNord, async (page) => {
    await holdLiveRefresh(page);
    await open(page, `/customers/${id}`);
    const editor = page.getByRole('region', { name: 'Metadata' });
    await editor.getByRole('textbox', { name: 'Value 1' }).fill('Harz');
    const change = { method: 'PATCH', body: { metadata: { site: 'Moor' } } };
    assert.equal((await api(`/v1/customers/${id}`, change)).status, 200);
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.getByText('metadata · site: Heide → Moor').waitFor();
    await editor.getByText(/^test has changed this, \d/).waitFor();
    assert.equal(await editor.getByRole('textbox', { name: 'Value 1' }).inputValue(), 'Harz');
    assert.deepEqual(await metadataOf(id), { site: 'Moor' });
    await editor.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await editor.getByText('metadata · site').waitFor({ state: 'detached' });
  });
  assert.deepEqual(await metadataOf(id), { site: 'Harz' });
});
