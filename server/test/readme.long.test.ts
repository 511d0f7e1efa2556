import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { SCOPES } from '@saldo/api';
import { addDays, dayOf, formatInstant, localInstant, MIN_SLOTS } from '@saldo/core/delivery-day.ts';
import { createBrpClient, createOperatorClient } from '@saldo/sdk';
import { CLI_MAIN } from './command-line.ts';
import {
  type Block,
  CHECKOUT,
  GETTING_STARTED,
  hasPython,
  type Page,
  PYTHON,
  parseBlocks,
  readPages,
} from './markdown-blocks.ts';
import { COMPILE_CACHE } from './programs.ts';
import { until } from './until.ts';

/** Runs every `sh`, `ts` and `py` block of the documentation, in order, against the platform that the tour starts. */

const execute = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;
const isStart = ({ language, text }: Block) => language === 'sh' && /\bnpm start\n$/.test(text);

const pages = await readPages();
const starts = pages.flatMap(({ blocks }) => blocks.filter(isStart));
const [start] = starts;
assert.ok(start && starts.length === 1, 'one block starts the platform; others need <!-- not run: why -->');
const [, operatorKey = ''] = /SALDO_OPERATOR_KEY=(\S+)/.exec(start.text) ?? [];

/**
 * A folder with links to the checkout, in which the commands run: files that they write stay in it, and the checkout
 * itself may be read-only or belong to another user.
 */
async function createWorkplace(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-readme-'));
  for (const entry of await readdir(CHECKOUT)) {
    if (entry !== 'data') await symlink(path.join(CHECKOUT, entry), path.join(folder, entry));
  }
  const command = `#!/bin/sh\nexec '${process.execPath}' '${CLI_MAIN}' "$@"\n`;
  await mkdir(path.join(folder, 'home/bin'), { recursive: true });
  await writeFile(path.join(folder, 'home/bin/saldo'), command, { mode: 0o755 });
  await writeFile(path.join(folder, 'home/bin/npm'), NPM_ONCE, { mode: 0o755 });
  const hasCurl = await execute('curl', ['--version']).then(
    () => true,
    () => false,
  );
  if (!hasCurl) {
    await writeFile(path.join(folder, 'curl.mjs'), CURL_STAND_IN);
    const curl = `#!/bin/sh\nexec '${process.execPath}' '${path.join(folder, 'curl.mjs')}' "$@"\n`;
    await writeFile(path.join(folder, 'home/bin/curl'), curl, { mode: 0o755 });
  }
  return folder;
}

/** Runs npm, but of all `npm run saldo` only the first of a test run: npm takes longer than the command that it starts. */
const NPM_ONCE = `#!/bin/sh
if [ "$1 $2 $3 $4" = 'run -s saldo --' ]; then
  [ -e "$HOME/npm-ran-saldo" ] && shift 4 && exec saldo "$@"
  : > "$HOME/npm-ran-saldo"
fi
PATH='${process.env['PATH']}' exec npm "$@"
`;

/** Sends the requests of the documentation on machines without curl. */
const CURL_STAND_IN = `
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
const options = {
  header: { type: 'string', short: 'H', multiple: true },
  request: { type: 'string', short: 'X' },
  data: { type: 'string', short: 'd' },
  output: { type: 'string', short: 'o' },
  'write-out': { type: 'string', short: 'w' },
  silent: { type: 'boolean', short: 's' },
  'show-error': { type: 'boolean', short: 'S' },
  'fail-with-body': { type: 'boolean' },
};
const { values, positionals: [url] } = parseArgs({ options, allowPositionals: true });
const { header = [], output, data: body, request: method = body === undefined ? 'GET' : 'POST' } = values;
const response = await fetch(url, { method, body, headers: header.map((line) => line.split(': ')) });
if (output === undefined) console.log(await response.text());
else writeFileSync(output, await response.text());
process.exitCode = response.ok ? 0 : 22;
`;

const environmentOf = (folder: string) => ({
  PATH: `${path.join(folder, 'home/bin')}:${process.env['PATH']}`,
  HOME: path.join(folder, 'home'),
  DATA_DIR: path.join(folder, 'data/walk'),
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  npm_config_update_notifier: 'false',
});

