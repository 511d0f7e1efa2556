import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import * as tables from '@saldo/api';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { runCommand } from '../../cli/test/run-command.ts';
import { pythonClient } from '../../sdk/python/generate.ts';
import type { OpenApi } from '../src/docs/reference.ts';
import { type Call, callOf, type SampledApi, targetOf } from '../src/docs/samples/call.ts';
import { SAMPLE_LANGUAGES, type SampleLanguage, samplesOf } from '../src/docs/samples/samples.ts';
import { temporaryFolder } from './clean-up.ts';
import { startTestPlatform } from './harness.ts';
import { CHECKOUT, hasPython, PYTHON } from './markdown-blocks.ts';
import { sealAll } from './proving.ts';

/** Every sample of the reference is what its operation needs: compiled, parsed, and sent. */

const execute = promisify(execFile);
const DAY = '2026-10-25';
const platform = await startTestPlatform({ environment: { SANDBOX: 'on' } });
const { world } = platform;
const { seller, sellerGroup, producer, consumer } = await world.pair();
const asset = await world.asset();
const contract = await world.contract(producer, consumer, { assetUuid: asset.uuid });
await world.volumes(contract, DAY, 250);
await world.nominate();
await sealAll(platform);

const APIS: readonly (SampledApi & { document: string; base: string; secret: string; prefix: string })[] = [
  {
    client: 'brp',
    url: 'SALDO_URL',
    key: 'SALDO_KEY',
    document: `${platform.baseUrl}/openapi.json`,
    base: platform.baseUrl,
    secret: seller.key,
    prefix: 'saldo_brp_',
  },
  {
    client: 'operator',
    url: 'SALDO_URL',
    key: 'SALDO_KEY',
    document: `${platform.baseUrl}/operator/openapi.json`,
    base: platform.baseUrl,
    secret: await world.operatorKey(),
    prefix: 'saldo_operator_',
  },
  {
    client: 'market',
    url: 'SALDO_MARKET_URL',
    key: 'SALDO_ACCOUNT_KEY',
    document: `${platform.customerUrl}/openapi.json`,
    base: platform.customerUrl,
    secret: await world.accountKey(),
    prefix: 'saldo_account_',
  },
];

type Api = (typeof APIS)[number];
type Sampled = {
  readonly api: Api;
  readonly call: Call;
  readonly text: (language: SampleLanguage) => string;
};

async function sampledCalls(api: Api): Promise<Sampled[]> {
  const document = (await (await fetch(api.document)).json()) as OpenApi;
  return Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const call = callOf(method.toUpperCase(), route, operation);
      const samples = new Map(samplesOf(call, api).map(({ language, text }) => [language, text]));
      return { api, call, text: (language) => samples.get(language) ?? '' };
    }),
  );
}

const sampled = (await Promise.all(APIS.map(sampledCalls))).flat();
const ENDPOINTS = [
  ...Object.values<tables.Endpoint>(tables.brpEndpoints),
  ...Object.values<tables.Endpoint>(tables.operatorEndpoints),
  ...Object.values<tables.Endpoint>(tables.sandboxEndpoints),
  ...Object.values<tables.Endpoint>(tables.simulationEndpoints),
  ...Object.values<tables.Endpoint>(tables.marketEndpoints),
];

/** A folder with the files that samples send. */
const folder = await temporaryFolder();
for (const name of ['file.csv', 'file.xml', 'file.png']) await writeFile(path.join(folder, name), 'a file');
await writeFile(path.join(folder, 'day.json'), JSON.stringify(Array(100).fill(1.25)));

