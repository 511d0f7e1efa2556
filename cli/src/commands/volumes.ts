import { operatorEndpoints as api } from '@saldo/api';
import type { Command } from 'commander';
import { addFields, readBody } from '../fields.ts';
import { localTime, mwh } from '../tables.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

export function addVolumeCommands(program: Command, open: OpenSession): void {
  addTransactions(program, open);
  const profiles = program.command('profiles').description('profiles of contracts');
  const run = profiles.command('run').description('generate the volumes of the coming days now');
  addFields(run, api.runProfiles.body);
  addExamples(run, 'profiles run', 'profiles run --days 14').action(
    showing(open, 'operator', (client) => client.profiles.run(readBody(run, api.runProfiles))),
  );
}

function addTransactions(program: Command, open: OpenSession): void {
  const transactions = program
    .command('transactions')
    .description('the volume of each quarter-hour, all versions');
  addList(transactions, open, {
    endpoint: api.operatorListTransactions,
    about: 'list transactions by delivery day, contract, slot and version',
    examples: [
      'transactions list --delivery-date 2026-10-25 --status valid',
      'transactions list --contract-id con_… --delivery-date 2026-10-25 --all --json',
      'transactions list --delivery-date 2026-10-25 --as-of 2026-10-24T12:25:00Z --all',
    ],
    columns: [
      ['ID', ({ id }) => id],
      ['START', ({ delivery_start }) => localTime(delivery_start)],
      ['SLOT', ({ slot_number }) => slot_number],
      ['VERSION', ({ version }) => version],
      ['STATUS', ({ status }) => status],
      ['MWH', ({ volume }) => mwh(volume), 'right'],
      ['SOURCE', (transaction) => ('source' in transaction ? transaction.source : null)],
      ['FROM', ({ sender }) => `${sender.eic} ${sender.tso}`],
      ['TO', ({ receiver }) => `${receiver.eic} ${receiver.tso}`],
      ['CONTRACT', ({ contract_id }) => contract_id],
    ],
    fromBoth: (client) => client.transactions,
  });
  const invalidate = transactions
    .command('invalidate <transaction>')
    .description('invalidate a transaction, so that it counts in no saldo')
    .requiredOption('--reason <text>', 'why it must not be delivered');
  addExamples(invalidate, "transactions invalidate txn_… --reason 'meter replaced'").action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { reason } = invalidate.opts<{ reason: string }>();
      await session.show(await (await session.operator()).transactions.invalidate(id, { reason }));
    }),
  );
}
