import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { makeCertificate } from '../../test/certificate.ts';
import { generateSshKey } from '../../test/ssh-key.ts';
import { createFolders, readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { describeMisspelled, recordNames } from './config-names.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'saldo-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function refusal(environment: Record<string, string>): string {
  try {
    readConfig({ DATA_DIR: folder, ...environment });
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.match(error.message, /^[^\n]+\.$/);
    return error.message;
  }
  throw new Error(`it was taken: ${JSON.stringify(environment)}`);
}

test('an invalid value is reported in one line: the variable, what it must be, and what it was', () => {
  const same = path.join(folder, 'same');
  const wrong: [Record<string, string>, RegExp][] = [
    [{ RATE_LIMIT: '0' }, /RATE_LIMIT must be a whole number from 1 to \d+, but it was "0"/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      /OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a user name or password/,
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@c' },
      /OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a user name or password/,
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'authorization=sec%0Aret' },
      /OTEL_EXPORTER_OTLP_HEADERS must be valid names and values of headers\./,
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/json, the only supported one\./,
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'secret' },
      /OTEL_EXPORTER_OTLP_HEADERS must be pairs such as key=value, separated by commas\./,
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_TIMEOUT: '0' },
      /OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds from 1 to 60000\./,
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_SAMPLER: 'always_on' },
      /OTEL_TRACES_SAMPLER must be parentbased_always_on, /,
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '2',
      },
      /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1\./,
    ],
    [{ DEMO: 'maybe' }, /DEMO must be one of on, off, but it was "maybe"/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of .*trace.*, but it was "loud"/],
    [{ BASE_URL: 'api.example.org' }, /BASE_URL must be a URL that begins with http:\/\/ or https:\/\//],
    [{ BASE_URL: 'https://x.example/saldo/' }, /BASE_URL must be a URL without a path, but it was/],
    [{ NODE_ENV: 'prod' }, /NODE_ENV must be one of production, development, test, but it was "prod"/],
    [{ CUSTOMER_PORT: '65536' }, /CUSTOMER_PORT must be a whole number from 0 to 65535, but it was "65536"/],
    [{ CUSTOMER_BASE_URL: 'ftp://x' }, /CUSTOMER_BASE_URL must be a URL .*, but it was "ftp:\/\/x"/],
    [{ OPERATOR_EMAIL: 'root' }, /OPERATOR_EMAIL must be an email address, but it was "root"/],
    [
      { OPERATOR_EMAIL: 'rооt@x.example' },
      /OPERATOR_EMAIL must be an email address \(it must not mix letters/,
    ],
    [
      { OPERATOR_EIC: '11XSALDO-------A' },
      /^OPERATOR_EIC must be a valid EIC, but it was "11XSALDO-------A"\. The check character of this EIC must be "Z", not "A"\.$/,
    ],
    [{ OPERATOR_NAME: ' ' }, /OPERATOR_NAME must be a name of 1 to 200 characters, but it was " "/],
    [{ OPERATOR_NAME: 'x'.repeat(201) }, /OPERATOR_NAME must be a name of 1 to 200 characters/],
    [
      { BASE_URL: 'https://x.example?a=1' },
      /BASE_URL must be a URL without a query, a fragment or blanks, but it was/,
    ],
    [
      { CUSTOMER_BASE_URL: 'https://x.example/#a' },
      /CUSTOMER_BASE_URL must be a URL without a query, a fragment/,
    ],
    [{ BASE_URL: 'https://x.example/a b' }, /BASE_URL must be a URL without .* blanks, but it was/],
    [
      { ERROR_BASE: 'https://user:hunter2@x.example' },
      /^ERROR_BASE must be a URL without a user name or password\.$/,
    ],
    [
      { EXCHANGE_FORMATS: 'DE_AMPRION=edifact' },
      /EXCHANGE_FORMATS must be a list such as DE_AMPRION=cim.*, but it was "DE_AMPRION=edifact"/,
    ],
    [{ EXCHANGE_FORMATS: 'AMPRION=cim' }, /EXCHANGE_FORMATS must be a list such as/],
    [{ EXCHANGE_FORMATS: 'DE_TENNET=cim,DE_TENNET=ess' }, /EXCHANGE_FORMATS must be .*each once/],
    [
      { WAIT_PHASE: 'DE_AMPRION=wait' },
      /WAIT_PHASE must be a list such as DE_AMPRION=send,DE_TENNET=hold .*values hold, send\), but it was "DE_AMPRION=wait"/,
    ],
    [{ MARKET_RULES: '/nowhere/rules.json' }, /MARKET_RULES must be the path of a file that can be read/],
    [{ MESSAGE_LIMIT_MB: '0' }, /MESSAGE_LIMIT_MB must be a whole number from 1 to 512, but it was "0"/],
    [{ SIMULATE_TSO: 'yes' }, /SIMULATE_TSO must be one of on, off, but it was "yes"/],
    [{ OUTBOX_DIR: '/dev/null/outbox' }, /OUTBOX_DIR must be a folder that exists or can be created/],
    [{ OUTBOX_DIR: same, INBOX_DIR: same }, /INBOX_DIR must be another folder than OUTBOX_DIR/],
    [{ TLS_CERT: '/nowhere/cert.pem', TLS_KEY: '/nowhere/key.pem' }, /TLS_CERT must be the path of a file/],
    [{ TLS_CERT: '/nowhere/cert.pem' }, /^TLS_CERT must be set together with TLS_KEY, which is not set\.$/],
    [{ TLS_KEY: '/nowhere/key.pem' }, /^TLS_KEY must be set together with TLS_CERT, which is not set\.$/],
    [{ WORKERS: 'all' }, /WORKERS must be a whole number from 1 to 256, or auto, but it was "all"/],
    [{ QUEUE_WAIT_MS: '0' }, /QUEUE_WAIT_MS must be a whole number from 1 to 60000, but it was "0"/],
    [{ REQUESTS_AT_ONCE: '0' }, /REQUESTS_AT_ONCE must be a whole number from 1 to 100000, but it was "0"/],
    [{ REQUEST_TIMEOUT_S: '1h' }, /REQUEST_TIMEOUT_S must be a whole number from 1 to 3600, but it was "1h"/],
    [{ READ_LAG_S: '21' }, /READ_LAG_S must be a whole number from 1 to 20, but it was "21"/],
    [
      { DATABASE_READ_URL: 'postgres://db/saldo' },
      /^DATABASE_READ_URL must be set together with DATABASE_URL, which is not set\.$/,
    ],
    [
      { DATABASE_DIRECT_URL: 'postgres://db/saldo' },
      /^DATABASE_DIRECT_URL must be set together with DATABASE_URL, which is not set\.$/,
    ],
    [{ IMPORT_SILENCE_S: '-1' }, /IMPORT_SILENCE_S must be a whole number from 1 to 3600, but it was "-1"/],
  ];
  for (const [environment, expected] of wrong) {
    const message = refusal(environment);
    assert.match(message, expected);
    assert.doesNotMatch(message, /\n/);
  }
});

