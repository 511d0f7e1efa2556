/**
 * Loaded into a server before its own code. `BENCH_WITHOUT` names what it does not do then: `netting` by itself, so that
 * no engine runs during an import, `events` of transactions, or their entries of the `ledger`.
 */
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';

const INTERVAL = /const NOMINATE_EVERY_MS = [\d_]+;/;
const APPEND = /export async function appendSheetEntries\([\s\S]*?\{\n/;
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
    const replaced = (pattern: RegExp, text: string) => {
      const source = String(loaded.source);
      assert.match(source, pattern);
      return { ...loaded, source: source.replace(pattern, text) };
    };
    if (without.includes('ledger') && url.endsWith('/server/src/transactions/ledger-entries.ts'))
      return replaced(APPEND, 'export async function appendSheetEntries() {\n  return;\n');
    if (without.includes('netting') && url.endsWith('/server/src/start/jobs.ts'))
      return replaced(INTERVAL, 'const NOMINATE_EVERY_MS = 86_400_000;');
    return loaded;
  },
});
