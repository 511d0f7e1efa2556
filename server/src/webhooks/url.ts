import { isIP } from 'node:net';
import type { Message } from '@saldo/core/messages/message.ts';
import type { FieldError } from '../platform/http/problem.ts';
import { isPublicAddress } from './addresses.ts';

/** A URL as the URL standard writes it. */
export const normalUrl = (text: string): string => new URL(text).href;

/** Why a URL cannot be an endpoint; null if it can. Names are resolved and checked when a webhook is sent. */
export function whyNotEndpoint(text: string, allowsPrivate: boolean): Message | null {
  // The URL standard removes some of them, so that the URL would be another one than its reader sees.
  if (/\p{Cc}/u.test(text)) return { key: 'field.control_characters' };
  const url = URL.canParse(text) ? new URL(text) : null;
  const schemes = allowsPrivate ? ['https:', 'http:'] : ['https:'];
  if (url === null || !schemes.includes(url.protocol)) {
    return { key: 'field.url', schemes: schemes.map((scheme) => `${scheme}//`) };
  }
  if (url.username !== '' || url.password !== '') {
    return { key: 'field.url_with_user' };
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!allowsPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return { key: 'field.public_address' };
  return null;
}

/** Checks the URL of a body of any type. */
export function urlFaults(body: unknown, allowsPrivate: boolean): FieldError[] {
  const { url } = (typeof body === 'object' && body !== null ? body : {}) as { url?: unknown };
  const message = typeof url === 'string' && url !== '' ? whyNotEndpoint(url, allowsPrivate) : null;
  return message === null ? [] : [{ field: 'url', code: 'validation_failed', message }];
}