test('the demo is on for the embedded database, and for another one on request', () => {
  const own = { DATA_DIR: folder, DATABASE_URL: 'postgres://localhost/saldo' };
  const demoOf = (environment: Record<string, string>) => readConfig(environment).demo;
  assert.deepEqual([demoOf({ DATA_DIR: folder }), demoOf({ DATA_DIR: folder, DEMO: 'off' })], [true, false]);
  assert.deepEqual([demoOf(own), demoOf({ ...own, DEMO: 'on' })], [false, true]);
});

test('folders are checked without creating them', () => {
  const config = readConfig({ DATA_DIR: path.join(folder, 'new/data'), INBOX_DIR: path.join(folder, 'in') });
  assert.deepEqual(
    [existsSync(path.join(folder, 'new')), existsSync(config.exchange.inboxDir)],
    [false, false],
  );
  createFolders(config);
  for (const dir of [config.exchange.outboxDir, config.exchange.inboxDir])
    assert.equal(statSync(dir).mode & 0o777, 0o700);
});

test('only a name that is nearly that of a setting is reported', () => {
  const { env, names } = recordNames({ DATA_DIR: folder });
  readConfig(env);
  const meant = (name: string) => {
    const [line] = describeMisspelled({ [name]: 'secret' }, names);
    return line?.match(/ (\S+) is one\.$/)?.[1] ?? null;
  };
  for (const [name, setting] of [
    ['CUSTOMERPORT', 'CUSTOMER_PORT'],
    ['RATE_LIMT', 'RATE_LIMIT'],
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['TRUST_PROXI', 'TRUST_PROXY'],
    ['log_level', 'LOG_LEVEL'],
    ['PROT', 'PORT'],
  ] as const)
    assert.equal(meant(name), setting, name);
  const others = ['PATH', 'HOME', 'POST', 'HOSTNAME', 'PGPORT', 'NODE_OPTIONS', 'OTEL_BLRP_SCHEDULE_DELAY'];
  for (const name of [...others, 'HOST', 'CACHE_DIR', 'SALDO_KEY']) assert.equal(meant(name), null, name);
});

