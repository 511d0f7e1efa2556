import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find, press, show } from '../../test/components.ts';

for (const [language, name] of [
  ['en', 'Dense pages: more rows on a screen'],
  ['de', 'Kompakte Seiten: mehr Zeilen auf einem Bildschirm'],
] as const)
  test(`dense pages are a switch that the browser keeps: ${language}`, () =>
    show('/profile', { language }, async () => {
      const density = () => document.documentElement.hasAttribute('data-dense');
      assert.equal(density(), false);
      await find('main label', name);
      await press('main label', name);
      assert.equal(density(), true);
      assert.equal(localStorage.getItem('saldo.density'), 'dense');
      await press('main label', name);
      assert.equal(density(), false);
      assert.equal(localStorage.getItem('saldo.density'), '');
    }));
