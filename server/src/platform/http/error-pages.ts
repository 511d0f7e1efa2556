import { PROBLEMS, type ProblemCode } from '@saldo/api';

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const withCode = (text: string) => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const STYLE = `
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark; }
  code { font: 0.95em ui-monospace, monospace; }
  dt { font-weight: 600; margin-top: 1rem; }
  dd { margin: 0; }`;

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code);

/** The page behind a problem's `type` URL. It explains the problem and its remedy. */
export function errorPage(code: ProblemCode): string {
  const { status, title, explanation, remedy } = PROBLEMS[code];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Saldo</title>
<style>${STYLE}
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${withCode(explanation)}</p>
<dl>
<dt>What to do</dt><dd>${withCode(remedy)}</dd>
<dt>Problem code</dt><dd><code>${code}</code></dd>
<dt>HTTP status</dt><dd>${status}</dd>
</dl>
</main>
</body>
</html>
`;
}

/** Error pages have an inline style and no scripts. */
export const ERROR_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
