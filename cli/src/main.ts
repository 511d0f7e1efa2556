#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import module from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

// Loading code takes half of the time of a short command; Node.js 22 and newer cache the compiled code between runs.
const cache = process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');
module.enableCompileCache?.(path.join(cache, 'saldo'));
const { runCli } = await import('./run.ts');

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupt.abort());

// A closed output pipe (`head`, for example) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
  process.exit(2);
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exit(2);
});

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

process.exitCode = await runCli(process.argv.slice(2), version, {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  // `npm run` changes to the root of the checkout; resolve file names from where it was called.
  cwd: process.env['INIT_CWD'] ?? process.cwd(),
  home: homedir(),
  checkout: new URL('../../', import.meta.url),
  signal: interrupt.signal,
});
