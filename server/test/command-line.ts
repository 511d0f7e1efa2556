import { spawn } from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { runCli } from '../../cli/src/run.ts';
import { COMPILE_CACHE, PROGRAMS_FOLDER, programFile, SECRETS_KEY_FILE } from './programs.ts';

export const CLI_MAIN = programFile('cli/src/main.ts');

/** What every program that a test starts gets: with the compile cache of the test run it starts in half the time. */
export const PROGRAM_ENVIRONMENT = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  SECRETS_KEY_FILE,
};

export type CommandRun = { code: number | null; out: string; err: string };
type CommandOptions = { folder: string; env: Record<string, string>; stdin?: string };

/**
 * Runs a command with this home and environment and no other, in the process of the test: starting one takes longer
 * than most commands. Programs of the server that a command starts are processes of their own.
 */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CommandRun> {
  const { folder, env, stdin = '' } = options;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [text(stdout), text(stderr)];
  const code = await runCli(args, '0.0.0', {
    stdout,
    stderr,
    stdin: Readable.from([Buffer.from(stdin)]),
    env: { ...PROGRAM_ENVIRONMENT, HOME: folder, ...env },
    cwd: folder,
    home: folder,
    checkout: pathToFileURL(`${PROGRAMS_FOLDER}/`),
    signal: new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  return { code, out: await out, err: await err };
}

/** Runs a command as a person does: a process of its own, with this home and environment and no other. */
export async function spawnCommand(args: readonly string[], options: CommandOptions): Promise<CommandRun> {
  const { folder, env, stdin = '' } = options;
  const child = spawn(process.execPath, [CLI_MAIN, ...args], {
    cwd: folder,
    env: { ...PROGRAM_ENVIRONMENT, HOME: folder, ...env },
  });
  const [out, err] = [text(child.stdout), text(child.stderr)];
  child.stdin.end(stdin);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out: await out, err: await err };
}
