import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { PROBLEM_CODES, PROBLEMS } from '@saldo/api';
import { renderMarkdown } from '../src/docs/markdown.ts';
import { GUIDES } from '../src/docs/pages.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { CHECKOUT } from './markdown-blocks.ts';

/** Pages for people who develop Saldo, which are not served. */
const INTERNAL = /^docs\/(decisions\/.*|spec-gaps|reliability|lighthouse)\.md$/;
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const platform = await startTestPlatform();
const request = client(platform.baseUrl);

type Crawled = { readonly text: string; readonly ids: ReadonlySet<string>; readonly policy: string };

const pathOf = (url: string) => url.split(/[?#]/, 1)[0]!;
const linksOf = (html: string) =>
  [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'));
const isOutside = (url: string) => /^https?:/.test(url);

/** All pages that links lead to from the first page. */
async function crawl(): Promise<ReadonlyMap<string, Crawled>> {
  const pages = new Map<string, Crawled>();
  const waiting = ['/docs'];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (pages.has(url) || url === '/' || isOutside(url)) continue;
    const answer = await request(url, { headers: HTML });
    assert.equal(answer.status, 200, url);
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
    const ids = [...answer.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    assert.equal(new Set(ids).size, ids.length, `${url} has equal ids`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    pages.set(url, { text: answer.text, ids: new Set(ids), policy });
    if (isPage)
      waiting.push(
        ...linksOf(answer.text)
          .map(pathOf)
          .filter((link) => link !== ''),
      );
  }
  return pages;
}

const pages = await crawl();
const htmlPages = [...pages].filter(([, { text }]) => text.startsWith('<!doctype html>'));

test('all links and anchors of all pages resolve', () => {
  let checked = 0;
  for (const [url, { text }] of htmlPages) {
    for (const link of linksOf(text)) {
      const [target = '', anchor] = link.split('#');
      if (isOutside(link)) continue;
      const page = pages.get(target === '' ? url : target);
      assert.ok(page, `${url} leads to ${link}`);
      if (anchor !== undefined) assert.ok(page.ids.has(anchor), `${url} leads to ${link}`);
      checked++;
    }
  }
  assert.ok(checked > 1000, `${checked} links`);
});

test('every written page is reachable, and every page of docs/ is listed, and served or named as internal', async () => {
  const guides = GUIDES.flatMap((group) => group.pages);
  for (const { url, file, label } of guides) {
    assert.ok(pages.has(url), url);
    for (const [from, { text }] of htmlPages)
      assert.ok(text.includes(`href="${url}"`), `the navigation of ${from} has ${label}`);
    assert.ok(existsSync(path.join(CHECKOUT, file)), file);
  }
  const served = new Set(guides.map(({ file }) => file));
  const list = await readFile(path.join(CHECKOUT, 'docs/README.md'), 'utf8');
  for await (const file of glob('docs/**/*.md', { cwd: CHECKOUT })) {
    assert.notEqual(served.has(file), INTERNAL.test(file), file);
    const isListed = list.includes(`](${path.posix.relative('docs', file)})`);
    assert.ok(isListed || /^docs\/(README\.md|decisions\/)/.test(file), `docs/README.md has ${file}`);
  }
});

/** Also of pages that are not served, and as a reader of the repository sees them. */
test('links between the Markdown files of the repository and from deploy/ resolve, with their anchors', async () => {
  const read = async (file: string) => await readFile(path.join(CHECKOUT, file), 'utf8');
  const anchorsOf = async (file: string) => {
    // A site like GitHub's: the title is a heading with an anchor too.
    const { sections } = await renderMarkdown(`# Page\n\n${await read(file)}`, (href) => href);
    return new Set(sections.map(({ id }) => id));
  };
  const files = await Array.fromAsync(glob(['*.md', '{docs,sdk,cli,bench}/**/*.md'], { cwd: CHECKOUT }));
  let checked = 0;
  for (const file of files.filter((name) => !name.includes('node_modules'))) {
    const links: string[] = [];
    const note = (href: string) => {
      links.push(href);
      return href;
    };
    await renderMarkdown(`# Page\n\n${await read(file)}`, note);
    for (const link of links) {
      const [target = '', anchor] = link.split('#');
      if (isOutside(link) || /^\/(docs|errors|packages)\b/.test(link)) continue;
      const to = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
      assert.ok(existsSync(path.join(CHECKOUT, to)), `${file}: ${link}`);
      if (anchor !== undefined && to.endsWith('.md'))
        assert.ok((await anchorsOf(to)).has(anchor), `${file}: ${link}`);
      checked++;
    }
  }
  for await (const file of glob('deploy/**/*.*', { cwd: CHECKOUT })) {
    for (const [link, to = '', anchor] of (await read(file)).matchAll(
      /\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g,
    )) {
      assert.ok(existsSync(path.join(CHECKOUT, to)), `${file}: ${link}`);
      if (anchor !== undefined) assert.ok((await anchorsOf(to)).has(anchor), `${file}: ${link}`);
      checked++;
    }
  }
  assert.ok(checked > 100, `${checked} links`);
});

test('every page loads files of its own origin only, and nothing inline', () => {
  for (const [url, { text, policy }] of htmlPages) {
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; /, url);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/, url);
    assert.doesNotMatch(
      text,
      /<script(?![^>]* src="\/docs\/assets\/)|<style|\sstyle=|\son\w+=|javascript:/,
      url,
    );
    for (const [tag] of text.matchAll(/<(?:script|link|img)\b[^>]*>/g)) {
      assert.match(tag, / (?:src|href)="\/(?!\/)/, url);
    }
  }
});

test('each page is also Markdown, and llms.txt lists all of the navigation', async () => {
  const { text: overview, headers } = await request('/llms.txt');
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(overview, /^# Saldo\n\n> /);
  const listed = [...overview.matchAll(/^- \[.+\]\((\S+)\): (.*)$/gm)];
  for (const [line, url = '', summary] of listed) {
    assert.ok(summary, line);
    assert.equal((await request(url)).status, 200, url);
  }
  const navigation = [...pages.get('/docs')!.text.matchAll(/<li><a href="([^"#]+)"/g)];
  assert.equal(listed.length, navigation.length);
  for (const [url] of htmlPages) {
    const answer = await request(url === '/docs' ? '/docs/index.md' : `${url}.md`);
    assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8', url);
    assert.match(answer.text, /^# \S/, url);
    for (const [, target = ''] of answer.text.matchAll(/\]\((\/[^)#]+)/g))
      assert.ok(pages.has(target), `${url}.md leads to ${target}`);
  }
});

test('the index of problems has every problem, with an anchor and a page', () => {
  const index = pages.get('/errors');
  assert.ok(index);
  for (const code of PROBLEM_CODES) {
    assert.ok(index.ids.has(code), code);
    assert.ok(pages.get(`/errors/${code}`)?.text.includes(`<h1>${PROBLEMS[code].title}</h1>`), code);
  }
});

test('the reference has every operation, parameter and schema of the OpenAPI documents', async () => {
  const documents = [
    ['brp', `${platform.baseUrl}/openapi.json`],
    ['operator', `${platform.baseUrl}/operator/openapi.json`],
    ['customer', `${platform.customerUrl}/openapi.json`],
  ] as const;
  for (const [name, address] of documents) {
    const api = await (await fetch(address)).json();
    const textOf = (part: string) => pages.get(`/docs/reference/${name}${part}`)?.text ?? '';
    for (const [route, methods] of Object.entries<Record<string, never>>(api.paths)) {
      for (const [method, operation] of Object.entries<{ tags: string[]; parameters: { name: string }[] }>(
        methods,
      )) {
        const [tag = ''] = operation.tags;
        const text = textOf(`/${tag.toLowerCase().replaceAll(' ', '-')}`);
        assert.ok(text.includes(`<code>${method.toUpperCase()} ${route}</code>`), `${method} ${route}`);
        for (const parameter of operation.parameters)
          assert.ok(text.includes(`<code>${parameter.name}</code>`), `${route} ${parameter.name}`);
      }
    }
    const schemas = textOf('/schemas');
    for (const [title, schema] of Object.entries<{ properties?: object }>(api.components.schemas)) {
      assert.ok(schemas.includes(`>${title}</a></h2>`), title);
      for (const member of Object.keys(schema.properties ?? {}))
        assert.ok(schemas.includes(`<code>${member}</code>`), `${title}.${member}`);
    }
    assert.doesNotMatch(schemas, /undefined|\[object/);
  }
});

test('the search index leads to existing sections', async () => {
  const { body } = await request('/docs/assets/search.json');
  for (const [url, page] of body) {
    const [target, anchor] = url.split('#');
    assert.ok(pages.has(target), url);
    if (anchor !== undefined) assert.ok(pages.get(target)?.ids.has(anchor), url);
    assert.ok(page);
  }
  assert.ok(body.some(([url]: string[]) => url === '/docs/guides/time#two-days-of-the-year'));
});

test('pages are revalidated by ETag, compressed, and answer HEAD and OPTIONS, on both listeners', async () => {
  for (const base of [platform.baseUrl, platform.customerUrl]) {
    const ask = client(base);
    for (const url of [
      '/docs',
      '/docs/guides/time',
      '/errors',
      '/docs/guides/time.md',
      '/docs/assets/docs.css',
      '/llms.txt',
      '/packages/saldo_client.py',
    ]) {
      const { status, headers } = await ask(url, { headers: { 'accept-encoding': 'br' } });
      assert.deepEqual([status, headers.get('content-encoding')], [200, 'br'], url);
      assert.equal(headers.get('cache-control'), 'no-cache', url);
      const etag = headers.get('etag') ?? '';
      const again = await ask(url, { headers: { 'if-none-match': `"other", W/${etag}` } });
      assert.deepEqual([again.status, again.text], [304, ''], url);
      const head = await ask(url, { method: 'HEAD' });
      assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag], url);
      assert.equal((await ask(url, { method: 'OPTIONS' })).headers.get('allow'), 'GET, HEAD, OPTIONS', url);
      assert.equal((await ask.post(url)).status, 405, url);
    }
    const image = await ask('/docs/images/offers.png');
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/png']);
    for (const name of ['saldo-sdk.tgz', 'saldo-cli.tgz']) {
      const { status, headers } = await ask(`/packages/${name}`, { headers: { 'accept-encoding': 'br' } });
      const served = ['content-type', 'content-encoding'].map((header) => headers.get(header));
      assert.deepEqual([status, ...served], [200, 'application/gzip', null], name);
    }
    for (const name of ['unknown.tgz', '..%2fpackage.json'])
      assert.equal((await ask(`/packages/${name}`)).status, 404, name);
    const slash = await fetch(`${base}/docs/`, { redirect: 'manual' });
    assert.deepEqual([slash.status, slash.headers.get('location')], [308, '/docs']);
  }
});

test('an unknown page is a 404 page for browsers and a problem for programs', async () => {
  const nowhere = [
    '/docs/nowhere',
    '/docs/guides/nowhere',
    '/docs/assets/nowhere.js',
    `/docs/assets/${'n'.repeat(300)}.css`,
    '/errors/nowhere',
    '/docs/README.md',
  ];
  const etags = new Set<string | null>();
  for (const url of [...nowhere, '/docs/images/%2e%2e/README.md', '/docs/guides/time.md.md']) {
    const page = await fetch(platform.baseUrl + url, { headers: HTML });
    assert.equal(page.status, 404, url);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8', url);
    assert.match(await page.text(), /<h1>Page not found<\/h1>/, url);
    etags.add(page.headers.get('etag'));
    for (const accept of ['*/*', 'application/json', 'text/html;q=0, */*']) {
      const answer = await request(url, { headers: { accept } });
      assert.deepEqual([answer.status, problemOf(answer).code], [404, 'not_found'], `${url} ${accept}`);
    }
  }
  assert.equal(etags.size, 1, 'the same page at all addresses');
});

test('Markdown becomes HTML without scripts, whatever it contains', async () => {
  const source =
    '# A <b>title</b>\n\n<script>alert(1)</script>\n\n<!-- a comment -->\n\n[x](nowhere.md) [y](/docs) `<i>`\n\n## Same\n\n## Same\n\n```ts\nconst a = 1 < 2;\n```\n';
  const { title, html, sections } = await renderMarkdown(source, (href) =>
    href.startsWith('/') ? href : null,
  );
  assert.equal(title, 'A title');
  assert.doesNotMatch(html, /<script|a comment|nowhere|<i>/);
  assert.match(html, /<a href="\/docs">y<\/a>/);
  assert.match(html, /const a = 1 &lt; 2;/);
  assert.deepEqual(
    sections.map(({ id }) => id),
    ['', 'same', 'same-1'],
  );
  await assert.rejects(
    renderMarkdown('No title', (href) => href),
    /begins with its title/,
  );
});
