import type { Passkey, SessionState } from '@saldo/api';
import { NO_RETRY, portalClient } from './clients.ts';

/** Whether the browser has passkeys. It offers them to pages over https and on the own machine only. */
export const arePasskeysSupported = (): boolean =>
  'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

const asPublicKey = (credential: Credential | null): PublicKeyCredential => {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser has created no passkey');
  return credential;
};

/** The browser asks where to store the passkey, and verifies the user. */
export async function createPasskey(name: string): Promise<Passkey> {
  const { public_key } = await portalClient.passkeys.start(NO_RETRY);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    public_key as PublicKeyCredentialCreationOptionsJSON,
  );
  const created = asPublicKey(await navigator.credentials.create({ publicKey }));
  const credential = created.toJSON() as RegistrationResponseJSON & { type: 'public-key' };
  return portalClient.passkeys.add({ name, credential }, NO_RETRY);
}

/** The begin of a sign-in with a passkey: alone, or as the second step after a password. */
export type PasskeyUse = 'sign_in' | 'second_step';

/** The browser lets the user choose a passkey, and verifies the user. */
export async function signInWithPasskey(use: PasskeyUse): Promise<SessionState> {
  const { startSignIn, signIn, startStep, complete } = portalClient.passkeys;
  const { public_key } = await (use === 'sign_in' ? startSignIn : startStep)(NO_RETRY);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(public_key);
  const used = asPublicKey(await navigator.credentials.get({ publicKey }));
  const credential = used.toJSON() as AuthenticationResponseJSON & { type: 'public-key' };
  return (use === 'sign_in' ? signIn : complete)({ credential }, NO_RETRY);
}
