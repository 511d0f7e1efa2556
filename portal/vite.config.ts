import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server's address for `npm run dev --workspace portal`. */
const SERVER = process.env['SALDO_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2023',
    // Nothing may be inlined: the content security policy allows scripts, styles and images from files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
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
