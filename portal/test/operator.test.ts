import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { downloadBy } from './download.ts';
import { ANONYMOUS, cellsOf, follow, goTo, open, openStage, settled } from './stage.ts';

const DAY = '2026-10-21';

const { platform, world, user, visit } = await openStage();
const { seller, buyer, producer, consumer, sellerGroup } = await world.pair();
const contract = await world.contract(producer, consumer, { externalId: 'PPA-1' });
const imported = await world.contract(producer, consumer, { externalId: 'PPA-2' });
await world.volumes(contract, DAY, 250);
await world.nominate();

const api = client(platform.baseUrl, seller.key);
const asOperator = await user({ type: 'operator' });
const asSeller = await user({ type: 'brp', brpNo: seller.no });

const factOf = (page: Page, label: string) =>
  page.locator('dt', { hasText: new RegExp(`^${label}$`) }).locator('xpath=following-sibling::dd[1]');

const volumesOf = async (id: string): Promise<number[]> =>
  (await api(`/v1/contracts/${id}/transactions?delivery_date=${DAY}`)).body.transactions.map(
    ({ volume }: { volume: number }) => volume,
  );

test('an operator corrects a slot, and the BRP sees the new version and the difference', async () => {
  const [before] = await listNominated(api, `&delivery_date=${DAY}`);
  assert.ok(before);
  await visit(asOperator, async (page) => {
    await open(page, `/operator/contracts/${contract.id}?day=${DAY}`);
    await page.getByRole('button', { name: 'Correct the day' }).click();
    await page.getByRole('textbox', { name: 'Slot 37, 09:00, MWh' }).fill('0.1234');
    await page.getByText('1 entry is no volume').waitFor();
    await eventually(async () =>
      assert.ok(await page.getByRole('button', { name: 'Save correction' }).isDisabled()),
    );
    await page.getByRole('textbox', { name: 'Slot 37, 09:00, MWh' }).fill('0.4');
    await page.getByText('1 quarter-hour changed').waitFor();
    await eventually(async () =>
      assert.deepEqual(await cellsOf(page, 'What changes'), [['09:00\n#37', '0.250', '0.400', '+0.150']]),
    );
    await page.getByRole('button', { name: 'Save correction' }).click();
    await page.getByText('0 new, 1 corrected.').waitFor();
    await page.getByText('1 quarter-hour corrected').waitFor();
    await follow(page, '/operator/nominations');
    await page.getByRole('button', { name: 'Net now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Net now' }).click();
    await page.getByRole('dialog').getByText('New versions', { exact: true }).waitFor();
    await eventually(async () => assert.equal(await factOf(page, 'New versions').innerText(), '2'));
  });
  await visit(asSeller, async (page) => {
    await open(page, `/nominations/${before.id}`);
    await page.getByText('This is an older version. The newest is version 2.').waitFor();
    await page.getByRole('link', { name: 'Show the newest' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(before.id));
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('heading', { name: 'Change from version 1 · 1 quarter-hour changed' }).waitFor();
    const [row = []] = await cellsOf(page, 'Change from version 1');
    assert.deepEqual(row, ['09:00\n#37', '07:00', '0.250', '0.400', '+0.150']);
    await page.getByRole('button', { name: /09:00/ }).click();
    await page.locator('[role=slider][aria-valuenow="37"]').waitFor();
    await page.getByRole('link', { name: 'PPA-1' }).first().click();
    await settled(page);
    await page.getByRole('heading', { name: 'Versions of Slot 37, 09:00' }).waitFor();
    const texts = await cellsOf(page, 'Transactions');
    assert.deepEqual(
      texts.slice(0, 2).map(([, , volume, , status, version]) => [volume, status, version]),
      [
        ['0.400', 'valid', '2'],
        ['0.250', 'superseded', '1'],
      ],
    );
  });
});

test('an operator sees a difference of 1 kW, and why a transaction is invalid', async () => {
  const day = '2026-10-23';
  await world.volumes(contract, day, 250);
  await world.nominate();
  const [nomination] = await listNominated(api, `&delivery_date=${day}`);
  assert.ok(nomination);
  await confirm(platform, nomination, (kw, at) => (at === 0 ? kw - 1 : kw));
  const { body } = await api(`/v1/transactions?delivery_date=${day}&limit=1`);
  await world.invalidate(body.transactions[0].id, 'meter failure');
  await visit(asOperator, async (page) => {
    await open(page, `/operator/nominations/${nomination.id}?slot=1`);
    await eventually(async () => assert.equal(await factOf(page, 'Confirmed').innerText(), '23.99975 MWh'));
    await page
      .getByRole('heading', { name: /^1 quarter-hour, Σ [+-][\d.]+ MWh, at most [\d.]+ MW$/ })
      .waitFor();
    await open(page, `/operator/contracts/${contract.id}?day=${day}&slot=1`);
    const [newest = []] = await cellsOf(page, 'Transactions');
    assert.equal(newest[4], 'invalid\nmeter failure');
  });
});

const FILE = [
  'contract,delivery_date,slot,volume',
  `PPA-2,${DAY},1,1.5`,
  `PPA-2,${DAY},2,0.25`,
  'PPA-2,2026-10-22,1,1.2345',
  'PPA-404,2026-10-22,1,1',
].join('\n');

const REJECTED = [
  ['4', 'too_many_decimals'],
  ['5', 'unknown_contract'],
];

const rejectedLines = async (page: Page) =>
  (await cellsOf(page, 'Rejected lines')).map(([line, reason]) => [line, reason?.split('\n').at(-1)]);

test('a chosen file is validated first, then imported, and its faulty lines are shown', () =>
  visit(asOperator, async (page) => {
    await open(page, '/operator/import');
    const file = { name: 'volumes.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) };
    await page.getByLabel('Choose a file').setInputFiles(file);
    await page.getByText('An import would add 2 quarter-hours and correct 0.').waitFor();
    await eventually(async () => assert.deepEqual(await rejectedLines(page), REJECTED));
    // DAY has two volumes, and the day whose only line is rejected has none.
    await eventually(async () =>
      assert.deepEqual(
        (await cellsOf(page, 'Incomplete days')).map(([contract, , missing]) => [contract, missing]),
        [
          ['PPA-2', '94'],
          ['PPA-2', '96'],
        ],
      ),
    );
    assert.deepEqual(await volumesOf(imported.id), [], 'a dry run changes nothing');
    await page.getByRole('button', { name: 'Import without the rejected days' }).click();
    await page.getByText('2 quarter-hours were added and 0 corrected.').waitFor();
    await eventually(async () => assert.deepEqual(await rejectedLines(page), REJECTED));
    await eventually(async () =>
      assert.equal(await factOf(page, 'Days rejected with them').innerText(), '2'),
    );
    assert.deepEqual(await volumesOf(imported.id), [1.5, 0.25]);
  }));

test('a dropped file is imported at once if that option is set', () =>
  visit(asOperator, async (page) => {
    await open(page, '/operator/import');
    await page.getByRole('checkbox', { name: 'Try first, without changing anything' }).uncheck();
    const dropped = await page.evaluateHandle(
      (text) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], 'corrections.ndjson'));
        return transfer;
      },
      JSON.stringify({ contract: 'PPA-2', delivery_date: DAY, slot: 2, volume: 0.5 }),
    );
    await page.getByText('Drop a file here').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('0 quarter-hours were added and 1 corrected.').waitFor();
    assert.equal(await page.getByRole('table', { name: 'Rejected lines' }).count(), 0);
  }));

