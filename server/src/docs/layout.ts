import { escapeHtml } from './html.ts';
import type { RenderedPage, Section } from './markdown.ts';
import type { SampledApi } from './samples/call.ts';

type NavigationLink = { readonly url: string; readonly label: string };

export type NavigationGroup = {
  readonly label: string;
  readonly pages: readonly NavigationLink[];
  /** Groups of many pages are collapsed, except around the current page. */
  readonly isCollapsed?: boolean;
};

/** With how many headings a page has a table of contents. A longer one would hide the page. */
const CONTENTS = { from: 3, to: 40 };

function navigation(groups: readonly NavigationGroup[], current: string | null): string {
  const link = ({ url, label }: NavigationLink) =>
    `<li><a href="${url}"${url === current ? ' aria-current="page"' : ''}>${escapeHtml(label)}</a></li>`;
  return groups
    .map(({ label, pages, isCollapsed }) => {
      const list = `<ul>${pages.map(link).join('')}</ul>`;
      if (isCollapsed !== true) return `<h2>${escapeHtml(label)}</h2>${list}`;
      const isOpen = pages.some(({ url }) => url === current);
      return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(label)}</summary>${list}</details>`;
    })
    .join('\n');
}

function contents(sections: readonly Section[]): string {
  const entries = sections.filter(({ depth }) => depth === 2);
  if (entries.length < CONTENTS.from || entries.length > CONTENTS.to) return '';
  const links = entries.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><ul>${links.join('')}</ul></nav>`;
}

/** The description for search engines and link previews. */
const DESCRIPTION_LENGTH = 200;

/** The first sentence of a page. */
export function summaryOf({ sections }: RenderedPage): string {
  const text = sections[0]?.text ?? '';
  return (/^.*?[.?](?=\s|$)/.exec(text)?.[0] ?? text).slice(0, DESCRIPTION_LENGTH);
}

export type PageView = {
  /** Null for a page that is shown at any URL. */
  readonly url: string | null;
  readonly page: RenderedPage;
  readonly groups: readonly NavigationGroup[];
  /** The URL of the page's Markdown. Null for a page that is not part of the site. */
  readonly markdownUrl: string | null;
  /** The API whose samples are on the page. */
  readonly sampled: SampledApi | null;
};

/** Asks for a key, which only the samples of the page get. Without JavaScript it is not shown. */
const keyForm = ({ client, url, key }: SampledApi) => `
<form class="own-key" data-client="${client}" data-url="${url}" data-key="${key}">
<p><label for="own-key">Your key in the samples</label> <span class="signed-in"></span></p>
<div><input id="own-key" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="Paste an API key" aria-describedby="own-key-note">
<button>Use this key</button>
<button type="button" hidden>Forget the key</button></div>
<p id="own-key-note">The key stays in this tab until you close it or forget the key, and this page sends it nowhere. Samples show its beginning; their copy buttons copy all of it.</p>
<p role="status"></p>
</form>
`;

export function layout({ url, page, groups, markdownUrl, sampled }: PageView): string {
  const alternate =
    markdownUrl === null ? '' : `<link rel="alternate" type="text/markdown" href="${markdownUrl}">`;
  const source =
    markdownUrl === null ? '' : `<footer><a href="${markdownUrl}">This page as Markdown</a></footer>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(summaryOf(page))}">
<title>${escapeHtml(page.title)} · Saldo</title>
<link rel="icon" href="/docs/assets/icon.svg">
<link rel="stylesheet" href="/docs/assets/docs.css">
${alternate}
<script src="/docs/assets/sample-language.js"></script>
<script type="module" src="/docs/assets/search.js"></script>
<script type="module" src="/docs/assets/code.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="/docs"><img src="/docs/assets/icon.svg" alt="" width="24" height="24">Saldo documentation</a>
<search>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Press / to search">
<p role="status"></p>
<ol></ol>
</search>
<a class="menu" href="#navigation">All pages</a>
</header>
<div class="columns">
<main id="content">
<h1>${escapeHtml(page.title)}</h1>
${contents(page.sections)}
${sampled === null ? '' : keyForm(sampled)}${page.html}
${source}
</main>
<nav id="navigation" aria-label="All pages">
${navigation(groups, url)}
</nav>
</div>
</body>
</html>
`;
}
