import type { FastifyReply, FastifyRequest } from 'fastify';

/** The cookie that carries a session's token, and whom a browser gives it to. */
export type SessionCookie = {
  /** Null when the request brings none. */
  read(request: FastifyRequest): string | null;
  set(reply: FastifyReply, token: string, lastsMs: number): void;
  clear(reply: FastifyReply): void;
};

/** The value of a cookie; null when the request brings none of this name. */
export function readCookie(request: FastifyRequest, name: string): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  for (const pair of cookie.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

/** No script can read it, no other site's page sends it along, and on https it never travels in the clear. */
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

/** The prefix makes browsers refuse one that another host of the same domain has set. */
export function sessionCookie(isSecure: boolean): SessionCookie {
  const name = isSecure ? '__Host-saldo_session' : 'saldo_session';
  return {
    read: (request) => readCookie(request, name),
    set: (reply, token, lastsMs) => writeCookie(reply, isSecure, name, token, Math.floor(lastsMs / 1000)),
    clear: (reply) => writeCookie(reply, isSecure, name, '', 0),
  };
}

/** Addresses are compared as browsers write them, without a path and without the protocol's own port. */
const originOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null);

/**
 * Whether a request was made by a page of ours. A browser says so in a header that no page can set; one that does not
 * tells at least where the page came from. The address that the browser asked counts as ours too, since without
 * `BASE_URL` the platform does not know all of its names.
 */
export function isFromOwnPage(request: FastifyRequest, baseUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, host } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  return origin === originOf(baseUrl) || origin === originOf(`${request.protocol}://${host ?? ''}`);
}