test('in production the demo is off unless requested, and the operator’s EIC has no default', () => {
  const production = { DATA_DIR: folder, NODE_ENV: 'production', OPERATOR_EIC: '11XSALDO-------Z' };
  assert.equal(readConfig(production).demo, false);
  assert.equal(readConfig({ ...production, DEMO: 'on' }).demo, true);
  assert.match(refusal({ NODE_ENV: 'production' }), /^OPERATOR_EIC must be set in production/);
});

test('demo users sign in without a password on the same machine by default, and never in production', () => {
  const production = { DATA_DIR: folder, NODE_ENV: 'production', OPERATOR_EIC: '11XSALDO-------Z' };
  assert.equal(readConfig({ DATA_DIR: folder }).demoSignIn, 'local');
  for (const environment of [production, { ...production, DEMO: 'on', DEMO_SIGN_IN: 'off' }])
    assert.equal(readConfig(environment).demoSignIn, 'off');
  for (const value of ['on', 'local'])
    assert.match(
      refusal({ ...production, DEMO: 'on', DEMO_SIGN_IN: value }),
      /^DEMO_SIGN_IN must be off in production/,
    );
});

test('DATABASE_URL may have several hosts, and DATABASE_READ_URL several servers', () => {
  const DATABASE_URL = 'postgres://saldo:a,b@h1:5432,h2:5433/saldo?sslmode=disable';
  const DATABASE_READ_URL = 'postgres://saldo@h3,h4/saldo,postgres://other@h5/saldo';
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL, DATABASE_READ_URL });
  assert.deepEqual(
    [config.databaseUrl, config.databaseReadUrls, config.readLagS],
    [
      DATABASE_URL,
      ['postgres://saldo@h3/saldo', 'postgres://saldo@h4/saldo', 'postgres://other@h5/saldo'],
      10,
    ],
  );
});

// On Linux, `mkdir` in /proc answers ENOENT although the parent exists, and `mkdirSync` with `recursive` never returns.
test('a folder that can never be created ends the start', { skip: process.platform !== 'linux' }, () => {
  const script = `await import(${JSON.stringify(new URL('config.ts', import.meta.url).href)}).then((m) => m.readConfig(process.env))`;
  for (const name of ['DATA_DIR', 'OUTBOX_DIR']) {
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, DATA_DIR: folder, [name]: '/proc/saldo/data' },
      timeout: 30_000,
      encoding: 'utf8',
    });
    assert.match(run.stderr, new RegExp(`${name} must be a folder that exists or can be created`));
  }
});

test('an invalid secret is not printed', () => {
  for (const [name, value] of [
    ['DATABASE_URL', 'mysql://saldo:hunter2@db/saldo'],
    ['DATABASE_URL', 'postgres://saldo:hunter2@db:1,db:x/saldo'],
    ['DATABASE_READ_URL', 'postgres://saldo:hunter2@db/saldo,mysql://db'],
    ['DATABASE_DIRECT_URL', 'saldo:hunter2@db'],
    ['BASE_URL', 'https://saldo:hunter2@x.example'],
    ['CUSTOMER_BASE_URL', 'https://saldo:hunter2@x.example'],
    ['SALDO_OPERATOR_KEY', 'hunter2'],
  ] as const) {
    const message = refusal({ [name]: value });
    assert.match(message, new RegExp(`${name} must be`));
    assert.doesNotMatch(message, /hunter2/);
  }
});

