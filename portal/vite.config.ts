import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { apiAsData } from './api-as-data.ts';

/** The server's address for `npm run dev --workspace portal`. */
const SERVER = process.env['SALDO_URL'] ?? 'http://127.0.0.1:8080';

/** Modules of this many pages are in one file. */
const PAGES_OF_COMMON = 12;

/** The client of the API of each role, and modules with it. No other role loads them. */
const CLIENTS = {
  operator:
    /@saldo\/api\/(?:operator|sandbox)|[\\/](?:sdk[\\/]src|session|references)[\\/](?:operator|lookups|party|subject)/,
  brp: /@saldo\/api\/brp|[\\/](?:sdk[\\/]src|session)[\\/]brp|nominations[\\/](?:message-dialog|schedule-buttons)/,
};
const isOfRole = (id: string) => Object.values(CLIENTS).some((modules) => modules.test(id));

/** These modules wait for files that import the others, hence are in a file of their own. */
const isStart = (id: string) => /[\\/](?:index\.html|main\.tsx)$/.test(id);

/** The font, and the file that every page but the sign-in needs, are loaded together with the first files, not after them. */
const preloadFiles: Plugin = {
  name: 'saldo:preload-files',
  apply: 'build',
  transformIndexHtml: (_, { bundle = {} }) =>
    Object.values(bundle).flatMap(({ name, fileName }) => {
      const attrs = { crossorigin: true, href: `/${fileName}` };
      if (name === 'common') return { tag: 'link', attrs: { rel: 'modulepreload', ...attrs } };
      if (!fileName.endsWith('.woff2')) return [];
      return { tag: 'link', attrs: { rel: 'preload', as: 'font', type: 'font/woff2', ...attrs } };
    }),
};

/** The licence of the font requires that copies of the font include the licence. */
const fontLicence: Plugin = {
  name: 'saldo:font-licence',
  apply: 'build',
  generateBundle() {
    const file = createRequire(import.meta.url).resolve('@fontsource-variable/inter/LICENSE');
    this.emitFile({ type: 'asset', fileName: 'licences/inter.txt', source: readFileSync(file) });
  },
};

export default defineConfig({
  plugins: [apiAsData, preloadFiles, fontLicence, tailwindcss()],
  build: {
    target: 'es2023',
    // Nothing may be inlined: the content security policy allows scripts, styles and images from files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    rolldownOptions: {
      // The libraries mark modules for rendering on a server, which the portal does not do.
      checks: { moduleLevelDirective: false },
      output: {
        codeSplitting: {
          groups: [
            // Two files for all that every page needs: a file for each set of pages would compress worse.
            { name: 'libraries', test: /[\\/]node_modules[\\/]/, tags: ['$initial'] },
            { name: 'frame', test: (id) => !isStart(id), tags: ['$initial'] },
            { name: 'common', test: (id) => !isOfRole(id), minShareCount: PAGES_OF_COMMON },
            ...Object.entries(CLIENTS).map(([name, test]) => ({
              name,
              test,
              minShareCount: PAGES_OF_COMMON,
            })),
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/operator/v1', '/portal/v1', '/docs', '/openapi.json', '/errors'].map((path) => [
        path,
        SERVER,
      ]),
    ),
  },
});
