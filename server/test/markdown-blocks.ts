import { spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));

export const GETTING_STARTED = 'docs/guides/getting-started.md';

/** Pages whose `sh`, `ts` and `py` blocks are run, in this order: other guides use the Python client that one downloads. */
const PAGES = [
  'README.md',
  'docs/tour.md',
  GETTING_STARTED,
  'sdk/README.md',
  'cli/README.md',
  'docs/**/*.md',
];

/** Other names of the languages, which would hide a block from the test. */
const OTHER_NAMES = /^(bash|shell|zsh|typescript|js|javascript|python)$/;

/** Another version than the first one of the `PATH`. */
export const PYTHON = process.env['PYTHON'] ?? 'python3';
export const hasPython = spawnSync(PYTHON, ['--version']).status === 0;

export type Block = {
  /** `README.md:23`. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
  /** The reason from `<!-- not run: … -->` on the line above the block; null if the block is run. */
  readonly whyNotRun: string | null;
};

export type Page = { readonly name: string; readonly blocks: readonly Block[] };

export function parseBlocks(name: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split('\n');
  let start: number | null = null;
  for (const [at, line] of lines.entries()) {
    // A block inside a list is indented.
    if (!line.trimStart().startsWith('```')) continue;
    if (start === null) start = at;
    else {
      const [before = '', head = ''] = [lines[start - 1], lines[start]];
      const indent = head.indexOf('`');
      const language = head.slice(indent + 3).trim();
      const place = `${name}:${start + 1}`;
      if (OTHER_NAMES.test(language)) throw new Error(`${place}: write sh, ts or py instead of ${language}`);
      const [, whyNotRun = null] = /^ *<!-- not run: (.+) -->$/.exec(before) ?? [];
      const text = lines.slice(start + 1, at).map((each) => `${each.slice(indent)}\n`);
      blocks.push({ place, language, text: text.join(''), whyNotRun });
      start = null;
    }
  }
  if (start !== null) throw new Error(`${name}:${start + 1}: the block has no end`);
  return blocks;
}

/** Records that such a page creates are older or newer than those of other pages, which would sort them differently. */
const movesClock = ({ blocks }: Page) => blocks.some(({ text }) => /^saldo clock set /m.test(text));

/** The pages with their executable blocks; those that move the clock are the last ones. */
export async function readPages(): Promise<Page[]> {
  const pages: Page[] = [];
  for (const pattern of PAGES) {
    const names = (await Array.fromAsync(glob(pattern, { cwd: CHECKOUT }))).toSorted();
    for (const name of names.filter((found) => pages.every((page) => page.name !== found))) {
      const blocks = parseBlocks(name, await readFile(path.join(CHECKOUT, name), 'utf8'));
      const languages = hasPython ? /^(sh|ts|py)$/ : /^(sh|ts)$/;
      const run = blocks.filter(({ language, whyNotRun }) => languages.test(language) && whyNotRun === null);
      if (run.length > 0) pages.push({ name, blocks: run });
    }
  }
  return pages.toSorted((a, b) => Number(movesClock(a)) - Number(movesClock(b)));
}
