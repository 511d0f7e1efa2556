import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** A Chromium and the environment that it needs. */
type Program = { readonly file: string; readonly environment: Readonly<Record<string, string>> };

const PACKAGE = 'chromium-headless-shell';
/** Packages with data that the program reads. Its other dependencies are for desktops. */
const DATA_PACKAGE = 'chromium-common';
const NAMES = ['chromium', PACKAGE];

/** No network access except for the pages' own requests, and no desktop services. */
const OPTIONS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a headless Chromium with a temporary profile, which is removed when it is closed. */
export async function launchChromium(...options: readonly string[]): Promise<Browser> {
  const { file, environment } = await findProgram();
  return chromium.launch({
    executablePath: file,
    args: [...OPTIONS, ...options],
    // No limit: on a busy machine a start takes longer than the default of 30 s.
    timeout: 0,
    env: { ...process.env, ...environment },
  });
}

/** The configured Chromium, else the system's, else one that Debian's package client downloads to a user folder. */
async function findProgram(): Promise<Program> {
  const named = process.env['CHROME_PATH'];
  if (named) {
    if (existsSync(named)) return { file: named, environment: {} };
    throw new Error(`CHROME_PATH must be the path of a Chromium, and there is nothing at ${named}`);
  }
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const installed = folders
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
  if (installed !== undefined) return { file: installed, environment: {} };
  const root = path.join(cacheFolder(), `chromium-${process.arch}`);
  if (!existsSync(programIn(root))) await fetchInto(root);
  return { file: programIn(root), environment: await environmentOf(root) };
}

const cacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'saldo');

const programIn = (root: string): string => path.join(root, 'usr', 'lib', 'chromium', PACKAGE);

/** Renames the folder when it is complete, because several test files may download at once. */
async function fetchInto(root: string): Promise<void> {
  const draft = `${root}-${randomUUID()}`;
  try {
    await mkdir(draft, { recursive: true });
    await unpackPackages(draft);
    await writeFile(path.join(draft, FONTS), fontsText(root));
    await rename(draft, root).catch((error: NodeJS.ErrnoException) => {
      // Another process has finished the same download first.
      if (!existsSync(programIn(root))) throw error;
    });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(
      `There is no Chromium for the portal's tests, and Debian's ${PACKAGE} cannot be fetched: ` +
        `${(stderr || message).trim()}\nInstall chromium, or set CHROME_PATH to one.`,
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Needs no privileges: the package lists are downloaded to a separate folder, and nothing is installed. */
async function unpackPackages(draft: string): Promise<void> {
  const client = path.join(draft, 'apt');
  await mkdir(path.join(client, 'lists', 'partial'), { recursive: true });
  await mkdir(path.join(client, 'archives', 'partial'), { recursive: true });
  const settings = {
    'Dir::State::lists': path.join(client, 'lists'),
    'Dir::Cache': client,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    // As root, apt would switch to a user that may not write here.
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (program: 'apt-get' | 'apt-cache', ...rest: string[]) =>
    run(program, ['-q', ...options, ...rest], client);
  await apt('apt-get', 'update');
  const needed = namesAfter(/^ +Depends: (\S+)$/gm, await apt('apt-cache', 'depends', PACKAGE)).filter(
    (name) => name !== DATA_PACKAGE && !name.startsWith('<'),
  );
  const missing = namesAfter(
    /^Inst (\S+)/gm,
    await apt('apt-get', '--simulate', '--no-install-recommends', 'install', ...needed),
  );
  // The system's C library must match its loader.
  const wanted = [PACKAGE, DATA_PACKAGE, ...missing].filter((name) => !/^libc6(?::|$)/.test(name));
  await apt('apt-get', 'download', ...wanted);
  for (const file of await readdir(client)) {
    if (file.endsWith('.deb')) await run('dpkg-deb', ['-x', path.join(client, file), draft], client);
  }
  await rm(client, { recursive: true });
}

const namesAfter = (pattern: RegExp, text: string): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

async function run(program: string, parameters: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  const { stdout } = await promisify(execFile)(program, parameters, { cwd, env, maxBuffer: 64 * 1024 ** 2 });
  return stdout;
}

const FONTS = 'fonts.conf';

const fontsText = (root: string): string => {
  const folders = ['/usr/share/fonts', path.join(root, 'usr', 'share', 'fonts')];
  const listed = folders.map((folder) => `<dir>${folder}</dir>`).join('');
  return `<fontconfig>${listed}<cachedir>${path.join(root, 'font-cache')}</cachedir></fontconfig>\n`;
};

/** The paths of the downloaded libraries and fonts. */
async function environmentOf(root: string): Promise<Record<string, string>> {
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const libraries = files.filter(({ name }) => /\.so(?:\.|$)/.test(name)).map(({ parentPath }) => parentPath);
  const known = process.env['LD_LIBRARY_PATH'];
  return {
    LD_LIBRARY_PATH: [...new Set(libraries), ...(known ? [known] : [])].join(path.delimiter),
    FONTCONFIG_FILE: path.join(root, FONTS),
  };
}
