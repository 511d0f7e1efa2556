import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryFolder } from './clean-up.ts';
import { createDemoFolder } from './demo-folder.ts';
import { NPM_START, type Product, startProduct } from './product.ts';
import { until } from './until.ts';

const CLIENTS = 64;
/** Number of answers after which the load counts as running. */
const ANSWERS_BEFORE_STOP = 1_000;

const folder = await temporaryFolder();

type Outcome = { answered: number; closedByServer: number; refused: boolean; failures: string[] };

/** Sends requests until the server refuses new connections. */
async function keepAsking(url: string, key: string, agent: Agent, onAnswer: () => void): Promise<Outcome> {
  const outcome: Outcome = { answered: 0, closedByServer: 0, refused: false, failures: [] };
  while (!outcome.refused && outcome.failures.length === 0) {
    const asked = outcome.answered % 2 === 0 ? listContracts(url, key, agent) : readBulk(url, key, agent);
    await asked.then(
      ({ headers }) => {
        outcome.answered++;
        if (headers.connection === 'close') outcome.closedByServer++;
        onAnswer();
      },
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') outcome.refused = true;
        else outcome.failures.push(`${error.code}: ${error.message}`);
      },
    );
  }
  agent.destroy();
  return outcome;
}

const listContracts = (url: string, key: string, agent: Agent) =>
  answerTo(request(`${url}/v1/contracts`, { agent, headers: { 'x-api-key': key } }), '');

const readBulk = (url: string, key: string, agent: Agent) => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return answerTo(
    request(`${url}/v1/nominations/bulk`, { agent, headers, method: 'POST' }),
    '{"ids":["nom_unknown"]}',
  );
};

/** The answer if it is a complete 200. */
async function answerTo(asked: ReturnType<typeof request>, sent: string): Promise<IncomingMessage> {
  asked.end(sent);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await text(answer);
  assert.equal(answer.statusCode, 200, body);
  assert.ok(JSON.parse(body));
  return answer;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const postmasterOf = async (dataDir: string) =>
  Number((await readFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);

/** Neither Postgres nor a process of npm's process group is left. */
async function assertNothingLeft({ child }: Product, postmaster: number): Promise<void> {
  assert.ok(!isAlive(postmaster), 'Postgres has ended');
  // Exited child processes of npm may take a moment to be reaped.
  await until(
    () => !isAlive(-child.pid!),
    () => `a process of the group ${child.pid} is left`,
  );
}

for (const [name, workers, signalled] of [
  ['the process that npm start made', '1', 'npm'],
  ['its whole process group', '1', 'group'],
  ['the process that npm start made, with several workers', '2', 'npm'],
] as const) {
  test(`SIGTERM under load to ${name}: every request is answered or rejected, none is reset, and no process remains`, async () => {
    const dataDir = path.join(folder, `${workers}-${signalled}`);
    await createDemoFolder(dataDir);
    const product = await startProduct(
      { DATA_DIR: dataDir, WORKERS: workers, RATE_LIMIT: '1000000', LOG_LEVEL: 'error' },
      NPM_START,
    );
    const [brp] = (await product.demo()).brps;
    assert.ok(brp);
    const postmaster = await postmasterOf(dataDir);
    assert.ok(isAlive(postmaster));
    const { promise: underLoad, resolve: isUnderLoad } = Promise.withResolvers<void>();
    let answers = 0;
    const onAnswer = () => ++answers === ANSWERS_BEFORE_STOP && isUnderLoad();
    // One of four clients opens a connection for each request.
    const clients = Array.from({ length: CLIENTS }, (_, at) =>
      keepAsking(
        product.baseUrl,
        brp.api_key,
        new Agent({ keepAlive: at % 4 !== 0, maxSockets: 1 }),
        onAnswer,
      ),
    );
    await Promise.race([underLoad, ...clients]);
    const exited = once(product.child, 'exit');
    process.kill(signalled === 'npm' ? product.child.pid! : -product.child.pid!, 'SIGTERM');
    const outcomes = await Promise.all(clients);
    assert.deepEqual(
      outcomes.flatMap(({ failures }) => failures),
      [],
    );
    assert.ok(outcomes.every(({ refused }) => refused));
    const keptAlive = outcomes.filter((_, at) => at % 4 !== 0);
    assert.ok(
      keptAlive.some(({ closedByServer }) => closedByServer > 0),
      'answers on kept-alive connections have Connection: close',
    );
    await exited;
    assert.match(product.output(), /Stopping/);
    assert.equal(product.child.exitCode, 0, product.log());
    await assertNothingLeft(product, postmaster);
  });
}

test('a stop closes idle connections while a request is in progress, and answers requests on the others', async () => {
  const dataDir = path.join(folder, 'idle');
  await createDemoFolder(dataDir);
  const product = await startProduct({ DATA_DIR: dataDir, LOG_LEVEL: 'error' });
  const { port } = new URL(product.baseUrl);
  const open = async () => {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const [underWay, silent, used] = [await open(), await open(), await open()];
  const head = 'GET /openapi.json HTTP/1.1\r\nHost: saldo\r\n';
  underWay.write(head);
  used.write(`${head}\r\n`);
  for (let read = ''; !read.endsWith('0\r\n\r\n') && !read.endsWith('}'); ) {
    read += String((await once(used, 'data'))[0]);
  }
  const stopped = product.end('SIGTERM');
  await Promise.all([silent, used].map((socket) => once(socket.resume(), 'close')));
  underWay.write('\r\n');
  const answer = await text(underWay);
  assert.match(answer, /^HTTP\/1\.1 200 OK/);
  assert.match(answer, /\r\nconnection: close\r\n/i);
  assert.equal(await stopped, 0);
});
