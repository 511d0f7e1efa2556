import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ensurePortal } from '../src/start/portal-build.ts';
import { temporaryFolder } from './clean-up.ts';
import { client, startTestPlatform } from './harness.ts';

const dataDir = await temporaryFolder();
const messages: string[] = [];
const portalDir = await ensurePortal(dataDir, (message) => messages.push(message));
assert.ok(portalDir, messages.join('\n'));
const platform = await startTestPlatform({ portalDir });

test('an up-to-date portal is not built again', async () => {
  const before = messages.length;
  assert.equal(await ensurePortal(dataDir, (message) => messages.push(message)), portalDir);
  assert.equal(messages.length, before);
  assert.deepEqual(await readdir(dataDir), [], 'a writable checkout gets the build');
});

test('the page has no inline script or style, and everything that it refers to is served', async () => {
  const page = await readFile(path.join(portalDir, 'index.html'), 'utf8');
  assert.doesNotMatch(page, /<style|style="|\son\w+="|javascript:/i);
  for (const [script] of page.matchAll(/<script[^>]*>[^<]*/g)) assert.match(script, /src="\/[^"]+"[^>]*>$/);
  const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
  assert.ok(files.length >= 2);
  for (const file of files) {
    assert.match(file, /^\/[^/]/, 'everything has the same origin');
    const { status, headers } = await client(platform.baseUrl)(file);
    assert.equal(status, 200, file);
    assert.doesNotMatch(headers.get('content-type') ?? '', /octet-stream/, file);
  }
});

test('the script of the first page is under 200 kB compressed', async () => {
  const page = await readFile(path.join(portalDir, 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, file = '']) => file);
  let bytes = 0;
  for (const script of scripts) {
    const head = await client(platform.baseUrl)(script, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'br' },
    });
    bytes += Number(head.headers.get('content-length'));
  }
  assert.ok(bytes > 0 && bytes < 200_000, `${bytes} bytes in ${scripts.join(', ')}`);
});
