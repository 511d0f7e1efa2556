import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Nomination } from '@saldo/api';
import { LANGUAGES } from '@saldo/core/messages/language.ts';
import type { Page } from 'playwright-core';
import { client } from '../../server/test/harness.ts';
import { STORY_TEXTS } from '../src/story/texts.ts';
import { faultsOf } from './axe.ts';
import { open, openStage, type Visitor } from './stage.ts';
import { dayText, LOCALES, panelOf, play } from './story.ts';

/** Noon before the day on which the clock goes back. Nothing has been delivered yet. */
const { platform, world, user, visit } = await openStage('2026-10-24T10:00:00Z', { SANDBOX: 'on' });
const DAY = '2026-10-25';
const { sellerGroup, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer, { externalId: 'PPA-STORY' });
const operator = client(platform.baseUrl, await world.operatorKey());
const asOperator = await user({ type: 'operator' });
const asReader = await user({ type: 'operator' }, 'viewer');
const texts = STORY_TEXTS.en;

/** A sandbox has the simulator, and its clock stands. Only the session differs from that of the demo. */
const visitDemo = (
  visitor: Visitor,
  act: (page: Page) => Promise<void>,
  setting: Parameters<typeof visit>[2] = {},
) =>
  visit(
    visitor,
    async (page) => {
      await page.route('**/portal/v1/session', async (route) => {
        if (route.request().method() !== 'GET') return route.fallback();
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), demo: true } });
      });
      await open(page, '/');
      await act(page);
    },
    setting,
  );

const listOf = async (path: string, name: string) => (await operator(`/operator/v1${path}`)).body[name];
const current = async (): Promise<Nomination> =>
  (await listOf(`/nominations?delivery_date=${DAY}&eic=${sellerGroup.eic}&limit=100`, 'nominations')).find(
    ({ status }: Nomination) => status !== 'superseded',
  );

for (const [at, language] of LANGUAGES.entries())
  test(`the story is played twice on the same world, by the keyboard alone: ${language}`, () =>
    visitDemo(
      asOperator,
      async (page) => {
        for (const time of [0, 1]) {
          const faults: string[] = [];
          if (time === 1) {
            await page.keyboard.press('Control+k');
            await page.getByRole('dialog').getByRole('combobox').fill(STORY_TEXTS[language].title);
            await page.keyboard.press('Enter');
          }
          await play(page, language, {
            onChanged: () => world.nominate(),
            onStep: async (step) => {
              if (at === 0 && time === 0) faults.push(...(await faultsOf(page, step)));
            },
          });
          assert.deepEqual(faults, []);
          const { version, status, sent_at } = await current();
          assert.deepEqual([version, status], [2 + 2 * at + time, 'partial_match']);
          assert.ok(sent_at);
          const messages = await listOf(`/messages?delivery_date=${DAY}&direction=out`, 'messages');
          assert.deepEqual(
            [messages.at(-1).state, messages.at(-1).version],
            ['confirmed', 1 + 2 * at + time],
          );
        }
      },
      { locale: LOCALES[language], width: language === 'de' ? 390 : 1440 },
    ));

test('the volumes that the story types are stored as corrections of the operator', async () => {
  const { body } = await operator(
    `/operator/v1/transactions?contract_id=${contract.id}&delivery_date=${DAY}&status=valid&limit=100`,
  );
  const corrected = body.transactions.filter(({ version }: { version: number }) => version === 2);
  // Four stories, one hour each.
  assert.equal(corrected.length, 16);
  assert.ok(corrected.every(({ volume }: { volume: number }) => volume === 4));
});

test('the story is skipped for good, and started again from the profile, on which it says its day', () =>
  visitDemo(asOperator, async (page) => {
    const panel = panelOf(page);
    await panel.getByText(texts.offer).waitFor();
    assert.deepEqual(await faultsOf(page, 'offer'), []);
    await panel.getByRole('button', { name: texts.fold }).click();
    await panel.getByText(texts.offerText).waitFor({ state: 'hidden' });
    await panel.getByRole('button', { name: texts.unfold }).click();
    await panel.getByText(texts.skip, { exact: true }).click();
    await panel.waitFor({ state: 'detached' });
    await open(page, '/');
    assert.equal(await panel.count(), 0);
    await open(page, '/profile');
    assert.equal(await panel.count(), 0);
    await page.getByRole('button', { name: texts.title, exact: true }).click();
    await panel.getByRole('button', { name: texts.start }).click();
    await panel.getByText(dayText('en', DAY)).waitFor();
    // A page that is loaded again goes on with it.
    await open(page, '/operator/keys');
    await panel.getByRole('button', { name: texts.toPage }).click();
    await page.waitForURL((url) => url.pathname === `/operator/contracts/${contract.id}`);
    await panel.getByRole('button', { name: texts.stop }).click();
    await panel.waitFor({ state: 'detached' });
  }));

test('a step that fails says why in the words of the platform, and can be repeated', () =>
  visitDemo(asOperator, async (page) => {
    const panel = panelOf(page);
    const isDay = (url: URL) => url.pathname.endsWith(`/days/${DAY}`);
    await panel.getByRole('button', { name: texts.start }).click();
    const detail = 'The contract has just ended.';
    const body = {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      code: 'conflict',
      detail,
      errors: [],
    };
    await page.route(isDay, (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 409, json: body }) : route.fallback(),
    );
    await panel.getByRole('button', { name: texts.change.action }).click();
    await panel.getByText(detail).waitFor();
    await page.unroute(isDay);
    await panel.getByRole('button', { name: texts.change.action }).click();
    await panel.getByText(texts.change.done(4, '−4.000')).waitFor();
    await panel.getByText(detail).waitFor({ state: 'detached' });
  }));

test('the story is not offered without the demo data, nor to users who may only read', async () => {
  const isAbsent = async (page: Page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await open(page, '/profile');
    assert.equal(await page.getByRole('button', { name: texts.title }).count(), 0);
    assert.equal(await panelOf(page).count(), 0);
  };
  await visit(asOperator, async (page) => {
    await open(page, '/');
    await isAbsent(page);
  });
  await visitDemo(asReader, isAbsent);
});
