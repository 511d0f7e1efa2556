import assert from 'node:assert/strict';
import type { BoardDay, Tso } from '@saldo/api';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { watchExchange } from '../../server/src/exchange/process/watch.ts';
import { signedIn } from '../../server/test/browser.ts';
import { agree, newPlace, operating, readSchedule } from '../../server/test/exchanging.ts';
import { client } from '../../server/test/harness.ts';
import { listNominated } from '../../server/test/nominated.ts';
import { OFFER } from '../../server/test/world.ts';
import { EXCHANGE_TEXTS } from '../src/exchange/texts.ts';
import { jobsOf } from './jobs.ts';
import { openStage } from './stage.ts';

/** Clicks and typed fields today. */
const COSTS = {
  'see which TSO has not acknowledged tomorrow': [1, 0],
  'open a rejected schedule and its reasons': [1, 0],
  'upload an answer of a TSO': [2, 0],
  'find out why a nomination changed': [3, 0],
  'answer an inquiry': [3, 1],
  'find a customer by its EIC and see its days': [2, 1],
} as const;

/** Noon in Germany: the day-ahead gate of tomorrow is at 14:30. */
const stage = await openStage('2026-10-20T10:00:00Z');
const { platform, world, user } = stage;
const TOMORROW = '2026-10-21';
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, answer, messages, outbox } = operating(platform, operator);
const asOperator = await user({ type: 'operator' });
const job = jobsOf(stage, 'Control room', COSTS);

/** A contract within a control area, with nominations of a day on both sides. */
async function newDeal(tso: Tso, day: string) {
  const [from, to] = [await newPlace(platform, tso), await newPlace(platform, tso)];
  const contract = await agree(world, from, to);
  await world.volumes(contract, day, 250);
  await world.nominate();
  return { from, contract };
}

/** Each job has days of its own, because the operator sends the nominations of all BRPs. */
const daysOf = (de: string, en: string): Readonly<Record<Language, string>> => ({ de, en });

job('see which TSO has not acknowledged tomorrow', async ({ t, board, language }, perform) => {
  const [acknowledging, silent] = (
    { de: ['DE_AMPRION', 'DE_TRANSNET_BW'], en: ['DE_50HERTZ', 'DE_TENNET'] } as const
  )[language];
  for (const tso of [acknowledging, silent]) await newDeal(tso, TOMORROW);
  await send({ delivery_date: TOMORROW, tso: acknowledging });
  await answer();
  await send({ delivery_date: TOMORROW, tso: silent });
  await perform(asOperator, async ({ page, menu }) => {
    await menu(t.exchange.nav.exchange);
    const table = page.getByRole('table', { name: board.label });
    const row = table.getByRole('row').filter({ hasText: t.common.tomorrow });
    await row
      .getByText(`${board.version(1)} · 12:00`)
      .first()
      .waitFor();
    const columns = await table.getByRole('columnheader').allInnerTexts();
    const acknowledgedBy = (tso: Tso) =>
      row
        .getByRole('cell')
        .nth(columns.indexOf(t.common.tsos[tso]) - 1)
        .locator(`dt:text-is("${board.acknowledged}") + dd`)
        .innerText();
    assert.equal(await acknowledgedBy(acknowledging), `${board.version(1)} · 12:00`);
    assert.equal(await acknowledgedBy(silent), board.never);
  });
  const { days } = (await operator('/operator/v1/exchange/board')).body;
  const { areas = [] } = days.find(({ delivery_date }: BoardDay) => delivery_date === TOMORROW) ?? {};
  const acknowledged = (areas as BoardDay['areas'])
    .filter(({ tso }) => tso === acknowledging || tso === silent)
    .map((area) => [area.tso, area.schedule?.version, area.acknowledged?.version ?? null]);
  assert.deepEqual(
    new Map(acknowledged.map(([tso, ...versions]) => [tso, versions])),
    new Map([
      [acknowledging, [1, 1]],
      [silent, [1, null]],
    ]),
  );
});

job('open a rejected schedule and its reasons', async ({ t, format, language }, perform) => {
  const day = daysOf('2026-10-22', '2026-10-23')[language];
  await newDeal('DE_AMPRION', day);
  const { messages: sent } = await send({ delivery_date: day });
  await answer({ rejections: [{ tso: 'DE_AMPRION', day }] });
  await watchExchange(platform.db, platform.clock, platform.exchange);
  const id = sent[0]?.id;
  const { body } = await operator(`/operator/v1/messages/${id}`, {
    headers: { 'accept-language': language },
  });
  assert.equal(body.state, 'rejected');
  assert.match(body.error, /A\d\d/);
  await perform(asOperator, async ({ page, click }) => {
    const task = page
      .getByRole('list', { name: t.brp.home.attention })
      .getByRole('listitem')
      .filter({ hasText: t.exchange.alarm.kinds.rejected })
      .filter({ hasText: format.day(day) });
    await click(task.getByRole('link', { name: t.exchange.alarm.toMessage }));
    await page.getByText(t.exchange.message.states.rejected, { exact: true }).first().waitFor();
    await page.getByText(body.error, { exact: true }).first().waitFor();
  });
});

