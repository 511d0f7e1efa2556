import { isEmail } from '@saldo/core/users/email.ts';
import type { Command } from 'commander';
import { UsageError } from '../usage.ts';
import { runCheckoutProgram } from './checkout-program.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

const PROGRAM = 'server/src/operator-access/main.ts';

const NOTES = `
The database is that of DATABASE_URL, else the embedded one in DATA_DIR, as for the server, which may run. No key is
needed, but the rights of the server's user. The audit trail names the command line.`;

/** For operators who have lost their access, or never had it. These commands access the database directly. */
export function addOperatorAccessCommands(program: Command, open: OpenSession): void {
  const key = program
    .command('operator-key')
    .description('make a new operator key, on the server’s machine')
    .addHelpText('after', NOTES);
  addExamples(key, 'operator-key', 'operator-key >operator.key').action(
    doing(open, (session) => runCheckoutProgram(session, 'operator-key', PROGRAM, ['key'])),
  );
  const link = program
    .command('operator-link [email]')
    .description('make a new portal link for a user of the operator, on the server’s machine')
    .addHelpText(
      'after',
      `\nWithout an email the user is that of OPERATOR_EMAIL. A user who does not exist is created.${NOTES}`,
    );
  addExamples(link, 'operator-link', 'operator-link you@example.org').action(
    doing(open, async (session, { args: [email] }) => {
      if (email !== undefined && !isEmail(email)) throw new UsageError(`${email} is no email address`);
      const args = email === undefined ? ['link'] : ['link', email];
      await runCheckoutProgram(session, 'operator-link', PROGRAM, args);
    }),
  );
}
