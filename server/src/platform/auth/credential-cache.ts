import type { Principal } from './principal.ts';

/** Cache TTL: upper bound for a revocation in another process to take effect. */
export const TTL_MS = 4_000;
const MAX_ENTRIES = 10_000;

/** The result of a look-up. The credential expires at `endsAt`, which may be before the cache entry does. */
type Credential = {
  readonly principal: Principal;
  readonly endsAt: number | null;
  /** Notes a use from this address. False if the credential must not be used from there. */
  readonly admits: (address: string) => boolean;
};
type CacheEntry = Credential & { readonly lookedUpAt: number };

/** The secret is valid, but not from the address of the request. A client must not learn the difference to null. */
export const FOREIGN_ADDRESS = 'foreign_address';
type Found = Principal | typeof FOREIGN_ADDRESS | null;

/** Finds the principal of a secret. A cache hit returns without a promise, which is cheaper per request. */
export type CredentialCache = {
  find(secret: string, address: string): Found | Promise<Found>;
  /** Clears the cache, so that a revocation in this process takes effect at once. */
  forget(): void;
};

export type CredentialCacheOptions = {
  /** False for malformed secrets, which are rejected without a look-up. */
  readonly mayBe: (secret: string) => boolean;
  readonly lookUp: (secret: string) => Promise<Credential | null>;
  readonly now: () => number;
  readonly monotonicNow: () => number;
};

export function createCredentialCache({
  mayBe,
  lookUp,
  now,
  monotonicNow,
}: CredentialCacheOptions): CredentialCache {
  // The key is the plain secret: hashing it per request took longer than all other checks of a request together.
  // Insertion order is look-up order, so the oldest entry comes first.
  const entries = new Map<string, CacheEntry>();
  const pendingLookUps = new Map<string, Promise<Credential | null>>();
  let revocations = 0;

  function admit(credential: Credential | null, address: string): Found {
    if (credential === null || (credential.endsAt !== null && credential.endsAt <= now())) return null;
    return credential.admits(address) ? credential.principal : FOREIGN_ADDRESS;
  }

  /** Removes expired entries, so that plain secrets do not stay in memory longer than needed. */
  function evictOld(at: number): void {
    for (const [secret, { lookedUpAt }] of entries) {
      if (at - lookedUpAt < TTL_MS && entries.size < MAX_ENTRIES) return;
      entries.delete(secret);
    }
  }

  async function lookUpAndStore(secret: string): Promise<Credential | null> {
    const lookedUpAt = monotonicNow();
    const revocationsBefore = revocations;
    evictOld(lookedUpAt);
    const found = await lookUp(secret);
    entries.delete(secret);
    if (found === null) return null;
    // A result that was read before a revocation may be the revoked credential, so it is not cached.
    if (revocationsBefore === revocations) entries.set(secret, { ...found, lookedUpAt });
    return found;
  }

  return {
    find(secret, address) {
      const entry = entries.get(secret);
      if (entry && monotonicNow() - entry.lookedUpAt < TTL_MS) {
        const found = admit(entry, address);
        // From a foreign address the secret is looked up like an unknown one, so that the time does not tell them apart.
        if (found !== FOREIGN_ADDRESS) return found;
      }
      if (!mayBe(secret)) return null;
      return pendingLookUps
        .getOrInsertComputed(secret, () =>
          lookUpAndStore(secret).finally(() => pendingLookUps.delete(secret)),
        )
        .then((found) => admit(found, address));
    },
    forget() {
      revocations++;
      entries.clear();
      pendingLookUps.clear();
    },
  };
}
