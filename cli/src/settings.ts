import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

export type Flags = { readonly url?: string; readonly key?: string; readonly config?: string };
export type Access = { readonly baseUrl: string; readonly apiKey: string };

type Found = { url?: string | undefined; key?: string | undefined };
type ConfigFile = { url?: string; key?: string };
type DemoFile = { operator_key: string };

const DEMO_URL = 'http://127.0.0.1:8080';

/**
 * Finds the URL and the key of the platform: flags take precedence over the environment, the environment over the file.
 * In a checkout without any of these settings, the demo's are used.
 */
export async function findAccess(
  flags: Flags,
  terminal: Terminal,
  note: (text: string) => void,
): Promise<Access> {
  const { env } = terminal;
  const fromEnvironment: Found = {
    url: env['SALDO_URL'] || undefined,
    key: env['SALDO_KEY'] || undefined,
  };
  const fromFile = await readConfig(flags.config, terminal, note);
  const url = flags.url ?? fromEnvironment.url ?? fromFile.url;
  const key = flags.key ?? fromEnvironment.key ?? fromFile.key;
  if (url === undefined && key === undefined && !fromFile.refused) {
    const demo = await readDemo(terminal.checkout, note);
    if (demo) return demo;
  }
  if (key === undefined) {
    throw new UsageError('there is no API key: set SALDO_KEY, give --key, or write it into a config file');
  }
  const baseUrl = url ?? DEMO_URL;
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl)) {
    throw new UsageError(
      `the address of the platform must begin with http:// or https://, not ${JSON.stringify(baseUrl)}`,
    );
  }
  return { baseUrl, apiKey: key };
}

async function readConfig(
  given: string | undefined,
  { env, home, cwd }: Terminal,
  note: (text: string) => void,
): Promise<Found & { refused: boolean }> {
  const base = env['XDG_CONFIG_HOME'] || path.join(home, '.config');
  const file = given === undefined ? path.join(base, 'saldo', 'config.json') : path.resolve(cwd, given);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (given === undefined && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  if (text === null) return { refused: false };
  const config = parseConfig(file, text);
  if (config.key !== undefined && (await isReadableByOthers(file))) {
    note(
      `warning: ${file} has a key and can be read by others, so its key is ignored; run: chmod 600 ${file}`,
    );
    return { url: config.url, refused: true };
  }
  return { ...config, refused: false };
}

function parseConfig(file: string, text: string): ConfigFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's message would quote the file and could reveal the key.
    throw new UsageError(`${file} is not JSON`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`${file} must be an object with url and key`);
  }
  for (const [name, value] of Object.entries(parsed)) {
    if (!['url', 'key'].includes(name)) throw new UsageError(`${file}: ${name} is not a setting`);
    if (typeof value !== 'string') throw new UsageError(`${file}: ${name} must be a text`);
  }
  return parsed;
}

/** Windows does not use mode bits, and protects home folders by default. */
async function isReadableByOthers(file: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0;
}

async function readDemo(root: URL, note: (text: string) => void): Promise<Access | null> {
  const read = async (name: string): Promise<unknown> =>
    readFile(new URL(name, root), 'utf8').then(JSON.parse, () => null);
  // Outside the checkout, the folder two levels up is unrelated.
  const project = (await read('package.json')) as { name?: string } | null;
  const demo = project?.name === 'saldo' ? ((await read('data/demo.json')) as DemoFile | null) : null;
  if (!demo) return null;
  note(
    `Nothing is set: using the demo at ${DEMO_URL} as operator (${fileURLToPath(new URL('data/demo.json', root))}).`,
  );
  return { baseUrl: DEMO_URL, apiKey: demo.operator_key };
}
