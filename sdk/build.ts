import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as api from '@saldo/api';
import { type Plugin, rolldown } from 'rolldown';
import { Declarations } from './declarations.ts';

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

const asModule = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values)
    .filter(([, value]) => typeof value !== 'function')
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join('\n');

/** Replaces `@saldo/api` by literals, so that TypeBox is not needed at run time. */
const apiAs = (values: Readonly<Record<string, unknown>>): Plugin => ({
  name: 'api-as-data',
  resolveId: (id) => (id === '@saldo/api' ? id : null),
  load: (id) => (id === '@saldo/api' ? asModule(values) : null),
});

/** All values: the schemas are plain JSON. */
export const apiAsData: Plugin = apiAs(api);

/** What a client needs to know of an endpoint at run time. Schemas and examples are most of the tables. */
function withoutSchemas(value: unknown): unknown {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  if (!entries.every(([, endpoint]) => isEndpoint(endpoint))) return value;
  return Object.fromEntries(
    entries.map(([name, endpoint]) => {
      const { id, method, path, scopes, stream, documents, numberedPages, body } = endpoint as api.Endpoint;
      const { properties = {} } = endpoint.query as { properties?: object };
      const { required } = endpoint.response as { required?: string[] };
      return [
        name,
        {
          ...{ id, method, path, scopes, stream, numberedPages, response: { required } },
          documents: documents && Object.fromEntries(Object.keys(documents).map((type) => [type, ''])),
          query: { properties: Object.fromEntries(Object.keys(properties).map((member) => [member, {}])) },
          body: body === null ? null : {},
        },
      ];
    }),
  );
}

const isEndpoint = (value: unknown): value is api.Endpoint =>
  typeof value === 'object' && value !== null && 'path' in value && 'method' in value;

const endpointsAsData = apiAs(
  Object.fromEntries(Object.entries(api).map(([name, value]) => [name, withoutSchemas(value)])),
);

async function bundle(outDir: string): Promise<void> {
  const plugins = [endpointsAsData];
  const library = await rolldown({ cwd: ROOT, input: 'sdk/src/index.ts', platform: 'neutral', plugins });
  await library.write({ format: 'esm', codeSplitting: false, file: path.join(outDir, 'index.js') });
  await library.write({ format: 'cjs', codeSplitting: false, file: path.join(outDir, 'index.cjs') });
}

/** Modules whose declarations are published as the compiler writes them. */
const DECLARED = ['options', 'download', 'ledger', 'problem', 'retry', 'upload', 'webhooks', 'xhr'];

/** What a user imports. Creating a client is declared here, because its types are generated. */
const INDEX = `import type { BrpClient, MarketClient, OperatorClient, PortalClient } from './api.js';
import type { ClientOptions } from './options.js';

export type * from './api.js';
export { type Download, fileNameOf } from './download.js';
export * from './ledger.js';
export type * from './options.js';
export { isProblem, SaldoConnectionError, SaldoProblem } from './problem.js';
export type { Dependencies, RetryOptions } from './retry.js';
export type { UploadSource } from './upload.js';
export * from './webhooks.js';
export type { UploadProgress } from './xhr.js';

/** The BRP API: the data of a balancing responsible party, and its customers. */
export declare function createBrpClient(options: ClientOptions): BrpClient;
/** The operator API: master data, imports and daily operation. */
export declare function createOperatorClient(options: ClientOptions): OperatorClient;
/** The customer API, which account holders use. It has its own base URL. */
export declare function createMarketClient(options: ClientOptions): MarketClient;
/** Operations that only pages of the portal need: the session, and records of the user's own party. */
export declare function createPortalClient(options: ClientOptions): PortalClient;
`;

const API_IMPORTS = `import type { Download } from './download.js';
import type { CallOptions, CoverOptions, FollowOptions, ImportOptions, ScheduleCheckOptions, ValuesImportOptions } from './options.js';
import type { UploadSource } from './upload.js';

`;

/** The declarations are CommonJS, which both module systems can import. Those of the API are generated from its tables. */
async function declare(outDir: string): Promise<void> {
  const types = path.join(outDir, 'types');
  const emitted = path.join(outDir, 'emitted');
  const tsc = path.join(MODULES, 'typescript/bin/tsc');
  const options = [
    '--project',
    path.join(SDK, 'tsconfig.build.json'),
    '--checkers',
    '1',
    '--outDir',
    emitted,
  ];
  type Failure = { stdout: string; stderr: string };
  await promisify(execFile)(process.execPath, [tsc, ...options]).catch(({ stdout, stderr }: Failure) => {
    throw new Error(`the SDK does not compile:\n${stdout}${stderr}`);
  });
  await mkdir(types);
  for (const name of DECLARED) {
    const text = await readFile(path.join(emitted, `sdk/src/${name}.d.ts`), 'utf8');
    const rewritten = text
      .replaceAll(/(['"])@saldo\/api\1/g, '$1./api.js$1')
      // The compiler does not change file endings in declarations.
      .replaceAll(/((?:from |import\()(['"])\.[^'"]*)\.ts\2/g, '$1.js$2');
    await writeFile(path.join(types, `${name}.d.ts`), rewritten);
  }
  await rm(emitted, { recursive: true });
  await writeFile(path.join(types, 'api.d.ts'), API_IMPORTS + new Declarations().text());
  await writeFile(path.join(types, 'index.d.ts'), INDEX);
  await writeJson(path.join(types, 'package.json'), { type: 'commonjs' });
  for (const name of ['index.d.ts', 'index.d.cts']) {
    await writeFile(path.join(outDir, name), "export * from './types/index.js';\n");
  }
}

const writeJson = (file: string, value: object) => writeFile(file, `${JSON.stringify(value, null, 2)}\n`);

if (import.meta.main) await buildSdk(path.resolve(process.argv[2] ?? path.join(SDK, 'dist')));