test('a file that is no list of volumes is rejected with an explanation', () =>
  visit(asOperator, async (page) => {
    await open(page, '/operator/import');
    const file = { name: 'picture.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') };
    await page.getByLabel('Choose a file').setInputFiles(file);
    await page.getByRole('alert').waitFor();
    await page.getByRole('heading', { name: 'picture.csv' }).waitFor();
  }));

test('a file with two readings is a question, and its answer holds for the dry run and the import', () =>
  visit(asOperator, async (page) => {
    const text = `contract;delivery_date;slot;volume\r\nPPA-2;${DAY};3;1.234\r\n`;
    await open(page, '/operator/import');
    const file = { name: 'volumes.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('Choose a file').setInputFiles(file);
    await page.getByText('Which decimal mark does the file use?').waitFor();
    await page.getByRole('button', { name: 'Comma: 1.234 is more than a thousand' }).click();
    await page.getByText('An import would add 1 quarter-hours and correct 0.').waitFor();
    await page.getByRole('button', { name: 'Import now' }).click();
    await page.getByText('1 quarter-hours were added and 0 corrected.').waitFor();
    assert.equal((await volumesOf(imported.id)).at(-1), 1234);
  }));

test('an operator creates a BRP, its balance group and its user, who signs in by invitation', async () => {
  const eic = '11XNEULAND-----5';
  const link = await visit(asOperator, async (page) => {
    await open(page, '/operator/brps');
    await page.getByRole('button', { name: 'New BRP' }).click();
    const newBrp = page.getByRole('dialog', { name: 'Onboard a BRP' });
    await newBrp.getByLabel('Name').fill('Neuland');
    await newBrp.locator('button[type=submit]').click();
    await newBrp.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Neuland' }).waitFor();
    await page.getByRole('button', { name: 'New balance group' }).click();
    const newGroup = page.getByRole('dialog', { name: 'Register a balance group' });
    await newGroup.getByLabel('EIC').fill('11XNEULAND-----K');
    await newGroup.getByLabel('Name').fill('Neuland Nord');
    await newGroup.getByRole('checkbox', { name: 'TenneT' }).check();
    await newGroup.locator('button[type=submit]').click();
    // The error is shown at its field, with the expected check character.
    await newGroup.locator('input[aria-invalid=true]').waitFor();
    await eventually(async () =>
      assert.equal(await newGroup.getByLabel('EIC').getAttribute('aria-invalid'), 'true'),
    );
    await newGroup.getByText(/check character.*5/).waitFor();
    await newGroup.getByLabel('EIC').fill(eic);
    await newGroup.locator('button[type=submit]').click();
    await newGroup.waitFor({ state: 'detached' });
    await page.getByText(eic).first().waitFor();
    await page.getByRole('button', { name: 'New user' }).click();
    const newUser = page.getByRole('dialog', { name: 'New user' });
    await newUser.getByLabel('Name').fill('Nele Neu');
    await newUser.getByLabel('Email').fill('nele@neuland.example');
    await newUser.getByRole('button', { name: 'Create and invite' }).click();
    return page.getByRole('dialog', { name: 'Invitation for Nele Neu' }).locator('code').innerText();
  });
  await visit(ANONYMOUS, async (page) => {
    await open(page, link);
    const password = 'a password for Nele';
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill(password);
    await page.getByRole('textbox', { name: 'Repeat the new password' }).fill(password);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByText(/^Neuland ·/).waitFor();
    await open(page, `/nominations?day=${DAY}`);
    const options = page.getByLabel('Balance group').locator('option');
    // The filter is usable before its options are loaded.
    await options.nth(1).waitFor({ state: 'attached' });
    await eventually(async () =>
      assert.deepEqual(await options.allInnerTexts(), ['All', `Neuland Nord · ${eic}`]),
    );
    assert.ok(!(await page.content()).includes(sellerGroup.eic));
  });
});

test('a read-only operator sees no controls for changes, and the server rejects changes', async () => {
  const asReader = await user({ type: 'operator' }, 'viewer');
  const pages = {
    '/operator/import': ['Choose a file'],
    '/operator/brps': ['New BRP'],
    '/operator/balance-groups': ['New balance group', 'Settings'],
    '/operator/accounts': ['New account'],
    '/operator/users': ['New user', 'Change', 'Invite', 'Password link'],
    '/operator/keys': ['New key', 'Rotate', 'Revoke'],
    '/operator/customers': ['New customer'],
    '/operator/contracts': ['New contract'],
    '/operator/nominations': ['Net now'],
    [`/operator/contracts/${contract.id}?day=${DAY}`]: ['Correct the day', 'Set end'],
    [`/operator/customers/${producer.id}`]: ['Activate', 'Deactivate', 'Change', 'Save'],
    [`/operator/brps/${buyer.id}`]: ['New balance group', 'New user', 'New customer'],
  };
  await visit(asReader, async (page) => {
    for (const [url, names] of Object.entries(pages)) {
      await goTo(page, url);
      const main = page.locator('main');
      for (const name of names) {
        assert.equal(await main.getByRole('button', { name }).count(), 0, `${url}: ${name}`);
        assert.equal(await main.getByRole('link', { name, exact: true }).count(), 0, `${url}: ${name}`);
      }
    }
    const status = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ name: 'Refused' });
      return (await fetch('/operator/v1/brps', { method: 'POST', headers, body })).status;
    });
    assert.equal(status, 403);
  });
});

