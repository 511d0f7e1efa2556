import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { findHostKeys } from './known-hosts.ts';

const [A, B, C] = ['AAAA', 'BBBB', 'CCCC'];
const hashed = (name: string) => {
  const salt = Buffer.from('a salt of twenty byt');
  const digest = createHmac('sha1', salt).update(name).digest('base64');
  return `|1|${salt.toString('base64')}|${digest}`;
};
const found = (file: string, host = 'gateway.example', port = 22) =>
  findHostKeys(file, host, port).map(({ type, key }) => `${type} ${key.toString('base64')}`);

test('the keys of a server are found by its name and port, plain or hashed', () => {
  const file = [
    '# a comment with gateway.example',
    '',
    `gateway.example,192.0.2.7 ssh-ed25519 ${A} made by ssh-keyscan`,
    `[gateway.example]:2222 ssh-ed25519 ${B}`,
    `${hashed('gateway.example')} ssh-rsa ${C}\r`,
    `${hashed('[gateway.example]:2222')} ecdsa-sha2-nistp256 ${C}`,
  ].join('\n');
  assert.deepEqual(found(file), [`ssh-ed25519 ${A}`, `ssh-rsa ${C}`]);
  assert.deepEqual(found(file, 'Gateway.Example', 2222), [`ssh-ed25519 ${B}`, `ecdsa-sha2-nistp256 ${C}`]);
  assert.deepEqual(found(file, '192.0.2.7'), [`ssh-ed25519 ${A}`]);
  assert.deepEqual(found(file, 'gateway.example', 2223), []);
  assert.deepEqual(found(file, 'example'), []);
});

test('revoked keys, certificate authorities, patterns and unknown types are not trusted', () => {
  const file = [
    `gateway.example ssh-ed25519 ${A}`,
    `@revoked gateway.example ssh-ed25519 ${A}`,
    `@cert-authority gateway.example ssh-ed25519 ${B}`,
    `*.example ssh-ed25519 ${B}`,
    `gateway.example ssh-dss ${C}`,
  ].join('\n');
  assert.deepEqual(found(file), []);
});
