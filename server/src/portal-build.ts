import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PORTAL = path.join(ROOT, 'portal');
/** All that the built portal is made of. */
const SOURCES = [
  'portal/index.html',
  'portal/package.json',
  'portal/vite.config.ts',
  'portal/src',
  'portal/public',
  'sdk/src',
  'api/src',
  'core/src',
  'package-lock.json',
];

/** What went wrong with a build stands in its first lines. */
const TOLD_LINES = 8;

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

/** In a folder of its own and under its name only when it is whole: several processes may build at once. */
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
      // Somebody else was faster, with the same sources.
      if (!existsSync(path.join(built, 'index.html'))) throw error;
    });
    await forgetOthers(into, name);
    return built;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** What was built from older sources; running servers have theirs in memory. */
async function forgetOthers(into: string, name: string): Promise<void> {
  for (const other of await readdir(into)) {
    if (/^[0-9a-f]{16}$/.test(other) && other !== name) {
      await rm(path.join(into, other), { recursive: true, force: true });
    }
  }
}

const isReadOnly = (error: unknown) =>
  ['EACCES', 'EROFS', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code));

/**
 * The folder of the portal as built from the sources that are here now; builds it when there is none. A checkout that
 * cannot be written to gets its portal in the data folder. Null when it cannot be built: the APIs do without it.
 */
export async function ensurePortal(dataDir: string, say: (message: string) => void): Promise<string | null> {
  // A release has the built portal in place of its sources.
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
        `The portal cannot be built, so there is none: ${(stderr || message).trim().split('\n', TOLD_LINES).join('\n')}`,
      );
      return null;
    }
  }
  return null;
}
