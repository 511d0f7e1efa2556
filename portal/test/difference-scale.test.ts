import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { confirm, listNominated } from '../../server/test/nominated.ts';
import { eventually } from '../../server/test/until.ts';
import { open, openStage } from './stage.ts';

const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z');
const { seller, producer, consumer } = await world.pair();
const contract = await world.contract(producer, consumer);
/** Energy per quarter-hour in kWh, whose power has six or more digits in MW, by delivery day. */
const DAYS = { '2026-10-21': 10_393, '2026-10-22': 103_933, '2026-10-23': 1_039_333 };
for (const [day, kwh] of Object.entries(DAYS)) await world.volumes(contract, day, kwh);
await world.nominate();
const nominations = await listNominated(client(platform.baseUrl, seller.key));
for (const nomination of nominations) await confirm(platform, nomination, () => 0);
const asSeller = await user({ type: 'brp', brpNo: seller.no });

/** Runs in a page: the texts of a drawing that reach over its edge. */
const cutTexts = (drawing: SVGElement): string[] =>
  Array.from(drawing.querySelectorAll('text'))
    .filter((text) => {
      const [inner, outer] = [text, drawing].map((element) => element.getBoundingClientRect());
      return inner!.left < outer!.left || inner!.right > outer!.right;
    })
    .map(({ textContent }) => textContent);

test('the scales of a chart are whole, whatever the power and the language', async () => {
  assert.equal(nominations.length, Object.keys(DAYS).length);
  for (const locale of ['en-GB', 'de-DE'] as const)
    for (const { id, slots } of nominations)
      await visit(
        asSeller,
        async (page) => {
          await open(page, `/nominations/${id}`);
          const drawing = page.getByRole('slider').locator('svg');
          for (const width of [1440, 390]) {
            await page.setViewportSize({ width, height: 900 });
            await eventually(async () =>
              assert.deepEqual(
                await drawing.evaluate(cutTexts),
                [],
                `${slots[0]?.amount}, ${locale}, ${width}`,
              ),
            );
          }
          const text = locale === 'de-DE' ? /^−[\d.]+,\d{3}$/ : /^−[\d,]+\.\d{3}$/;
          await drawing.getByText(text).waitFor();
        },
        { locale },
      );
});
