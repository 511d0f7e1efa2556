import { createPrivateKey, X509Certificate } from 'node:crypto';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import { LIMITS, MESSAGE_FORMATS, MFA_POLICIES, TSOS, type Tso } from '@saldo/api';
import { checkEic } from '@saldo/core/eic.ts';
import { WAIT_PHASES } from '@saldo/core/enums.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { BUILT_IN_RULES, parseMarketRules } from '@saldo/core/market-rules-file.ts';
import { formatMessage } from '@saldo/core/messages/message.ts';
import { isEmail, whyDeceptive } from '@saldo/core/users/email.ts';
import { urlPerHost, urlPerServer } from '../platform/db/urls.ts';
import { ADDRESS_FORMS } from '../platform/http/client-address.ts';
import { REQUEST_LOG_LIMITS } from '../requests/log.ts';
import { ConfigError, fileOf, refuse, refuseAlone } from './config-error.ts';
import { createFolder, folder, PRIVATE } from './config-folder.ts';
import { readProviders } from './oidc-settings.ts';
import { parseTransports } from './sftp-settings.ts';
import { telemetrySettings } from './telemetry-settings.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that Node.js programs have for this. Any other value could be a misspelled `production`. */
const isProduction = (env: Environment): boolean =>
  oneOf(env, 'NODE_ENV', ['production', 'development', 'test'], 'development') === 'production';

const text = (env: Environment, name: string): string | null => {
  const value = env[name];
  return value === undefined || value === '' ? null : value;
};

function wholeNumber(
  env: Environment,
  name: string,
  range: { min: number; max: number; default: number },
  otherwise = '',
): number {
  const value = text(env, name);
  if (value === null) return range.default;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < range.min || number > range.max) {
    refuse(name, `a whole number from ${range.min} to ${range.max}${otherwise}`, value);
  }
  return number;
}

function oneOf<T extends string>(env: Environment, name: string, values: readonly T[], byDefault: T): T {
  const value = text(env, name);
  if (value === null) return byDefault;
  const found = values.find((known) => known === value);
  return found ?? refuse(name, `one of ${values.join(', ')}`, value);
}

