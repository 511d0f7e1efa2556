import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PORTAL = path.join(ROOT, 'portal');
/** The inputs of the build. Their hash identifies a build. */
const SOURCES = [
  'portal/index.html',
  'portal/package.json',
  'portal/vite.config.ts',
  'portal/api-as-data.ts',
  'portal/src',
  'portal/public',
  'sdk/src',
  'api/src',
  'core/src',
  'package-lock.json',
];

/** The first lines of Vite's output contain the cause. */
const ERROR_LINES = 8;

async function filesBelow(name: string): Promise<string[]> {
  const whole = path.join(ROOT, name);
  if (!existsSync(whole)) return [];
  if (path.extname(name) !== '') return [name];
  const entries = await readdir(whole, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}

async function fingerprint(): Promise<string> {
  const digest = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of (await filesBelow(source)).toSorted()) {
      digest.update(`${file}\0`).update(await readFile(path.join(ROOT, file)));
    }
  }
  return digest.digest('hex').slice(0, 16);
}

/** Builds into a temporary folder and renames it when complete, because several processes may build concurrently. */
async function build(into: string, name: string): Promise<string> {
  await mkdir(into, { recursive: true });
  const draft = path.join(into, `.building-${randomUUID()}`);
  try {
    await mkdir(draft);
    const vite = createRequire(path.join(PORTAL, 'package.json')).resolve('vite/package.json');
    const program = path.join(path.dirname(vite), 'bin', 'vite.js');
    const options = ['build', '--outDir', draft, '--emptyOutDir', '--logLevel', 'warn'];
    await promisify(execFile)(process.execPath, [program, ...options], { cwd: PORTAL });
    const built = path.join(into, name);
    await rename(draft, built).catch((error: NodeJS.ErrnoException) => {
      // Another process has finished the same build first.
      if (!existsSync(path.join(built, 'index.html'))) throw error;
    });
    await deleteOtherBuilds(into, name);
    return built;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Deletes builds of older sources. Running servers have their files in memory. */
async function deleteOtherBuilds(into: string, name: string): Promise<void> {
  for (const other of await readdir(into)) {
    if (/^[0-9a-f]{16}$/.test(other) && other !== name) {
      await rm(path.join(into, other), { recursive: true, force: true });
    }
  }
}

const isReadOnly = (error: unknown) =>
  ['EACCES', 'EROFS', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code));

/**
 * Returns the folder of the portal that matches the current sources, and builds it if missing. With a read-only
 * checkout the build goes to the data folder. Null if the build fails: the APIs work without the portal.
 */
export async function ensurePortal(dataDir: string, say: (message: string) => void): Promise<string | null> {
  // A release contains the built portal instead of its sources.
  if (!existsSync(path.join(PORTAL, 'vite.config.ts'))) return PORTAL;
  const name = await fingerprint();
  const folders = [path.join(PORTAL, 'dist'), path.join(dataDir, 'portal')];
  const built = folders.map((folder) => path.join(folder, name));
  const found = built.find((folder) => existsSync(path.join(folder, 'index.html')));
  if (found !== undefined) return found;
  say('Building the portal…');
  for (const folder of folders) {
    try {
      return await build(folder, name);
    } catch (error) {
      if (isReadOnly(error) && folder !== folders.at(-1)) continue;
      const { stderr, message } = error as Error & { stderr?: string };
      say(
        `The portal cannot be built and is not served: ${(stderr || message).trim().split('\n', ERROR_LINES).join('\n')}`,
      );
      return null;
    }
  }
  return null;
}
