import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import {
  exampleValues,
  fillIn,
  parseVariables,
  placeholdersOf,
  RECIPE_FILES,
  withTls,
} from '../faults/ha/recipe.ts';
import { makeCertificate } from './certificate.ts';
import { temporaryFolder } from './clean-up.ts';
import { CHECKOUT } from './markdown-blocks.ts';

const HAPROXY = process.env['HAPROXY'] ?? '/usr/sbin/haproxy';

test('the files of the recipe need exactly the values that ha.env.example lists', async () => {
  const files = (await readdir(path.join(CHECKOUT, 'deploy/ha'))).filter((file) => file !== 'ha.env.example');
  assert.deepEqual(files.toSorted(), RECIPE_FILES.toSorted());
  const needed = new Set(RECIPE_FILES.flatMap(placeholdersOf));
  assert.deepEqual([...needed].toSorted(), Object.keys(exampleValues()).toSorted());
  for (const file of RECIPE_FILES) assert.doesNotMatch(fillIn(file, exampleValues()), /\$\{/);
  assert.throws(() => fillIn('saldo.env', {}), /a placeholder without a value/);
});

const section = (text: string, start: string) => text.slice(text.indexOf(start)).split('\n\n', 1)[0] ?? '';

test('Patroni deletes no data folder by itself', () => {
  const patroni = fillIn('patroni.yml', exampleValues());
  for (const name of ['rewind_failure', 'diverged_timelines'])
    assert.match(patroni, new RegExp(`^  remove_data_directory_on_${name}: false$`, 'm'));
});

test('HAProxy waits for bodies of clients, and only of these', () => {
  const haproxy = fillIn('haproxy.cfg', exampleValues());
  const [ofDatabase = '', ofClients = ''] = haproxy.split(/^defaults$/m).slice(1);
  assert.match(ofClients, /^ {4}option http-buffer-request$/m);
  assert.doesNotMatch(ofDatabase, /http-buffer-request/);
});

test('every file of a program that uses the network has its lines for TLS', () => {
  const values = { ...exampleValues(), ETCD_SCHEME: 'https', HBA_HOST: 'hostssl' };
  const secure = (file: Parameters<typeof fillIn>[0]) => withTls(fillIn(file, values));
  for (const file of [
    'etcd.yml',
    'patroni.yml',
    'haproxy.cfg',
    'pgbouncer.ini',
    'redis.conf',
    'saldo.env',
  ] as const) {
    assert.match(secure(file), /\/etc\/saldo-ha\/tls\/\w+\.crt/, file);
    assert.doesNotMatch(secure(file), /#TLS|#PLAIN|http:\/\//, file);
  }
  assert.doesNotMatch(secure('patroni.yml'), /^ +- host /m);
  for (const [, options] of secure('haproxy.cfg').matchAll(/^ +bind \S+:(?:80|81)\b(.*)$/gm))
    assert.match(options ?? '', / ssl crt /);
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_READ_URL, REDIS_URL } = parseVariables(
    secure('saldo.env'),
  );
  for (const url of [DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_READ_URL])
    assert.match(url!, /sslmode=verify-ca/);
  assert.match(REDIS_URL!, /^rediss:/);
  assert.match(section(secure('patroni.yml'), 'restapi:'), /certfile:/);
});

test('HAProxy accepts its configuration, also with TLS', { skip: !existsSync(HAPROXY) }, async () => {
  const folder = await temporaryFolder();
  const { certificate, environment } = await makeCertificate(folder);
  const key = await readFile(environment.TLS_KEY, 'utf8');
  await writeFile(path.join(folder, 'public.pem'), certificate + key);
  await writeFile(path.join(folder, 'ca.crt'), certificate);
  const text = fillIn('haproxy.cfg', { ...exampleValues(), NODE_HOST: '127.0.0.1', TLS_DIR: folder });
  for (const config of [text, withTls(text)]) {
    const file = path.join(folder, 'haproxy.cfg');
    await writeFile(file, config);
    // Rejects with the messages of HAProxy.
    await promisify(execFile)(HAPROXY, ['-c', '-f', file]);
  }
});
