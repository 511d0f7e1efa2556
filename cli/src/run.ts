import { SaldoConnectionError, SaldoProblem } from '@saldo/sdk';
import { Command, CommanderError } from 'commander';
import { addApiCommand } from './commands/api.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addContractCommands } from './commands/contracts.ts';
import { addCustomerCommands } from './commands/customers.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEventCommands } from './commands/events.ts';
import { addExchangeCommands } from './commands/exchange.ts';
import { addExportCommands } from './commands/exports.ts';
import { addImportCommands } from './commands/imports.ts';
import { addInterchangeCommands } from './commands/interchanges.ts';
import { addLedgerCommands } from './commands/ledger.ts';
import { addLoginCommands } from './commands/login.ts';
import { addMarketCommands } from './commands/market.ts';
import { addNominationCommands } from './commands/nominations.ts';
import { addOperatorAccessCommands } from './commands/operator-access.ts';
import { addPartyCommands } from './commands/parties.ts';
import { addPlatformCommands } from './commands/platform.ts';
import { addRequestCommands } from './commands/requests.ts';
import { addScheduleCommands } from './commands/schedules.ts';
import { addSecretsCommands } from './commands/secrets.ts';
import { addSeriesCommands } from './commands/series.ts';
import { addStartCommand } from './commands/start.ts';
import { addTriggerCommand } from './commands/trigger.ts';
import { addUserCommands } from './commands/users.ts';
import { addVerifyCommands } from './commands/verify.ts';
import { addVolumeCommands } from './commands/volumes.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { SELECT_HELP } from './select.ts';
import { openSession } from './session.ts';
import { harmless, styleFor, type Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

const EXIT = { ok: 0, problem: 1, usage: 2, unreachable: 3, interrupted: 130 } as const;

const AFTER_HELP = `
Settings, the first that is found:
  --url, --key                    flags (a key on the command line can be seen by others on this machine)
  --profile                       what saldo login --profile stored, instead of the environment
  SALDO_URL, SALDO_KEY            environment
  SALDO_PROFILE                   name of a profile, in the environment
  ~/.config/saldo/config.json     what saldo login stored, readable by you alone
  data/demo.json                  in the checkout, when nothing is set: the demo

Days are written as 2026-10-25, yesterday, today, tomorrow, -1 or +2, by the German calendar. Of today the platform’s clock decides,
which a sandbox may have moved; with the key of a BRP, this machine’s clock.

${SELECT_HELP.trim()}

Exit codes: 0 done, 1 the platform answered with a problem or a check found differences, 2 wrong usage,
3 the platform cannot be reached.

Examples:
  $ saldo login --url https://saldo.example.com
  $ saldo brps list
  $ saldo import volumes 2026-10-25.csv --dry-run
  $ saldo nominations list --delivery-date tomorrow --all --json
  $ BRP=$(saldo brps create --name Nordwind --quiet)
`;

/** Runs one command and returns its exit code. */
export async function runCli(argv: readonly string[], version: string, terminal: Terminal): Promise<number> {
  let code: number = EXIT.ok;
  const endWith = (other: number) => {
    code = other;
  };
  const program = new Command('saldo')
    .description('The command line of Saldo, for operators and BRPs.')
    .version(version)
    .option('--url <address>', 'address of the platform')
    .option('--key <key>', 'API key')
    .option('--config <file>', 'another config file')
    .option('--profile <name>', 'a profile of saldo login')
    .option('--json', 'print the JSON of the API, lists as arrays')
    .option('--select <path>', 'print parts of this JSON, one value a line: [].id')
    .option(
      '--quiet',
      'print results and errors only, and of a record one value: its id; the secret of a new key, the link of an invitation',
    )
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: true,
      helpWidth: terminal.stdout.columns ?? 100,
    })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .showHelpAfterError('(--help shows how it is used)')
    .exitOverride()
    .addHelpText('after', AFTER_HELP);
  const open = (flags: object) => openSession(flags, terminal, endWith);
  for (const add of [
    addPartyCommands,
    addUserCommands,
    addCustomerCommands,
    addMarketCommands,
    addContractCommands,
    addVolumeCommands,
    addSeriesCommands,
    addInterchangeCommands,
    addImportCommands,
    addNominationCommands,
    addExportCommands,
    addExchangeCommands,
    addEventCommands,
    addWebhookCommands,
    addTriggerCommand,
    addRequestCommands,
    addPlatformCommands,
    addScheduleCommands,
    addApiCommand,
    addLoginCommands,
    addCompletionCommand,
    addBackupCommands,
    addDoctorCommand,
    addOperatorAccessCommands,
    addSecretsCommands,
    addLedgerCommands,
    addVerifyCommands,
    addStartCommand,
  ]) {
    add(program, open);
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, terminal);
  }
}

/** Prints one error message and returns its exit code. */
function explain(error: unknown, terminal: Terminal): number {
  const style = styleFor(terminal.stderr, terminal.env);
  const say = (headline: string, ...lines: string[]) => {
    const text = lines.map((line) => `  ${harmless(line)}\n`).join('');
    terminal.stderr.write(`${style('red', harmless(headline))}\n${text}`);
  };
  if (terminal.signal.aborted) {
    say('Interrupted.');
    return EXIT.interrupted;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof UsageError) {
    say(`error: ${error.message}`);
    return EXIT.usage;
  }
  if (error instanceof SaldoConnectionError) {
    say('The platform cannot be reached.', error.message);
    return EXIT.unreachable;
  }
  if (error instanceof SaldoProblem) {
    const width = Math.max(0, ...error.errors.map(({ field }) => (field ?? '').length));
    const fields = error.errors.map(
      ({ field = '', code, message }) => `${field.padEnd(width)}  ${message} (${code})`,
    );
    const request = error.requestId === null ? [] : [`request ${error.requestId}`];
    say(`${error.title} (${error.status} ${error.code})`, error.message, ...fields, ...request);
    return EXIT.problem;
  }
  throw error;
}
