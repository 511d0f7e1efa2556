import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';

/** An OpenAPI document that the page offers. */
export type OfferedDocument = { readonly name: string; readonly url: string };

const UI = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Only same-origin scripts. Swagger UI needs inline styles and `data:` images. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const NAV_STYLE = 'padding:12px 20px;font-family:sans-serif';

/** The URL selects the document, so that a link to it can be shared. */
const linksTo = (documents: readonly OfferedDocument[]) =>
  documents
    .map(({ name }) => `<a href="/docs/try?api=${encodeURIComponent(name)}">${name}</a>`)
    .join('\n&middot;\n');

const page = (documents: readonly OfferedDocument[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Try the APIs · Saldo</title>
<link rel="stylesheet" href="/docs/try/swagger-ui.css">
<link rel="icon" href="/docs/try/favicon-32x32.png">
</head>
<body>
<nav style="${NAV_STYLE}">
<a href="/docs">Documentation</a>
&middot;
${linksTo(documents)}
</nav>
<div id="docs"></div>
<script src="/docs/try/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/try/start.js"></script>
</body>
</html>
`;

/**
 * Swagger UI fills in the example of every parameter, so a first request would use all filters at once. Removing the
 * examples of optional parameters leaves their inputs empty.
 */
const startScript = (documents: readonly OfferedDocument[]) => `
const documents = ${JSON.stringify(documents)};
const wanted = new URLSearchParams(location.search).get('api');
const offered = documents.find(({ name }) => name === wanted) ?? documents[0];
const spec = await (await fetch(offered.url)).json();
for (const path of Object.values(spec.paths)) {
  for (const { parameters } of Object.values(path)) {
    for (const parameter of parameters.filter(({ required }) => !required)) {
      delete parameter.example;
      delete parameter.schema.examples;
    }
  }
}
SwaggerUIBundle({
  dom_id: '#docs',
  spec,
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Serves Swagger UI, to send requests from a browser, without any third-party host. */
export function mountTryOut(app: FastifyInstance, documents: readonly OfferedDocument[]): void {
  const content = async (type: string, body: string | Buffer) => ({ type, body });
  const pages: Record<string, () => Promise<{ type: string; body: string | Buffer }>> = {
    '/docs/try': () => content('text/html; charset=utf-8', page(documents)),
    '/docs/try/start.js': () => content('text/javascript; charset=utf-8', startScript(documents)),
  };
  for (const [name, type] of Object.entries(FILES)) {
    pages[`/docs/try/${name}`] = async () => content(type, await readFile(path.join(UI, name)));
  }
  for (const [url, load] of Object.entries(pages)) {
    app.get(url, async (_request, reply) => {
      const { type, body } = await load();
      return reply.type(type).header('content-security-policy', POLICY).send(body);
    });
  }
}
