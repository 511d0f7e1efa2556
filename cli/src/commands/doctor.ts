import path from 'node:path';
import type { Health } from '@saldo/api';
import { type Check, checkOffset, ok, warning } from '@saldo/core/check.ts';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { harmless, type Style } from '../terminal.ts';
import { readCheckoutProgram } from './checkout-program.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

const PROGRAM = 'server/src/doctor/main.ts';
const FAILED = 1;

const NOTES = `
Run it with the environment and as the user of the server, before the first start and while it runs. It changes nothing: a
database that does not run is not started. The exit code is 1 if a check failed, else 0, with warnings too.
--remote reads the health of a platform over its API with a key of the operator, and needs no checkout.`;

export function addDoctorCommand(program: Command, open: OpenSession): void {
  const doctor = program
    .command('doctor')
    .description('check settings, ports, folders, keys, clock, transports, database and backups')
    .option('--connect', 'also connect to the SFTP servers of the TSOs')
    .option('--backups <folder>', 'the folder of the backups, whose newest one is checked')
    .option('--remote', 'check the platform of --url or the profile over its API')
    .addHelpText('after', NOTES);
  addExamples(
    doctor,
    'doctor',
    'doctor --connect --backups /var/backups/saldo',
    'doctor --remote --profile desk --json',
  ).action(
    doing(open, async (session) => {
      const { connect, backups, remote } = doctor.opts<{ connect?: true; backups?: string; remote?: true }>();
      const args = [
        ...(connect === undefined ? [] : ['--connect']),
        ...(backups === undefined ? [] : ['--backups', path.resolve(session.terminal.cwd, backups)]),
      ];
      const checks = remote
        ? await checkRemote(session)
        : (JSON.parse(await readCheckoutProgram(session, 'doctor', PROGRAM, args)) as Check[]);
      if (session.format === 'json') await session.showTable(checks, [], '');
      else await session.print(linesOf(checks, session.style, session.format === 'quiet'));
      if (checks.some(({ status }) => status === 'failed')) session.endWith(FAILED);
    }),
  );
}

const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

/** One line per check. Quiet: only what is not ok. */
function linesOf(checks: readonly Check[], style: Style, isQuiet: boolean): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  return checks
    .filter(({ status }) => !isQuiet || status !== 'ok')
    .map(({ name, status, fact, remedy }) => {
      const text = harmless([fact, ...(remedy === null ? [] : [remedy])].join(' '));
      return `${style(COLOURS[status], status.padEnd('warning'.length))}  ${name.padEnd(width)}  ${text}\n`;
    })
    .join('');
}

/** What the health of the platform shows. A platform that cannot be reached is exit code 3, as in every command. */
async function checkRemote(session: Session): Promise<Check[]> {
  const asked = Date.now();
  const health = await (await session.operator()).health.get();
  const answered = Date.now();
  const { database, machine_time } = health;
  return [
    ok('platform', `The platform answers, and started at ${health.started_at}.`),
    checkOffset('clock', 'the platform', Date.parse(machine_time), { asked, answered }),
    ok(
      'database',
      `PostgreSQL ${database.version} answered in ${database.answered_in_ms} ms, its last migration is ${database.migration}.`,
    ),
    checkNetting(health),
    ...checkAlarms(health),
  ];
}

/** Netting runs every few seconds. */
const LATE_MS = 300_000;

function checkNetting({ waiting: { position_days, oldest_at }, server_time }: Health): Check {
  const ageMs = oldest_at === null ? 0 : Date.parse(server_time) - Date.parse(oldest_at);
  const fact = `${position_days} position-days wait for netting${oldest_at === null ? '' : ` since ${oldest_at}`}.`;
  return ageMs > LATE_MS
    ? warning('netting', fact, 'See SaldoNettingLate in docs/runbook.md.')
    : ok('netting', fact);
}

function checkAlarms({ alarms }: Health): Check[] {
  const open = Object.entries(alarms).filter(([, count]) => count > 0);
  if (open.length === 0) return [ok('alarms', 'No alarm of the exchange is open.')];
  const kinds = open.map(([kind, count]) => `${count} ${kind}`).join(', ');
  return [warning('alarms', `Alarms are open: ${kinds}.`, 'saldo exchange alarms lists them.')];
}
