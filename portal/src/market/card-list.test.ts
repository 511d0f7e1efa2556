import { test } from 'node:test';
import { portalEndpoints } from '@saldo/api';
import { findText, listOf, press, show } from '../../test/components.ts';

const ids = Array.from({ length: 25 }, (_, at) => ({ id: `ast_${at}` }));
const offers = listOf(portalEndpoints.browseAssets, 'assets', ids);

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