test('parties of a new contract are found by a part of their names, among many customers', async () => {
  for (let number = 1; number <= 25; number++)
    await world.customer(seller, { name: `Hof ${number}`, group: sellerGroup });
  await world.customer(seller, { name: 'Stahlwerk ohne Bilanzkreis' });
  await world.customer(seller, { name: 'Stahlwerk Ost', group: sellerGroup });
  await visit(asOperator, async (page) => {
    await open(page, '/operator/contracts/new');
    await page.getByLabel('Reference').fill('PPA-SEARCHED');
    const sold = page.getByRole('combobox', { name: 'Seller' });
    await sold.click();
    await page.getByText('The first 20; type more to find others').waitFor();
    assert.equal(await page.getByRole('option', { name: /Stahlwerk/ }).count(), 0);
    await sold.fill('stahl');
    await page.getByText('1 found').waitFor();
    await sold.press('ArrowDown');
    await page.getByRole('option', { name: /Stahlwerk Ost/, selected: true }).waitFor();
    await sold.press('Enter');
    await eventually(async () => assert.match(await sold.inputValue(), /^Stahlwerk Ost · /));
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    const bought = page.getByRole('combobox', { name: 'Buyer' });
    await bought.fill('no such name');
    await page.getByText('Nothing found').waitFor();
    await bought.fill('Hof 25');
    await page.getByRole('option', { name: /^Hof 25 / }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: /PPA-SEARCHED/ }).waitFor();
    await eventually(async () => assert.match(await factOf(page, 'Seller').innerText(), /^Stahlwerk Ost/));
    await eventually(async () => assert.match(await factOf(page, 'Buyer').innerText(), /^Hof 25/));
  });
});