function url(env: Environment, name: string, protocols: readonly string[]): string | null {
  const value = text(env, name);
  if (value === null) return null;
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (!parsed || !protocols.includes(parsed.protocol)) {
    refuse(
      name,
      `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      value,
    );
  }
  return value.replace(/\/+$/, '');
}

/** Paths are appended to it. */
function publicUrl(env: Environment, name: string, mayHavePath: boolean): string | null {
  const value = url(env, name, ['http:', 'https:']);
  if (value === null) return null;
  const { username, password, pathname } = new URL(value);
  if (username !== '' || password !== '') {
    throw new ConfigError(`${name} must be a URL without a user name or password.`);
  }
  if (/[\s?#]/.test(value)) refuse(name, 'a URL without a query, a fragment or blanks', value);
  // The pages of the portal, their cookies and links are below the root.
  if (!mayHavePath && pathname !== '/') refuse(name, 'a URL without a path', value);
  return value;
}

function operatorKey(env: Environment): string | null {
  const value = text(env, 'SALDO_OPERATOR_KEY');
  if (value !== null && !/^[\x21-\x7e]{16,200}$/.test(value)) {
    refuse('SALDO_OPERATOR_KEY', '16 to 200 printable ASCII characters without blanks', value);
  }
  return value;
}

function email(env: Environment, name: string, byDefault: string): string {
  const value = text(env, name) ?? byDefault;
  if (!isEmail(value) || value.length > LIMITS.emailLength) refuse(name, 'an email address', value);
  const fault = whyDeceptive(value);
  if (fault !== null) refuse(name, `an email address (it ${formatMessage(fault, 'en')})`, value);
  return value;
}

function operatorEic(env: Environment): string {
  const given = text(env, 'OPERATOR_EIC');
  if (given === null && isProduction(env)) {
    throw new ConfigError('OPERATOR_EIC must be set in production: it is the sender of every schedule.');
  }
  const value = given ?? '11XSALDO-------Z';
  const fault = checkEic(value);
  if (fault !== null) {
    throw new ConfigError(
      `OPERATOR_EIC must be a valid EIC, but it was "${value}". ${formatMessage(fault, 'en')}`,
    );
  }
  return value;
}

function operatorName(env: Environment): string {
  const value = text(env, 'OPERATOR_NAME') ?? 'Saldo Clearing';
  if (value.trim() === '' || value.length > LIMITS.nameLength) {
    refuse('OPERATOR_NAME', `a name of 1 to ${LIMITS.nameLength} characters`, value);
  }
  return value;
}

/** A list such as DE_AMPRION=cim,DE_TENNET=ess. The first value is the default. */
function perTso<T extends string>(
  env: Environment,
  name: string,
  values: readonly [T, T, ...T[]],
): Record<Tso, T> {
  const byDefault = values[0];
  const chosen: Record<Tso, T> = {
    DE_AMPRION: byDefault,
    DE_TENNET: byDefault,
    DE_TRANSNET_BW: byDefault,
    DE_50HERTZ: byDefault,
  };
  const value = text(env, name);
  const seen = new Set<Tso>();
  for (const entry of value?.split(',') ?? []) {
    const [tsoName, given, ...more] = entry.trim().split('=');
    const tso = TSOS.find((known) => known === tsoName);
    const found = values.find((known) => known === given);
    if (tso === undefined || found === undefined || more.length > 0 || seen.has(tso)) {
      const must = `a list such as DE_AMPRION=${values[1]},DE_TENNET=${byDefault} (TSOs ${TSOS.join(', ')}, each once; values ${values.join(', ')})`;
      return refuse(name, must, value ?? '');
    }
    seen.add(tso);
    chosen[tso] = found;
  }
  return chosen;
}

function marketRules(env: Environment): MarketRules {
  const file = text(env, 'MARKET_RULES');
  if (file === null) return BUILT_IN_RULES;
  const parsed = parseMarketRules(fileOf('MARKET_RULES', file).toString());
  if (parsed.kind === 'ok') return parsed.rules;
  throw new ConfigError(`MARKET_RULES must be a file with market rules, but in "${file}" ${parsed.message}.`);
}

function identityProviders(env: Environment) {
  const file = text(env, 'OIDC_FILE');
  return file === null ? [] : readProviders(file);
}

/** Checks the folders at the start, so that a wrong path fails early and not shortly before a gate. */
function exchange(env: Environment, dataDir: string) {
  const { minimum: min, maximum: max, default: byDefault } = LIMITS.messageMb;
  const messageLimitBytes =
    wholeNumber(env, 'MESSAGE_LIMIT_MB', { min, max, default: byDefault }) * 1024 * 1024;
  /** A schedule without an acknowledgement after this time raises an alarm. */
  const ackMinutes = wholeNumber(env, 'ACK_MINUTES', { min: 1, max: 1440, default: 10 });
  /** Whether simulated TSOs answer the platform's schedules. */
  const isSimulated = oneOf(env, 'SIMULATE_TSO', ['on', 'off'], 'off') === 'on';
  /** Message format that each TSO expects. */
  const formats = perTso(env, 'EXCHANGE_FORMATS', MESSAGE_FORMATS);
  /** Whether changes made in the wait phase are sent at once or held until its end. */
  const waitPhases = perTso(env, 'WAIT_PHASE', WAIT_PHASES);
  /** TSOs that are reached through an SFTP server instead of the folders. */
  const sftp = parseTransports({
    transports: text(env, 'EXCHANGE_TRANSPORTS') ?? '',
    knownHostsFile: text(env, 'SFTP_KNOWN_HOSTS'),
    timeoutMs: wholeNumber(env, 'SFTP_TIMEOUT_S', { min: 1, max: 300, default: 20 }) * 1000,
  });
  /** Whether this process delivers to the outbox and imports from the inbox. Otherwise another process does. */
  const hasFolders = oneOf(env, 'EXCHANGE_FOLDERS', ['on', 'off'], 'on') === 'on';
  const folderOf = (name: string, byDefault: string) => {
    const value = text(env, name) ?? path.join(dataDir, byDefault);
    return hasFolders ? folder(name, value) : value;
  };
  const [outboxDir, inboxDir] = [folderOf('OUTBOX_DIR', 'outbox'), folderOf('INBOX_DIR', 'inbox')];
  if (outboxDir === inboxDir) refuse('INBOX_DIR', 'another folder than OUTBOX_DIR', inboxDir);
  const folders = { hasFolders, outboxDir, inboxDir };
  return { formats, waitPhases, ...folders, sftp, messageLimitBytes, ackMinutes, isSimulated };
}

function tls(env: Environment) {
  const [cert, key] = [text(env, 'TLS_CERT'), text(env, 'TLS_KEY')];
  if (cert === null && key === null) return null;
  if (cert === null) return refuseAlone('TLS_KEY', 'TLS_CERT');
  if (key === null) return refuseAlone('TLS_CERT', 'TLS_KEY');
  const files = { cert: fileOf('TLS_CERT', cert), key: fileOf('TLS_KEY', key) };
  const certificate = parseFile('TLS_CERT', 'a certificate in PEM', cert, () => {
    // `X509Certificate` also accepts DER, with which every TLS connection would fail.
    createSecureContext({ cert: files.cert });
    return new X509Certificate(files.cert);
  });
  const privateKey = parseFile('TLS_KEY', 'a private key in PEM without a passphrase', key, () =>
    createPrivateKey(files.key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      `TLS_KEY must be the key of the certificate in TLS_CERT, but "${key}" is that of another.`,
    );
  }
  return files;
}

function parseFile<T>(name: string, must: string, file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ConfigError(`${name} must be a file with ${must}, but "${file}" is not (${reason}).`);
  }
}

/** Normalised like the `Origin` header of browsers: without path and default port. */
function origins(env: Environment, name: string): readonly string[] {
  const entries = (text(env, name) ?? '').split(',').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const isOrigin = /^https?:\/\/[^/?#@\\\s*]+$/i.test(entry) && URL.canParse(entry);
      if (!isOrigin)
        refuse(name, 'a list of origins such as https://app.example.org,http://localhost:3000', entry);
      return new URL(entry).origin;
    });
}

function workers(env: Environment): number {
  const range = { min: 1, max: 256, default: 1 };
  return text(env, 'WORKERS') === 'auto'
    ? Math.min(availableParallelism(), range.max)
    : wholeNumber(env, 'WORKERS', range, ', or auto');
}

function postgresUrl(env: Environment, name: string, urlsOf = urlPerHost): string | null {
  const value = text(env, name);
  if (value !== null && urlsOf(value) === null)
    refuse(name, 'a URL that begins with postgres:// or postgresql://', value);
  return value;
}

/** The users of a demo in production are protected by their passwords only. */
function demoSignIn(env: Environment): 'local' | 'on' | 'off' {
  const name = 'DEMO_SIGN_IN';
  const value = oneOf(env, name, ['local', 'on', 'off'], isProduction(env) ? 'off' : 'local');
  return isProduction(env) && value !== 'off' ? refuse(name, 'off in production', value) : value;
}

/** May have several hosts, of which one is the primary. Null: the embedded database. */
export const readDatabaseUrl = (env: Environment): string | null => postgresUrl(env, 'DATABASE_URL');

/** The server itself where `DATABASE_URL` names a pooler. Null: it names none. */
export const readDirectUrl = (env: Environment): string | null => postgresUrl(env, 'DATABASE_DIRECT_URL');

function readUrls(env: Environment): readonly string[] {
  const value = postgresUrl(env, 'DATABASE_READ_URL', urlPerServer);
  return value === null ? [] : (urlPerServer(value) ?? []);
}

/** With `DATABASE_URL` only: the embedded database has neither a pooler nor replicas. */
function databaseSettings(env: Environment) {
  const settings = {
    databaseUrl: readDatabaseUrl(env),
    databaseDirectUrl: readDirectUrl(env),
    /** One URL per read replica. */
    databaseReadUrls: readUrls(env),
    /** A replica that is further behind the primary is left out. */
    readLagS: wholeNumber(env, 'READ_LAG_S', { min: 1, max: MAX_READ_LAG_S, default: 10 }),
  };
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL']) {
    if (settings.databaseUrl === null && text(env, name) !== null) refuseAlone(name, 'DATABASE_URL');
  }
  return settings;
}

/** Positions of callers are remembered for longer, so that every replica in use has them by then. */
const MAX_READ_LAG_S = 20;

export const readDataDir = (env: Environment): string => text(env, 'DATA_DIR') ?? 'data';

/** Keys that seal the secrets of the database. */
export const readSecretsKeyFile = (env: Environment): string =>
  path.resolve(text(env, 'SECRETS_KEY_FILE') ?? path.join(readDataDir(env), 'secrets.key'));

/** The private key that signs the seals of the ledger. */
export const readLedgerKeyFile = (env: Environment): string =>
  path.resolve(text(env, 'LEDGER_KEY_FILE') ?? path.join(readDataDir(env), 'ledger.key'));

const PORTS = { min: 0, max: 65_535 };

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** The configuration from environment variables. The defaults suit a first trial on a developer's machine. */
export function readConfig(env: Environment) {
  const database = databaseSettings(env);
  const settings = {
    host: text(env, 'HOST') ?? '127.0.0.1',
    port: wholeNumber(env, 'PORT', { ...PORTS, default: 8080 }),
    customerPort: wholeNumber(env, 'CUSTOMER_PORT', { ...PORTS, default: 8081 }),
    adminHost: text(env, 'ADMIN_HOST') ?? '127.0.0.1',
    adminPort: wholeNumber(env, 'ADMIN_PORT', { ...PORTS, default: 9090 }),
    /** Public URL of the BRP API, without a trailing slash. Null: the address that the server listens on. */
    baseUrl: publicUrl(env, 'BASE_URL', false),
    /** Public URL of the customer API, with the same rules. */
    customerBaseUrl: publicUrl(env, 'CUSTOMER_BASE_URL', true),
    errorBase: publicUrl(env, 'ERROR_BASE', true),
    ...database,
    redisUrl: url(env, 'REDIS_URL', ['redis:', 'rediss:']),
    rateLimit: wholeNumber(env, 'RATE_LIMIT', { min: 1, max: 1_000_000_000, default: 300 }),
    rateWindowS: wholeNumber(env, 'RATE_WINDOW_S', { min: 1, max: 86_400, default: 60 }),
    /** Number of worker processes that share the ports. */
    workers: workers(env),
    /** Concurrency limit per process. Further requests wait in a FIFO queue. */
    requestsAtOnce: wholeNumber(env, 'REQUESTS_AT_ONCE', { min: 1, max: 100_000, default: 128 }),
    /** Maximum time in the queue. A request that waits longer is rejected. */
    queueWaitMs: wholeNumber(env, 'QUEUE_WAIT_MS', { min: 1, max: 60_000, default: 1500 }),
    /** Maximum time for headers, and for a body that is slower than the minimum rate. Not for streamed bodies. */
    requestTimeoutS: wholeNumber(env, 'REQUEST_TIMEOUT_S', { min: 1, max: 3600, default: 10 }),
    /** Idle timeout of a streamed import. Its total time is not limited. */
    importSilenceS: wholeNumber(env, 'IMPORT_SILENCE_S', { min: 1, max: 3600, default: 120 }),
    /** How long the reader of an export may take nothing. The total time of an export is not limited. */
    exportSilenceS: wholeNumber(env, 'EXPORT_SILENCE_S', { min: 1, max: 3600, default: 300 }),
    corsOrigins: origins(env, 'CORS_ORIGINS'),
    /** How addresses of clients are stored and logged. */
    addressForm: oneOf(env, 'ADDRESSES', ADDRESS_FORMS, 'full'),
    trustProxy: oneOf(env, 'TRUST_PROXY', ['on', 'off'], 'off') === 'on',
    /** In production nothing has a default that is for trials, and no key is printed. */
    isProduction: isProduction(env),
    // An external database and a platform in production get demo data only on explicit request.
    demo:
      oneOf(
        env,
        'DEMO',
        ['on', 'off'],
        database.databaseUrl === null && !isProduction(env) ? 'on' : 'off',
      ) === 'on',
    /** Which browsers may sign in as a demo user without a password. */
    demoSignIn: demoSignIn(env),
    /** Whether the operator may move the platform's clock. */
    sandbox: oneOf(env, 'SANDBOX', ['on', 'off'], 'off') === 'on',
    /** Whether webhooks may be sent to private addresses and over http. */
    allowsPrivateWebhooks: oneOf(env, 'WEBHOOK_ALLOW_PRIVATE', ['on', 'off'], 'off') === 'on',
    /** Gates, holidays and codes with their dates. */
    marketRules: marketRules(env),
    /** Number of coming days for which profile contracts generate volumes. */
    profileDays: wholeNumber(env, 'PROFILE_DAYS', { min: 1, max: LIMITS.profileDays, default: 7 }),
    /** Events are deleted after this number of days. */
    eventDays: wholeNumber(env, 'EVENT_DAYS', { min: 1, max: 3650, default: 90 }),
    /** Requests of keys and users are logged for so many days; 0: not at all. */
    requestLog: {
      days: wholeNumber(env, 'REQUEST_LOG_DAYS', { min: 0, max: 3650, default: 30 }),
      ...REQUEST_LOG_LIMITS,
    },
    operatorKey: operatorKey(env),
    /** Email address of the first operator user, who is invited at the first start. */
    operatorEmail: email(env, 'OPERATOR_EMAIL', 'operator@localhost'),
    operator: { name: operatorName(env), eic: operatorEic(env) },
    /** Whose sessions need a second factor. */
    mfa: oneOf(env, 'MFA', MFA_POLICIES, 'off'),
    /** With which users sign in to the portal, besides passwords. */
    identityProviders: identityProviders(env),
    tls: tls(env),
    /** Null: not set, so that a terminal gets plain lines instead of the log. */
    logLevel: text(env, 'LOG_LEVEL') === null ? null : oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    /** Where traces and logs are exported to. Null: nowhere. */
    telemetry: telemetrySettings(env),
  };
  const dataDir = folder('DATA_DIR', readDataDir(env));
  return {
    ...settings,
    dataDir,
    secretsKeyFile: readSecretsKeyFile(env),
    ledgerKeyFile: readLedgerKeyFile(env),
    exchange: exchange(env, dataDir),
  };
}

/** Creates the folders that `readConfig` has checked. */
export function createFolders({ dataDir, exchange: { hasFolders, outboxDir, inboxDir } }: Config): void {
  createFolder(dataDir);
  if (hasFolders) for (const dir of [outboxDir, inboxDir]) createFolder(dir, PRIVATE);
}
