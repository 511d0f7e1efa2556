import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type StaticFile, staticFile } from '../platform/http/static-file.ts';

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

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** `no-cache`: browsers revalidate by ETag, so that an upgrade takes effect at once. */
const HEADERS = { 'content-security-policy': POLICY, 'cache-control': 'no-cache' };

/** Serves Swagger UI, to send requests from a browser, without any third-party host. Files are read at their first request. */
export function mountTryOut(app: FastifyInstance, documents: readonly OfferedDocument[]): void {
  const serve = (url: string, name: string, read: () => Promise<Buffer>) => {
    let file: Promise<StaticFile> | null = null;
    app.get(url, async (request, reply) => {
      file ??= read().then((body) => staticFile(name, body, HEADERS));
      const found = await file.catch((error: unknown) => {
        file = null;
        throw error;
      });
      await found.send(request, reply);
      return reply;
    });
  };
  serve('/docs/try', 'page.html', async () => Buffer.from(page(documents)));
  serve('/docs/try/start.js', 'start.js', async () => Buffer.from(startScript(documents)));
  for (const name of FILES) serve(`/docs/try/${name}`, name, () => readFile(path.join(UI, name)));
}