test('the options of a chooser belong to what is typed, and the chosen party is shown with BRP, EIC and TSO', async () => {
  const miller = await world.brp('Müllerei AG');
  const group = await world.group(miller, ['DE_50HERTZ']);
  await world.customer(miller, { name: 'Mühle Alt', group, tso: 'DE_50HERTZ' });
  await world.customer(miller, { name: 'Mühle Neu', group, tso: 'DE_50HERTZ' });
  const facts = `Müllerei AG · ${group.eic} · 50Hertz`;
  await visit(asOperator, async (page) => {
    await open(page, '/operator/contracts/new');
    const sold = page.getByRole('combobox', { name: 'Seller' });
    await sold.fill('Mühle A');
    await page.getByRole('option', { name: /^Mühle Alt/ }).waitFor();
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const isNewSearch = (url: URL) => url.searchParams.get('search') === 'Mühle N';
    await page.route(isNewSearch, async (route) => {
      await asked;
      await route.continue();
    });
    await sold.fill('Mühle N');
    await sold.press('ArrowDown');
    await sold.press('Enter');
    await page.getByRole('status').getByText('Searching…').waitFor();
    assert.equal(await page.getByRole('listbox').count(), 0);
    await eventually(async () => assert.equal(await sold.inputValue(), 'Mühle N'));
    answer();
    await page.getByText('1 found').waitFor();
    await sold.press('ArrowDown');
    await sold.press('Enter');
    await eventually(async () => assert.match(await sold.inputValue(), /^Mühle Neu/));
    await page.getByText(facts, { exact: true }).waitFor();
    await sold.press('End');
    await sold.press('Backspace');
    await page.getByText(facts, { exact: true }).waitFor({ state: 'detached' });
  });
});

