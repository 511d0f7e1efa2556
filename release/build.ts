import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { GUIDES } from '../server/src/docs/pages.ts';
import { ensurePortal } from '../server/src/start/portal-build.ts';
import { buildPackages } from './packages.ts';
import { billOfMaterials } from './sbom.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NODE_MODULES = path.join(ROOT, 'node_modules') + path.sep;

type Options = { readonly withDatabase: boolean; readonly say: (message: string) => void };
type Manifest = { name: string; version: string; license: string; description: string };

const ENTRY = 'saldo.js';
const SBOM = 'sbom.cdx.json';
const CHECKSUMS = 'SHA256SUMS';

/**
 * Writes a release: the sources of server and command line, which Node.js runs directly, the built portal, production
 * dependencies, the bill of materials and checksums. The folder has the layout of the checkout, so that relative paths
 * and package names resolve in the same way.
 */
export async function buildRelease(outDir: string, { withDatabase, say }: Options): Promise<void> {
  const portal = await ensurePortal(path.join(tmpdir(), 'saldo-portal'), say);
  if (portal === null) throw new Error('A release needs the portal: run npm ci first.');
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  const [installed, bundled] = await Promise.all([
    productionPackages(['@saldo/server', '@saldo/cli'], withDatabase),
    // The portal's scripts contain its packages.
    productionPackages(['@saldo/portal'], false),
  ]);
  for (const source of installed) {
    const target = path.join(outDir, path.relative(ROOT, source));
    if (source.startsWith(NODE_MODULES)) await copyPackage(source, target);
    else await copyWorkspace(source, target, path.join(outDir, 'node_modules'));
  }
  await cp(portal, path.join(outDir, 'portal'), { recursive: true });
  await copyDocumentation(outDir);
  await buildPackages(path.join(outDir, 'packages'));
  await cp(path.join(ROOT, 'release', ENTRY), path.join(outDir, ENTRY));
  await cp(path.join(ROOT, 'LICENSE'), path.join(outDir, 'LICENSE'));
  const { name, version, license, description } = await readManifest(ROOT);
  const engines = { node: '>=26' };
  const manifest = { name, version, private: true, license, description, type: 'module', engines };
  await writeJson(path.join(outDir, 'package.json'), manifest);
  const places = [...installed, ...bundled].map((folder) =>
    path.relative(ROOT, folder).replaceAll(path.sep, '/'),
  );
  await writeJson(path.join(outDir, SBOM), await billOfMaterials(ROOT, new Set(places), manifest));
  await writeFile(path.join(outDir, CHECKSUMS), await checksums(outDir));
}

const writeJson = (file: string, value: object) => writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

/** The SHA-256 of every file, in the format of `sha256sum`. Symbolic links only lead to files of the release. */
async function checksums(outDir: string): Promise<string> {
  const entries = await readdir(outDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const lines: string[] = [];
  for (const file of files.toSorted()) {
    const digest = hash('sha256', await readFile(file), 'hex');
    lines.push(`${digest}  ${path.relative(outDir, file).replaceAll(path.sep, '/')}\n`);
  }
  return lines.join('');
}

/**
 * The command that starts the release at this path, for a shell in the root of the checkout. It names the Node.js that
 * built the release, because the system's may be too old.
 */
export function startCommand(outDir: string): string {
  const shown = (file: string) => {
    const below = path.relative(ROOT, file);
    return below.startsWith('..') ? file : below;
  };
  return `${shown(process.execPath)} ${shown(path.join(outDir, ENTRY))} start`;
}

const readManifest = async (folder: string) =>
  JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folders of these workspaces and of all packages that they need at run time, as npm installed them. */
async function productionPackages(workspaces: readonly string[], withDatabase: boolean): Promise<string[]> {
  const omitted = ['--omit=dev', ...(withDatabase ? [] : ['--omit=optional'])];
  const named = workspaces.map((name) => `--workspace=${name}`);
  const options = ['ls', ...named, '--all', '--parseable', ...omitted];
  const isWindows = process.platform === 'win32';
  const { stdout } = await promisify(execFile)('npm', options, { cwd: ROOT, shell: isWindows });
  const [, ...folders] = stdout.trim().split('\n');
  const used = folders.filter((folder) => !folder.includes(`${path.sep}@types${path.sep}`));
  return await Promise.all(used.map((folder) => realpath(folder)));
}

/** The pages that the server renders, and their images. */
async function copyDocumentation(outDir: string): Promise<void> {
  const files = GUIDES.flatMap(({ pages }) => pages.map(({ file }) => file));
  for (const file of [...files, 'docs/images']) {
    await cp(path.join(ROOT, file), path.join(outDir, file), { recursive: true });
  }
}

/** Declarations and source maps are half of the size and are not used at run time. */
const isDevelopmentFile = (file: string) => /\.d\.[cm]?ts$|\.map$/.test(file);

async function copyPackage(source: string, target: string): Promise<void> {
  // Nested packages have their own entries in the list.
  const nested = path.join(source, 'node_modules');
  const filter = (file: string) => file !== nested && !isDevelopmentFile(file);
  await cp(source, target, { recursive: true, verbatimSymlinks: true, filter });
}

async function copyWorkspace(source: string, target: string, modules: string): Promise<void> {
  const filter = (file: string) => !file.endsWith('.test.ts');
  await cp(path.join(source, 'src'), path.join(target, 'src'), { recursive: true, filter });
  await cp(path.join(source, 'package.json'), path.join(target, 'package.json'));
  // A link, not a copy: Node.js does not run TypeScript below node_modules.
  const link = path.join(modules, (await readManifest(source)).name);
  await mkdir(path.dirname(link), { recursive: true });
  await symlink(path.relative(path.dirname(link), target), link, 'dir');
}

if (import.meta.main) {
  const options = { 'without-database': { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ options });
  const say = (message: string) => process.stdout.write(`${message}\n`);
  const outDir = path.join(ROOT, 'dist', 'saldo');
  await buildRelease(outDir, { withDatabase: !values['without-database'], say });
  say(`Built dist/saldo. Start it here with: ${startCommand(outDir)}`);
  say('Elsewhere it needs Node.js 26 or newer: node saldo.js start. All commands: node saldo.js --help');
}