job('upload an answer of a TSO', async ({ t, language }, perform) => {
  const day = daysOf('2026-10-24', '2026-10-25')[language];
  await newDeal('DE_TENNET', day);
  const { messages: sent } = await send({ delivery_date: day });
  const file = (await outbox()).get(sent[0]?.file_name ?? '') ?? assert.fail();
  const { acknowledgement } = answersTo(await readSchedule(file), CONFORMING, platform.clock.now());
  const name = `answer-${language}.xml`;
  const texts = EXCHANGE_TEXTS[language];
  await perform(asOperator, async ({ page, menu, chooseFile }) => {
    await menu(t.exchange.nav.exchange);
    await chooseFile(texts.choose, name, writeAnswer(acknowledgement, 'ess'));
    const panel = page.getByRole('region', { name: texts.receive });
    await panel.getByText(texts.received(name)).waitFor();
    await panel.getByText(t.exchange.message.states.applied, { exact: true }).waitFor();
  });
  const stored = await messages(`&delivery_date=${day}`);
  assert.deepEqual(
    stored.map(({ type, state }) => [type, state]),
    [
      ['schedule', 'acknowledged'],
      ['acknowledgement', 'applied'],
    ],
  );
});

job('find out why a nomination changed', async ({ t, own, format, language }, perform) => {
  const day = daysOf('2026-10-26', '2026-10-27')[language];
  const { from, contract } = await newDeal('DE_AMPRION', day);
  await world.volumes(contract, day, 1250);
  await world.nominate();
  const { external_id } = (await from.ask(`/v1/contracts/${contract.id}`)).body;
  const { eic } = from.group;
  await perform(asOperator, async ({ page, click }) => {
    const task = page
      .getByRole('list', { name: t.brp.home.attention })
      .getByRole('listitem')
      .filter({ hasText: t.attention.kinds.unsent })
      .filter({ hasText: format.day(day) });
    await click(task.getByRole('link', { name: t.attention.nominations(2) }));
    await click(page.getByRole('link', { name: eic }));
    await click(page.getByRole('tab', { name: t.brp.nominations.history }));
    await page.getByText(own.causesOf(2)).waitFor();
    const cause = page.getByRole('list', { name: own.causes }).getByRole('listitem');
    await cause.getByText(own.kinds.corrected).waitFor();
    await cause.getByText(own.difference(format.mwhSigned(96_000))).waitFor();
    await cause.getByRole('link', { name: external_id }).waitFor();
  });
  const nominations = await listNominated(from.ask, `&delivery_date=${day}`);
  const { id } = nominations.find(({ version }) => version === 2) ?? assert.fail();
  const { causes } = (await operator(`/operator/v1/nominations/${id}/causes`)).body;
  assert.deepEqual(
    causes.map(({ kind, contract_id, difference }: Record<string, unknown>) => [
      kind,
      contract_id,
      difference,
    ]),
    [['corrected', contract.id, 96]],
  );
});

job('answer an inquiry', async ({ t, inquiries, language }, perform) => {
  const asset = await operator.post('/operator/v1/assets', {
    name: `Windpark ${language}`,
    technology: 'wind_onshore',
    nominal_power: 48.3,
    tso: 'DE_50HERTZ',
    offer: OFFER,
  });
  const owner = { type: 'account', accountNo: (await world.account()).no } as const;
  const { request } = (await signedIn(platform, owner)).browser;
  const question = { asset_id: asset.body.id, message: `Is it available? ${language}` };
  const asked = await request.post('/portal/v1/inquiries', question);
  assert.equal(asked.status, 201, asked.text);
  const answerText = 'Yes, from January.';
  await perform(asOperator, async ({ page, menu, click, type }) => {
    await menu(t.market.nav.inquiries);
    const inquiry = page.getByRole('article').filter({ hasText: question.message });
    await click(inquiry.getByRole('button', { name: inquiries.answer, exact: true }));
    const dialog = page.getByRole('dialog');
    await type(dialog.getByRole('textbox', { name: inquiries.answerLabel }), answerText);
    await click(dialog.getByRole('button', { name: inquiries.send, exact: true }));
    await inquiry.getByText(answerText).waitFor();
    await inquiry.getByText(inquiries.statuses.answered, { exact: true }).waitFor();
  });
  const { status, answer: stored } = (await request('/portal/v1/inquiries')).body.inquiries[0];
  assert.deepEqual([status, stored], ['answered', answerText]);
});

job('find a customer by its EIC and see its days', async ({ t, customers, language }, perform) => {
  const brp = await world.brp();
  const group = await world.group(brp);
  const name = `Stadtwerke ${language}`;
  const { id } = await world.customer(brp, { name, group });
  await perform(asOperator, async ({ page, click, type }) => {
    await click(page.getByRole('button', { name: t.search.title }));
    const dialog = page.getByRole('dialog');
    await type(dialog.getByRole('combobox'), group.eic);
    await click(dialog.getByRole('option').filter({ hasText: name }));
    await page.getByRole('heading', { level: 1, name }).waitFor();
    const row = page.getByRole('table', { name: customers.placements.title }).getByRole('row');
    const current = row.filter({ hasText: group.eic });
    await current.getByText(customers.placements.fromTheStart).waitFor();
    await current.getByText(customers.placements.current).waitFor();
  });
  const { placements } = (await operator(`/operator/v1/customers/${id}/placements`)).body;
  assert.deepEqual(placements, [
    { first_day: null, last_day: null, balance_group: { eic: group.eic, tso: 'DE_AMPRION' } },
  ]);
});
