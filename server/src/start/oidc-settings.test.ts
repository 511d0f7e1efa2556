import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readProviders } from './oidc-settings.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'saldo-oidc-'));
after(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};
const SECRET = write('secret', 'hunter2\n');
const PROVIDER = {
  id: 'nordwind',
  issuer: 'https://login.nordwind.example',
  client_id: 'saldo',
  client_secret_file: SECRET,
  label: 'Nordwind directory',
  email_domains: ['Nordwind.example', 'sso.example'],
  required_for: ['SSO.example'],
};
const read = (...providers: object[]) => readProviders(write('oidc.json', JSON.stringify({ providers })));

test('providers are read with their secrets; domains are compared in lower case', () => {
  assert.deepEqual(read(PROVIDER), [
    {
      id: 'nordwind',
      issuer: 'https://login.nordwind.example',
      clientId: 'saldo',
      clientSecret: 'hunter2',
      label: 'Nordwind directory',
      emailDomains: ['nordwind.example', 'sso.example'],
      requiredFor: ['sso.example'],
      scopes: ['openid', 'email'],
    },
  ]);
  const [other] = read({ ...PROVIDER, issuer: 'http://[::1]:9000', scopes: ['profile', 'email'] });
  assert.deepEqual(other?.scopes, ['openid', 'email', 'profile']);
});

test('a wrong file is refused with one line that names the place and prints no secret', () => {
  const faults: [providers: object[], fault: RegExp][] = [
    [
      [{ ...PROVIDER, issuer: 'http://login.nordwind.example' }],
      /providers\[0\]\.issuer is not an https:\/\/ address/,
    ],
    [
      [{ ...PROVIDER, issuer: 'http://127.0.0.1.evil.example' }],
      /providers\[0\]\.issuer is not an https:\/\/ address/,
    ],
    [[{ ...PROVIDER, issuer: 'nordwind' }], /providers\[0\]\.issuer is not an https:\/\/ address/],
    [[{ ...PROVIDER, issuer: 'https://user:hunter2@x.example' }], /providers\[0\]\.issuer has a user/],
    [
      [{ ...PROVIDER, required_for: ['other.example'] }],
      /required_for has "other\.example", which is not in its email_domains/,
    ],
    [[PROVIDER, { ...PROVIDER, issuer: 'https://other.example' }], /two providers have the id "nordwind"/],
    [[PROVIDER, { ...PROVIDER, id: 'x', issuer: `${PROVIDER.issuer}/` }], /two providers have the issuer/],
    [[{ ...PROVIDER, email_domains: [] }], /providers\[0\]\.email_domains: /],
    [[{ ...PROVIDER, id: 'Nord Wind' }], /providers\[0\]\.id: /],
    [[{ ...PROVIDER, client_secret: 'hunter2' }], /providers\[0\]\.client_secret: /],
    [[{ ...PROVIDER, label: undefined }], /providers\[0\]\.label: /],
    [
      [{ ...PROVIDER, client_secret_file: '/nowhere/secret' }],
      /client_secret_file of "nordwind" in OIDC_FILE must be the path of a file/,
    ],
    [
      [{ ...PROVIDER, client_secret_file: write('empty', '\n') }],
      /must be a file with a secret, but ".*" is empty/,
    ],
  ];
  for (const [providers, fault] of faults) {
    assert.throws(
      () => read(...providers),
      (error: Error) => {
        assert.equal(error.name, 'ConfigError');
        assert.match(error.message, fault);
        assert.doesNotMatch(error.message, /hunter2|\n/);
        return true;
      },
    );
  }
  assert.throws(
    () => readProviders(write('broken', '{')),
    /OIDC_FILE must be a file with identity providers.*not JSON/,
  );
  assert.throws(
    () => readProviders('/nowhere.json'),
    /OIDC_FILE must be the path of a file that can be read/,
  );
});
