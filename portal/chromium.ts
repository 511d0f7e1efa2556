import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** A Chromium and what it needs around it to run. */
type Program = { readonly file: string; readonly environment: Readonly<Record<string, string>> };

const PACKAGE = 'chromium-headless-shell';
/** Data that the program reads; what else this package depends on is for desktops. */
const DATA_PACKAGE = 'chromium-common';
const NAMES = ['chromium', PACKAGE];

/** Nothing but what the pages ask for may go over the network, and nothing of a desktop is needed. */
const OPTIONS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a Chromium without a window, with a profile of its own that goes when it is closed. */
export async function launchChromium(): Promise<Browser> {
  const { file, environment } = await findProgram();
  return chromium.launch({
    executablePath: file,
    args: OPTIONS,
    env: { ...process.env, ...environment },
  });
}

/** The one that is named, else the system's, else one that Debian's package client fetches into a folder of the user. */
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

/** Under its name only when it is whole: several test files may fetch it at once. */
async function fetchInto(root: string): Promise<void> {
  const draft = `${root}-${randomUUID()}`;
  try {
    await mkdir(draft, { recursive: true });
    await unpackPackages(draft);
    await writeFile(path.join(draft, FONTS), fontsText(root));
    await rename(draft, root).catch((error: NodeJS.ErrnoException) => {
      // Somebody else was faster, with the same packages.
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

/** Needs no rights: the lists of packages are fetched anew beside the system's, and nothing is installed. */
async function unpackPackages(draft: string): Promise<void> {
  const client = path.join(draft, 'apt');
  await mkdir(path.join(client, 'lists', 'partial'), { recursive: true });
  await mkdir(path.join(client, 'archives', 'partial'), { recursive: true });
  const settings = {
    'Dir::State::lists': path.join(client, 'lists'),
    'Dir::Cache': client,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    // Whoever is root would else become somebody who may not write here.
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
  // The system's own C library belongs to its loader.
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

/** Where the libraries and fonts are that came with it. */
async function environmentOf(root: string): Promise<Record<string, string>> {
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const libraries = files.filter(({ name }) => /\.so(?:\.|$)/.test(name)).map(({ parentPath }) => parentPath);
  const known = process.env['LD_LIBRARY_PATH'];
  return {
    LD_LIBRARY_PATH: [...new Set(libraries), ...(known ? [known] : [])].join(path.delimiter),
    FONTCONFIG_FILE: path.join(root, FONTS),
  };
}
