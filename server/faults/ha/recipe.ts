/** The files of deploy/ha, with their placeholders replaced. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../../deploy/ha', import.meta.url));

export type Values = Readonly<Record<string, string>>;

/** Files with placeholders; the others are for their reader. */
export const RECIPE_FILES = [
  'etcd.yml',
  'patroni.yml',
  'post-bootstrap.sh',
  'haproxy.cfg',
  'pgbouncer.ini',
  'pgbouncer-users.txt',
  'redis.conf',
  'saldo.env',
] as const;

export type RecipeFile = (typeof RECIPE_FILES)[number];

const PLACEHOLDER = /\$\{([A-Z0-9_]+)\}/g;

const readRecipe = (file: RecipeFile): string => readFileSync(path.join(FOLDER, file), 'utf8');

export const placeholdersOf = (file: RecipeFile): string[] =>
  [...readRecipe(file).matchAll(PLACEHOLDER)].map(([, name]) => name!);

export function fillIn(file: RecipeFile, values: Values): string {
  return readRecipe(file).replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${file} has a placeholder without a value: ${name}.`);
    return value;
  });
}

/** Adds the lines of the recipe for TLS, as the command in docs/ha.md does, and removes those without it. */
export const withTls = (text: string): string =>
  text.replaceAll(/^.*#PLAIN\n/gm, '').replaceAll(/^#TLS /gm, '');

/** Lines of NAME=value. Comments and empty lines have no meaning. */
export function parseVariables(text: string): Record<string, string> {
  const lines = text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm);
  return Object.fromEntries(Array.from(lines, ([, name, value]) => [name!, value!]));
}

/** The values that the recipe suggests. */
export const exampleValues = (): Record<string, string> =>
  parseVariables(readFileSync(path.join(FOLDER, 'ha.env.example'), 'utf8'));
