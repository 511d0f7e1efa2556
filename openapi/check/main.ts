import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Runs public tools on the OpenAPI documents: `npm run documents`. Redocly and Spectral lint them, Specmatic loads them
 * (where Java is installed), and the clients that three generators make of them must type-check.
 */
const HERE = fileURLToPath(new URL('.', import.meta.url));
const DOCUMENTS = ['brp', 'operator', 'customer', 'portal'];
const OUTPUT_BYTES = 64 * 1024 * 1024;

const PROGRAMS = {
  redocly: '@redocly/cli/bin/cli.js',
  spectral: '@stoplight/spectral-cli/dist/index.js',
  'openapi-typescript': 'openapi-typescript/bin/cli.js',
  'hey-api': '@hey-api/openapi-ts/bin/run.js',
  orval: 'orval/dist/bin/orval.mjs',
  tsc: 'typescript/bin/tsc',
};
type Program = keyof typeof PROGRAMS;

const execute = promisify(execFile);
const run = async (command: string, args: readonly string[], cwd: string): Promise<string> => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await execute(command, args, { cwd, env, maxBuffer: OUTPUT_BYTES }).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${command} ${args.join(' ')}\n${error.stdout ?? ''}\n${error.stderr ?? String(error)}`);
    },
  );
  return stdout;
};
const runProgram = (program: Program, args: readonly string[], cwd = HERE) =>
  run(process.execPath, [path.join(HERE, 'node_modules', PROGRAMS[program]), ...args], cwd);

/** The strictest settings that a project of a user is likely to have. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
  },
};

const isInstalled = (command: string) =>
  execute(command, ['--version']).then(
    () => true,
    () => false,
  );

async function check(name: string, folder: string, hasJava: boolean): Promise<string[]> {
  const document = path.join(HERE, '..', `${name}.json`);
  const passed: string[] = [];
  const step = async (what: string, work: Promise<unknown>) => {
    await work;
    passed.push(what);
  };
  await step('Redocly', runProgram('redocly', ['lint', '--config', 'redocly.yaml', document]));
  const ruleset = ['--ruleset', 'spectral.yaml', '--fail-severity', 'hint'];
  await step('Spectral', runProgram('spectral', ['lint', ...ruleset, document]));
  // Specmatic knows no cookies, which the portal authenticates with.
  if (hasJava && name !== 'portal') {
    const jar = path.join(HERE, 'node_modules/specmatic/specmatic.jar');
    await step('Specmatic', run('java', ['-jar', jar, 'validate', `--spec-file=${document}`], folder));
  }
  const out = path.join(folder, name);
  await runProgram('openapi-typescript', [document, '--output', path.join(out, 'openapi-typescript.ts')]);
  await runProgram('hey-api', ['--input', document, '--output', path.join(out, 'hey-api'), '--no-log-file']);
  await runProgram('orval', ['--input', document, '--output', path.join(out, 'orval.ts'), '--client', 'fetch']);
  await writeFile(path.join(out, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await step('generated clients type-check', runProgram('tsc', ['--project', out]));
  return passed;
}

const hasJava = await isInstalled('java');
const folder = await mkdtemp(path.join(tmpdir(), 'saldo-documents-'));
try {
  for (const name of DOCUMENTS) {
    const passed = await check(name, folder, hasJava);
    process.stdout.write(`${name}: ${passed.join(', ')}\n`);
  }
  if (!hasJava) process.stdout.write('Specmatic was skipped: java is not installed.\n');
} finally {
  await rm(folder, { recursive: true, force: true });
}
