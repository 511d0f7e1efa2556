import { execFile } from 'node:child_process';
import { chmod, cp, glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SDK = path.join(ROOT, 'sdk');

type Manifest = { private?: true; version: string; dependencies: Record<string, string> } & Record<
  string,
  unknown
>;

/**
 * Makes the package that is published: plain JavaScript with declarations, since Node runs no TypeScript under
 * node_modules, and the tables of `api` within it, so that one package is all there is to install.
 */
export async function buildPackage(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  await compile(outDir);
  await rename(path.join(outDir, 'sdk', 'src'), path.join(outDir, 'src'));
  await rename(path.join(outDir, 'sdk', 'cli'), path.join(outDir, 'cli'));
  await rename(path.join(outDir, 'api', 'src'), path.join(outDir, 'wire'));
  await rm(path.join(outDir, 'sdk'), { recursive: true });
  await rm(path.join(outDir, 'api'), { recursive: true });
  for await (const file of glob('**/*.{js,d.ts}', { cwd: outDir })) await rewriteImports(outDir, file);
  await chmod(path.join(outDir, 'cli', 'main.js'), 0o755);
  await writeFile(path.join(outDir, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`);
  await cp(path.join(SDK, 'README.md'), path.join(outDir, 'README.md'));
  await cp(path.join(ROOT, 'LICENSE'), path.join(outDir, 'LICENSE'));
}

async function compile(outDir: string): Promise<void> {
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--project', path.join(SDK, 'tsconfig.build.json'), '--outDir', outDir];
  await promisify(execFile)(process.execPath, [tsc, ...options]).catch((error: { stdout: string }) => {
    throw new Error(`the SDK does not compile:\n${error.stdout}`);
  });
}

/**
 * In the checkout `@saldo/api` is a package of its own, in the published one it is a folder. The compiler rewrites the
 * `.ts` of imports in the code, but not in the declarations.
 */
async function rewriteImports(outDir: string, file: string): Promise<void> {
  const folder = path.posix.dirname(file.replaceAll('\\', '/'));
  const wire = path.posix.join(path.posix.relative(folder, 'wire'), 'index.js');
  const text = await readFile(path.join(outDir, file), 'utf8');
  const rewritten = text
    .replaceAll(/(['"])@saldo\/api\1/g, `$1${wire}$1`)
    .replaceAll(/((?:from |import\()(['"])\.[^'"]*)\.ts\2/g, '$1.js$2');
  await writeFile(path.join(outDir, file), rewritten);
}

async function manifest(): Promise<Manifest> {
  const read = async (name: string) => JSON.parse(await readFile(path.join(ROOT, name), 'utf8')) as Manifest;
  const { private: _, scripts: __, ...own } = await read('sdk/package.json');
  const { '@saldo/api': ___, ...dependencies } = {
    ...own.dependencies,
    ...(await read('api/package.json')).dependencies,
  };
  return {
    ...own,
    dependencies,
    exports: { '.': { types: './src/index.d.ts', default: './src/index.js' } },
    types: './src/index.d.ts',
    bin: { saldo: 'cli/main.js' },
    files: ['src', 'cli', 'wire'],
    sideEffects: false,
  };
}

if (import.meta.main) await buildPackage(path.resolve(process.argv[2] ?? path.join(SDK, 'dist')));
