import { chmod, cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { apiAsData, describePackage } from '../sdk/build.ts';

const CLI = fileURLToPath(new URL('.', import.meta.url));
const COMMANDER_LICENSE = fileURLToPath(new URL('LICENSE', import.meta.resolve('commander')));

/** Builds the published package: the command line bundled with everything that it imports, without dependencies. */
export async function buildCli(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  const bundle = await rolldown({ cwd: CLI, input: 'src/main.ts', platform: 'node', plugins: [apiAsData] });
  await bundle.write({ format: 'esm', dir: path.join(outDir, 'bin'), chunkFileNames: '[name].js' });
  await chmod(path.join(outDir, 'bin/main.js'), 0o755);
  await cp(COMMANDER_LICENSE, path.join(outDir, 'bin/LICENSE-commander'));
  await describePackage(CLI, outDir, { bin: { saldo: 'bin/main.js' } });
}

if (import.meta.main) await buildCli(path.resolve(process.argv[2] ?? path.join(CLI, 'dist')));
