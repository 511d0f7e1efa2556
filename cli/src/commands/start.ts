import type { Command } from 'commander';
import { runCheckoutProgram } from './checkout-program.ts';
import { doing, type OpenSession } from './command.ts';

/** A release starts its server without this command, in the process that the service manager knows: `release/saldo.js`. */
export function addStartCommand(program: Command, open: OpenSession): void {
  program
    .command('start')
    .description('start the server; with --help it prints its settings')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(
      doing(open, async (session, { command }) => {
        await runCheckoutProgram(session, 'start', 'server/src/main.ts', command.args);
      }),
    );
}
