/** Entry point of `saldo operator-key` and `saldo operator-link`. */

import { NO_CLIENT, recordAudit } from '../audit/store.ts';
import { explain } from '../backup/explain.ts';
import { openSource } from '../backup/place.ts';
import { operatorKeyNamed } from '../parties/actions.ts';
import { answerCreate } from '../parties/key-answers.ts';
import { openDatabase, type Tx } from '../platform/db/database.ts';
import { ProblemError } from '../platform/http/problem.ts';
import { type Config, readConfig } from '../start/config.ts';
import { invitationLink, inviteOperator } from '../users/actions.ts';
import { wireUser } from '../users/wire.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Access to the database on this machine takes the place of a key. */
const COMMAND_LINE = { actor: 'command line', request: { id: 'command-line', ...NO_CLIENT } };

async function makeKey(tx: Tx): Promise<string> {
  const { secret } = await answerCreate(
    tx,
    COMMAND_LINE,
    operatorKeyNamed('key of saldo operator-key'),
    Date.now(),
  );
  return secret;
}

async function makeLink(tx: Tx, email: string, config: Config): Promise<string> {
  const now = Date.now();
  const invited = await inviteOperator(tx, email, now);
  const after = wireUser(invited.after);
  const before = invited.isNew ? null : wireUser(invited.before);
  const action = invited.isNew ? 'user.created' : 'user.invited';
  await recordAudit(tx, COMMAND_LINE, { action, subject: after.id, before, after }, now);
  return invitationLink(baseUrlOf(config), invited.token);
}

const baseUrlOf = ({ baseUrl, tls, host, port }: Config): string =>
  baseUrl ?? `http${tls === null ? '' : 's'}://${host.includes(':') ? `[${host}]` : host}:${port}`;

const NO_SUCH_TABLE = '42P01';

function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) return error.message;
  const isEmpty = (error as NodeJS.ErrnoException).code === NO_SUCH_TABLE;
  return isEmpty ? 'The database is empty. Start the server once.' : explain(error);
}

/** No validation here: the command line tool has validated the arguments. */
async function main([command, email]: readonly string[]): Promise<void> {
  const config = readConfig(process.env);
  const source = await openSource(process.env, () => {});
  const db = openDatabase(source.url);
  try {
    const made = await db.transaction((tx) =>
      command === 'key' ? makeKey(tx) : makeLink(tx, email ?? config.operatorEmail, config),
    );
    say(made);
  } finally {
    await db.close();
    await source.close();
  }
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`Nothing was made: ${reasonOf(error)}\n`);
  process.exitCode = 1;
});