type Started = {
  readonly folder: string;
  readonly addresses: Readonly<Record<string, string>>;
  readonly baseUrl: string;
  stop(): Promise<void>;
};

/** Starts the platform with the documented command, on free ports and with a clock that the test can move. */
async function startAsPrinted(block: Block): Promise<Started> {
  const folder = await createWorkplace();
  const ports = { PORT: '0', CUSTOMER_PORT: '0', ADMIN_PORT: '0' };
  const child = spawn('sh', ['-c', block.text], {
    cwd: folder,
    // The limit is for the test, which asks often whether a request is in the log.
    env: { ...environmentOf(folder), ...ports, SANDBOX: 'on', RATE_LIMIT: '1000000' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that a signal reaches the server behind the shell and npm.
    detached: true,
  });
  let [output, log] = ['', ''];
  const closed = once(child, 'close');
  const ready = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/Health\s+\S+\n/.test(output)) resolve();
    });
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  await Promise.race([ready, closed.then(() => assert.fail(`${block.place}: ${output}${log}`))]);
  const address = (label: string) => new RegExp(`${label}\\s+(http://[\\d.:]+)/`).exec(output)?.[1] ?? '';
  const baseUrl = address('BRP API');
  return {
    folder,
    baseUrl,
    addresses: {
      'http://127.0.0.1:8080': baseUrl,
      'http://127.0.0.1:8081': address('Customer API'),
      'http://127.0.0.1:9090': address('Health'),
    },
    async stop() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await closed;
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const withAddresses = (text: string, addresses: Started['addresses']) =>
  Object.entries(addresses).reduce((result, [printed, real]) => result.replaceAll(printed, real), text);

const moduleOf = ({ place, language }: Block) => `${place.replaceAll(/\W/g, '-')}.${language}`;
const isModule = ({ language }: Block) => language !== 'sh';

async function writeModules(blocks: readonly Block[], { folder, addresses }: Started): Promise<void> {
  for (const block of blocks.filter(isModule)) {
    await writeFile(path.join(folder, moduleOf(block)), withAddresses(block.text, addresses));
  }
}

/** Addresses and keys as the readers of a page have them: guides are for BRPs and account holders, others for operators. */
async function readerOf({ name }: Page, { baseUrl, addresses }: Started): Promise<Record<string, string>> {
  if (!name.startsWith('docs/guides/')) return { SALDO_URL: baseUrl, SALDO_KEY: operatorKey };
  readerKeys ??= createReaderKeys();
  return { SALDO_URL: baseUrl, SALDO_MARKET_URL: addresses['http://127.0.0.1:8081']!, ...(await readerKeys) };
}

/** Created after the tour, whose seller the guides are for. */
let readerKeys: ReturnType<typeof createReaderKeys> | null = null;

async function createReaderKeys() {
  const { brps } = await operator.brps.list({ limit: 1 });
  assert.ok(brps[0], 'the tour creates a BRP');
  const account = await operator.accounts.create({ name: 'Reader of the guides' });
  const brpOwner = { type: 'brp', id: brps[0].id } as const;
  const brpKey = await operator.apiKeys.create({ owner: brpOwner, name: 'guides', scopes: [...SCOPES] });
  const accountOwner = { type: 'account', id: account.id } as const;
  const accountKey = await operator.apiKeys.create({ owner: accountOwner, name: 'guides' });
  return { SALDO_KEY: brpKey.secret, SALDO_ACCOUNT_KEY: accountKey.secret };
}

/** Days with a nomination of the guides' reader: more than a page has. */
const DAYS_TO_COME = 101;

/** The programs of the first guide have to read several pages. */
async function nominateDaysToCome(): Promise<void> {
  const days = Array.from({ length: DAYS_TO_COME }, (_, at) => addDays(dayOf(Date.now()), 10 + at));
  const slots = Array.from({ length: MIN_SLOTS }, (_, at) => at + 1);
  const lines = days.flatMap((day) => slots.map((slot) => `PPA-1,${day},${slot},1.5`));
  const file = ['contract,delivery_date,slot,volume', ...lines].join('\n');
  const { rejected_lines } = await operator.volumes.importFile(file, { format: 'csv' });
  assert.equal(rejected_lines, 0);
  await operator.nominations.run({});
}

/** The routes of the requests that the reader of the guides has sent so far. */
async function routesOfReader({ baseUrl }: Started): Promise<(string | null)[]> {
  const { SALDO_KEY: apiKey } = await (readerKeys ?? assert.fail('no guide was run'));
  const reader = createBrpClient({ baseUrl, apiKey });
  let last: string | null = null;
  const onResponse = ({ headers }: Response) => {
    last = headers.get('x-request-id');
  };
  await reader.contracts.list({ limit: 1 }, { onResponse });
  return await until(async () => {
    const logged = await Array.fromAsync(reader.requests.each());
    return logged.some(({ request_id }) => request_id === last) && logged.map(({ route }) => route);
  });
}

/** Runs a page in one shell, so that blocks share variables. Stops at the first failure. */
async function runPage(page: Page, platform: Started): Promise<{ output: string; places: string[] }> {
  const { folder, addresses } = platform;
  const runners: Readonly<Record<string, string>> = { ts: `'${process.execPath}'`, py: `'${PYTHON}'` };
  const commandsOf = (block: Block) =>
    isModule(block)
      ? `${runners[block.language]} ${moduleOf(block)}\n`
      : withAddresses(block.text, addresses);
  const script = page.blocks
    .filter((block) => !isStart(block))
    .map((block) => `${commandsOf(block)}echo 'ran ${block.place}'\n`);
  const file = path.join(folder, 'page.sh');
  await writeFile(file, script.join(''));
  await writeModules(page.blocks, platform);
  const env = { ...environmentOf(folder), ...(await readerOf(page, platform)) };
  const { stdout: output } = await execute('sh', ['-eu', file], {
    cwd: folder,
    env,
    maxBuffer: MAX_OUTPUT,
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) =>
    assert.fail(`${page.name} fails after what it printed here:\n${stdout}\n${stderr}`),
  );
  return { output, places: [...output.matchAll(/^ran (\S+)$/gm)].map(([, place = '']) => place) };
}

/** Each of its programs reads all pages, and makes no request per record. */
async function checkGettingStarted(output: string): Promise<void> {
  const nominations = output.match(/^11X\S+ DE_\S+ (?:out|in) until /gm) ?? [];
  const slots = output.match(/^ +\d{4}-\d\d-\d\dT\S+Z [\d.]+ MW$/gm) ?? [];
  const programs = hasPython ? 2 : 1;
  assert.ok(nominations.length >= programs * DAYS_TO_COME, `${nominations.length} nominations`);
  assert.ok(slots.length >= programs * DAYS_TO_COME * MIN_SLOTS, `${slots.length} slots`);
  const pagesOfCurl = output
    .match(/^\{"nominations":.*\}$/gm)
    ?.filter((line) => line.includes('"limit":100'));
  assert.ok((pagesOfCurl?.length ?? 0) >= 2, `${pagesOfCurl?.length} pages`);
  const routes = await routesOfReader(platform);
  assert.ok(routes.includes('/v1/nominations'));
  assert.ok(!routes.includes('/v1/nominations/{nomination_id}'), 'a request per record');
}

const platform = await startAsPrinted(start);
after(() => platform.stop());
const operator = createOperatorClient({ baseUrl: platform.baseUrl, apiKey: operatorKey });
for (const page of pages) {
  test(`the blocks of ${page.name} run as printed, also while changes for tomorrow are held`, async () => {
    if (page.name === GETTING_STARTED) await nominateDaysToCome();
    // The most restrictive time of day: changes for tomorrow are held. A page may move the clock of the sandbox.
    await operator.clock.set({ now: formatInstant(localInstant(dayOf(Date.now()), 15 * 60)) });
    const { output, places } = await runPage(page, platform);
    const expected = page.blocks.filter((block) => !isStart(block)).map(({ place }) => place);
    assert.deepEqual(places, expected);
    if (page.name === 'docs/tour.md') {
      // Sent, answered and applied: the four slots in which the simulated counterpart has a lower value.
      assert.equal(output.match(/^11X\S+ .* partial_match$/gm)?.length, 4, output);
    }
    if (page.name === 'docs/forecast-to-nomination.md') {
      // The forecast and its correction, both confirmed; then the meter, and what it came too late for.
      assert.match(output, /^ {2}96 created, 0 corrected, 0 unchanged$/m);
      assert.match(output, /^nom_\S+ .* 1 +match /m);
      assert.match(output, /^ {2}0 created, 23 corrected, 25 unchanged$/m);
      assert.match(output, / 1 +superseded +1\.250 +forecast .*\n.* 2 +valid +0\.733 +forecast /);
      assert.match(output, /^53 .* 0\.733\n +0\.733 +txn_\S+ +con_\S+ +forecast$/m);
      assert.match(output, /^nom_\S+ .* 2 +match .*\nnom_\S+ .* 1 +superseded /m);
      assert.match(output, / TELTOW1 +applied +1 +0 +0 /);
      assert.match(output, / 57627\.250 +51864\.525 +-5762\.725 +5762\.725 +100 %$/m);
      assert.match(output, / 3 +valid +0\.660 +meter /);
      assert.match(output, /^\S+ +11XSONNENFELD--F +DE_50HERTZ +53 +0\.733 +0\.660 +0\.073 /m);
    }
    if (page.name === GETTING_STARTED) await checkGettingStarted(output);
  });
}

test('the expected pages have executable blocks', () => {
  const counts = new Map(pages.map(({ name, blocks }) => [name, blocks.length]));
  for (const name of ['docs/tour.md', 'sdk/README.md', 'cli/README.md', 'docs/operations.md'])
    assert.ok(counts.get(name), name);
});

test('the guides have Python blocks, which run as well', {
  skip: !hasPython && 'python3 is not installed',
}, () => {
  const guides = pages.filter(({ name }) => name.startsWith('docs/guides/'));
  assert.ok(guides.length > 0);
  for (const { name, blocks } of guides)
    assert.ok(
      blocks.some(({ language }) => language === 'py'),
      name,
    );
});

test('the TypeScript blocks pass the type check of the project', async () => {
  const { folder } = platform;
  const blocks = pages.flatMap((page) => page.blocks).filter(({ language }) => language === 'ts');
  assert.ok(blocks.length > 0);
  await writeModules(blocks, platform);
  const project = path.join(folder, 'tsconfig.blocks.json');
  const settings = { extends: path.join(CHECKOUT, 'tsconfig.json'), include: blocks.map(moduleOf) };
  await writeFile(project, JSON.stringify(settings));
  const tsc = path.join(CHECKOUT, 'node_modules/typescript/bin/tsc');
  await execute(process.execPath, [tsc, '--project', project, '--checkers', '1'], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout),
  );
});

