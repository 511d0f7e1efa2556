import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/** An element of DER. */
export const element = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};

/**
 * Writes a self-signed certificate to `folder`. Encoded by hand, because Node can parse certificates but not create
 * them.
 */
export async function makeCertificate(folder: string) {
  const [sequence, set, oid, utf8] = [0x30, 0x31, 0x06, 0x0c];
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const algorithm = element(sequence, element(oid, Buffer.from([0x2b, 0x65, 0x70])));
  const commonName = element(oid, Buffer.from([0x55, 0x04, 0x03]));
  const name = element(
    sequence,
    element(set, element(sequence, commonName, element(utf8, Buffer.from('Saldo test')))),
  );
  const validity = element(
    sequence,
    element(0x17, Buffer.from('200101000000Z')),
    element(0x18, Buffer.from('21000101000000Z')),
  );
  const serial = element(0x02, Buffer.from([1]));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const content = element(sequence, serial, algorithm, name, validity, name, spki);
  const signature = element(0x03, Buffer.from([0]), sign(null, content, privateKey));
  const der = element(sequence, content, algorithm, signature);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  const [TLS_CERT, TLS_KEY] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  await writeFile(TLS_CERT, pem);
  await writeFile(TLS_KEY, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { certificate: pem, environment: { TLS_CERT, TLS_KEY } };
}
