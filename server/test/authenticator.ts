import assert from 'node:assert/strict';
import type { Owner } from '../src/platform/auth/principal.ts';
import { stepAt, totpCode } from '../src/users/totp.ts';
import { type Browser, newUser, openBrowser } from './browser.ts';
import type { Answer, TestPlatform } from './harness.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

export function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}

type Clock = Pick<TestPlatform, 'clock'>;

/** The code that an authenticator app shows, or has shown or will show some steps before or after. */
export const codeOf = ({ clock }: Clock, secret: string, steps = 0): string =>
  totpCode(decodeBase32(secret), stepAt(clock.now()) + steps);

/** Moves the clock to the next code. */
export function toNextCode(...platforms: readonly Clock[]): void {
  for (const { clock } of platforms) clock.set(new Date(clock.now() + STEP_MS).toISOString());
}

/** Sets up one-time codes with the code before the current one, so that the current one can still be used. */
export async function setUpCodes(platform: TestPlatform, browser: Browser, proof: object) {
  const begun = await browser.request.post('/portal/v1/one-time-code', proof);
  assert.equal(begun.status, 200, begun.text);
  const { token, secret } = begun.body;
  const confirmed = await browser.request.put('/portal/v1/one-time-code', {
    token,
    code: codeOf(platform, secret, -1),
  });
  assert.equal(confirmed.status, 200, confirmed.text);
  return { secret, recovery: confirmed.body.recovery_codes, code: () => codeOf(platform, secret) };
}

/** A user with one-time codes and the browser in which they were set up. */
export async function userWithCodes(platform: TestPlatform, owner: Owner) {
  const user = await newUser(platform, owner);
  const browser = openBrowser(platform);
  assert.equal((await browser.signIn(user.email, user.password)).status, 200);
  return { user, browser, ...(await setUpCodes(platform, browser, { password: user.password })) };
}

/** A browser in which a user has typed the password, and nothing else yet. */
export async function afterPassword(
  platform: Pick<TestPlatform, 'baseUrl'>,
  { email, password }: { email: string; password: string },
): Promise<Browser> {
  const browser = openBrowser(platform);
  const answer = await browser.signIn(email, password);
  assert.deepEqual([answer.status, answer.body.pending], [200, 'second_factor']);
  return browser;
}

/** Sends the second step of a sign-in. */
export const sendCode = ({ request }: Browser, code: string): Promise<Answer> =>
  request.post('/portal/v1/session/second-factor', { code });
