import { test } from 'node:test';
import { portalEndpoints } from '@saldo/api';
import { findText, press, show } from '../../test/components.ts';

const offers = Array.from({ length: 25 }, (_, at) => ({
  ...(portalEndpoints.listPortalAssets.example.response as readonly object[])[0],
  id: `ast_${at}`,
}));

for (const [language, some, more, all] of [
  ['en', '24 of 25 shown', 'Show more', 'All 25 shown'],
  ['de', '24 von 25 angezeigt', 'Mehr anzeigen', 'Alle 25 angezeigt'],
] as const)
  test(`a list of cards says how many there are: ${language}`, () =>
    show('/offers', { role: 'account', language, answers: { 'GET /portal/v1/assets': offers } }, async () => {
      await findText(some);
      await press('main button', more);
      await findText(all);
    }));
