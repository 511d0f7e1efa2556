import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { element } from './certificate.ts';

/** What an authenticator or a browser does differently from a conforming one. */
export type Deviation = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly isPresent?: boolean;
  readonly signCount?: number;
  readonly type?: string;
  readonly challenge?: string;
  readonly userHandle?: string;
  readonly signature?: Buffer;
};

type CreationOptions = { challenge: string; rp: { id: string }; user: { id: string } };
type RequestOptions = { challenge: string; rpId: string };

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url');

/** CBOR, as much of it as an attestation needs: a head of a major type with a length or a number. */
const head = (major: number, value: number): Buffer =>
  value < 24
    ? Buffer.from([(major << 5) | value])
    : value < 256
      ? Buffer.from([(major << 5) | 24, value])
      : Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
const integer = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (...pairs: [Buffer, Buffer][]) => Buffer.concat([head(5, pairs.length), ...pairs.flat()]);

const UP = 1;
const UV = 4;
const ATTESTED = 64;

/** A self-signed certificate of an authenticator, as the standard requires it: version 3, no authority. */
function certificateOf(publicKey: KeyObject, privateKey: KeyObject): Buffer {
  const [sequence, set, oid, utf8] = [0x30, 0x31, 0x06, 0x0c];
  const algorithm = element(sequence, element(oid, Buffer.from('2a8648ce3d040302', 'hex')));
  const part = (type: number, value: string) =>
    element(
      set,
      element(sequence, element(oid, Buffer.from([0x55, 0x04, type])), element(utf8, Buffer.from(value))),
    );
  const name = element(
    sequence,
    ...[part(6, 'DE'), part(10, 'Saldo'), part(11, 'Authenticator Attestation'), part(3, 'Test')],
  );
  const validity = element(
    sequence,
    element(0x17, Buffer.from('200101000000Z')),
    element(0x18, Buffer.from('21000101000000Z')),
  );
  const constraints = element(
    sequence,
    element(oid, Buffer.from('551d13', 'hex')),
    element(0x04, element(sequence)),
  );
  const content = element(
    sequence,
    ...[element(0xa0, element(0x02, Buffer.from([2]))), element(0x02, Buffer.from([1])), algorithm],
    ...[name, validity, name, publicKey.export({ type: 'spki', format: 'der' })],
    element(0xa3, element(sequence, constraints)),
  );
  return element(
    sequence,
    content,
    algorithm,
    element(0x03, Buffer.from([0]), sign('sha256', content, privateKey)),
  );
}

/** An authenticator with one passkey, in software: signs as a real one does. `origin` is that of the page. */
export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let signCount = 0;
  let userHandle = '';

  const clientData = (type: string, challenge: string, how: Deviation) =>
    Buffer.from(
      JSON.stringify({
        type: how.type ?? type,
        challenge: how.challenge ?? challenge,
        origin: how.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (rpId: string, how: Deviation, attested = Buffer.alloc(0)) => {
    const { isPresent = true, isVerified = true } = how;
    signCount = how.signCount ?? signCount + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(signCount);
    const flags = (isPresent ? UP : 0) | (isVerified ? UV : 0) | (attested.length > 0 ? ATTESTED : 0);
    return Buffer.concat([sha256(how.rpId ?? rpId), Buffer.from([flags]), count, attested]);
  };
  const credential = <R extends object>(response: R) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });

  return {
    id: base64url(id),
    /** `statement` is the attestation: its format, and its members. */
    create(
      options: CreationOptions,
      how: Deviation = {},
      statement = { fmt: 'none', of: (_signed: Buffer) => map() },
    ) {
      userHandle = options.user.id;
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const coordinate = (value: string) => bytes(Buffer.from(value, 'base64url'));
      const coseKey = map(
        [integer(1), integer(2)],
        [integer(3), integer(-7)],
        [integer(-1), integer(1)],
        [integer(-2), coordinate(x)],
        [integer(-3), coordinate(y)],
      );
      const length = Buffer.from([id.length >> 8, id.length & 255]);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey]);
      const data = authenticatorData(options.rp.id, how, attested);
      const client = clientData('webauthn.create', options.challenge, how);
      const signed = Buffer.concat([data, sha256(client)]);
      const attestation = map(
        [text('fmt'), text(statement.fmt)],
        [text('attStmt'), statement.of(signed)],
        [text('authData'), bytes(data)],
      );
      return credential({
        clientDataJSON: base64url(client),
        attestationObject: base64url(attestation),
        transports: ['internal'],
      });
    },
    get(options: RequestOptions, how: Deviation = {}) {
      const data = authenticatorData(options.rpId, how);
      const client = clientData('webauthn.get', options.challenge, how);
      const signature = how.signature ?? sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return credential({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: how.userHandle ?? userHandle,
      });
    },
    /** The statement of an authenticator that signs with the new key itself, with or without a certificate for it. */
    attested: (hasCertificate: boolean) => ({
      fmt: 'packed',
      of: (signed: Buffer) => {
        const x5c = hasCertificate ? certificateOf(publicKey, privateKey) : null;
        return map(
          [text('alg'), integer(-7)],
          [text('sig'), bytes(sign('sha256', signed, privateKey))],
          ...(x5c === null
            ? []
            : [[text('x5c'), Buffer.concat([head(4, 1), bytes(x5c)])] as [Buffer, Buffer]]),
        );
      },
    }),
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;
