import { createHmac, timingSafeEqual } from 'node:crypto';

/** One-time codes by time (RFC 6238), with the parameters that all authenticator apps support. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** 160 bits, as RFC 4226 recommends for SHA-1. */
export const TOTP_SECRET_BYTES = 20;
/** Steps before and after the current one whose codes are accepted, because clocks of phones drift. */
const DRIFT_STEPS = 1;
const CODE_FORM = new RegExp(`^\\d{${DIGITS}}$`);

export const stepAt = (instant: number): number => Math.floor(instant / STEP_MS);

/** The code of a time step. */
export function totpCode(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The step that a code belongs to, if it is a current one and later than `lastStep`. Null for a wrong or used code. */
export function findStep(secret: Uint8Array, code: string, now: number, lastStep = -1): number | null {
  if (!CODE_FORM.test(code)) return null;
  let found: number | null = null;
  for (let drift = -DRIFT_STEPS; drift <= DRIFT_STEPS; drift++) {
    const step = stepAt(now) + drift;
    if (step < 0) continue;
    const isSame = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code));
    if (isSame && step > lastStep) found ??= step;
  }
  return found;
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 without padding, in lower case. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let [bits, waiting] = [0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    for (waiting += 8; waiting >= 5; waiting -= 5) text += BASE32[(bits >> (waiting - 5)) & 31];
  }
  return waiting === 0 ? text : text + BASE32[(bits << (5 - waiting)) & 31];
}

/** What authenticator apps read from the QR code. The issuer and the account are what they show. */
export function otpauthUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?${new URLSearchParams({ secret, issuer, digits: String(DIGITS), period: String(STEP_MS / 1000) }).toString().replaceAll('+', '%20')}`;
}
