import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PACKAGES } from '../docs/pages.ts';
import { ensureBuild } from './checkout-build.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** A program of its own, because the server does not depend on bundler and compiler. */
const PROGRAM = path.join(ROOT, 'release', 'packages.ts');
const SOURCES = [
  ...['build.ts', 'declarations.ts', 'member-descriptions.ts', 'package.json', 'README.md'].map(
    (file) => `sdk/${file}`,
  ),
  ...['sdk/tsconfig.build.json', 'sdk/src', 'sdk/python'],
  ...['cli/build.ts', 'cli/package.json', 'cli/README.md', 'cli/src'],
  ...['release/packages.ts', 'api/src', 'core/src', 'package-lock.json'],
];

/** Returns the folder of the packages that clients install. A checkout builds them if its sources have changed. */
export async function ensurePackages(
  dataDir: string,
  say: (message: string) => void,
): Promise<string | null> {
  if (!existsSync(PROGRAM)) return path.join(ROOT, 'packages');
  return await ensureBuild(
    {
      name: 'packages',
      sources: SOURCES,
      folders: [path.join(ROOT, 'release', 'dist'), path.join(dataDir, 'packages')],
      result: PACKAGES[0],
      write: (folder) => promisify(execFile)(process.execPath, [PROGRAM, folder], { cwd: ROOT }),
    },
    say,
  );
}
