import { isIP } from 'node:net';
import type { NewCredential, UsedCredential } from '@saldo/api';
import type { PasskeyRow, VerifiedCredential } from './passkey-store.ts';
import { STEP_MS } from './sign-in-steps.ts';
import type { UserRow } from './store.ts';

/** Passkeys belong to the domain `id`, and are accepted from pages of `origin` only. */
export type RelyingParty = { readonly id: string; readonly origin: string };

export function relyingPartyOf(baseUrl: string): RelyingParty {
  const url = new URL(baseUrl);
  // Browsers accept no IP address as the domain of passkeys. Without `BASE_URL` the server only knows the one it listens on.
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) url.hostname = 'localhost';
  return { id: url.hostname, origin: url.origin };
}

/** Loaded by the first ceremony: the library takes a quarter of a second and 30 MB, which most processes never need. */
const loadLibrary = () => import('@simplewebauthn/server');
const loadHelpers = () => import('@simplewebauthn/server/helpers');

/** COSE numbers of EdDSA, ES256 and RS256. Named, because the library's own choice depends on the runtime. */
const ALGORITHMS = [-8, -7, -257];

/** Opaque to authenticators, and the same for all passkeys of a user, which authenticators therefore list as one user. */
const handleOf = (userId: string) => Buffer.from(userId.replaceAll('-', ''), 'hex');

type StoredCredential = Pick<PasskeyRow, 'credential_id' | 'transports'>;

const descriptorsOf = (passkeys: readonly StoredCredential[]) =>
  passkeys.map(({ credential_id, transports }) => ({ id: credential_id.toString('base64url'), transports }));

/** Options of `navigator.credentials.create()`. Authenticators that have one of `passkeys` refuse to create another. */
export async function creationOptions(
  rp: RelyingParty,
  user: UserRow,
  passkeys: readonly StoredCredential[],
) {
  const { generateRegistrationOptions } = await loadLibrary();
  return generateRegistrationOptions({
    rpName: 'Saldo',
    rpID: rp.id,
    userID: new Uint8Array(handleOf(user.id)),
    userName: user.email,
    userDisplayName: user.name,
    timeout: STEP_MS,
    attestationType: 'none',
    excludeCredentials: descriptorsOf(passkeys),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Options of `navigator.credentials.get()`. Without `passkeys` the browser offers all that it has for this platform. */
export async function requestOptions(rp: RelyingParty, passkeys: readonly StoredCredential[] | null) {
  const { generateAuthenticationOptions } = await loadLibrary();
  return generateAuthenticationOptions({
    rpID: rp.id,
    timeout: STEP_MS,
    userVerification: 'required',
    ...(passkeys === null ? {} : { allowCredentials: descriptorsOf(passkeys) }),
  });
}

/** What the library needs of a credential beside its response. */
const asJson = <T extends { response: object }>(credential: T) => ({
  ...credential,
  clientExtensionResults: {},
});

/** Null unless the credential was created for this challenge, on our page, by an authenticator that verified its user. */
export async function verifyCreated(
  rp: RelyingParty,
  challenge: string,
  credential: NewCredential,
): Promise<VerifiedCredential | null> {
  const { verifyRegistrationResponse } = await loadLibrary();
  try {
    if (await hasCertificates(credential)) return null;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: asJson(credential),
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    const created = registrationInfo?.credential;
    // The authenticator's data contain the id that it will sign for. The id beside them is only the browser's word.
    if (created === undefined || created.id !== credential.id) return null;
    return {
      credentialId: Buffer.from(created.id, 'base64url'),
      publicKey: Buffer.from(created.publicKey),
      signCount: created.counter,
    };
  } catch {
    // The library throws for every fault of the credential, and does no I/O.
    return null;
  }
}

/**
 * Browsers remove the certificates of authenticators, because none are asked for. The library would check them, and request
 * their revocation lists from their vendors.
 */
async function hasCertificates({ response }: NewCredential): Promise<boolean> {
  const { decodeAttestationObject } = await loadHelpers();
  const attestation = decodeAttestationObject(
    new Uint8Array(Buffer.from(response.attestationObject, 'base64url')),
  );
  const format = attestation.get('fmt');
  return format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined);
}

/**
 * The sign count of the authenticator, which the caller compares with the stored one. Null unless the owner of the passkey
 * signed this challenge, on our page, verified by the authenticator.
 */
export async function verifyUsed(
  rp: RelyingParty,
  challenge: string,
  { response, ...credential }: UsedCredential,
  { credential_id, public_key, user_id }: PasskeyRow,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { userHandle, ...signed } = response;
  if (userHandle != null && userHandle !== handleOf(user_id).toString('base64url')) return null;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: asJson({ ...credential, response: signed }),
      expectedChallenge: challenge,
      expectedOrigin: rp.origin,
      expectedRPID: rp.id,
      requireUserVerification: true,
      credential: {
        id: credential_id.toString('base64url'),
        publicKey: new Uint8Array(public_key),
        // The library would compare the counts before it verifies the signature: a forged response would look like a clone.
        counter: 0,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // As above: the fault is in the response.
    return null;
  }
}
