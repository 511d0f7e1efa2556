import type { Token, Tokens } from 'marked';
import { escapeHtml } from './html.ts';

/** A heading below the title, with the text up to the next heading. */
export type Section = {
  readonly depth: number;
  readonly id: string;
  readonly title: string;
  readonly text: string;
};

export type RenderedPage = {
  readonly title: string;
  readonly html: string;
  /** The first one is the text before the first heading. Its id is empty. */
  readonly sections: readonly Section[];
};

/** Returns the URL of a link's target, or null if the target is not part of the site. */
export type LinkResolver = (href: string) => string | null;

/** The anchor of a heading, by the rule of GitHub, so that links work there too. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Numbers the anchors of equal headings. */
function uniqueAnchors(): (title: string) => string {
  const used = new Map<string, number>();
  return (title) => {
    const anchor = anchorOf(title);
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

/** Code in several languages, of which a page shows one. Its text is the first one. */
type Samples = Tokens.Generic & { readonly type: 'samples'; readonly blocks: Tokens.Code[] };

/** The second word of the language of a code block: "sh curl". */
const labelOf = ({ lang = '' }: Tokens.Code) => lang.split(' ')[1];

const isSample = (token: Token): token is Tokens.Code =>
  token.type === 'code' && labelOf(token as Tokens.Code) !== undefined;

/** Joins consecutive code blocks whose languages have labels. */
function joinSamples(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (!isSample(token)) joined.push(token);
    else if (last?.type === 'samples') (last as Samples).blocks.push(token);
    else joined.push({ type: 'samples', raw: '', text: `${token.text} `, blocks: [token] });
  }
  return joined;
}

// Focusable, so that the keyboard can scroll what is wider than the screen.
const preHtml = ({ text, lang = '' }: Tokens.Code) => {
  const [language = ''] = lang.split(' ');
  const attribute = language === '' ? '' : ` data-language="${escapeHtml(language)}"`;
  return `<pre tabindex="0"${attribute}><code>${escapeHtml(text)}</code></pre>`;
};

/** Tabs, of which the stylesheet shows the one of the reader's language, and the first one without JavaScript. */
function samplesHtml({ blocks }: Samples): string {
  const labels = blocks.map((block) => escapeHtml(labelOf(block) ?? ''));
  const tabs = labels.map((label, at) => {
    const state = at === 0 ? 'aria-selected="true"' : 'aria-selected="false" tabindex="-1"';
    return `<button type="button" role="tab" ${state}>${label}</button>`;
  });
  const panels = blocks.map(
    (block, at) =>
      `<div class="code" role="tabpanel" aria-label="${labels[at]}" data-sample="${labels[at]}">${preHtml(block)}</div>\n`,
  );
  const list = `<div role="tablist" aria-label="Language of the samples">${tabs.join('')}</div>`;
  return `<div class="samples">${list}\n${panels.join('')}</div>\n`;
}

/** The text of tokens without their markup. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'html') return '';
      if (token.type === 'table') return plainTable(token as Tokens.Table);
      if (token.type === 'list') return plainText((token as Tokens.List).items);
      if ('tokens' in token && token.tokens) return plainText(token.tokens) + (isBlock(token) ? ' ' : '');
      if (token.type === 'code') return `${(token as Tokens.Code).text} `;
      if (token.type === 'space' || token.type === 'br') return ' ';
      return 'text' in token ? String(token.text) : '';
    })
    .join('');
}

const isBlock = ({ type }: Token) => type === 'paragraph' || type === 'list_item' || type === 'blockquote';

const plainTable = ({ header, rows }: Tokens.Table): string =>
  [header, ...rows]
    .flat()
    .map(({ tokens }) => `${plainText(tokens)} `)
    .join('');

/** Renders a page that begins with a heading of depth 1. HTML in the source is not supported, only comments. */
export async function renderMarkdown(source: string, resolve: LinkResolver): Promise<RenderedPage> {
  // Loaded when the first page is rendered: it takes 25 ms of CPU time, which no start should wait for.
  const { Marked } = await import('marked');
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(source);
  const [first, ...others] = tokens.filter(({ type }) => type !== 'space');
  if (first?.type !== 'heading' || (first as Tokens.Heading).depth !== 1)
    throw new Error(`A page begins with its title, but this one begins with: ${source.slice(0, 60)}`);
  const title = plainText((first as Tokens.Heading).tokens);
  const rest = joinSamples(others);
  const sections = sectionsOf(rest);
  const ids = sections.slice(1).map(({ id }) => id);
  marked.use({
    renderer: rendererWith(resolve, ids),
    extensions: [{ name: 'samples', renderer: (token) => samplesHtml(token as Samples) }],
  });
  return { title, html: marked.parser(rest), sections };
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const nextAnchor = uniqueAnchors();
  const sections: Section[] = [{ depth: 1, id: '', title: '', text: '' }];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const title = plainText((token as Tokens.Heading).tokens);
      sections.push({ depth: (token as Tokens.Heading).depth, id: nextAnchor(title), title, text: '' });
    } else {
      const last = sections.pop()!;
      sections.push({ ...last, text: `${last.text} ${plainText([token])}`.replaceAll(/\s+/g, ' ').trim() });
    }
  }
  return sections;
}

