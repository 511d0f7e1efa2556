import { test } from 'node:test';
import { brpEndpoints, portalEndpoints, type SessionState } from '@saldo/api';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { findText, listOf, show } from '../../test/components.ts';

const { server_time } = portalEndpoints.getSession.example.response as SessionState;
const TODAY = dayOf(Date.parse(server_time));

/** Of today: one quarter-hour that delivers and receives the same amount. */
const balanced = (['out', 'in'] as const).map((direction) => ({
  id: `nom_${direction}`,
  direction,
  delivery_date: TODAY,
}));

for (const [language, none, zero] of [
  ['en', /Tomorrow.*?Net position –/, /Today.*?Net position 0\.000 MWh/],
  ['de', /Morgen.*?Saldo –/, /Heute.*?Saldo 0,000 MWh/],
] as const)
  test(`a day without nominations has no saldo, a balanced one has zero: ${language}`, () => {
    const answers = {
      'GET /v1/nominations': ({ url }: { url: URL }) =>
        listOf(
          brpEndpoints.listNominations,
          'nominations',
          url.searchParams.get('delivery_date') === TODAY ? balanced : [],
        ),
    };
    return show('/', { language, answers }, async () => {
      await findText(zero);
      await findText(none);
    });
  });
