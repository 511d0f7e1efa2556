import cluster from 'node:cluster';
import { DatabaseUnusable } from '@saldo/postgres/unusable.ts';
import { checkPorts } from './check-ports.ts';
import { type Config, readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { describeSettings } from './config-help.ts';
import { describeMisspelled, recordNames } from './config-names.ts';
import { WorkerFailed } from './worker-failed.ts';

async function start(): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(describeSettings());
    return;
  }
  const { env, names } = recordNames(process.env);
  const config = readConfig(env);
  if (cluster.isPrimary)
    for (const line of describeMisspelled(process.env, names)) process.stdout.write(`${line}\n`);
  const serveChecked = async () => {
    if (cluster.isPrimary) await checkPorts(config);
    // Loaded only with a valid configuration, so that a start with a wrong value fails in half the time.
    const { serve } = await import('./serve.ts');
    await serve(config);
  };
  await serveChecked().catch((error: ListenError) => {
    throw error.code === 'EADDRINUSE' ? portInUse(config, error.port) : error;
  });
}

function portInUse(config: Config, port: number | undefined): ConfigError {
  const ports = { PORT: config.port, CUSTOMER_PORT: config.customerPort, ADMIN_PORT: config.adminPort };
  const names = Object.entries(ports).flatMap(([name, number]) => (number === port ? [name] : []));
  return new ConfigError(`Port ${port} is in use. Set ${names.join(' or ')} to another one.`);
}

/** One line with the variable for errors that an operator can fix, the stack for all others. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DatabaseUnusable) return error.message;
  const { code, address, hostname, message, stack } = error as ListenError;
  if (message.startsWith('Connection terminated'))
    return 'The connection to the database was lost. Check that PostgreSQL runs, and start again.';
  switch (code) {
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return explainHost(address ?? hostname ?? '');
    default:
      return code === undefined ? (stack ?? message) : message;
  }
}

type ListenError = NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string };

function explainHost(host: string): string {
  const { ADMIN_HOST } = process.env;
  const name = ADMIN_HOST === undefined ? 'HOST' : ADMIN_HOST === host ? 'ADMIN_HOST' : 'HOST or ADMIN_HOST';
  return `${name} must be an address of this machine, such as 127.0.0.1 or 0.0.0.0, but it was "${host}".`;
}

/** Reads the environment and starts the server. Explains why a start failed. */
export async function run(): Promise<void> {
  await start().catch((error: unknown) => {
    if (!(error instanceof WorkerFailed)) process.stderr.write(`Saldo cannot start: ${explain(error)}\n`);
    process.exit(1);
  });
}
