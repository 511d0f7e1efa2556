import ssh2 from 'ssh2';

/** One of 256 keys that ssh2 makes is in a form that neither it nor OpenSSH can read. */
export function generateSshKey(): ReturnType<typeof ssh2.utils.generateKeyPairSync> {
  for (;;) {
    const key = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(key.private) instanceof Error)) return key;
  }
}