const fileWith = (name: string, content: string) => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
};

test('EXCHANGE_TRANSPORTS names the SFTP server of a TSO, its key or password, and its known host keys', () => {
  const { private: key, public: publicKey } = generateSshKey();
  const [keyFile, passwordFile] = [fileWith('key', key), fileWith('password', 'a secret\n')];
  const known = fileWith('known', `gw.example ${publicKey}\n[gw.example]:2222 ${publicKey}\n`);
  const environment = {
    DATA_DIR: folder,
    SFTP_KNOWN_HOSTS: known,
    EXCHANGE_TRANSPORTS: [
      `DE_AMPRION=sftp://a%40b@gw.example:2222/out%20box?inbox=/in&key_file=${keyFile}`,
      'DE_TENNET=folder',
      ` DE_50HERTZ=sftp://saldo@gw.example/out?password_file=${passwordFile}&inbox=/in `,
    ].join(','),
  };
  const { sftp } = readConfig(environment).exchange;
  const { hostKeys, ...amprion } = sftp.DE_AMPRION ?? assert.fail();
  assert.deepEqual(
    hostKeys.map(({ type }) => type),
    ['ssh-ed25519'],
  );
  assert.deepEqual(amprion, {
    host: 'gw.example',
    port: 2222,
    user: 'a@b',
    outboxDir: '/out box',
    inboxDir: '/in',
    credentials: { privateKey: Buffer.from(key) },
    timeoutMs: 20_000,
  });
  assert.deepEqual([sftp.DE_50HERTZ?.port, sftp.DE_50HERTZ?.credentials], [22, { password: 'a secret' }]);
  assert.deepEqual(Object.keys(sftp), ['DE_AMPRION', 'DE_50HERTZ']);
});

test('a wrong EXCHANGE_TRANSPORTS is reported without its value, which may contain a password', () => {
  const { public: publicKey } = generateSshKey();
  const SFTP_KNOWN_HOSTS = fileWith('known', `gw.example ${publicKey}\n`);
  const [empty, password] = [fileWith('empty', '\n'), fileWith('password', 'a secret\n')];
  const right = `inbox=/in&password_file=${password}`;
  const wrong: [string, RegExp][] = [
    ['gateway', /must be a list such as .*, but it was a value of 7 characters/],
    ['AMPRION=folder', /must be a list such as/],
    ['DE_AMPRION=folder,DE_AMPRION=folder', /each TSO once/],
    ['DE_AMPRION=ftp://a@gw.example/out', /the entry of DE_AMPRION is not an sftp:\/\/ address/],
    [
      `DE_AMPRION=sftp://a:hunter2@gw.example/out?${right}`,
      /has a password, which belongs in a password_file/,
    ],
    [`DE_AMPRION=sftp://gw.example/out?${right}`, /has no user/],
    [`DE_AMPRION=sftp://a@gw.example?${right}`, /two different absolute folders/],
    [`DE_AMPRION=sftp://a@gw.example/in?${right}`, /two different absolute folders/],
    [`DE_AMPRION=sftp://a@gw.example/%ff?${right}`, /invalid percent-encoding/],
    [`DE_AMPRION=sftp://a@gw.example/out?${right}&port=1`, /has the unknown parameter port/],
    ['DE_AMPRION=sftp://a@gw.example/out?inbox=/in', /needs one of key_file and password_file/],
    [`DE_AMPRION=sftp://a@gw.example/out?${right}&key_file=/x`, /needs one of key_file and password_file/],
    [
      `DE_AMPRION=sftp://a@gw.example/out?inbox=/in&key_file=${folder}/none`,
      /key_file in .* a file that can be read/,
    ],
    [
      `DE_AMPRION=sftp://a@gw.example/out?inbox=/in&key_file=${password}`,
      /a private key without a passphrase/,
    ],
    [
      `DE_AMPRION=sftp://a@gw.example/out?inbox=/in&password_file=${empty}`,
      /with a password, but ".*" is empty/,
    ],
    [
      `DE_AMPRION=sftp://a@other.example/out?${right}`,
      /SFTP_KNOWN_HOSTS must be .* host key of other.example, port 22/,
    ],
  ];
  for (const [EXCHANGE_TRANSPORTS, expected] of wrong) {
    const message = refusal({ EXCHANGE_TRANSPORTS, SFTP_KNOWN_HOSTS });
    assert.match(message, expected);
    assert.doesNotMatch(message, /hunter2|a secret|\n/);
  }
  const EXCHANGE_TRANSPORTS = `DE_AMPRION=sftp://a@gw.example/out?${right}`;
  assert.match(refusal({ EXCHANGE_TRANSPORTS }), /SFTP_KNOWN_HOSTS must be set/);
  assert.match(refusal({ SFTP_TIMEOUT_S: '0' }), /SFTP_TIMEOUT_S must be a whole number from 1 to 300/);
});

