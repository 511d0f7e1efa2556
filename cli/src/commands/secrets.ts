import type { Command } from 'commander';
import { runCheckoutProgram } from './checkout-program.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

const PROGRAM = 'server/src/secrets/main.ts';

const NOTES = `
The database is that of DATABASE_URL, else the embedded one in DATA_DIR, and the keys are in SECRETS_KEY_FILE, as for the
server, which may run. No API key is needed, but the rights of the server's user.`;

const ROTATE_NOTES = `
The new key becomes the first one of the file, and every secret is sealed again with it. Where secrets are sealed with another
key than the first one, because a rotation was interrupted or the file was edited, they are sealed with the first one, and no
key is added. Servers notice the new key without a restart. Earlier keys stay in the file, because earlier backups need them.
${NOTES}`;

const RESET_NOTES = `
For a database whose key file is lost: secrets that no key of the file opens are replaced by new ones, and printed is what their
owners have to do.
${NOTES}`;

/** The keys that seal the secrets in the database. These commands access the database directly. */
export function addSecretsCommands(program: Command, open: OpenSession): void {
  const secrets = program.command('secrets').description('the keys that seal the secrets in the database');
  const run = (...args: string[]) =>
    doing(open, (session) => runCheckoutProgram(session, 'secrets', PROGRAM, args));
  const status = secrets
    .command('status')
    .description('the keys of the file, and how many secrets each has sealed')
    .addHelpText('after', NOTES);
  addExamples(status, 'secrets status').action(run('status'));
  const rotate = secrets
    .command('rotate')
    .description('seal all secrets with a new key, on the server’s machine')
    .option('--forget', 'instead of adding a key, remove those that no secret needs')
    .addHelpText('after', ROTATE_NOTES);
  addExamples(rotate, 'secrets rotate', 'secrets rotate --forget').action(
    doing(open, (session, { command }) => {
      const { forget = false } = command.opts<{ forget?: boolean }>();
      const args = forget ? ['rotate', '--forget'] : ['rotate'];
      return runCheckoutProgram(session, 'secrets', PROGRAM, args);
    }),
  );
  const reset = secrets
    .command('reset')
    .description('replace secrets whose key is lost, on the server’s machine')
    .addHelpText('after', RESET_NOTES);
  addExamples(reset, 'secrets reset').action(run('reset'));
}
