import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Session } from '../session.ts';
import { UsageError } from '../usage.ts';

/**
 * Runs a program that exists only in a checkout or a release. Relative folders in the environment resolve as in the
 * server: npm starts that of a checkout in the checkout, and a release is started in any folder.
 */
export async function runCheckoutProgram(
  session: Session,
  command: string,
  program: string,
  args: readonly string[],
): Promise<void> {
  const { terminal } = session;
  const file = fileURLToPath(new URL(program, terminal.checkout));
  if (!existsSync(file)) throw new UsageError(`${command} works only in a checkout or a release of Saldo`);
  const isRelease = existsSync(new URL('saldo.js', terminal.checkout));
  const child = spawn(process.execPath, [file, ...args], {
    cwd: isRelease ? terminal.cwd : fileURLToPath(terminal.checkout),
    env: terminal.env,
    // On a terminal the program draws its own progress bar.
    stdio: terminal.stderr.isTTY ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', (text: Buffer) => void terminal.stdout.write(text));
  child.stderr?.on('data', (text: Buffer) => void terminal.stderr.write(text));
  terminal.signal.addEventListener('abort', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) session.endWith(code ?? 1);
}
