import { escapeHtml } from './html.ts';
import type { RenderedPage, Section } from './markdown.ts';

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
};

export function layout({ url, page, groups, markdownUrl }: PageView): string {
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
<script type="module" src="/docs/assets/search.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="/docs"><img src="/docs/assets/icon.svg" alt="" width="24" height="24">Saldo documentation</a>
<search hidden>
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
${page.html}
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
