import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

export type Flags = { readonly url?: string; readonly key?: string; readonly config?: string };
export type Access = { readonly baseUrl: string; readonly apiKey: string };
export type Role = 'operator' | 'brp';

type Found = { url?: string | undefined; key?: string | undefined };
type ConfigFile = { url?: string; key?: string; brp_key?: string };
type DemoFile = { operator_key: string; brps: { name: string; api_key: string }[] };

const DEMO_URL = 'http://127.0.0.1:8080';

/**
 * Where the platform is and with which key to ask it: flags go before the environment, that before the file, and in a
 * checkout in which nothing at all is set the demo helps out.
 */
export async function findAccess(
  flags: Flags,
  role: Role,
  terminal: Terminal,
  note: (text: string) => void,
): Promise<Access> {
  const { env } = terminal;
  const fromEnvironment: Found = {
    url: env['SALDO_URL'] || undefined,
    key: (role === 'brp' && env['SALDO_BRP_KEY']) || env['SALDO_KEY'] || undefined,
  };
  const fromFile = await readConfig(flags.config, role, terminal, note);
  const url = flags.url ?? fromEnvironment.url ?? fromFile.url;
  const key = flags.key ?? fromEnvironment.key ?? fromFile.key;
  if (url === undefined && key === undefined && !fromFile.refused) {
    const demo = await readDemo(terminal.checkout, role, note);
    if (demo) return demo;
  }
  if (key === undefined) {
    const variable = role === 'brp' ? 'SALDO_BRP_KEY' : 'SALDO_KEY';
    throw new UsageError(`there is no API key: set ${variable}, give --key, or write it into a config file`);
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
  role: Role,
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
  const key = (role === 'brp' ? config.brp_key : undefined) ?? config.key;
  const holdsKey = config.key !== undefined || config.brp_key !== undefined;
  if (holdsKey && (await isReadableByOthers(file))) {
    note(
      `warning: ${file} holds a key and can be read by others, so its key is not used; run: chmod 600 ${file}`,
    );
    return { url: config.url, refused: true };
  }
  return { url: config.url, key, refused: false };
}

function parseConfig(file: string, text: string): ConfigFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // What the parser says would quote the file, and with it perhaps the key.
    throw new UsageError(`${file} is not JSON`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`${file} must hold an object with url and key`);
  }
  for (const [name, value] of Object.entries(parsed)) {
    if (!['url', 'key', 'brp_key'].includes(name)) throw new UsageError(`${file}: ${name} is not a setting`);
    if (typeof value !== 'string') throw new UsageError(`${file}: ${name} must be a text`);
  }
  return parsed;
}

/** Windows keeps rights elsewhere, and homes to their owners. */
async function isReadableByOthers(file: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0;
}

async function readDemo(root: URL, role: Role, note: (text: string) => void): Promise<Access | null> {
  const read = async (name: string): Promise<unknown> =>
    readFile(new URL(name, root), 'utf8').then(JSON.parse, () => null);
  // Elsewhere than in the checkout, two folders up may be anything.
  const project = (await read('package.json')) as { name?: string } | null;
  const demo = project?.name === 'saldo' ? ((await read('data/demo.json')) as DemoFile | null) : null;
  if (!demo) return null;
  const [brp] = demo.brps;
  const [who, apiKey] = role === 'brp' ? [brp?.name, brp?.api_key] : ['operator', demo.operator_key];
  if (apiKey === undefined) return null;
  note(
    `Nothing is set: using the demo at ${DEMO_URL} as ${who} (${fileURLToPath(new URL('data/demo.json', root))}).`,
  );
  return { baseUrl: DEMO_URL, apiKey };
}
