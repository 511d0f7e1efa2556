import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, urlPerHost, urlPerServer } from './urls.ts';

test('a URL with several hosts is one URL per host, with the same user, database and parameters', () => {
  assert.deepEqual(urlPerHost('postgres://u:p,w@h1:5432,h2,[::1]:5433/db?sslmode=disable'), [
    'postgres://u:p,w@h1:5432/db?sslmode=disable',
    'postgres://u:p,w@h2/db?sslmode=disable',
    'postgres://u:p,w@[::1]:5433/db?sslmode=disable',
  ]);
  for (const one of ['postgres://h/db', 'postgresql://h', 'postgres:///db?host=/run/postgresql'])
    assert.deepEqual(urlPerHost(one), [one]);
});

test('text that is no URL of a database has no hosts', () => {
  for (const text of ['', 'h1,h2', 'mysql://h/db', 'postgres:h', 'postgres://h1:x,h2/db'])
    assert.equal(urlPerHost(text), null, text);
});

test('a list of URLs is one URL per server', () => {
  assert.deepEqual(urlPerServer('postgres://a/db,postgresql://u:p@b,c:1/db'), [
    'postgres://a/db',
    'postgresql://u:p@b/db',
    'postgresql://u:p@c:1/db',
  ]);
  assert.equal(urlPerServer('postgres://a/db,postgres://b:x/db'), null);
});

test('the name of a server has no password', () => {
  assert.equal(nameOf('postgres://u:secret@h1:5433/db'), 'h1:5433');
  assert.equal(nameOf('postgres:///db?host=/run/postgresql'), '/run/postgresql');
});
