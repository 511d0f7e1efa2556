#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import module from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

// Half of a short command is loading code; Node keeps it compiled between runs, from version 22 on.
const cache = process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');
module.enableCompileCache?.(path.join(cache, 'saldo'));
const { runCli } = await import('./run.ts');

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort());

// A reader that has seen enough, `head` for example, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

process.exitCode = await runCli(process.argv.slice(2), version, {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  // `npm run` moves to the root of the checkout; files are meant from where it was called.
  cwd: process.env['INIT_CWD'] ?? process.cwd(),
  home: homedir(),
  checkout: new URL('../../', import.meta.url),
  signal: interrupt.signal,
});
