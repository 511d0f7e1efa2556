import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PROBLEM_CODES } from '@saldo/api';
import { type StaticFile, staticFile } from '../platform/http/static-file.ts';
import { layout, type NavigationGroup, summaryOf } from './layout.ts';
import { type RenderedPage, renderMarkdown, rewriteLinks } from './markdown.ts';
import { GUIDES, PACKAGES } from './pages.ts';
import { problemIndex, problemPage } from './problem-pages.ts';
import type { OpenApi } from './reference.ts';
import type { SampledApi } from './samples/call.ts';
import { searchEntries } from './search-index.ts';

/** The checkout, or the release: both have the pages at the same paths. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ASSETS = fileURLToPath(new URL('assets', import.meta.url));

const INDEX_URL = '/docs';
const IMAGES = 'docs/images/';

/** Only files of this site, and nothing inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

/** An API whose reference is part of the site. */
export type DocumentedApi = {
  readonly url: string;
  readonly document: () => OpenApi;
  readonly sampled: SampledApi;
};

/** The documentation. Pages are rendered at their first request and stay in memory. */
export type Site = {
  /** Null if there is no such page. */
  find(url: string): Promise<StaticFile | null>;
  /** The page for all URLs without one. */
  notFound(): Promise<StaticFile>;
};

type Source = {
  /** The path of the source below the root. Null for generated pages. */
  readonly file: string | null;
  /** Pages of single problems are found by their index. */
  readonly isIndexed: boolean;
  /** The API whose samples are on the page. */
  readonly sampled?: SampledApi;
  read(): Promise<string>;
};

const fromFile = (file: string): Source => ({
  file,
  isIndexed: true,
  read: () => readFile(path.join(ROOT, file), 'utf8'),
});

const generated = (make: () => string, isIndexed = true): Source => ({
  file: null,
  isIndexed,
  read: async () => make(),
});

const markdownUrl = (url: string): string => (url === INDEX_URL ? '/docs/index.md' : `${url}.md`);

/** The pages of the site by their URL, and the navigation. */
type Collection = {
  readonly sources: ReadonlyMap<string, Source>;
  readonly groups: readonly NavigationGroup[];
};

async function collect(apis: readonly DocumentedApi[]): Promise<Collection> {
  // Loaded at the first request: it loads the SDK, which no start should wait for.
  const { referencePages } = await import('./reference.ts');
  const sources = new Map<string, Source>();
  const groups: NavigationGroup[] = GUIDES.map(({ label, pages }) => ({ label, pages }));
  for (const { url, file } of GUIDES.flatMap(({ pages }) => pages)) sources.set(url, fromFile(file));
  sources.set('/errors', generated(problemIndex));
  for (const code of PROBLEM_CODES)
    sources.set(
      `/errors/${code}`,
      generated(() => problemPage(code), false),
    );
  groups.push({ label: 'Reference', pages: [{ url: '/errors', label: 'Index of problems' }] });
  for (const { url, document, sampled } of apis) {
    const pages = referencePages(document(), url, sampled);
    for (const { url: pageUrl, markdown, sampled: shown } of pages)
      sources.set(pageUrl, { ...generated(() => markdown), ...(shown ? { sampled: shown } : {}) });
    const [first] = pages;
    groups.push({
      label: first?.label ?? '',
      isCollapsed: true,
      pages: pages.map((page) => ({ url: page.url, label: page === first ? 'Overview' : page.label })),
    });
  }
  return { sources, groups };
}

/** The URLs of written pages by their file. */
const WRITTEN = new Map(GUIDES.flatMap(({ pages }) => pages).map(({ file, url }) => [file, url]));

