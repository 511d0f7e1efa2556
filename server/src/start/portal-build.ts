import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureBuild } from './checkout-build.ts';

const PORTAL = fileURLToPath(new URL('../../../portal', import.meta.url));
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

async function write(folder: string): Promise<void> {
  const vite = createRequire(path.join(PORTAL, 'package.json')).resolve('vite/package.json');
  const program = path.join(path.dirname(vite), 'bin', 'vite.js');
  const options = ['build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, [program, ...options], { cwd: PORTAL });
}

/**
 * Returns the folder of the portal that matches the current sources, and builds it if missing. With a read-only
 * checkout the build goes to the data folder. Null if the build fails: the APIs work without the portal.
 */
export async function ensurePortal(dataDir: string, say: (message: string) => void): Promise<string | null> {
  // A release contains the built portal instead of its sources.
  if (!existsSync(path.join(PORTAL, 'vite.config.ts'))) return PORTAL;
  const folders = [path.join(PORTAL, 'dist'), path.join(dataDir, 'portal')] as const;
  return await ensureBuild({ name: 'portal', sources: SOURCES, folders, result: 'index.html', write }, say);
}
