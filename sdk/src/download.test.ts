import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { problem, standIn } from '../test/stand-in.ts';
import { createBrpClient } from './brp.ts';
import { createOperatorClient } from './operator.ts';
import { isProblem, SaldoConnectionError } from './problem.ts';

const DAY = { delivery_date: '2026-10-25' };
const HEADERS = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'content-disposition': 'attachment; filename="transactions_2026-10-25.ndjson"',
};
const encode = (text: string) => new TextEncoder().encode(text);

/** A response of these chunks, which then ends, fails or stalls. */
function sending(chunks: readonly Uint8Array[], end: 'closes' | 'breaks' | 'stalls' = 'closes') {
  const left = [...chunks];
  let cancelled: unknown = null;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = left.shift();
        if (next !== undefined) return controller.enqueue(next);
        if (end === 'closes') return controller.close();
        if (end === 'breaks') return controller.error(new TypeError('terminated'));
        return new Promise<void>(() => {});
      },
      cancel(reason) {
        cancelled = reason ?? 'cancelled';
      },
    },
    { highWaterMark: 0 },
  );
  const reply = () => new Response(body, { headers: HEADERS });
  return { reply, left, cancelled: () => cancelled };
}

test('an export is a file with a name, a media type and a stream of its bytes', async () => {
  const { options, requests } = standIn(sending([encode('{"id":1}\n'), encode('{"id":2}\n')]).reply);
  const file = await createBrpClient(options).exports.transactions({ ...DAY, format: 'ndjson' });
  assert.equal(file.fileName, 'transactions_2026-10-25.ndjson');
  assert.equal(file.mediaType, 'application/x-ndjson');
  assert.equal(await new Response(file.body).text(), '{"id":1}\n{"id":2}\n');
  assert.equal(requests[0]?.url, '/v1/exports/transactions?delivery_date=2026-10-25&format=ndjson');
});

test('records are read one by one, however their bytes are divided', async () => {
  const bytes = encode('{"name":"Müller"}\n{"name":"Grün"}\n');
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    const { options, requests } = standIn(sending(chunks).reply);
    const records = [];
    for await (const record of createOperatorClient(options).exports.eachNomination(DAY))
      records.push(record);
    assert.deepEqual(records, [{ name: 'Müller' }, { name: 'Grün' }]);
    assert.equal(requests[0]?.url, '/operator/v1/exports/nominations?delivery_date=2026-10-25&format=ndjson');
  }
});

test('no more is asked for than is read, and leaving an iteration early stops the transfer', async () => {
  const source = sending(Array.from({ length: 10 }, (_, at) => encode(`{"id":${at}}\n`)));
  const { options } = standIn(source.reply);
  for await (const _first of createBrpClient(options).exports.eachTransaction(DAY)) break;
  assert.ok(source.left.length >= 8, `${source.left.length} chunks are left`);
  assert.ok(source.cancelled());
});

test('a connection that breaks is an error of the stream, not its end', async () => {
  const { options } = standIn(sending([encode('{"id":1}\n')], 'breaks').reply);
  const file = await createBrpClient(options).exports.transactions(DAY);
  await assert.rejects(new Response(file.body).text(), (error) => {
    assert.ok(error instanceof SaldoConnectionError);
    assert.match(error.message, /terminated/);
    return true;
  });
});

test('a server that sends nothing more exceeds the idle timeout', async () => {
  const source = sending([encode('{"id":1}\n')], 'stalls');
  const { options } = standIn(source.reply);
  const file = await createBrpClient({ ...options, timeoutMs: 5000 }).exports.transactions(DAY);
  await assert.rejects(
    new Response(file.body).text(),
    (error) => error instanceof SaldoConnectionError && error.kind === 'timeout',
  );
  assert.ok(source.cancelled());
});

test('the caller’s signal ends a transfer with its own reason', async () => {
  const source = sending([encode('{"id":1}\n')], 'stalls');
  const { options } = standIn(source.reply);
  const stop = new AbortController();
  const file = await createBrpClient(options).exports.transactions(DAY, { signal: stop.signal });
  const reader = file.body.getReader();
  await reader.read();
  const reason = new Error('enough');
  const waiting = reader.read();
  stop.abort(reason);
  await assert.rejects(waiting, reason);
  assert.ok(source.cancelled());
});

test('an export is retried until it begins', async () => {
  const busy = problem(429, 'too_many_exports', { 'retry-after': '5' });
  const { options, waits } = standIn(busy, problem(503, 'unavailable'), sending([encode('x')]).reply);
  const { body } = await createBrpClient(options).exports.transactions(DAY);
  assert.equal(await new Response(body).text(), 'x');
  assert.deepEqual(waits, [5000, 250]);
  const wrong = standIn(problem(400, 'validation'));
  const refused = createBrpClient(wrong.options).exports.transactions({});
  await assert.rejects(refused, (error) => isProblem(error, 'validation'));
});

const fileOf = (body: ReturnType<typeof sending>) =>
  createBrpClient(standIn(body.reply).options).exports.transactions({ ...DAY, format: 'ndjson' });

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'saldo-sdk-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('saveTo writes the whole file and replaces an earlier one', async (t) => {
  const folder = await newFolder(t);
  const target = path.join(folder, 'day.ndjson');
  await writeFile(target, 'earlier');
  await (await fileOf(sending([encode('{"id":1}\n'), encode('{"id":2}\n')]))).saveTo(target);
  assert.equal(await readFile(target, 'utf8'), '{"id":1}\n{"id":2}\n');
  assert.deepEqual(await readdir(folder), ['day.ndjson']);
});

test('a transfer that breaks keeps the earlier file and leaves no other', async (t) => {
  const folder = await newFolder(t);
  const target = path.join(folder, 'day.ndjson');
  await writeFile(target, 'earlier');
  const broken = await fileOf(sending([encode('{"id":1}\n')], 'breaks'));
  await assert.rejects(broken.saveTo(target), SaldoConnectionError);
  assert.equal(await readFile(target, 'utf8'), 'earlier');
  assert.deepEqual(await readdir(folder), ['day.ndjson']);
  const body = sending([encode('1')], 'stalls');
  const unwritable = await fileOf(body);
  await assert.rejects(unwritable.saveTo(path.join(folder, 'missing', 'day.ndjson')), { code: 'ENOENT' });
  assert.notEqual(body.cancelled(), null, 'the transfer has ended');
});

test('in a browser saveTo says what to do instead', async (t) => {
  const file = await fileOf(sending([encode('1')]));
  const { process } = globalThis;
  t.mock.method(process, 'getBuiltinModule', () => undefined);
  await assert.rejects(
    file.saveTo('day.ndjson'),
    /saveTo needs Node\.js .* await new Response\(download\.body\)\.blob\(\)/,
  );
  assert.equal(await new Response(file.body).text(), '1');
});

test('the body is a stream for the web and for Node.js', async () => {
  const chunks = [encode('a'), encode('b')];
  assert.equal(await new Response((await fileOf(sending(chunks))).body).text(), 'ab');
  assert.equal(await text(Readable.from((await fileOf(sending(chunks))).body)), 'ab');
});