test('telemetry is off without a collector, and each signal has its own switch', () => {
  const telemetryOf = (environment: Record<string, string>) =>
    readConfig({ DATA_DIR: folder, ...environment }).telemetry;
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  assert.equal(telemetryOf({}), null);
  assert.equal(telemetryOf({ OTEL_SERVICE_NAME: 'saldo', OTEL_EXPORTER_OTLP_ENDPOINT: '' }), null);
  assert.equal(telemetryOf({ ...collector, OTEL_SDK_DISABLED: 'true' }), null);
  const both = telemetryOf(collector);
  assert.equal(both?.traces?.url, 'http://collector:4318/v1/traces');
  assert.equal(both?.logs?.url, 'http://collector:4318/v1/logs');
  assert.deepEqual([both?.resource, both?.ratio], [{ 'service.name': 'saldo' }, 1]);
  const ofTraces = telemetryOf({ ...collector, OTEL_LOGS_EXPORTER: 'none' });
  assert.equal(ofTraces?.logs, null);
  const own = telemetryOf({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://logs.example/otlp' });
  assert.deepEqual([own?.traces, own?.logs?.url], [null, 'https://logs.example/otlp']);
});

test('TLS files that cannot be used are reported with their variable', async () => {
  const { environment } = await makeCertificate(mkdtempSync(path.join(folder, 'one-')));
  const other = await makeCertificate(mkdtempSync(path.join(folder, 'two-')));
  const noise = path.join(folder, 'noise.pem');
  writeFileSync(noise, 'no PEM at all\n');
  const der = path.join(folder, 'cert.der');
  writeFileSync(der, new X509Certificate(other.certificate).raw);
  const wrong: [Record<string, string>, RegExp][] = [
    [{ TLS_CERT: path.join(folder, 'nowhere.pem') }, /TLS_CERT must be the path of a file that can be read/],
    [{ TLS_KEY: folder }, /TLS_KEY must be the path of a file that can be read/],
    [{ TLS_CERT: noise }, /TLS_CERT must be a file with a certificate in PEM, but ".*noise\.pem" is not/],
    [{ TLS_CERT: der }, /TLS_CERT must be a file with a certificate in PEM/],
    [{ TLS_CERT: environment.TLS_KEY }, /TLS_CERT must be a file with a certificate in PEM/],
    [{ TLS_KEY: noise }, /TLS_KEY must be a file with a private key in PEM without a passphrase/],
    [{ TLS_KEY: environment.TLS_CERT }, /TLS_KEY must be a file with a private key in PEM/],
    [{ TLS_KEY: other.environment.TLS_KEY }, /TLS_KEY must be the key of the certificate in TLS_CERT/],
  ];
  for (const [change, expected] of wrong) {
    assert.match(refusal({ ...environment, ...change }), expected, JSON.stringify(change));
  }
});

test('an invalid origin is reported with its variable', () => {
  for (const entry of [
    'https://app.example/',
    'https://app.example/x',
    'app.example',
    '*',
    'https://',
    'null',
  ]) {
    const message = refusal({ CORS_ORIGINS: `https://first.example, ${entry}` });
    assert.match(message, /CORS_ORIGINS must be a list of origins such as https:\/\//);
    assert.ok(message.includes(`"${entry}"`), message);
  }
});
