import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { GUIDES } from '../server/src/docs/pages.ts';
import { ensurePortal } from '../server/src/start/portal-build.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NODE_MODULES = path.join(ROOT, 'node_modules') + path.sep;

type Options = { readonly withDatabase: boolean; readonly say: (message: string) => void };
type Manifest = { name: string; version: string; license: string; description: string };

/**
 * Writes a release: the server's sources, which Node.js runs directly, the built portal and production dependencies.
 * The folder has the layout of the checkout, so that relative paths and package names resolve in the same way.
 */
export async function buildRelease(outDir: string, { withDatabase, say }: Options): Promise<void> {
  const portal = await ensurePortal(path.join(tmpdir(), 'saldo-portal'), say);
  if (portal === null) throw new Error('A release needs the portal: run npm ci first.');
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  for (const folder of await productionPackages(withDatabase)) {
    const source = await realpath(folder);
    const target = path.join(outDir, path.relative(ROOT, source));
    if (source.startsWith(NODE_MODULES)) await copyPackage(source, target);
    else await copyWorkspace(source, target, path.join(outDir, 'node_modules'));
  }
  await cp(portal, path.join(outDir, 'portal'), { recursive: true });
  await copyDocumentation(outDir);
  await cp(path.join(ROOT, 'release', 'main.js'), path.join(outDir, 'main.js'));
  await cp(path.join(ROOT, 'LICENSE'), path.join(outDir, 'LICENSE'));
  const { name, version, license, description } = await readManifest(ROOT);
  const engines = { node: '>=26' };
  const manifest = { name, version, private: true, license, description, type: 'module', engines };
  await writeFile(path.join(outDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

const readManifest = async (folder: string) =>
  JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folders of the server and of all packages that it needs at run time, as npm installed them. */
async function productionPackages(withDatabase: boolean): Promise<string[]> {
  const omitted = ['--omit=dev', ...(withDatabase ? [] : ['--omit=optional'])];
  const options = ['ls', '--workspace=@saldo/server', '--all', '--parseable', ...omitted];
  const isWindows = process.platform === 'win32';
  const { stdout } = await promisify(execFile)('npm', options, { cwd: ROOT, shell: isWindows });
  const [, ...folders] = stdout.trim().split('\n');
  return folders.filter((folder) => !folder.includes(`${path.sep}@types${path.sep}`));
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
  await buildRelease(path.join(ROOT, 'dist'), { withDatabase: !values['without-database'], say });
  say('Built dist/. Start it with: node dist/main.js');
}
