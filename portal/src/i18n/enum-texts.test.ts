import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { brpEndpoints, type Endpoint, operatorEndpoints, portalEndpoints } from '@saldo/api';
import { show } from '../../test/components.ts';
import { de } from './de.ts';
import { en } from './en.ts';

/** Values that decide what a page shows, and that it does not show themselves. */
const NOT_SHOWN = ['getDeliveryDay.clock_change', 'getDeliveryDay.gates.phase', 'signIn.pending'];

/** Enums of responses, as a list of their values, with the first member that has them. */
function enumsOf(tables: readonly Readonly<Record<string, Endpoint>>[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if ('enum' in schema && Array.isArray(schema.enum)) {
      const values = schema.enum.toSorted().join(' ');
      if (!found.has(values)) found.set(values, path);
      return;
    }
    for (const [key, inner] of Object.entries(schema))
      walk(
        inner,
        key === 'properties' || key === 'items' || key === 'anyOf' || /^\d+$/.test(key)
          ? path
          : `${path}.${key}`,
      );
  };
  for (const [id, endpoint] of tables.flatMap((table) => Object.entries(table))) walk(endpoint.response, id);
  return found;
}

/** All records of texts, by language: those of the dictionary and those beside the pages. */
async function textsOf(): Promise<Readonly<Record<'en' | 'de', readonly object[]>>> {
  const texts: Record<'en' | 'de', object[]> = { en: [], de: [] };
  const add = (into: object[], value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    into.push(value);
    for (const inner of Object.values(value)) add(into, inner);
  };
  add(texts.en, en);
  add(texts.de, de);
  const folder = new URL('../', import.meta.url);
  for (const file of globSync('**/*texts.ts', { cwd: folder }))
    for (const exported of Object.values<object>(await import(new URL(file, folder).href)))
      if ('en' in exported && 'de' in exported)
        for (const language of ['en', 'de'] as const) add(texts[language], exported[language]);
  return texts;
}

test('every enum value that the API answers has a text in both languages', () =>
  // Some texts are in files that need a page.
  show('/', {}, async () => {
    const texts = await textsOf();
    const missing: string[] = [];
    for (const [values, path] of enumsOf([brpEndpoints, operatorEndpoints, portalEndpoints]))
      for (const language of ['en', 'de'] as const) {
        const isNamed = (record: object) => values.split(' ').every((value) => Object.hasOwn(record, value));
        if (!NOT_SHOWN.includes(path) && !texts[language].some(isNamed))
          missing.push(`${path} (${values}): ${language}`);
      }
    assert.deepEqual(missing, []);
  }));
