import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, writeCookie } from './session-cookie.ts';

/** A browser in which a user has signed in before. */
export type Device = {
  readonly id: string;
  /** Whether the user with this credential has signed in with this browser. */
  knows(credential: string): boolean;
};

export type DeviceCookie = {
  /** Null without a device cookie that this platform has signed. */
  read(request: FastifyRequest): Device | null;
  /** Makes the browser a known device of the user with this credential. */
  remember(request: FastifyRequest, reply: FastifyReply, credential: string): void;
};

/** The maximum lifetime that browsers allow. Each sign-in renews the cookie. */
const LASTS_S = 400 * 24 * 3600;
/** Colleagues may share a workstation. Beyond this number, the least recent user is dropped. */
const MAX_USERS = 8;
const ID = /^[\w-]{22}$/;
const SEAL_LENGTH = 22;

/**
 * The cookie contains a random device id, a signature of the id, and one signature per user who has signed in with the
 * browser. The server stores nothing, so a flood of requests costs no look-up. The cookie grants no access: it only
 * exempts known devices from the sign-in delay that an attacker's wrong passwords cause.
 */
export function deviceCookie(isSecure: boolean, secret: Uint8Array): DeviceCookie {
  const name = isSecure ? '__Host-saldo_device' : 'saldo_device';
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'device cookie', 32));
  const sealOf = (...parts: string[]) =>
    createHmac('sha256', key).update(parts.join('\n')).digest('base64url').slice(0, SEAL_LENGTH);

  const open = (request: FastifyRequest): { id: string; users: string[] } | null => {
    const [id = '', seal = '', ...users] = readCookie(request, name)?.split('.') ?? [];
    return ID.test(id) && isSame(seal, sealOf(id)) ? { id, users } : null;
  };
  return {
    read(request) {
      const device = open(request);
      if (device === null) return null;
      const { id, users } = device;
      return {
        id,
        knows(credential) {
          const seal = sealOf(id, credential);
          return users.some((user) => isSame(user, seal));
        },
      };
    },
    remember(request, reply, credential) {
      const { id, users } = open(request) ?? { id: randomBytes(16).toString('base64url'), users: [] };
      const seal = sealOf(id, credential);
      const known = [seal, ...users.filter((user) => user !== seal)].slice(0, MAX_USERS);
      writeCookie(reply, isSecure, name, [id, sealOf(id), ...known].join('.'), LASTS_S);
    },
  };
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
