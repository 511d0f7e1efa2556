import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import {
  answerStatus,
  appendEvent,
  startReceiver,
  webhookWorkerOf,
} from '../../server/test/webhook-receiver.ts';
import { cellsOf, open, openStage } from './stage.ts';

const { platform, world, user, visit } = await openStage(undefined, { WEBHOOK_ALLOW_PRIVATE: 'on' });
const worker = webhookWorkerOf(platform);

async function brpWithUser(permissions?: 'viewer') {
  const brp = await world.brp();
  const owner = { type: 'brp', brpNo: brp.no } as const;
  const visitor = await user(owner, permissions);
  const request = client(platform.baseUrl, brp.key);
  const endpoints = async () => (await request('/v1/webhook-endpoints')).body.webhook_endpoints;
  const create = async (url: string) =>
    (await request('/v1/webhook-endpoints', { method: 'POST', body: { url } })).body;
  return { owner, visitor, endpoints, create };
}

test('an endpoint is created, its secret shown once, tested, disabled, enabled and deleted', async () => {
  const { visitor, endpoints } = await brpWithUser();
  const receiver = await startReceiver(answerStatus(503, 'down for maintenance'));
  const { url } = receiver;
  await visit(visitor, async (page) => {
    await open(page, '/');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByText('No webhook endpoint yet').waitFor();

    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'New webhook endpoint' });
    await dialog.getByLabel('URL').fill('ftp://hooks.example');
    await dialog.getByRole('button', { name: 'New endpoint' }).click();
    await dialog.getByText(/must be a valid URL that begins with https:/).waitFor();
    await dialog.getByLabel('URL').fill(url);
    await dialog.getByLabel('Description').fill('Dispatch');
    await dialog.getByLabel('Events').selectOption('some');
    await dialog.getByRole('checkbox', { name: 'nomination.created' }).check();
    await dialog.getByRole('checkbox', { name: 'customer.updated' }).check();
    await dialog.getByRole('button', { name: 'New endpoint' }).click();
    const shown = page.getByRole('dialog', { name: 'Your signing secret' });
    await eventually(async () =>
      assert.match(await shown.locator('code').innerText(), /^whsec_[\w+/]{43}=$/),
    );
    await shown.getByRole('button', { name: 'Copy the secret' }).waitFor();
    await page.keyboard.press('Escape');
    await shown.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('button', { name: `Test: ${url}` }).click();
    const tested = page.getByRole('dialog', { name: `Test: ${url}` });
    await tested.getByText('The endpoint did not accept the test event.').waitFor();
    await tested.getByText('down for maintenance').waitFor();
    receiver.answer(answerStatus(200, 'welcome'));
    await tested.getByRole('button', { name: 'Test again' }).click();
    await tested.getByText('The endpoint accepted the test event.').waitFor();
    await tested.getByText('welcome').waitFor();
    await tested.getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('button', { name: `New secret: ${url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    const rotated = page.getByRole('dialog', { name: 'Your signing secret' });
    await rotated.getByText('The old secret signs for 24 hours, too.').waitFor();
    await rotated.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('button', { name: `Disable: ${url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled by you').waitFor();
    await page.getByRole('button', { name: `Enable: ${url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByText(`${url} is enabled.`).waitFor();
    const [endpoint] = await endpoints();
    assert.deepEqual(
      [endpoint.url, endpoint.description, endpoint.types, endpoint.status],
      [url, 'Dispatch', ['nomination.created', 'customer.updated'], 'enabled'],
    );

    await page.getByRole('button', { name: `Delete: ${url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhook endpoint yet').waitFor();
  });
  assert.deepEqual(await endpoints(), []);
});

test('deliveries show their answers, can be filtered, and are sent again', async () => {
  const { owner, visitor, create } = await brpWithUser();
  const receiver = await startReceiver(answerStatus(500, 'no space left'));
  const { url } = await create(receiver.url);
  await appendEvent(platform, owner, 'cust_1');
  await worker.deliver();
  receiver.answer(answerStatus(204));
  await appendEvent(platform, owner, 'cust_2', 'customer.assigned');
  await worker.deliver();
  await visit(visitor, async (page) => {
    await open(page, '/webhooks');
    await page.getByRole('button', { name: url, exact: true }).click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.getByRole('cell', { name: 'customer.assigned' }).waitFor();
    const statesOf = async () => (await cellsOf(page, 'Deliveries')).map((cells) => cells[1]?.split('\n')[0]);
    await eventually(async () => assert.deepEqual(await statesOf(), ['Delivered', 'Pending']));
    await page.getByRole('button', { name: 'Pending', exact: true }).click();
    await page.getByRole('cell', { name: 'customer.assigned' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Details: evt_/ }).click();
    const dialog = page.getByRole('dialog', { name: 'customer.updated' });
    await dialog.getByText('no space left').waitFor();
    await dialog.getByText('Status 500.').waitFor();
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The event is sent again now.').waitFor();
    await worker.deliver();
    await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Delivered' }).click();
    await page.getByRole('cell', { name: 'customer.updated' }).waitFor();
    await eventually(async () => assert.deepEqual(await statesOf(), ['Delivered', 'Delivered']));
  });
});

test('a failing endpoint is marked, and one that was disabled says why', async () => {
  const { owner, visitor, create } = await brpWithUser();
  const [failing, gone] = [await startReceiver(answerStatus(500)), await startReceiver(answerStatus(410))];
  await create(failing.url);
  await create(gone.url);
  await appendEvent(platform, owner);
  await worker.deliver();
  await visit(visitor, async (page) => {
    await open(page, '/webhooks');
    const rows = await cellsOf(page, 'Webhooks');
    assert.match(rows[0]?.[1] ?? '', /^Failing\s+since/);
    assert.match(rows[1]?.[1] ?? '', /^Disabled\s+The receiver answered 410 \(gone\)/);
  });
});

test('the operator has endpoints too, and the page is in German', async () => {
  const receiver = await startReceiver();
  await visit(
    await user({ type: 'operator' }),
    async (page) => {
      await open(page, '/operator/webhooks');
      await page.getByRole('button', { name: 'Neuer Endpunkt' }).click();
      const dialog = page.getByRole('dialog', { name: 'Neuer Webhook-Endpunkt' });
      await dialog.getByLabel('URL').fill(receiver.url);
      await dialog.getByLabel('Ereignisse').selectOption('some');
      await dialog.getByRole('checkbox', { name: 'exchange.alarm', exact: true }).check();
      await dialog.getByRole('button', { name: 'Neuer Endpunkt' }).click();
      await page.getByRole('button', { name: 'Ich habe es gespeichert' }).click();
      await page.getByRole('button', { name: `Testen: ${receiver.url}` }).click();
      await page.getByText('Der Endpunkt hat das Testereignis angenommen.').waitFor();
    },
    { locale: 'de-DE' },
  );
  assert.equal(JSON.parse(receiver.received[0]?.body ?? '{}').type, 'webhook.test');
});

test('a user of a BRP who is no administrator sees a notice, and the operator’s may look', async () => {
  const { visitor } = await brpWithUser('viewer');
  await visit(visitor, async (page) => {
    await open(page, '/webhooks');
    await page.getByText('by administrators of your organisation').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New endpoint' }).count(), 0);
  });
  await visit(await user({ type: 'operator' }, 'viewer'), async (page) => {
    await open(page, '/operator/webhooks');
    await page.getByRole('table', { name: 'Webhooks' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^(Test|Delete|New endpoint)/ }).count(), 0);
  });
});
