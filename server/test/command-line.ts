import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const CLI_MAIN = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));

export type CommandRun = { code: number | null; out: string; err: string };

/** Runs the command line in its own process, with only this home and environment. */
export async function runCommand(
  args: readonly string[],
  options: { folder: string; env: Record<string, string>; stdin?: string },
): Promise<CommandRun> {
  const { folder, env, stdin = '' } = options;
  const child = spawn(process.execPath, [CLI_MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.end(stdin);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}
