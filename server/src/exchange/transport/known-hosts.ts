import { createHmac } from 'node:crypto';

/** A public key of a server, in the encoding of the SSH protocol. */
export type HostKey = { readonly type: string; readonly key: Buffer };

/** Algorithms by which a server may prove that it has a key of this type. */
export const HOST_KEY_ALGORITHMS = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  // Not `ssh-rsa`, which is the same key with SHA-1.
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
} as const;

/**
 * The keys of a server in a `known_hosts` file of OpenSSH, with plain or hashed names. Patterns and certificate
 * authorities are not supported, so their lines match no server.
 */
export function findHostKeys(knownHosts: string, host: string, port: number): HostKey[] {
  const name = (port === 22 ? host : `[${host}]:${port}`).toLowerCase();
  const revoked: Buffer[] = [];
  const known: HostKey[] = [];
  for (const line of knownHosts.split(/\r?\n/)) {
    const fields = line.trim().split(/\s+/);
    const marker = fields[0]?.startsWith('@') ? fields.shift() : null;
    const [names = '', type = '', encoded = ''] = fields;
    if (names.startsWith('#') || !names.split(',').some((one) => isName(one, name))) continue;
    const key = Buffer.from(encoded, 'base64');
    if (marker === '@revoked') revoked.push(key);
    else if (marker === null && Object.hasOwn(HOST_KEY_ALGORITHMS, type)) known.push({ type, key });
  }
  return known.filter(({ key }) => !revoked.some((one) => one.equals(key)));
}

/** A hashed name is `|1|salt|HMAC-SHA1 of the name`. */
function isName(entry: string, name: string): boolean {
  const [, version, salt = '', digest = ''] = entry.split('|');
  if (version !== '1') return entry.toLowerCase() === name;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === digest;
}
