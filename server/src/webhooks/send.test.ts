import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { monotonicNow } from '../platform/clock.ts';
import { createSender, SEND_LIMITS, type SenderSettings, senderSettings } from './send.ts';

type Answering = (request: http.IncomingMessage, response: http.ServerResponse) => void;

async function startServer(answer: Answering) {
  let requests = 0;
  let connections = 0;
  const server = http.createServer((request, response) => {
    requests++;
    request.resume();
    request.on('end', () => answer(request, response));
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}/`,
    requests: () => requests,
    connections: () => connections,
  };
}

function sender(settings: Partial<SenderSettings> = {}) {
  const made = createSender({ ...senderSettings(true, monotonicNow), ...settings });
  after(() => made.close());
  return async (url: string) => {
    const result = await made.send(url, { 'content-type': 'application/json' }, '{"a":"ä"}');
    return { ...result, error: result.error && formatMessage(result.error, 'en') };
  };
}

const ok: Answering = (_request, response) => void response.end('ok');

test('a status from 200 to 299 is a success, and every other one a failure', async () => {
  const { url } = await startServer((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end('text');
  });
  const send = sender();
  for (const status of [200, 201, 202, 204, 299]) {
    const { statusCode, error } = await send(`${url}${status}`);
    assert.deepEqual([statusCode, error], [status, null]);
  }
  for (const status of [400, 404, 410, 429, 500, 503])
    assert.equal((await send(`${url}${status}`)).error, `Status ${status}.`);
  for (const status of [300, 301, 302, 303, 304, 307, 308])
    assert.equal((await send(`${url}${status}`)).error, `Status ${status}: redirects are not followed.`);
});

test('a receiver that does not answer in time is a failure, whatever it does instead', async () => {
  const send = sender({ totalMs: 100 });
  const { url: hanging } = await startServer(() => {});
  assert.equal((await send(hanging)).error, 'No answer within 0.1 s.');
  const silent = createServer(() => {});
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  });
  after(() => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = silent.address() as AddressInfo;
  assert.equal((await send(`http://127.0.0.1:${port}/`)).error, 'No answer within 0.1 s.');
  assert.equal((await send(`https://127.0.0.1:${port}/`)).statusCode, null);
});

test('a body that never ends does not undo a success, nor take more than the time of a try', async () => {
  const { url } = await startServer((_request, response) => void response.writeHead(200).write('begun'));
  const { statusCode, response, error } = await sender({ totalMs: 100 })(url);
  assert.deepEqual([statusCode, response, error], [200, 'begun', null]);
});

test('of an endless answer a few kilobytes are read, and its connection is closed', async () => {
  let written = 0;
  const closed = Promise.withResolvers<void>();
  const { url } = await startServer((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    response.writeHead(200, { 'content-length': String(100 * 1024 * 1024) });
    response.on('close', () => closed.resolve());
    const write = () => {
      while (!response.destroyed && written < 100 * 1024 * 1024) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
    };
    write();
  });
  const { statusCode, response, error } = await sender()(url);
  await closed.promise;
  assert.deepEqual([statusCode, error, response], [200, null, 'x'.repeat(SEND_LIMITS.storedAnswerBytes)]);
  assert.ok(written < 20 * 1024 * 1024, `${written} bytes were written`);
});

test('the answer is stored as text that a database accepts', async () => {
  const bytes = Buffer.concat([Buffer.from('a\0b'), Buffer.from('ä'.repeat(2000))]);
  const { url } = await startServer((_request, response) => void response.end(bytes));
  const { response } = await sender()(url);
  assert.equal(response, `a\ufffdb${'ä'.repeat(510)}`);
});

test('connections are used again, and one that the receiver closed in between is replaced', async () => {
  const receiver = await startServer(ok);
  const send = sender();
  for (let count = 0; count < 3; count++) assert.equal((await send(receiver.url)).error, null);
  assert.equal(receiver.connections(), 1);
  // Accepts a request on the open connection and resets it, as a server does that has just closed it.
  let isFirst = true;
  const reset = await startServer((request, response) => {
    if (!isFirst && reset.connections() === 1) request.socket.resetAndDestroy();
    else response.end('ok');
    isFirst = false;
  });
  assert.equal((await send(reset.url)).error, null);
  assert.equal((await send(reset.url)).error, null);
  assert.deepEqual([reset.connections(), reset.requests()], [2, 3]);
});

test('a connection that is refused or reset is a failure that names its reason', async () => {
  const { url, server } = await startServer((request) => request.socket.resetAndDestroy());
  const send = sender();
  assert.equal((await send(url)).error, 'The connection failed: ECONNRESET.');
  const closed = once(server, 'close');
  server.close();
  await closed;
  assert.equal((await send(url)).error, 'The connection failed: ECONNREFUSED.');
  const resolve = async () =>
    Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND', syscall: 'queryA' }));
  assert.equal(
    (await sender({ resolve })('http://x.example/')).error,
    'The host cannot be resolved: ENOTFOUND.',
  );
});

test('an address is checked when it is connected to, also of a name that changes', async () => {
  const receiver = await startServer(ok);
  // For this test 127.0.0.1 stands for a public address.
  const answers: string[][] = [];
  const send = sender({
    isAllowed: (address) => address === '127.0.0.1',
    resolve: async () => answers.shift() ?? [],
  });
  const ask = (...addresses: string[]) => {
    answers.push(addresses);
    return send(`http://rebinding.example:${receiver.port}/${answers.length}`);
  };
  const refused = 'The host has no public address.';
  assert.equal((await ask('127.0.0.1')).error, null);
  // The open connection to the first address must not hide the check.
  receiver.server.closeAllConnections();
  assert.equal((await ask('10.0.0.1')).error, refused);
  assert.equal((await ask('10.0.0.1', '::1')).error, refused);
  assert.equal((await ask()).error, refused);
  assert.equal((await ask('10.0.0.1', '127.0.0.1')).error, null, 'only the public one is used');
  assert.equal((await send('http://10.0.0.1/')).error, refused, 'an address in the URL');
  assert.equal((await send(`http://[::1]:${receiver.port}/`)).error, refused);
  assert.equal(receiver.requests(), 2);
});

test('by default names and addresses that are not public are refused', async () => {
  const receiver = await startServer(ok);
  const { isAllowed } = senderSettings(false, monotonicNow);
  const resolve = async (host: string) => (host === 'mixed.example' ? ['127.0.0.1', '::1'] : ['127.0.0.1']);
  const send = sender({ isAllowed, resolve });
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '0x7f.1', 'rebound.example', 'mixed.example'])
    assert.equal(
      (await send(`http://${host}:${receiver.port}/`)).error,
      'The host has no public address.',
      host,
    );
  assert.equal(receiver.connections(), 0);
});
