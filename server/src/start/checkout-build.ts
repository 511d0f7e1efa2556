import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What a server serves and a checkout does not contain: it is built from sources, and kept until they change. */
export type CheckoutBuild = {
  /** For messages: `The … cannot be built`. */
  readonly name: string;
  /** Files and folders of the checkout. Their hash identifies a build. */
  readonly sources: readonly string[];
  /** Where builds are kept. With a read-only checkout, the second one. */
  readonly folders: readonly [inCheckout: string, inDataDir: string];
  /** A file that every complete build has. */
  readonly result: string;
  write(folder: string): Promise<unknown>;
};

/** The first lines of a build's output contain the cause. */
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

async function fingerprint(sources: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  for (const source of sources) {
    for (const file of (await filesBelow(source)).toSorted()) {
      digest.update(`${file}\0`).update(await readFile(path.join(ROOT, file)));
    }
  }
  return digest.digest('hex').slice(0, 16);
}

/** Builds into a temporary folder and renames it when complete, because several processes may build concurrently. */
async function build({ result, write }: CheckoutBuild, into: string, name: string): Promise<string> {
  await mkdir(into, { recursive: true });
  const draft = path.join(into, `.building-${randomUUID()}`);
  try {
    await mkdir(draft);
    await write(draft);
    const built = path.join(into, name);
    await rename(draft, built).catch((error: NodeJS.ErrnoException) => {
      // Another process has finished the same build first.
      if (!existsSync(path.join(built, result))) throw error;
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

/** Returns the folder of the build that matches the current sources, and builds it if missing. Null if that fails. */
export async function ensureBuild(
  wanted: CheckoutBuild,
  say: (message: string) => void,
): Promise<string | null> {
  const name = await fingerprint(wanted.sources);
  const built = wanted.folders.map((folder) => path.join(folder, name));
  const found = built.find((folder) => existsSync(path.join(folder, wanted.result)));
  if (found !== undefined) return found;
  say(`Building the ${wanted.name}…`);
  for (const folder of wanted.folders) {
    try {
      return await build(wanted, folder, name);
    } catch (error) {
      if (isReadOnly(error) && folder !== wanted.folders[1]) continue;
      const { stderr, message } = error as Error & { stderr?: string };
      const cause = (stderr || message).trim().split('\n', ERROR_LINES).join('\n');
      say(`The ${wanted.name} cannot be built and is not served: ${cause}`);
      return null;
    }
  }
  return null;
}
