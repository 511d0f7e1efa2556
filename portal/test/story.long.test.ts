import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES } from '@saldo/core/messages/language.ts';
import { launchChromium } from '../chromium.ts';
import { withDemo } from '../demo.ts';
import { STORY_TEXTS } from '../src/story/texts.ts';
import { LOCALES, panelOf, play } from './story.ts';

test('the story is played in both languages, twice, on the demo as it starts, at the time of the machine', async () => {
  const browser = await launchChromium();
  try {
    await withDemo(async (demo) => {
      for (const language of LANGUAGES) {
        const context = await browser.newContext({ locale: LOCALES[language], reducedMotion: 'reduce' });
        const page = await context.newPage();
        await demo.signIn(page, 'operator');
        for (const time of [1, 2]) {
          let day = '';
          let id = '';
          await play(page, language, {
            onStep: async () => {
              const { searchParams } = new URL(page.url());
              day = searchParams.get('day') ?? day;
              id = searchParams.get('nomination') ?? id;
            },
          });
          // With the session of the page.
          const read = async (path: string) => (await page.request.get(`${demo.baseUrl}${path}`)).json();
          const nomination = await read(`/operator/v1/nominations/${id}`);
          assert.equal(nomination.status, 'partial_match', `${day}, time ${time}`);
          const { nominations } = await read(`/operator/v1/nominations/${id}/history`);
          assert.equal(nominations[0].id, id);
          await page.goto(`${demo.baseUrl}/profile`);
          await page.getByRole('button', { name: STORY_TEXTS[language].title, exact: true }).click();
          await panelOf(page).waitFor();
        }
        await context.close();
      }
    });
  } finally {
    await browser.close();
  }
});
