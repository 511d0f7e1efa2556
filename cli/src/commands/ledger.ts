import type { Command } from 'commander';
import { runCheckoutProgram } from './checkout-program.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

const PROGRAM = 'server/src/ledger-key/main.ts';

const NOTES = `
The private key is in LEDGER_KEY_FILE, as for the server, which may run: it signs its next seal with the new key. Earlier seals stay
valid: GET /v1/ledger/key has the public keys of all of them. No API key is needed, but the rights of the server's user.`;

/** The key that signs the ledger. */
export function addLedgerCommands(program: Command, open: OpenSession): void {
  const ledger = program.command('ledger').description('the key that signs the ledger');
  const rotate = ledger
    .command('rotate-key')
    .description('replace the key that signs the ledger, on the server’s machine')
    .addHelpText('after', NOTES);
  addExamples(rotate, 'ledger rotate-key').action(
    doing(open, (session) => runCheckoutProgram(session, 'ledger rotate-key', PROGRAM, [])),
  );
}
