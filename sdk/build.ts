import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as api from '@saldo/api';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SDK = path.join(ROOT, 'sdk');
const MODULES = path.join(ROOT, 'node_modules');

/**
 * Builds the published package: an ES module and a CommonJS one, each bundled, so that the package has no
 * dependencies, and one set of declarations for both.
 */
export async function buildSdk(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  await Promise.all([bundle(outDir), declare(outDir)]);
  await describePackage(SDK, outDir, {
    main: './index.cjs',
    module: './index.js',
    types: './index.d.ts',
    exports: {
      '.': {
        import: { types: './index.d.ts', default: './index.js' },
        require: { types: './index.d.cts', default: './index.cjs' },
      },
      './package.json': './package.json',
    },
  });
}

/** Writes manifest, README and licence. The code is bundled, so the published package has no dependencies. */
export async function describePackage(source: string, outDir: string, entries: object): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const {
    private: _,
    exports: __,
    scripts: ___,
    dependencies: ____,
    devDependencies: _____,
    ...own
  } = manifest;
  await writeJson(path.join(outDir, 'package.json'), {
    ...own,
    ...entries,
    publishConfig: { access: 'public' },
  });
  await cp(path.join(source, 'README.md'), path.join(outDir, 'README.md'));
  await cp(path.join(ROOT, 'LICENSE'), path.join(outDir, 'LICENSE'));
}

/** The values of `@saldo/api` as literals: the schemas are plain JSON, so that TypeBox is not needed at run time. */
export const apiAsData: Plugin = {
  name: 'api-as-data',
  resolveId: (id) => (id === '@saldo/api' ? id : null),
  load(id) {
    if (id !== '@saldo/api') return null;
    const values = Object.entries(api).filter(([, value]) => typeof value !== 'function');
    return values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('\n');
  },
};

async function bundle(outDir: string): Promise<void> {
  const plugins = [apiAsData];
  const library = await rolldown({ cwd: ROOT, input: 'sdk/src/index.ts', platform: 'neutral', plugins });
  await library.write({ format: 'esm', file: path.join(outDir, 'index.js') });
  await library.write({ format: 'cjs', file: path.join(outDir, 'index.cjs') });
}

/**
 * The declarations are CommonJS, which both module systems can import. They include those of TypeBox, because the
 * types of the API are derived from its schemas.
 */
async function declare(outDir: string): Promise<void> {
  const types = path.join(outDir, 'types');
  const tsc = path.join(MODULES, 'typescript/bin/tsc');
  const options = ['--project', path.join(SDK, 'tsconfig.build.json'), '--checkers', '1', '--outDir', types];
  await promisify(execFile)(process.execPath, [tsc, ...options]).catch((error: { stdout: string }) => {
    throw new Error(`the SDK does not compile:\n${error.stdout}`);
  });
  const typebox = path.join(MODULES, 'typebox/build');
  for await (const file of glob('{*,{type,schema,system}/**/*}.d.mts', { cwd: typebox })) {
    await cp(path.join(typebox, file), path.join(types, 'typebox', file.replace(/\.d\.mts$/, '.d.ts')));
  }
  await cp(path.join(MODULES, 'typebox/license'), path.join(types, 'typebox/LICENSE'));
  for await (const file of glob('**/*.d.ts', { cwd: types })) await rewriteImports(types, file);
  await writeJson(path.join(types, 'package.json'), { type: 'commonjs' });
  for (const name of ['index.d.ts', 'index.d.cts']) {
    await writeFile(path.join(outDir, name), "export * from './types/sdk/src/index.js';\n");
  }
}

/**
 * Packages of the checkout become folders of the published one. The compiler does not change file endings in
 * declarations.
 */
async function rewriteImports(types: string, file: string): Promise<void> {
  const folder = path.posix.dirname(file.replaceAll('\\', '/'));
  const to = (target: string) => `$1${path.posix.relative(folder, target)}$1`;
  const text = await readFile(path.join(types, file), 'utf8');
  const rewritten = text
    .replaceAll(/(['"])@saldo\/api\1/g, to('api/src/index.js'))
    .replaceAll(/(['"])@saldo\/core\/([^'"]+)\.ts\1/g, to('core/src/$2.js'))
    .replaceAll(/(['"])typebox\1/g, to('typebox/index.js'))
    .replaceAll(/((?:from |import\()(['"])\.[^'"]*)\.m?[jt]s\2/g, '$1.js$2');
  await writeFile(path.join(types, file), rewritten);
}

const writeJson = (file: string, value: object) => writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

if (import.meta.main) await buildSdk(path.resolve(process.argv[2] ?? path.join(SDK, 'dist')));