test('a rotated key is replaced, and the old one stays valid for the chosen time', async () => {
  const asOperatorKey = client(platform.baseUrl, await world.operatorKey());
  const made = await asOperatorKey('/operator/v1/api-keys', {
    method: 'POST',
    body: { owner: { type: 'brp', id: seller.id }, name: 'Dispatch', scopes: ['contracts:read'] },
  });
  assert.equal(made.status, 201, made.text);
  const secret = await visit(asOperator, async (page) => {
    await open(page, `/operator/keys?owner_type=brp&owner_id=${seller.id}`);
    await page.getByRole('button', { name: 'Rotate: Dispatch' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate Dispatch?' });
    await dialog.getByLabel('The old key works for').selectOption('one more hour');
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    const text = await shown.locator('code').first().innerText();
    await shown.getByRole('button', { name: 'I have stored the key' }).click();
    await page
      .getByRole('row', { name: /Dispatch/ })
      .nth(1)
      .waitFor();
    assert.ok(!(await page.content()).includes(text), 'the secret is not shown again');
    return text;
  });
  const statuses = () =>
    Promise.all([made.body.secret, secret].map(async (key) => (await api('/v1/contracts', { key })).status));
  assert.notEqual(secret, made.body.secret);
  assert.deepEqual(await statuses(), [200, 200]);
  assert.equal((await api('/v1/nominations', { key: secret })).status, 403, 'with the same scopes');
  platform.clock.set(new Date(platform.clock.now() + 61 * 60_000).toISOString());
  assert.deepEqual(await statuses(), [401, 200]);
});

test('an operator sees late changes, filters them and exports the quarter-hours', async () => {
  const day = '2026-10-01';
  const hours = Array.from({ length: 96 }, (_, at) => (at < 8 || at === 20 ? 250 : null));
  await world.volumes(contract, day, hours);
  await world.nominate();
  await visit(asOperator, async (page) => {
    await open(page, '/operator/late');
    const rows = await cellsOf(page, 'Late changes');
    assert.deepEqual(
      rows.map((cells) => cells.slice(3)),
      [
        ['1–8, 21', '0.000', '+2.250', '−2.250'],
        ['1–8, 21', '0.000', '−2.250', '+2.250'],
      ],
    );
    assert.match(rows[0]?.[1] ?? '', new RegExp(sellerGroup.eic));
    const file = await downloadBy(page.getByRole('button', { name: 'CSV' }));
    assert.equal(file.name, 'late.csv');
    const lines = file.bytes.toString().trimEnd().split('\n');
    assert.equal(lines.length, 1 + 2 * 9);
    assert.match(lines[9] ?? '', /,21,2026-10-01T03:00:00Z,2026-10-01T03:15:00Z,0\.000,0\.250,-0\.250,/);
    await follow(page, `/operator/late?brp_id=${buyer.id}&day=${day}`);
    await eventually(async () => assert.equal((await cellsOf(page, 'Late changes')).length, 1));
    await follow(page, '/operator/late?day=2026-10-02');
    await page.getByText('No late change matches these filters.').waitFor();
  });
});