test('a block that fails, in any language, fails its page', async () => {
  for (const text of [
    '```sh\nfalse\n```',
    '```sh\nID=$(saldo brps show brp_nobody --quiet)\n```',
    '```sh\necho "$UNDEFINED"\n```',
    "```ts\nthrow new Error('wrong');\n```",
    ...(hasPython ? ["```py\nraise Exception('wrong')\n```"] : []),
  ]) {
    const blocks = parseBlocks('wrong.md', `\n${text}\n\n\`\`\`sh\necho not reached\n\`\`\`\n`);
    const page = { name: 'wrong.md', blocks };
    await assert.rejects(runPage(page, platform), (error: Error) => !/not reached/.test(error.message), text);
  }
});

test('blocks in lists are found too, and a block is skipped only for a stated reason', () => {
  const block = (head: string) => parseBlocks('page.md', `${head}\ntrue\n\`\`\`\n`)[0];
  assert.equal(block('<!-- not run: it needs systemd -->\n```sh')?.whyNotRun, 'it needs systemd');
  for (const head of ['```sh', '<!-- not run: -->\n```sh', '<!-- not run: far away -->\n\n```sh']) {
    assert.equal(block(head)?.whyNotRun, null, head);
  }
  const [indented] = parseBlocks(
    'page.md',
    '1. First:\n\n   ```sh\n   if true; then\n     true\n   fi\n   ```\n',
  );
  assert.equal(indented?.text, 'if true; then\n  true\nfi\n');
  assert.throws(() => block('```bash'), /page\.md:1: write sh, ts or py instead of bash/);
  assert.throws(() => parseBlocks('page.md', '```sh\ntrue\n'), /has no end/);
});
