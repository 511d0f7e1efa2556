import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { LANGUAGES, type Language } from '@saldo/core/messages/language.ts';
import type { Locator, Page } from 'playwright-core';
import { CUSTOMER_TEXTS } from '../src/customers/texts.ts';
import { BOARD_TEXTS } from '../src/exchange/board-texts.ts';
import { formatOf } from '../src/i18n/format.ts';
import { DICTIONARIES } from '../src/i18n/languages.ts';
import { KEY_TEXTS } from '../src/keys/texts.ts';
import { INQUIRY_TEXTS } from '../src/market/inquiry-texts.ts';
import { MARKET_TEXTS } from '../src/market/texts.ts';
import { EXPORT_TEXTS } from '../src/nominations/export-texts.ts';
import { OWN_TEXTS } from '../src/nominations/own-texts.ts';
import { SCHEDULE_TEXTS } from '../src/nominations/schedule-texts.ts';
import { BYTE_ORDER_MARK, germanCsv } from '../src/ui/csv.ts';
import { WEBHOOK_TEXTS } from '../src/webhooks/texts.ts';
import { downloadBy } from './download.ts';
import { open, type Stage, type Visitor } from './stage.ts';

/** The clicks and typed fields that a job takes at most. */
type Cost = readonly [clicks: number, fields: number];

const LOCALES = { de: 'de-DE', en: 'en-GB' } as const;
const PORTAL_PAGE = new URL('../../docs/portal.md', import.meta.url);

/** The names of elements are the portal's own texts: a script does not change when a word does. */
const textsOf = async (language: Language) => ({
  language,
  format: formatOf(language),
  t: await DICTIONARIES[language](),
  board: BOARD_TEXTS[language],
  customers: CUSTOMER_TEXTS[language],
  exports: EXPORT_TEXTS[language],
  inquiries: INQUIRY_TEXTS[language],
  keys: KEY_TEXTS[language],
  market: MARKET_TEXTS[language],
  own: OWN_TEXTS[language],
  schedule: SCHEDULE_TEXTS[language],
  webhooks: WEBHOOK_TEXTS[language],
  /** A CSV file of the API as the portal saves it in this language. */
  csv: (text: string) => (language === 'de' ? `${BYTE_ORDER_MARK}${germanCsv(text)}` : text),
});
export type Texts = Awaited<ReturnType<typeof textsOf>>;

/**
 * What a user does on a page, counted. A chosen option, a ticked box and a file that is chosen or dropped are clicks as well.
 * Looking at the page costs nothing.
 */
export function countedHand(page: Page, menuName: string) {
  const spent = { clicks: 0, fields: 0 };
  const click = async (element: Locator): Promise<void> => {
    spent.clicks++;
    await element.click();
  };
  return {
    page,
    spent,
    click,
    /** Opens a page by the navigation. */
    menu: (name: string) =>
      click(page.getByRole('navigation', { name: menuName }).getByRole('link', { name, exact: true })),
    choose: async (field: Locator, option: string): Promise<void> => {
      spent.clicks++;
      await field.selectOption(option);
    },
    type: async (field: Locator, text: string): Promise<void> => {
      spent.fields++;
      await field.fill(text);
    },
    download: (button: Locator) => {
      spent.clicks++;
      return downloadBy(button);
    },
    chooseFile: async (label: string, name: string, text: string): Promise<void> => {
      spent.clicks++;
      const file = { name, mimeType: '', buffer: Buffer.from(text) };
      await page.getByLabel(label).setInputFiles(file);
    },
    dropFile: async (name: string, text: string): Promise<void> => {
      spent.clicks++;
      const isTaken = await page.getByRole('main').evaluate(
        (element, file) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([file.text], file.name));
          const init = { dataTransfer, bubbles: true, cancelable: true };
          // An event that is not handled leaves the portal.
          return ['dragover', 'drop'].every((type) => !element.dispatchEvent(new DragEvent(type, init)));
        },
        { name, text },
      );
      assert.ok(isTaken);
    },
  };
}
export type Hand = ReturnType<typeof countedHand>;

type Perform = (visitor: Visitor, script: (hand: Hand) => Promise<void>) => Promise<void>;

/**
 * Defines the jobs of a role. Each runs in all languages and starts on the home page; `perform` fails when its script takes
 * more than the table allows. The table of docs/portal.md must be the same.
 */
export function jobsOf<Name extends string>(
  { visit }: Stage,
  role: string,
  costs: Readonly<Record<Name, Cost>>,
) {
  test(`docs/portal.md has the jobs of the role and what they take: ${role}`, async () => {
    const lines = (await readFile(PORTAL_PAGE, 'utf8')).split('\n');
    const rows = lines
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter((cells) => cells[1] === role)
      .map(([, , name, clicks, fields]) => [name, [Number(clicks), Number(fields)]]);
    assert.deepEqual(rows, Object.entries(costs));
  });
  return (name: Name, run: (texts: Texts, perform: Perform) => Promise<void>): void => {
    for (const language of LANGUAGES)
      test(`${role}: ${name} (${language})`, async () => {
        const texts = await textsOf(language);
        const [clicks, fields] = costs[name];
        const perform: Perform = (visitor, script) =>
          visit(
            visitor,
            async (page) => {
              await open(page, '/');
              const hand = countedHand(page, texts.t.common.mainNavigation);
              await script(hand);
              const { spent } = hand;
              assert.ok(spent.clicks <= clicks, `${spent.clicks} clicks, at most ${clicks} are allowed`);
              assert.ok(spent.fields <= fields, `${spent.fields} fields, at most ${fields} are allowed`);
            },
            { locale: LOCALES[language] },
          );
        await run(texts, perform);
      });
  };
}
