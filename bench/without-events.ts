/** Loaded into a server before its own code: it then appends no events for transactions. */
import { registerHooks } from 'node:module';

const SOURCE = 'export const transactionEvents = () => [];';

registerHooks({
  load: (url, context, nextLoad) =>
    url.endsWith('/server/src/transactions/events.ts')
      ? { format: 'module', shortCircuit: true, source: SOURCE }
      : nextLoad(url, context),
});
