import { isIP } from 'node:net';
import { LIMITS } from '@saldo/api';
import { networkOf } from '@saldo/core/users/network.ts';
import type { FastifyRequest } from 'fastify';

/** How addresses are stored and logged: as they are, or only their network. */
export const ADDRESS_FORMS = ['full', 'short'] as const;
export type AddressForm = (typeof ADDRESS_FORMS)[number];

declare module 'fastify' {
  interface FastifyInstance {
    addressForm: AddressForm;
  }
}

/** The origin of a request, as it is stored. */
export type RequestOrigin = { readonly address: string | null; readonly userAgent: string | null };

/** A proxy may forward any text as the address, and a closed connection has none. */
const UNKNOWN = 'unknown';

/** IPv4 addresses are written as such, also if the connection uses IPv6. */
export function formatAddress(address: string | undefined, form: AddressForm): string {
  if (address === undefined || isIP(address) === 0) return UNKNOWN;
  // A zone may have any length, and means nothing elsewhere.
  if (form === 'full') return address.replace(/%.*/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  const network = networkOf(address, 48);
  const isIpv4 = !network.includes(':');
  const parts = network.split(isIpv4 ? '.' : ':').slice(0, 3);
  return isIpv4 ? `${parts.join('.')}.0/24` : `${parts.join(':')}::/48`;
}

/** Whether a name or an address, as in a URL or of a connection, is that of this machine. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|(::ffff:)?127(\.\d+){1,3}|::1|\[::1\])$/i.test(host);

/** The address of the client for records and logs. Limits and allow lists use `request.ip`. */
export const clientAddress = (request: FastifyRequest): string =>
  formatAddress(request.ip, request.server.addressForm);

/** Clients send user agents of any length. */
export const userAgentOf = ({ headers }: Pick<FastifyRequest, 'headers'>): string | null =>
  headers['user-agent']?.slice(0, LIMITS.userAgentLength) ?? null;

export const originOfRequest = (request: FastifyRequest): RequestOrigin => ({
  address: clientAddress(request),
  userAgent: userAgentOf(request),
});
