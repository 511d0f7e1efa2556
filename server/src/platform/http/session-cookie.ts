import type { FastifyReply, FastifyRequest } from 'fastify';

export type SessionCookie = {
  readonly name: string;
  /** Null without a session cookie. */
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, token: string, lastsMs: number): void;
  clear(reply: FastifyReply): void;
};

export function readCookie(request: FastifyRequest, name: string): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  for (const pair of cookie.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

/** Not readable by scripts, not sent with cross-site requests, and on https never sent unencrypted. */
export function writeCookie(
  reply: FastifyReply,
  isSecure: boolean,
  name: string,
  value: string,
  maxAgeS: number,
): void {
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  void reply.header('set-cookie', `${name}=${value}; Max-Age=${maxAgeS}; ${attributes}`);
}

/** With the prefix `__Host-`, browsers reject cookies that a sibling host of the same domain has set. */
export function sessionCookie(isSecure: boolean, plainName = 'saldo_session'): SessionCookie {
  const name = isSecure ? `__Host-${plainName}` : plainName;
  return {
    name,
    read: (request) => readCookie(request, name),
    set: (reply, token, lastsMs) => writeCookie(reply, isSecure, name, token, Math.floor(lastsMs / 1000)),
    clear: (reply) => writeCookie(reply, isSecure, name, '', 0),
  };
}

/** Normalised like the `Origin` header: without path and default port. */
const originOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null);

/**
 * Whether a page of the portal made the request. `Sec-Fetch-Site` is authoritative, because pages cannot set it. For
 * browsers without it, `Origin` is compared with the public URL and with the `Host` header: without `BASE_URL` the
 * platform does not know all of its own names.
 */
export function isFromOwnPage(request: FastifyRequest, baseUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, host } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  return origin === originOf(baseUrl) || origin === originOf(`${request.protocol}://${host ?? ''}`);
}