type Parser = { parser: { parseInline(tokens: Token[]): string } };

function rendererWith(resolve: LinkResolver, ids: string[]) {
  return {
    heading(this: Parser, { depth, tokens }: Tokens.Heading): string {
      const id = ids.shift() ?? '';
      const text = this.parser.parseInline(tokens);
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${text}</a></h${depth}>\n`;
    },
    link(this: Parser, { href, tokens }: Tokens.Link): string {
      const text = this.parser.parseInline(tokens);
      const url = resolve(href);
      if (url === null) return text;
      const isOutside = /^https?:/.test(url);
      return `<a href="${escapeHtml(url)}"${isOutside ? ' rel="noreferrer"' : ''}>${text}</a>`;
    },
    image({ href, text }: Tokens.Image): string {
      const url = resolve(href);
      return url === null ? '' : `<img src="${escapeHtml(url)}" alt="${escapeHtml(text)}" loading="lazy">`;
    },
    html: ({ raw }: Tokens.HTML | Tokens.Tag): string => (raw.startsWith('<!--') ? '' : escapeHtml(raw)),
    code: (block: Tokens.Code): string => `<div class="code">${preHtml(block)}</div>\n`,
    table(this: Parser, { header, rows }: Tokens.Table): string {
      const cells = (row: readonly Tokens.TableCell[], name: 'th scope="col"' | 'td') =>
        row
          .map(({ text, tokens }) => {
            // An empty header cell has no meaning for a screen reader.
            const tag = text === '' ? 'td' : name;
            return `<${tag}>${this.parser.parseInline(tokens)}</${tag.slice(0, 2)}>`;
          })
          .join('');
      const hasHead = header.some(({ text }) => text !== '');
      const head = hasHead ? `<thead><tr>${cells(header, 'th scope="col"')}</tr></thead>` : '';
      const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
      const table = `<table>${head}<tbody>\n${body}\n</tbody></table>`;
      return `<div class="table" role="group" aria-label="Table" tabindex="0">${table}</div>\n`;
    },
  };
}

/** The Markdown of a page for programs: links lead to the Markdown of other pages. Code blocks stay as they are. */
export function rewriteLinks(source: string, resolve: LinkResolver): string {
  let isCode = false;
  return source
    .split('\n')
    .map((line) => {
      if (line.trimStart().startsWith('```')) isCode = !isCode;
      if (isCode) return line;
      return line.replaceAll(
        /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g,
        (_, image: string, text: string, href: string) => {
          const url = resolve(href);
          return url === null ? text : `${image}[${text}](${url})`;
        },
      );
    })
    .join('\n');
}
