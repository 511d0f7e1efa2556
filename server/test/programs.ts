import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
/** Names the folder of this test run, which is deleted when the run ends. */
export const TEST_FOLDER_VARIABLE = 'SALDO_TEST_FOLDER';

const PROGRAMS = [
  'server/src/main.ts',
  'server/src/backup/main.ts',
  'server/src/doctor/main.ts',
  'server/src/operator-access/main.ts',
  'server/src/secrets/main.ts',
  'server/src/ledger-key/main.ts',
  'server/src/verification/main.ts',
  'cli/src/main.ts',
  'simulator/src/main.ts',
] as const;
/** Packages with native or optional parts. */
const EXTERNAL = [/^ssh2$/, /^pg-native$/];

/** Keeps the addresses of the sources: migrations, manifests and the portal are found relative to them. */
const SOURCE_ADDRESSES: Plugin = {
  name: 'source-addresses',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code, file) =>
      file.includes('node_modules')
        ? null
        : code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href)),
  },
};

/** The folder of this test run. */
export function testFolder(): string {
  const folder = process.env[TEST_FOLDER_VARIABLE];
  if (!folder) throw new Error('tests run through npm test, which creates their folder');
  return folder;
}

const isTestRun = process.env[TEST_FOLDER_VARIABLE] !== undefined;
/** The layout of the checkout with bundled programs. The checkout itself for programs that are not tests. */
export const PROGRAMS_FOLDER = isTestRun ? path.join(testFolder(), 'programs') : CHECKOUT;
/** Bundles have another path in each run, so their compile cache is deleted with them. */
export const COMPILE_CACHE = isTestRun
  ? path.join(testFolder(), 'compiled')
  : process.env['NODE_COMPILE_CACHE'];

/** One for all platforms of a test run, because some of them share a database. Its global setup makes it. */
export const SECRETS_KEY_FILE = isTestRun ? path.join(testFolder(), 'secrets.key') : '';

export const programFile = (program: (typeof PROGRAMS)[number]): string =>
  path.join(PROGRAMS_FOLDER, program);

/**
 * Bundles the programs into the folder of this test run, in the layout of the checkout. Loading their 900 modules takes
 * longer than the rest of a start, and tests start them hundreds of times. `npm start` and the release run the sources.
 */
export async function bundlePrograms(): Promise<void> {
  const folder = path.join(testFolder(), 'programs');
  const entries = PROGRAMS.map((file) => [file.replace(/\.ts$/, ''), path.join(CHECKOUT, file)]);
  const bundle = await rolldown({
    input: Object.fromEntries(entries),
    platform: 'node',
    external: EXTERNAL,
    plugins: [SOURCE_ADDRESSES],
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, entryFileNames: '[name].ts', chunkFileNames: 'chunks/[name]-[hash].js' });
  await bundle.close();
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }\n');
  await symlink(path.join(CHECKOUT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
}
