import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
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
const asReader = await user({ type: 'operator' }, 'read');
const watch = () => watchExchange(platform.db, platform.clock.now(), platform.exchange);

const listOf = (page: Page, title: string) => page.getByRole('list', { name: title });

test('alarms appear on the operator’s open first page, lead to their message, and are acknowledged there', () =>
  visit(asOperator, async (page) => {
    await send({ delivery_date: DAY });
    await open(page, '/');
    const panel = listOf(page, 'Needs attention');
    await panel.getByText('1 customer').waitFor();

    await answer({ rejections: [{ tso: 'DE_AMPRION', day: DAY }] });
    assert.equal((await receive('<nonsense/>')).status, 400);
    await watch();
    const rejected = panel.getByRole('listitem').filter({ hasText: 'Schedule rejected' });
    await rejected.getByText(/Version 1 of the schedule of 2026-10-21 for DE_AMPRION was rejected/).waitFor();
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

test('a read-only operator sees alarms in German without a button, until their cause has gone', () =>
  visit(
    asReader,
    async (page) => {
      await open(page, '/');
      const panel = listOf(page, 'Braucht Aufmerksamkeit');
      await panel.getByText('Fahrplan abgelehnt', { exact: true }).waitFor();
      await panel.getByText(/^Version 1 des Fahrplans des .* wurde abgelehnt\. Der ÜNB hat /).waitFor();
      await panel.getByText('kritisch').waitFor();
      await panel.getByText(/vor der Frist erneut senden/).waitFor();
      assert.equal(await panel.getByRole('button').count(), 0);
      await send({ delivery_date: DAY });
      await answer();
      await watch();
      await panel.getByText('Fahrplan abgelehnt', { exact: true }).waitFor({ state: 'detached' });
    },
    { locale: 'de-DE' },
  ));

test('the note of an alarm stays when the alarm leaves the list', () =>
  visit(asOperator, async (page) => {
    assert.equal((await receive('<nothing/>')).status, 400);
    await watch();
    await open(page, '/');
    const row = listOf(page, 'Needs attention').getByRole('listitem').filter({ hasText: 'unreadable' });
    await row.getByRole('button', { name: 'Acknowledge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Acknowledge: Message unreadable' });
    const note = dialog.getByLabel('Note');
    await note.fill('The TSO sends it again.');

    const { body } = await operator('/operator/v1/exchange/alarms?state=open');
    for (const { id } of body.alarms) {
      const path = `/operator/v1/exchange/alarms/${id}/acknowledge`;
      const answered = await operator(path, { method: 'POST', body: { note: 'By phone.' } });
      assert.equal(answered.status, 200, answered.text);
    }
    await row.waitFor({ state: 'detached' });
    assert.equal(await note.inputValue(), 'The TSO sends it again.');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await dialog.getByRole('alert').waitFor();
  }));
