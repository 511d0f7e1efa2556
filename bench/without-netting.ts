/** Loaded into a server before its own code: it then nets on request only, and never during an import. */
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';

const INTERVAL = /const NOMINATE_EVERY_MS = [\d_]+;/;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/server/src/start/jobs.ts')) return loaded;
    const source = String(loaded.source);
    assert.match(source, INTERVAL);
    return { ...loaded, source: source.replace(INTERVAL, 'const NOMINATE_EVERY_MS = 86_400_000;') };
  },
});
