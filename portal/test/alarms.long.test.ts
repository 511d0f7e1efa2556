import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchExchange } from '../../server/src/exchange/process/watch.ts';
import { operating } from '../../server/test/exchanging.ts';
import { client } from '../../server/test/harness.ts';
import { eventually } from '../../server/test/until.ts';
import { open, openStage } from './stage.ts';

const DAY = '2026-10-21';

const { platform, world, user, visit } = await openStage('2026-10-20T12:00:00Z');
const { seller, producer, consumer } = await world.pair();
await world.volumes(await world.contract(producer, consumer), DAY, 250);
await world.nominate();
await world.customer(seller, { name: 'Wartend' });
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, answer, messages } = operating(platform, operator);
const asOperator = await user({ type: 'operator' });
const watch = () => watchExchange(platform.db, platform.clock, platform.exchange);

test('alarms appear on the operator’s open first page, lead to their message, and are acknowledged there', () =>
  visit(asOperator, async (page) => {
    await send({ delivery_date: DAY });
    await open(page, '/');
    const panel = page.getByRole('list', { name: 'Needs attention' });
    await panel.getByText('1 customer').waitFor();

    await answer({ rejections: [{ tso: 'DE_AMPRION', day: DAY }] });
    assert.equal((await receive('<nonsense/>')).status, 400);
    await watch();
    const rejected = panel.getByRole('listitem').filter({ hasText: 'Schedule rejected' });
    await rejected.getByText(/Version 1 of the schedule of 21 Oct 2026 for Amprion was rejected/).waitFor();
    await rejected.getByText('Gate 20/10/2026, 14:30').waitFor();
    await eventually(async () => {
      assert.match(await rejected.innerText(), /critical[^]*Amprion[^]*21\/10[^]*send again before the gate/);
      assert.match(await panel.getByRole('listitem').first().innerText(), /Schedule rejected/);
    });
    const unreadable = panel.getByRole('listitem').filter({ hasText: 'Message unreadable' });
    await unreadable.getByText('warning', { exact: true }).waitFor();

    const menu = page.getByRole('navigation', { name: 'Main navigation' });
    await menu.getByText('2 alarms').waitFor();
    await unreadable.getByRole('button', { name: 'Acknowledge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Acknowledge: Message unreadable' });
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await dialog.locator('input[aria-invalid=true]').waitFor();
    await dialog.getByLabel('Note').fill('The TSO sends it again.');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await unreadable.waitFor({ state: 'detached' });
    await menu.getByText('1 alarm', { exact: true }).waitFor();
    const { body } = await operator('/operator/v1/exchange/alarms?state=resolved');
    assert.equal(body.alarms[0].note, 'The TSO sends it again.');
    assert.match(body.alarms[0].acknowledged_by, /^user_/);

    await rejected.getByRole('link', { name: 'Open the message' }).click();
    await page.getByText(/The TSO rejected the schedule/).waitFor();
    await page.getByRole('button', { name: 'Request the answer again' }).click();
    await page.getByText('The TSO has been asked for its last answer.').waitFor();
    assert.equal((await messages('&type=status_request')).length, 1);
  }));
