/**
 * Loaded into a server before its own code. `BENCH_WITHOUT` names what it does not do then: `netting` by itself, so that
 * no engine runs during an import, or `events` of transactions.
 */
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';

const INTERVAL = /const NOMINATE_EVERY_MS = [\d_]+;/;
const without = (process.env['BENCH_WITHOUT'] ?? '').split(' ');

registerHooks({
  load(url, context, nextLoad) {
    if (without.includes('events') && url.endsWith('/server/src/transactions/events.ts'))
      return {
        format: 'module',
        shortCircuit: true,
        source: 'export const transactionEvents = () => [];',
      };
    const loaded = nextLoad(url, context);
    if (!without.includes('netting') || !url.endsWith('/server/src/start/jobs.ts')) return loaded;
    const source = String(loaded.source);
    assert.match(source, INTERVAL);
    return { ...loaded, source: source.replace(INTERVAL, 'const NOMINATE_EVERY_MS = 86_400_000;') };
  },
});
