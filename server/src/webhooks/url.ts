import { isIP } from 'node:net';
import type { ProblemFieldError } from '@saldo/api';
import { isPublicAddress } from './addresses.ts';

/** A URL as the URL standard writes it. */
export const normalUrl = (text: string): string => new URL(text).href;

/** Why a URL cannot be an endpoint; null if it can. Names are resolved and checked when a webhook is sent. */
export function whyNotEndpoint(text: string, allowsPrivate: boolean): string | null {
  // The URL standard removes some of them, so that the URL would be another one than its reader sees.
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters';
  const url = URL.canParse(text) ? new URL(text) : null;
  const schemes = allowsPrivate ? ['https:', 'http:'] : ['https:'];
  if (url === null || !schemes.includes(url.protocol)) {
    return `must be a valid URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`;
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or a password: the signature authenticates the platform';
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!allowsPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return 'must have a public address';
  return null;
}

/** Checks the URL of a body of any type. */
export function urlFaults(body: unknown, allowsPrivate: boolean): ProblemFieldError[] {
  const { url } = (typeof body === 'object' && body !== null ? body : {}) as { url?: unknown };
  const message = typeof url === 'string' && url !== '' ? whyNotEndpoint(url, allowsPrivate) : null;
  return message === null ? [] : [{ field: 'url', code: 'validation_failed', message }];
}
