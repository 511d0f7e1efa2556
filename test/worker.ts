import { suite } from 'node:test';
import fc from 'fast-check';
import { pendingWaits } from '../server/test/until.ts';
import { tell } from './reporter.ts';
import { runs } from './runs.ts';

/**
 * Runs test files in this process, one after the other, as the runner sends them. Loading the server and compiling its
 * schemas takes longer than the tests of most files, so files share that work. Each file is a suite: its tests begin when
 * it has loaded, and its `after` hooks run when they have ended. (A test would not wait for subtests that are added after
 * its first ones have ended.)
 */
fc.configureGlobal({ numRuns: runs(100) });

process.on('message', (message: { file: string } | 'state') => {
  if (message === 'state') tell({ type: 'state', text: describeState() });
  else void suite(message.file, () => import(message.file));
});
tell({ type: 'ready' });

/** For the message about a file that hangs. */
function describeState(): string {
  const waits = [...pendingWaits].map((explain) => `waiting until ${explain()}`);
  const resources = Map.groupBy(process.getActiveResourcesInfo(), (name) => name);
  const open = [...resources].map(([name, { length }]) => `${length} × ${name}`);
  return [...waits, `active: ${open.join(', ')}`].join('\n');
}
