import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Session } from '../session.ts';
import { UsageError } from '../usage.ts';

type Output = 'inherit' | ['ignore', 'pipe', 'pipe'];

/**
 * Relative folders in the environment resolve as in the server: npm starts that of a checkout in the checkout, and a release is
 * started in any folder.
 */
function start(
  { terminal }: Session,
  command: string,
  program: string,
  args: readonly string[],
  stdio: Output,
) {
  const file = fileURLToPath(new URL(program, terminal.checkout));
  if (!existsSync(file)) throw new UsageError(`${command} works only in a checkout or a release of Saldo`);
  const isRelease = existsSync(new URL('saldo.js', terminal.checkout));
  const child = spawn(process.execPath, [file, ...args], {
    cwd: isRelease ? terminal.cwd : fileURLToPath(terminal.checkout),
    env: terminal.env,
    stdio,
  });
  child.stderr?.on('data', (text: Buffer) => void terminal.stderr.write(text));
  terminal.signal.addEventListener('abort', () => child.kill('SIGTERM'));
  return child;
}

/** Runs a program that exists only in a checkout or a release. */
export async function runCheckoutProgram(
  session: Session,
  command: string,
  program: string,
  args: readonly string[],
): Promise<void> {
  const { terminal } = session;
  // On a terminal the program draws its own progress bar.
  const stdio = terminal.stderr.isTTY ? 'inherit' : (['ignore', 'pipe', 'pipe'] as Output);
  const child = start(session, command, program, args, stdio);
  child.stdout?.on('data', (text: Buffer) => void terminal.stdout.write(text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) session.endWith(code ?? 1);
}

/** The output of such a program. */
export async function readCheckoutProgram(
  session: Session,
  command: string,
  program: string,
  args: readonly string[],
): Promise<string> {
  const child = start(session, command, program, args, ['ignore', 'pipe', 'pipe']);
  const [output, [code]] = await Promise.all([
    text(child.stdout ?? Readable.from([])),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new UsageError(`${command} did not complete`);
  return output;
}
