import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage.ts';

export type Flags = {
  readonly url?: string;
  readonly key?: string;
  readonly config?: string;
  readonly profile?: string;
};
export type Access = { readonly baseUrl: string; readonly apiKey: string };

/** For the reader of standard error: `--quiet` silences notes. */
type Messages = Record<'note' | 'complain', (text: string) => void>;

type Found = { url?: string | undefined; key?: string | undefined };
type ConfigFile = { url?: string; key?: string };
type DemoFile = { operator_key: string };

const DEMO_URL = 'http://127.0.0.1:8080';

/**
 * Finds the URL and the key of the platform: flags take precedence over the environment, the environment over the file.
 * A named profile takes precedence over the environment: a key must not be sent to the address of another profile. In a
 * checkout without any of these settings, the demo's are used.
 */
export async function findAccess(
  flags: Flags,
  terminal: Terminal,
  { note, complain }: Messages,
): Promise<Access> {
  const { env } = terminal;
  if (flags.profile !== undefined && flags.config !== undefined)
    throw new UsageError('--profile and --config exclude each other');
  const fromEnvironment: Found =
    flags.profile === undefined
      ? { url: env['SALDO_URL'] || undefined, key: env['SALDO_KEY'] || undefined }
      : {};
  const fromFile = await readConfig(flags, terminal, complain);
  const url = flags.url ?? fromEnvironment.url ?? fromFile.url;
  const key = flags.key ?? fromEnvironment.key ?? fromFile.key;
  if (url === undefined && key === undefined && !fromFile.refused) {
    const demo = await readDemo(terminal.checkout, note);
    if (demo) return demo;
  }
  if (key === undefined) {
    throw new UsageError('there is no API key: run saldo login, set SALDO_KEY, or give --key');
  }
  return { baseUrl: checkedUrl(url ?? DEMO_URL), apiKey: key };
}

function checkedUrl(url: string): string {
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  throw new UsageError(
    `the address of the platform must begin with http:// or https://, not ${JSON.stringify(url)}`,
  );
}

/** Without a name: the default profile. */
function profileFile(name: string | undefined, { env, home }: Terminal): string {
  const folder = path.join(env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'saldo');
  if (name === undefined) return path.join(folder, 'config.json');
  if (!/^[\w-]{1,40}$/.test(name))
    throw new UsageError('the name of a profile has up to 40 letters, digits, _ and -');
  return path.join(folder, 'profiles', `${name}.json`);
}

const profileOf = ({ profile }: Flags, { env }: Terminal) => profile ?? (env['SALDO_PROFILE'] || undefined);

/** Stores address and key for later commands, readable by this user only. Returns the name of the file. */
export async function saveProfile(flags: Flags, terminal: Terminal, access: Access): Promise<string> {
  const file = profileFile(profileOf(flags, terminal), terminal);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ url: access.baseUrl, key: access.apiKey }, null, 2)}\n`;
  // Renamed into place: a file that exists keeps its mode, which may let others read it.
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
  return file;
}

/** The address to sign in at: that of the flag, the environment or the profile, else the demo's. */
export async function findUrl(flags: Flags, terminal: Terminal): Promise<string> {
  const file = profileFile(profileOf(flags, terminal), terminal);
  const stored = parseConfig(file, (await readIfPresent(file)) ?? '{}');
  return checkedUrl(flags.url ?? (terminal.env['SALDO_URL'] || undefined) ?? stored.url ?? DEMO_URL);
}

const readIfPresent = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });

async function readConfig(
  flags: Flags,
  terminal: Terminal,
  complain: Messages['complain'],
): Promise<Found & { refused: boolean }> {
  const { config: given } = flags;
  const profile = profileOf(flags, terminal);
  const file = given === undefined ? profileFile(profile, terminal) : path.resolve(terminal.cwd, given);
  const text = await readIfPresent(file);
  if (text === null) {
    if (given !== undefined) throw new UsageError(`${file} cannot be read: there is no such file`);
    if (profile !== undefined)
      throw new UsageError(`there is no profile ${profile}: run saldo login --profile ${profile}`);
    return { refused: false };
  }
  const config = parseConfig(file, text);
  if (config.key !== undefined && (await isReadableByOthers(file))) {
    complain(
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
