import assert from 'node:assert/strict';
import { test } from 'node:test';
import { client } from '../../server/test/harness.ts';
import { open, openStage } from './stage.ts';

const DAY = '2026-10-22';
const { platform, world, user, visit } = await openStage('2026-10-20T08:00:00Z', { SANDBOX: 'on' });
const { seller, sellerGroup, producer, consumer } = await world.pair();
const api = client(platform.baseUrl, await world.operatorKey());
const asSeller = client(platform.baseUrl, seller.key);
const contract = await world.contract(producer, consumer);
const asOperator = await user({ type: 'operator' });
const asReader = await user({ type: 'operator' }, 'viewer');

/** Sends a changed schedule of the day and returns its message. */
async function sendSchedule(kwh: number) {
  await world.volumes(contract, DAY, kwh);
  await world.nominate();
  const sent = await api('/operator/v1/exchange/send', { method: 'POST', body: { delivery_date: DAY } });
  assert.equal(sent.body.messages.length, 1, sent.text);
  return sent.body.messages[0];
}
const stateOf = async (id: string) => (await api(`/operator/v1/messages/${id}`)).body.state;
const nominationOf = async () => {
  const { body } = await asSeller(`/v1/nominations?delivery_date=${DAY}&eic=${sellerGroup.eic}&limit=100`);
  return body.nominations.at(-1);
};

const KINDS = {
  'en-GB': {
    panel: 'TSO simulator',
    ...{ match: 'Confirm', mismatch: 'Confirm with differences', rejection: 'Reject' },
    ...{ about: 'Amprion · Thu 22/10', one: '1 answer received.', empty: /No schedule waits/ },
  },
  'de-DE': {
    panel: 'ÜNB-Simulator',
    ...{ match: 'Bestätigen', mismatch: 'Mit Abweichungen bestätigen', rejection: 'Ablehnen' },
    ...{ about: 'Amprion · Do., 22.10.', one: '1 Antwort empfangen.', empty: /Kein Fahrplan wartet/ },
  },
} as const;

let kwh = 100;
for (const [locale, texts] of Object.entries(KINDS) as [keyof typeof KINDS, (typeof KINDS)['en-GB']][])
  for (const [kind, state, status] of [
    ['rejection', 'rejected', 'pending'],
    ['mismatch', 'confirmed', 'partial_match'],
    ['match', 'confirmed', 'match'],
  ] as const)
    test(`the operator lets the simulated TSO answer now: ${kind}, ${locale}`, async () => {
      kwh += 10;
      const { id } = await sendSchedule(kwh);
      await visit(
        asOperator,
        async (page) => {
          await open(page, '/operator/exchange');
          const panel = page.getByRole('region', { name: texts.panel });
          await panel.getByRole('button', { name: `${texts[kind]}: ${texts.about}`, exact: true }).click();
          if (kind === 'rejection') await page.getByText(texts.one).waitFor();
          await panel.getByText(texts.empty).waitFor();
        },
        { locale, width: kind === 'match' ? 390 : 1440 },
      );
      assert.equal(await stateOf(id), state);
      // After a rejection, the version that was confirmed before counts again.
      const isConfirmedBefore = kind === 'rejection' && locale === 'de-DE';
      assert.equal((await nominationOf()).status, isConfirmedBefore ? 'partial_match' : status);
    });

test('a user who may only read has no simulator', () =>
  visit(asReader, async (page) => {
    await open(page, '/operator/exchange');
    await page.getByRole('heading', { level: 2, name: /./ }).first().waitFor();
    assert.equal(await page.getByRole('region', { name: 'TSO simulator' }).count(), 0);
  }));
