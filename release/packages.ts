import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildCli } from '../cli/build.ts';
import { buildSdk } from '../sdk/build.ts';
import { pythonClient } from '../sdk/python/generate.ts';

const run = promisify(execFile);

/** Writes the packages that a platform serves at `/packages`, under names without a version. */
export async function buildPackages(outDir: string): Promise<void> {
  const base = await mkdtemp(path.join(tmpdir(), 'saldo-packages-'));
  try {
    const [sdk, cli] = [path.join(base, 'sdk'), path.join(base, 'cli')];
    await Promise.all([buildSdk(sdk), buildCli(cli), mkdir(outDir, { recursive: true })]);
    const options = ['pack', sdk, cli, '--json', '--pack-destination', outDir];
    const { stdout } = await run('npm', options, { cwd: base, shell: process.platform === 'win32' });
    for (const { name, filename } of JSON.parse(stdout) as { name: string; filename: string }[]) {
      const served = `${name.replace('@', '').replace('/', '-')}.tgz`;
      await rename(path.join(outDir, filename), path.join(outDir, served));
    }
    await writeFile(path.join(outDir, 'saldo_client.py'), await pythonClient());
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

if (import.meta.main) await buildPackages(path.resolve(process.argv[2] ?? 'packages'));
