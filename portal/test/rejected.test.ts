import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SimulatedAnswer } from '@saldo/api';
import { REASONS } from '@saldo/core/messages/reasons.ts';
import { client } from '../../server/test/harness.ts';
import { listNominated } from '../../server/test/nominated.ts';
import { faultsOf } from './axe.ts';
import { open, openStage } from './stage.ts';

const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z', { SANDBOX: 'on' });
const operator = client(platform.baseUrl, await world.operatorKey());

const TEXTS = {
  'en-GB': {
    tasks: 'Needs attention',
    task: 'Rejected by the TSO',
    reason: REASONS['reason.A59'].en,
    badge: 'rejected by the TSO',
    headline: 'The TSO rejected the schedule',
    waiting: 'The TSO has not answered yet',
    unanswered: 'No answer',
  },
  'de-DE': {
    tasks: 'Braucht Aufmerksamkeit',
    task: 'Vom ÜNB abgelehnt',
    reason: REASONS['reason.A59'].de,
    badge: 'vom ÜNB abgelehnt',
    headline: 'Der ÜNB hat den Fahrplan abgelehnt',
    waiting: 'Der ÜNB hat noch nicht geantwortet',
    unanswered: 'Keine Antwort',
  },
} as const;

/** A day whose sent schedule the TSO rejects. */
async function rejectedDay(day: string) {
  const { seller, producer, consumer } = await world.pair();
  const contract = await world.contract(producer, consumer);
  await world.volumes(contract, day, 250);
  await world.nominate();
  const send = async (): Promise<string> => {
    const { body, text } = await operator('/operator/v1/exchange/send', {
      method: 'POST',
      body: { delivery_date: day },
    });
    assert.equal(body.messages.length, 1, text);
    return body.messages[0].id;
  };
  const answer = async (id: string, kind: SimulatedAnswer) => {
    const path = `/operator/v1/messages/${id}/simulated-answer`;
    const { status, text } = await operator(path, { method: 'POST', body: { answer: kind } });
    assert.equal(status, 200, text);
  };
  await answer(await send(), 'rejection');
  const [nomination] = await listNominated(client(platform.baseUrl, seller.key), `&delivery_date=${day}`);
  assert.equal(nomination?.status, 'pending');
  return { nomination, send, answer, visitor: await user({ type: 'brp', brpNo: seller.no }) };
}

for (const [locale, day] of [
  ['en-GB', '2026-10-21'],
  ['de-DE', '2026-10-20'],
] as const)
  test(`a rejected schedule is a task of the BRP with its reason and deadline, until a newer version is sent: ${locale}`, async () => {
    const texts = TEXTS[locale];
    const { nomination, send, answer, visitor } = await rejectedDay(day);
    await visit(
      visitor,
      async (page) => {
        const list = page.getByRole('list', { name: texts.tasks });
        const task = list.getByRole('listitem').filter({ hasText: texts.task });
        const badge = page.getByText(texts.badge, { exact: true }).filter({ visible: true });
        await open(page, '/');
        await task.getByText(texts.reason).waitFor();
        await task.getByText('A02', { exact: true }).waitFor();
        await task.getByText('A59', { exact: true }).waitFor();
        await task.getByText(/^(Gate|Frist) 20[/.]10[/.]2026, \d\d:\d\d/).waitFor();
        assert.equal(await list.getByText(texts.unanswered, { exact: true }).count(), 0);
        await badge.first().waitFor();
        assert.deepEqual(await faultsOf(page, 'home with a rejected schedule'), []);

        await open(page, `/nominations?day=${day}`);
        await badge.waitFor();

        await open(page, '/');
        await task.getByRole('link').click();
        await page.getByRole('heading', { name: texts.headline, exact: true }).waitFor();
        await badge.waitFor();
        assert.equal(await page.getByText(texts.waiting, { exact: true }).count(), 0);
        assert.match(page.url(), new RegExp(`/nominations/${nomination?.id}`));

        const newer = await send();
        await open(page, '/');
        await page.locator('main table tbody tr').first().waitFor();
        assert.equal(await task.count(), 0);
        await open(page, `/nominations/${nomination?.id}`);
        await page.getByRole('heading', { name: texts.waiting, exact: true }).waitFor();
        await answer(newer, 'rejection');
        await page.getByRole('heading', { name: texts.headline, exact: true }).waitFor();
      },
      { locale },
    );
  });
