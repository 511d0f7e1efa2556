import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brpEndpoints, operatorEndpoints } from '@saldo/api';
import { eventually } from '../../../server/test/until.ts';
import { fill, find, findText, hasParameter, listOf, press, show } from '../../test/components.ts';

const alarm = {
  object: 'alarm',
  id: 'alm_1',
  kind: 'rejected',
  tso: 'DE_50HERTZ',
  delivery_date: '2026-11-16',
};
const missing = (severity: string) => ({
  ...{ object: 'alarm', id: 'alm_2', kind: 'forecast_missing', severity, tso: null },
  ...{ delivery_date: '2026-11-16', contract_id: 'con_1' },
});
const series = { object: 'series', id: 'ser_1', delivery_date: '2026-11-16', slots: 96 };
const answers = {
  'GET /operator/v1/events': listOf(operatorEndpoints.operatorListEvents, 'events', [
    {},
    { id: 'evt_2', type: 'exchange.alarm', data: alarm },
    { id: 'evt_3', type: 'exchange.alarm', data: missing('warning') },
    { id: 'evt_4', type: 'exchange.alarm', data: missing('critical') },
    { id: 'evt_5', type: 'series.updated', data: series },
  ]),
};

for (const [role, language, sentence, kind, clear] of [
  [
    'brp',
    'en',
    'Nomination of Hauptbilanzkreis at 50Hertz for Mon 16/11 (delivers, version 2) was corrected.',
    'Kind',
    'Clear filters',
  ],
  [
    'operator',
    'de',
    'Nominierung von Hauptbilanzkreis bei 50Hertz für Mo., 16.11. (liefert, Version 2) wurde an den ÜNB gesendet.',
    'Art',
    'Filter zurücksetzen',
  ],
] as const)
  test(`events are sentences, and the kind of activity is kept in the URL: ${role}, ${language}`, () => {
    const base = role === 'operator' ? '/operator' : '';
    return show(`${base}/activity`, { role, language, answers }, async ({ requests }) => {
      await findText(sentence);
      if (role === 'operator') {
        await findText(/Alarm: Fahrplan abgelehnt \(50Hertz.*\) hat begonnen\./);
        await findText(/Alarm: Prognose fehlt \(PPA-2026-0017, Mo.*\) hat begonnen\./);
        await findText(/Alarm: Prognose fehlt \(PPA-2026-0017, Mo.*\) ist kritisch\./);
        await findText('Zeitreihe Uckermark Nord, meter am Mo., 16.11. (96 Viertelstunden) wurde geändert.');
        const link = await find('main a', /^Zeitreihe/);
        assert.equal(link.getAttribute('href'), '/operator/series/ser_1?day=2026-11-16');
      }
      await fill('main select', kind, 'nomination.*');
      await hasParameter('types', 'nomination.*');
      const asked = () =>
        requests.findLast(({ url }) => url.pathname === `${base}/v1/events`)?.url.searchParams;
      await eventually(async () => assert.equal(asked()?.get('types'), 'nomination.*'));
      await press('main button', clear);
      await hasParameter('types', null);
      assert.equal(((await find('main select', kind)) as HTMLSelectElement).value, '');
    });
  });

const ownEvents = (brpEndpoints.listEvents.example.response as { events: { data: object }[] }).events;

for (const [language, sentence] of [
  [
    'en',
    'Nomination of Hauptbilanzkreis at 50Hertz for Sun, 28/03/2027 (delivers, version 2) was rejected by the TSO: A02; A59 “Against the rules of this area”.',
  ],
  [
    'de',
    'Nominierung von Hauptbilanzkreis bei 50Hertz für So., 28.03.2027 (liefert, Version 2) wurde vom ÜNB abgelehnt: A02; A59 „Against the rules of this area“.',
  ],
] as const)
  test(`what a TSO wrote is a quotation, and a day of another year has its year: ${language}`, () => {
    const reasons = ['A02', 'A59 Against the rules of this area'];
    const data = { ...ownEvents[0]?.data, delivery_date: '2027-03-28', reasons };
    const events = listOf(brpEndpoints.listEvents, 'events', [{ type: 'nomination.rejected', data }]);
    return show('/activity', { language, answers: { 'GET /v1/events': events } }, () => findText(sentence));
  });

for (const [language, group] of [
  ['en', 'Volumes: added · 1,200 events'],
  ['de', 'Mengen: hinzugefügt · 1.200 Ereignisse'],
] as const)
  test(`many events of one type in a row are one line, which opens: ${language}`, () => {
    const imported = Array.from({ length: 1200 }, (_, at) => ({
      id: `evt_${at + 2}`,
      type: 'transactions.created',
      data: { object: 'transactions', contract_id: `con_${at}`, delivery_date: '2026-11-16', slots: 96 },
    }));
    const events = listOf(brpEndpoints.listEvents, 'events', [{}, ...imported]);
    return show('/activity', { language, answers: { 'GET /v1/events': events } }, async ({ requests }) => {
      const summary = await find('main summary', new RegExp(group));
      assert.equal(document.querySelectorAll('main ol > li').length, 2);
      const isName = ({ url }: { url: URL }) => url.pathname.startsWith('/v1/contracts/con_');
      assert.ok(!requests.some(isName), 'a closed group reads no names');
      const details = summary.closest('details')!;
      details.open = true;
      details.dispatchEvent(new window.Event('toggle'));
      await eventually(async () => assert.ok(requests.some(isName)));
    });
  });
