import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { type Block, CHECKOUT, type Page, parseBlocks, readPages } from './markdown-blocks.ts';

/** Runs what the documentation prints: every `sh` and `ts` block, in order, against the platform that the README starts. */

const execute = promisify(execFile);
const OPERATOR_KEY = 'my-own-operator-key';
const isStart = ({ language, text }: Block) => language === 'sh' && /\bnpm start\n$/.test(text);

const pages = await readPages();
const starts = pages.flatMap(({ blocks }) => blocks.filter(isStart));
const [start] = starts;
assert.ok(start && starts.length === 1, 'one block starts the platform; others need <!-- not run: why -->');
const readme = pages.find(({ name }) => name === 'README.md');
assert.ok(readme);

/**
 * A folder that a command takes for the checkout: whatever it writes stays here, and a checkout that belongs to another
 * user, or that cannot be written to, serves as well.
 */
async function createWorkplace(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-readme-'));
  for (const entry of await readdir(CHECKOUT)) {
    if (entry !== 'data') await symlink(path.join(CHECKOUT, entry), path.join(folder, entry));
  }
  const command = `#!/bin/sh\nexec '${process.execPath}' '${path.join(CHECKOUT, 'sdk/cli/main.ts')}' "$@"\n`;
  await mkdir(path.join(folder, 'home/bin'), { recursive: true });
  await writeFile(path.join(folder, 'home/bin/saldo'), command, { mode: 0o755 });
  return folder;
}

const environmentOf = (folder: string) => ({
  PATH: `${path.join(folder, 'home/bin')}:${process.env['PATH']}`,
  HOME: path.join(folder, 'home'),
  DATA_DIR: path.join(folder, 'data'),
  npm_config_update_notifier: 'false',
});

type Started = {
  readonly folder: string;
  readonly addresses: Readonly<Record<string, string>>;
  readonly baseUrl: string;
  stop(): Promise<void>;
};

/** Starts the platform with the printed command; only what would collide with other tests is set besides. */
async function startAsPrinted(block: Block, environment: Record<string, string> = {}): Promise<Started> {
  const folder = await createWorkplace();
  const ports = { PORT: '0', CUSTOMER_PORT: '0', ADMIN_PORT: '0' };
  const child = spawn('sh', ['-c', block.text], {
    cwd: folder,
    env: { ...environmentOf(folder), ...ports, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: a signal to it reaches the server behind the shell and npm.
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

type PageRun = { readonly output: string; readonly blocks: readonly string[] };

/** Runs a page in one shell, so that a block finds the variables of those above it; ends at the first failure. */
async function runPage({ name, blocks }: Page, { folder, addresses, baseUrl }: Started): Promise<PageRun> {
  const script: string[] = [];
  for (const [at, block] of blocks.filter((each) => !isStart(each)).entries()) {
    const text = withAddresses(block.text, addresses);
    const module = `block-${at}.ts`;
    if (block.language === 'ts') await writeFile(path.join(folder, module), text);
    const commands = block.language === 'ts' ? `'${process.execPath}' ${module}\n` : text;
    script.push(`echo 'begin ${block.place}'\n${commands}echo 'end ${block.place}'\n`);
  }
  const file = path.join(folder, 'page.sh');
  await writeFile(file, script.join(''));
  const env = { ...environmentOf(folder), SALDO_URL: baseUrl, SALDO_KEY: OPERATOR_KEY };
  const { stdout } = await execute('sh', ['-eu', file], {
    cwd: folder,
    env,
    maxBuffer: 64 * 1024 * 1024,
  }).catch(({ stdout: output, stderr: errors }: { stdout: string; stderr: string }) =>
    assert.fail(`${name} fails in its last block of these:\n${output}\n${errors}`),
  );
  return { output: stdout, blocks: [...stdout.matchAll(/^end (\S+)$/gm)].map(([, place = '']) => place) };
}

const platform = await startAsPrinted(start);
after(() => platform.stop());

for (const page of pages) {
  test(`the blocks of ${page.name} run as printed`, async () => {
    const { output, blocks } = await runPage(page, platform);
    const expected = page.blocks.filter((block) => !isStart(block)).map(({ place }) => place);
    assert.ok(expected.length > 0);
    assert.deepEqual(blocks, expected);
    if (page === readme) assertWalked(output);
  });
}

/** Sent, answered and applied: the mismatches of the four slots in which the counterpart says less. */
function assertWalked(output: string): void {
  const mismatches = output.match(/^11X\S+ .* partial_match$/gm) ?? [];
  assert.equal(mismatches.length, 4, output);
}
