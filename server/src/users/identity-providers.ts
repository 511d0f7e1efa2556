import { normalizeEmail } from '@saldo/core/users/email.ts';
import { createIdentityProvider, type IdentityProvider, type ProviderSettings } from './identity-provider.ts';

/** The domain of an email address. */
export const domainOf = (email: string): string => normalizeEmail(email).split('@').at(-1) ?? '';

/** The identity providers of the platform, in the order of the settings. */
export type IdentityProviders = {
  readonly all: readonly IdentityProvider[];
  find(id: string): IdentityProvider | null;
  findByIssuer(issuer: string): IdentityProvider | null;
  /** Those for addresses of the domain. */
  ofDomain(domain: string): readonly IdentityProvider[];
  /** Those that users of the domain have to use instead of a password; empty if a password is accepted. */
  requiredFor(domain: string): readonly IdentityProvider[];
};

export function createIdentityProviders(
  settings: readonly ProviderSettings[],
  monotonicNow: () => number,
): IdentityProviders {
  const all = settings.map((one) => createIdentityProvider(one, monotonicNow));
  return {
    all,
    find: (id) => all.find((provider) => provider.id === id) ?? null,
    findByIssuer: (issuer) => all.find((provider) => provider.issuer === issuer) ?? null,
    ofDomain: (domain) => all.filter(({ emailDomains }) => emailDomains.includes(domain)),
    requiredFor: (domain) => all.filter(({ requiredFor }) => requiredFor.includes(domain)),
  };
}
