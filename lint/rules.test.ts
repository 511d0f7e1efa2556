import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Code in a new folder below `folder`, and the rule that the linter reports for it. Null: none. */
type Trial = readonly [folder: string, code: string, rule: string | null];

const LAYERS = 'saldo(layers)';
const importing = (file: string) => `import { x } from '${file}';\nexport const y = x;`;
const imports: Trial[] = [
  ['server/src/contracts', importing('../../transactions/store.ts'), LAYERS],
  ['server/src/contracts', "export { x } from '../../transactions/store.ts';", LAYERS],
  [
    'server/src/contracts',
    "import type { X } from '../../nominations/store.ts';\nexport type Y = X;",
    LAYERS,
  ],
  ['server/src/contracts', "export type Y = import('../../nominations/store.ts').X;", LAYERS],
  ['server/src/transactions', importing('../../start/app.ts'), LAYERS],
  ['server/src/demo', importing('../../start/config.ts'), LAYERS],
  ['server/src/start', importing('../../app.ts'), LAYERS],
  ['server/src/start', importing('../../operator-access/main.ts'), LAYERS],
  ['server/src/platform/db', importing('../../http/problem.ts'), LAYERS],
  ['server/src/platform/http', importing('../../../parties/store.ts'), LAYERS],
  ['server/src/calendar', importing('../../contracts/store.ts'), LAYERS],
  ['server/src/exchange', importing('@saldo/simulator/tso.ts'), LAYERS],
  ['simulator/src', importing('../../../server/src/start/config.ts'), LAYERS],
  ['postgres/src', importing('@saldo/core/id.ts'), LAYERS],
  ['sdk/src', importing('@saldo/core/id.ts'), LAYERS],
  ['cli/src', importing('@saldo/server/x.ts'), LAYERS],
  ['portal/src', importing('../../../server/src/start/app.ts'), LAYERS],
  ['portal/src/ui', importing('../../contracts/queries.ts'), LAYERS],
  ['portal/src/customers', importing('../../contracts/queries.ts'), LAYERS],
  ['portal/src/contracts', importing('../../router.tsx'), LAYERS],
  ['core/src', importing('../../../server/src/platform/clock.ts'), LAYERS],
  ['server/src/transactions', importing('../../contracts/store.ts'), null],
  ['server/src/exchange', importing('../../platform/http/problem.ts'), null],
  ['server/src/platform/db', importing('@saldo/postgres/embedded.ts'), null],
  ['server/src/demo', importing('@saldo/simulator/tso.ts'), null],
  ['server/src/start', importing('../../demo/load.ts'), null],
  ['cli/src', importing('@saldo/sdk'), null],
  ['portal/src/contracts', importing('../../customers/queries.ts'), null],
];

const packages: Trial[] = [
  ['api/src', importing('pg'), LAYERS],
  ['api/src', importing('node:fs'), LAYERS],
  ['api/src', importing('@saldo/core/id.ts'), LAYERS],
  ['api/src', importing('../../../core/src/id.ts'), LAYERS],
  ['sdk/src', importing('node:fs'), LAYERS],
  ['portal/src/ui', importing('node:fs'), LAYERS],
  ['api/src', importing('typebox'), null],
  ['api/src', importing('@saldo/core/enums.ts'), null],
];

const core: Trial[] = [
  ['core/src', importing('node:fs'), LAYERS],
  ['core/src', importing('typebox'), LAYERS],
  ['core/src', importing('@saldo/api'), LAYERS],
  ['core/src', importing('../../test/schedule-worlds.ts'), LAYERS],
  ['core/src', 'export const use = process.env;', 'eslint(no-restricted-globals)'],
  ['core/src', "export const use = Buffer.from('');", 'eslint(no-restricted-globals)'],
  ['core/src', 'export const use = () => setTimeout(() => {}, 1);', 'eslint(no-restricted-globals)'],
  ['core/src', 'export const use = Temporal;', 'eslint(no-restricted-globals)'],
  ['core/src', 'export const use = () => Date.now();', 'eslint(no-restricted-properties)'],
  ['core/src', 'export const use = () => Math.random();', 'eslint(no-restricted-properties)'],
  ['core/src', importing('../delivery-day.ts'), null],
  ['core/src', 'export const use = new Date(0).toISOString();', null],
];

const NO_DATABASE = 'saldo(no-database-in-transaction)';
const withDb = (code: string) => `export const use = (db: never, f: Function) => ${code};`;
const transactions: Trial[] = [
  ['lint', withDb('f(async (tx: never) => f(db))'), NO_DATABASE],
  ['lint', withDb('f(async (call: never, tx: never) => { f(); return f(db, call, tx); })'), NO_DATABASE],
  ['lint', withDb('f((tx: never) => () => f(tx, { db }))'), NO_DATABASE],
  ['lint', withDb('f(async (tx: never) => f(tx))'), null],
  ['lint', withDb('f((tx: never) => f(tx, (db: never) => f(db)))'), null],
  ['lint', withDb('f(db)'), null],
];

const VARIABLES = 'saldo(mutation-variables)';
const component = (code: string) =>
  `const send = async (name: string) => name;\nexport function use(make: Function, name: string) { return make({ ${code} }); }`;
const mutations: Trial[] = [
  ['portal/src', component('mutationFn: () => send(name)'), VARIABLES],
  [
    'portal/src',
    component('mutationFn: async () => { const own = { name }; return send(own.name); }'),
    VARIABLES,
  ],
  ['portal/src', component('mutationFn: make'), VARIABLES],
  ['portal/src', component('mutationFn: (own: string) => send(own), onSuccess: () => send(name)'), null],
  ['portal/src', component('mutationFn: send'), null],
  ['portal/src', component('mutationFn: (call: () => Promise<string>) => call()'), null],
  ['portal/src', 'export const use = <T,>(make: Function) => make({ mutationFn: (own: T) => own });', null],
];

/** Runs the linter once, with the settings of the checkout, and returns its report for each trial. */
async function lint(trials: readonly Trial[]): Promise<string[]> {
  const folders = await Promise.all(trials.map(([folder]) => mkdtemp(path.join(root, folder, '.trial-'))));
  try {
    const files = folders.map((folder) => path.join(folder, 'code.ts'));
    await Promise.all(trials.map(([, code], at) => writeFile(files[at]!, `${code}\n`)));
    const options = ['--config', path.join(root, '.oxlintrc.json'), '--format=unix', ...folders];
    const output = await new Promise<string>((resolve) => {
      execFile(path.join(root, 'node_modules/.bin/oxlint'), options, { cwd: root }, (_error, stdout) =>
        resolve(stdout),
      );
    });
    const lines = output.split('\n');
    return files.map((file) => lines.filter((line) => line.includes(path.relative(root, file))).join('\n'));
  } finally {
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

const titles = {
  'imports go one way, types included': imports,
  'api imports TypeBox only, and sdk and portal nothing of Node': packages,
  'core imports nothing but itself and uses no clock, timer, environment or Node API': core,
  'a function with a tx does not use db': transactions,
  'a mutation gets its values as its variable': mutations,
};
const all = Object.values(titles).flat();
const reports = await lint(all);

for (const [title, trials] of Object.entries(titles)) {
  test(title, () => {
    for (const trial of trials) {
      const [folder, code, rule] = trial;
      const report = reports[all.indexOf(trial)]!;
      if (rule === null) assert.doesNotMatch(report, /saldo\(|no-restricted/, `${folder}: ${code}`);
      else assert.ok(report.includes(rule), `${folder}: ${code}\n${report}`);
    }
  });
}
