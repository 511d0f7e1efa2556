import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { createOperatorClient } from './operator.ts';
import type { UploadProgress } from './xhr.ts';

const RESULT = { rows: 1, created: 1 };

/** The part of `XMLHttpRequest` that the SDK uses. */
class PageXhr extends EventTarget {
  static answer: 'success' | 'problem' | 'network' | 'silence' = 'success';
  static sent: PageXhr[] = [];
  readonly upload = new EventTarget();
  readonly headers: Record<string, string> = {};
  status = 0;
  responseText = '';
  target = '';
  body: Blob | null = null;
  open(method: string, url: string) {
    this.target = `${method} ${url}`;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  getAllResponseHeaders() {
    return 'content-type: application/json\r\nx-request-id: req_page\r\n';
  }
  abort() {
    this.end('abort');
  }
  private end(how: 'load' | 'error' | 'abort') {
    this.dispatchEvent(new Event(how));
    this.dispatchEvent(new Event('loadend'));
  }
  send(body: Blob) {
    this.body = body;
    PageXhr.sent.push(this);
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded: body.size }));
    if (PageXhr.answer === 'silence') return;
    if (PageXhr.answer === 'network') return this.end('error');
    const problem = { type: 'https://saldo.test/errors/validation', title: 'Validation Failed', status: 400 };
    this.status = PageXhr.answer === 'success' ? 200 : 400;
    this.responseText = JSON.stringify(PageXhr.answer === 'success' ? RESULT : problem);
    this.end('load');
  }
}

const page = globalThis as { XMLHttpRequest?: unknown; location?: unknown };

function inPage(answer: typeof PageXhr.answer) {
  Object.assign(PageXhr, { answer, sent: [] });
  page.XMLHttpRequest = PageXhr;
  page.location = { origin: 'https://saldo.test' };
  return createOperatorClient({ baseUrl: '', credentials: 'session', retry: { maxAttempts: 1 } });
}
afterEach(() => {
  delete page.XMLHttpRequest;
  delete page.location;
});

const CSV = 'contract,delivery_date,slot,volume\n';

test('in a browser a file is sent with progress, to the page’s origin and without a key', async () => {
  const client = inPage('success');
  const seen: UploadProgress[] = [];
  const result = await client.volumes.importFile(new Blob([CSV]), {
    format: 'csv',
    onProgress: (progress) => seen.push(progress),
  });
  assert.deepEqual(result, RESULT);
  assert.deepEqual(seen, [
    { bytes: 0, totalBytes: CSV.length },
    { bytes: CSV.length, totalBytes: CSV.length },
  ]);
  const [sent] = PageXhr.sent;
  assert.equal(sent?.target, 'POST https://saldo.test/operator/v1/volumes');
  assert.equal(sent?.headers['content-type'], 'text/csv');
  assert.equal(sent?.headers['x-api-key'], undefined);
  assert.ok(sent?.headers['idempotency-key']);
  assert.equal(await sent?.body?.text(), CSV);
});

test('in a browser problems, network errors and aborts are thrown as in Node.js', async () => {
  await assert.rejects(inPage('problem').volumes.importFile(CSV, { format: 'csv' }), {
    name: 'SaldoProblem',
    code: 'validation',
    requestId: 'req_page',
  });
  await assert.rejects(inPage('network').volumes.importFile(CSV, { format: 'csv' }), {
    name: 'SaldoConnectionError',
    kind: 'network',
  });
  const giveUp = new AbortController();
  const waiting = inPage('silence').volumes.importFile(CSV, { format: 'csv', signal: giveUp.signal });
  const refused = assert.rejects(waiting, /enough/);
  setImmediate(() => giveUp.abort(new Error('enough')));
  await refused;
});