/** Returns the URL that a link on a page leads to. */
const resolverFor =
  (from: string | null) =>
  (href: string): string | null => {
    if (/^(https?:|#|\/)/.test(href) || from === null) return href;
    const [target = '', anchor] = href.split('#');
    const file = path.posix.join(path.posix.dirname(from), target);
    if (file.startsWith(IMAGES) && file.endsWith('.png')) return `/${file}`;
    const url = WRITTEN.get(file);
    return url === undefined ? null : `${url}${anchor === undefined ? '' : `#${anchor}`}`;
  };

const render = async ({ file, read }: Source): Promise<RenderedPage> =>
  renderMarkdown(await read(), resolverFor(file));

type Sources = Collection['sources'];

/** Links lead to the Markdown of other pages. */
async function asMarkdown({ file, read }: Source, sources: Sources): Promise<string> {
  const resolve = resolverFor(file);
  return rewriteLinks(await read(), (href) => {
    const [, target = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(resolve(href) ?? '') ?? [];
    return sources.has(target) ? markdownUrl(target) + anchor : resolve(href);
  });
}

async function searchIndex(sources: Sources): Promise<string> {
  const entries = [];
  for (const [url, source] of sources) {
    if (!source.isIndexed) continue;
    entries.push(...searchEntries(url, await render(source)));
    // Lets other requests be answered between two pages.
    await nextTurn();
  }
  return JSON.stringify(entries);
}

/** The overview for programs that read the documentation: https://llmstxt.org. */
async function overview(sources: Sources, groups: readonly NavigationGroup[]): Promise<string> {
  const lines = ['# Saldo', '', `> ${SUMMARY}`];
  for (const { label, pages } of groups) {
    lines.push('', `## ${label}`, '');
    for (const { url, label: name } of pages) {
      const source = sources.get(url);
      if (!source) continue;
      lines.push(`- [${name}](${markdownUrl(url)}): ${summaryOf(await render(source))}`);
      await nextTurn();
    }
  }
  return `${lines.join('\n')}\n`;
}

async function load(url: string, { sources, groups }: Collection): Promise<StaticFile | null> {
  const source = sources.get(url);
  if (source) {
    const page = await render(source);
    const { sampled = null } = source;
    return textFile('page.html', layout({ url, page, groups, markdownUrl: markdownUrl(url), sampled }));
  }
  if (url.endsWith('.md')) {
    const shown = url === markdownUrl(INDEX_URL) ? INDEX_URL : url.slice(0, -'.md'.length);
    const from = sources.get(shown);
    return from ? textFile(url, await asMarkdown(from, sources)) : null;
  }
  if (url === '/llms.txt') return textFile(url, await overview(sources, groups));
  if (url === '/docs/assets/search.json') return textFile(url, await searchIndex(sources));
  return null;
}

/** Returns the folder of the packages, or null if there are none. */
type FindPackages = () => Promise<string | null>;

/** `apis` are read at the first request, and packages are found at the first request for one of them. */
export function createSite(apis: readonly DocumentedApi[], findPackages: FindPackages): Site {
  const files = new Map<string, Promise<StaticFile | null>>();
  let collection: Promise<Collection> | null = null;
  const collected = () => (collection ??= collect(apis));
  let missing: Promise<StaticFile> | null = null;
  let packages: Promise<Packages> | null = null;
  // A failed build resolves to no packages and is kept. Other errors are tried again.
  const readOnce = () =>
    (packages ??= readPackages(findPackages).catch((error: unknown) => {
      packages = null;
      throw error;
    }));
  return {
    find(url) {
      const known = files.get(url);
      if (known) return known;
      const loaded = url.startsWith(PACKAGES_URL)
        ? readPackage(url.slice(PACKAGES_URL.length), readOnce)
        : collected()
            .then((collection) => load(url, collection))
            .then((page) => page ?? readAsset(url));
      files.set(url, loaded);
      // Only what exists is kept, so that requests cannot fill the memory.
      void loaded.then(
        (found) => found ?? files.delete(url),
        () => files.delete(url),
      );
      return loaded;
    },
    notFound: () => (missing ??= collected().then(({ groups }) => notFoundPage(groups))),
  };
}

const SUMMARY =
  'The open platform between green power purchase agreements and the grid: contracts, quarter-hour volumes and nominations of balancing responsible parties (BRPs).';

const NOT_FOUND = `# Page not found

There is no page at this address. Use the search, or begin at the [first page](/docs).
`;

async function notFoundPage(groups: readonly NavigationGroup[]): Promise<StaticFile> {
  const page = await renderMarkdown(NOT_FOUND, (href) => href);
  return textFile('page.html', layout({ url: null, page, groups, markdownUrl: null, sampled: null }));
}

const textFile = (name: string, text: string) => staticFile(name, Buffer.from(text), HEADERS);

const PACKAGES_URL = '/packages/';

type Packages = ReadonlyMap<string, StaticFile | null>;

/** Reads all packages at once: another server of the checkout deletes their folder when it has built newer ones. */
async function readPackages(findPackages: FindPackages): Promise<Packages> {
  const folder = await findPackages();
  if (folder === null) return new Map();
  const read = async (name: string) => [name, await readStatic(path.join(folder, name))] as const;
  return new Map(await Promise.all(PACKAGES.map(read)));
}

async function readPackage(name: string, packages: () => Promise<Packages>): Promise<StaticFile | null> {
  if (!PACKAGES.some((each) => each === name)) return null;
  return (await packages()).get(name) ?? null;
}

const ASSET = /^\/docs\/(assets|images)\/([\w-]{1,64}\.(?:css|js|svg|png))$/;

async function readAsset(url: string): Promise<StaticFile | null> {
  const [, folder, name] = ASSET.exec(url) ?? [];
  if (name === undefined) return null;
  return await readStatic(path.join(folder === 'assets' ? ASSETS : path.join(ROOT, IMAGES), name));
}

async function readStatic(file: string): Promise<StaticFile | null> {
  try {
    return staticFile(file, await readFile(file), HEADERS);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
