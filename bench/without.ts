/**
 * Loaded into a server before its own code. It does not net or seal by itself then, so that neither runs during an import,
 * and does not do the part that `BENCH_WITHOUT` names for days from `BENCH_FROM` on: `events` of transactions, or entries
 * of the `ledger`.
 */
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';

const { BENCH_WITHOUT: part, BENCH_FROM: from } = process.env;
const NEVER = '86_400_000';

const CHANGES: readonly (readonly [file: string, pattern: RegExp, text: string])[] = [
  ['/start/jobs.ts', /(?<=const NOMINATE_EVERY_MS = )[\d_]+/, NEVER],
  ['/ledger/seal.ts', /(?<=const SEAL_EVERY_MS = )[\d_]+/, NEVER],
  part === 'events'
    ? [
        '/transactions/events.ts',
        /(?<=function transactionEvents\([\s\S]*?\{\n)/,
        `if (day >= '${from}') return [];`,
      ]
    : [
        '/transactions/ledger-entries.ts',
        /(?<=function appendSheetEntries\([\s\S]*?\{\n)/,
        `if (added[0]?.state.day >= '${from}') return;`,
      ],
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const change = CHANGES.find(([file]) => url.endsWith(`/server/src${file}`));
    if (!change) return loaded;
    const [, pattern, text] = change;
    const source = String(loaded.source);
    assert.match(source, pattern);
    return { ...loaded, source: source.replace(pattern, text) };
  },
});