/** The words of each command, split by a shell in which the named program prints its arguments. */
async function wordsOf(program: string, commands: readonly string[]): Promise<string[][]> {
  const print = `${program}() { printf '%s\\0' "$@"; printf '\\n\\0'; }`;
  const variables = ['SALDO_URL', 'SALDO_KEY', 'SALDO_MARKET_URL', 'SALDO_ACCOUNT_KEY'];
  const { stdout } = await execute('sh', ['-eu', '-c', [print, ...commands].join('\n')], {
    env: Object.fromEntries(variables.map((name) => [name, `<${name}>`])),
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout
    .split('\n\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

test('every operation of the tables has a sample in each language', () => {
  const ids = sampled.map(({ call }) => call.id).toSorted();
  assert.deepEqual(ids, ENDPOINTS.map(({ id }) => id).toSorted());
  for (const { call, text } of sampled)
    for (const { name } of SAMPLE_LANGUAGES)
      assert.doesNotMatch(text(name), /^$|undefined|\[object/, `${call.id} ${name}`);
});

test('the assets of the pages know the languages of the samples', async () => {
  const names = SAMPLE_LANGUAGES.map(({ name }) => name).toSorted();
  const read = (asset: string) => readFile(path.join(CHECKOUT, 'server/src/docs/assets', asset), 'utf8');
  const found = (text: string, name: RegExp) =>
    Array.from(text.matchAll(name), (match) => match[1]).toSorted();
  const [, known = ''] = /\[(.*)\]\.includes\(language\)/.exec(await read('sample-language.js')) ?? [];
  assert.deepEqual(found(known, /'(\w+)'/g), names);
  const [, written = ''] = /^const LANGUAGES = \{\n(.*?)^\};/ms.exec(await read('own-key.js')) ?? [];
  assert.deepEqual(found(written, /^ {2}(\w+): /gm), names);
  // One rule for each language: it hides the samples in the others.
  const hiding = /^html\[data-language="(\w+)"\] \.code\[data-sample\]:not\(\[data-sample="\1"\]\)/gm;
  assert.deepEqual(found(await read('docs.css'), hiding), names);
});

test('all TypeScript samples compile strictly', async () => {
  const program = path.join(folder, 'typescript');
  await mkdir(program);
  // Packages are found as in a project that has installed them.
  await symlink(path.join(CHECKOUT, 'node_modules'), path.join(program, 'node_modules'));
  await writeFile(path.join(program, 'package.json'), '{ "type": "module" }');
  for (const { call, text } of sampled)
    await writeFile(path.join(program, `${call.id}.ts`), text('TypeScript'));
  const settings = { extends: path.join(CHECKOUT, 'tsconfig.json'), include: ['*.ts'] };
  await writeFile(path.join(program, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = path.join(CHECKOUT, 'node_modules/typescript/bin/tsc');
  await execute(process.execPath, [tsc, '--project', program, '--checkers', '1']).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout),
  );
});

/** Runs each program with a client whose requests are recorded instead of sent. */
const RUN_SAMPLES = `
import contextlib, io, json, sys, urllib.parse
import saldo_client

sent = []
def record(method, path, query, *rest):
    sent.append([method, path + ("?" + urllib.parse.urlencode({
        name: ",".join(value) if isinstance(value, list) else value for name, value in query.items() if value is not None
    }) if any(value is not None for value in query.values()) else ""), rest[0] if rest else None])
client = saldo_client._Client
client._call = lambda self, method, path, query, body, headers: record(method, path, query, body)
client._open = lambda self, method, path, query, headers: record(method, path, query)
client._document = lambda self, path, query, accept: record("GET", path, query)
client._upload = lambda self, path, query, source, headers: record("POST", path, query, source.read().decode())
saldo_client.Download = lambda response: response
answers = {}
for name, text in json.load(sys.stdin).items():
    sent.clear()
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, name, "exec"), {})
    answers[name] = list(sent)
print(json.dumps(answers))
`;

test('all Python samples run with the generated client, and send their operation', {
  skip: !hasPython && 'python3 is not installed',
}, async () => {
  await writeFile(path.join(folder, 'saldo_client.py'), await pythonClient());
  const programs = Object.fromEntries(sampled.map(({ call, text }) => [call.id, text('Python')]));
  const env = {
    PATH: process.env['PATH'],
    PYTHONDONTWRITEBYTECODE: '1',
    ...Object.fromEntries(
      APIS.flatMap(({ url, key }) => [
        [url, 'https://saldo.example'],
        [key, 'key'],
      ]),
    ),
  };
  const running = execute(PYTHON, ['-W', 'error', '-c', RUN_SAMPLES], { cwd: folder, env });
  running.child.stdin?.end(JSON.stringify(programs));
  const sent = JSON.parse((await running).stdout) as Record<string, [string, string, unknown][]>;
  for (const { call } of sampled) {
    const isFile = call.body !== null && !call.body.mediaType.endsWith('json');
    const body = isFile ? 'a file' : (call.body?.example ?? null);
    assert.deepEqual(sent[call.id], [[call.method, targetOf(call), body]], call.id);
  }
});

/** Samples whose file has the body. */
const SENDS_FILE = new Set(['putContractDay', 'putSeriesDay']);

test('the command line understands all CLI samples, and sends their operation', async () => {
  const words = await wordsOf(
    'saldo',
    sampled.map(({ text }) => text('CLI')),
  );
  assert.equal(words.length, sampled.length);
  for (const [at, { api, call }] of sampled.entries()) {
    const endpoint = ENDPOINTS.find(({ id }) => id === call.id)!;
    const requests: { method: string; target: string; body: string }[] = [];
    const answer = async (url: string | URL | Request, init: RequestInit = {}) => {
      const { pathname, search } = new URL(String(url));
      const body = init.body === undefined || init.body === null ? '' : await new Response(init.body).text();
      requests.push({ method: init.method ?? 'GET', target: pathname + search, body });
      const document = Object.values(endpoint.documents ?? {})[0];
      const text = document ?? JSON.stringify(endpoint.example.response);
      const isEmpty = endpoint.status === 204;
      return new Response(isEmpty ? null : text, {
        status: endpoint.status ?? 200,
        headers: { 'content-type': document === undefined ? 'application/json' : 'text/csv' },
      });
    };
    // The examples are not those of the records that tables have.
    const { err } = await runCommand(folder, ['--json', ...(words[at] ?? [])], {
      env: { SALDO_URL: 'https://saldo.example', SALDO_KEY: `${api.prefix}${'x'.repeat(40)}` },
      fetch: answer,
    });
    const [pathOnly] = targetOf(call).split('?');
    const found = requests.find(
      ({ method, target }) => method === call.method && target.split('?')[0] === pathOnly,
    );
    assert.ok(found, `${call.id}: ${words[at]?.join(' ')}: ${err} ${JSON.stringify(requests)}`);
    const isJson = call.body?.mediaType.endsWith('json') === true;
    if (isJson && !SENDS_FILE.has(call.id))
      assert.partialDeepStrictEqual(JSON.parse(found.body || '{}'), call.body?.example, call.id);
  }
});

/** Records of the test's platform instead of those of the examples. */
const [nomination] = (
  await (await fetch(`${platform.baseUrl}/v1/nominations`, { headers: { 'x-api-key': seller.key } })).json()
).nominations;
const REAL: Readonly<Record<string, string>> = {
  contract_id: contract.id,
  nomination_id: nomination.id,
  customer_id: producer.id,
  brp_id: seller.id,
  eic: sellerGroup.eic,
  asset_id: asset.id,
};

/** A request as curl would send it. */
function requestOf(words: readonly string[], { base, secret, url, key }: Api): [string, RequestInit] {
  const real = (word: string) => word.replace(`<${url}>`, base).replace(`<${key}>`, secret);
  const headers = new Headers();
  let [method, address, body]: [string, string, string | null] = ['GET', '', null];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) address = real(word);
    else {
      const value = real(words[++at] ?? '');
      if (word === '-X') method = value;
      else if (word === '-H') headers.append(value.split(': ')[0] ?? '', value.split(': ')[1] ?? '');
      else {
        assert.match(word, /^(?:-d|--data-binary)$/);
        body = value;
        if (method === 'GET') method = 'POST';
      }
    }
  }
  return [address, { method, headers, body }];
}

/** True for the answer to a path without operation. That to a record that the platform does not have is another 404. */
async function hasNoOperation(response: Response): Promise<boolean> {
  if (response.status !== 404) return false;
  const { detail } = (await response.clone().json()) as { detail: string };
  const message = { key: 'problem.not_found', path: new URL(response.url).pathname } as const;
  return detail === formatMessage(message, 'en');
}

test('all curl samples of reads are answered by the server, and those of writes are their operation', async () => {
  const words = await wordsOf(
    'curl',
    sampled.map(({ text }) => text('curl')),
  );
  assert.equal(words.length, sampled.length);
  for (const { base } of APIS) assert.ok(await hasNoOperation(await fetch(`${base}/v1/nowhere`)));
  let answered = 0;
  for (const [at, { api, call }] of sampled.entries()) {
    const [address, init] = requestOf(words[at] ?? [], api);
    assert.deepEqual([init.method, address], [call.method, api.base + targetOf(call)], call.id);
    const isFile = call.body !== null && !call.body.mediaType.endsWith('json');
    if (call.body !== null && !isFile)
      assert.deepEqual(JSON.parse(String(init.body)), call.body.example, call.id);
    if (call.method !== 'GET') continue;
    const url = call.pathParameters.reduce(
      (text, [name, value]) => text.replace(String(value), REAL[name] ?? String(value)),
      address,
    );
    const response = await fetch(url, init);
    const isMissing = response.status === 404 && !(await hasNoOperation(response));
    const text = await response.text();
    assert.ok(response.ok || isMissing, `${call.id}: ${response.status} ${text}`);
    if (response.ok) answered++;
  }
  assert.ok(answered > 50, `${answered} of ${sampled.length} samples have an answer`);
});
