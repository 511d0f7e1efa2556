import { PassThrough, Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { standIn } from '../../sdk/test/stand-in.ts';
import { runCli } from '../src/run.ts';
import type { Terminal } from '../src/terminal.ts';

export type Setting = {
  env?: Record<string, string>;
  stdin?: string;
  /** How the bytes of the output are read; default UTF-8. */
  encoding?: BufferEncoding;
  tty?: boolean;
  /** The failure of every write to standard output. */
  stdoutError?: Error;
  fetch?: typeof fetch;
  signal?: AbortSignal;
  /** The clock of the machine. */
  now?: () => number;
};

/** Runs a command in this process, with `home` as its only folder. Returns its output and its exit code. */
export async function runCommand(home: string, command: string | string[], setting: Setting) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream.setEncoding(setting.encoding ?? 'utf8'), { isTTY: setting.tty ?? false }),
  ) as [Terminal['stdout'] & PassThrough, Terminal['stdout'] & PassThrough];
  const { stdoutError } = setting;
  if (stdoutError !== undefined) stdout._transform = (_chunk, _encoding, done) => done(stdoutError);
  const argv = typeof command === 'string' ? command.split(' ') : command;
  const code = await runCli(argv, '1.2.3', {
    stdout,
    stderr,
    stdin: Readable.from([setting.stdin ?? '']),
    env: setting.env ?? {},
    cwd: home,
    home,
    checkout: pathToFileURL(`${home}/`),
    signal: setting.signal ?? new AbortController().signal,
    dependencies: {
      fetch: setting.fetch ?? standIn(new TypeError('no request was expected')).options.fetch,
      ...(setting.now === undefined ? {} : { now: setting.now }),
      // Retries have no delay and no time limit.
      sleep: (ms) => (ms < 30_000 ? Promise.resolve() : new Promise(() => {})),
    },
  });
  const text = (stream: PassThrough) => String(stream.read() ?? '');
  return { code, out: text(stdout), err: text(stderr) };
}
