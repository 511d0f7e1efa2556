import { createRequire } from 'node:module';
import { TSOS, type Tso } from '@saldo/api';
import { findHostKeys } from '../exchange/transport/known-hosts.ts';
import type { SftpSettings } from '../exchange/transport/sftp.ts';
import { ConfigError, fileOf } from './config-error.ts';

const FORM =
  'a list such as DE_AMPRION=sftp://user@host:22/outbox?inbox=/inbox&key_file=/path,DE_TENNET=folder, each TSO once';
const PARAMETERS = ['inbox', 'key_file', 'password_file'];

type TransportSettings = {
  /** The value of EXCHANGE_TRANSPORTS. */
  readonly transports: string;
  readonly knownHostsFile: string | null;
  readonly timeoutMs: number;
};

/** The SFTP servers of EXCHANGE_TRANSPORTS. The value is never printed: a password may be in it by mistake. */
export function parseTransports(settings: TransportSettings): Partial<Record<Tso, SftpSettings>> {
  const { transports } = settings;
  const seen = new Set<Tso>();
  const servers: Partial<Record<Tso, SftpSettings>> = {};
  for (const entry of transports === '' ? [] : transports.split(',')) {
    const [, name, transport = ''] = /^\s*(\w+)=(.*?)\s*$/.exec(entry) ?? [];
    const tso = TSOS.find((known) => known === name);
    if (tso === undefined || seen.has(tso)) {
      throw new ConfigError(
        `EXCHANGE_TRANSPORTS must be ${FORM}, but it was a value of ${transports.length} characters.`,
      );
    }
    seen.add(tso);
    if (transport !== 'folder') servers[tso] = parseServer(tso, transport, settings);
  }
  return servers;
}

function parseServer(tso: Tso, address: string, settings: TransportSettings): SftpSettings {
  const wrong = (fault: string): never => {
    throw new ConfigError(`EXCHANGE_TRANSPORTS must be ${FORM}, but the entry of ${tso} ${fault}.`);
  };
  const parsed = URL.canParse(address) ? new URL(address) : null;
  if (parsed?.protocol !== 'sftp:' || parsed.hostname === '') return wrong('is not an sftp:// address');
  if (parsed.password !== '') return wrong('has a password, which belongs in a password_file');
  if (parsed.username === '') return wrong('has no user');
  const unknown = parsed.searchParams.keys().find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined) return wrong(`has the unknown parameter ${unknown}`);
  const decode = (part: string) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return wrong('has an invalid percent-encoding');
    }
  };
  const parameter = (key: string) => parsed.searchParams.get(key) ?? '';
  const [outboxDir, inboxDir] = [decode(parsed.pathname), parameter('inbox')];
  if (!/^\/./.test(outboxDir) || !/^\/./.test(inboxDir) || outboxDir === inboxDir) {
    return wrong('does not have two different absolute folders, as its path and as inbox');
  }
  const [keyFile, passwordFile] = [parameter('key_file'), parameter('password_file')];
  if ((keyFile === '') === (passwordFile === '')) return wrong('needs one of key_file and password_file');
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(parsed.port || 22);
  return {
    host,
    port,
    user: decode(parsed.username),
    outboxDir,
    inboxDir,
    credentials: keyFile === '' ? readPassword(passwordFile) : readKey(keyFile),
    hostKeys: readHostKeys(settings.knownHostsFile, host, port),
    timeoutMs: settings.timeoutMs,
  };
}

function readKey(file: string): { privateKey: Buffer } {
  const privateKey = fileOf('key_file in EXCHANGE_TRANSPORTS', file);
  // Loaded only when needed: it takes 70 ms.
  const { utils } = createRequire(import.meta.url)('ssh2') as typeof import('ssh2');
  const key = utils.parseKey(privateKey);
  if (!(key instanceof Error) && key.isPrivateKey()) return { privateKey };
  throw new ConfigError(
    `key_file in EXCHANGE_TRANSPORTS must be a file with a private key without a passphrase, but "${file}" is not.`,
  );
}

function readPassword(file: string): { password: string } {
  const password = fileOf('password_file in EXCHANGE_TRANSPORTS', file)
    .toString()
    .replace(/\r?\n$/, '');
  if (password !== '') return { password };
  throw new ConfigError(
    `password_file in EXCHANGE_TRANSPORTS must be a file with a password, but "${file}" is empty.`,
  );
}

function readHostKeys(file: string | null, host: string, port: number): SftpSettings['hostKeys'] {
  if (file === null) {
    throw new ConfigError('SFTP_KNOWN_HOSTS must be set when EXCHANGE_TRANSPORTS has an sftp:// address.');
  }
  const keys = findHostKeys(fileOf('SFTP_KNOWN_HOSTS', file).toString(), host, port);
  if (keys.length > 0) return keys;
  throw new ConfigError(
    `SFTP_KNOWN_HOSTS must be a file with a host key of ${host}, port ${port}, but "${file}" has none.`,
  );
}
