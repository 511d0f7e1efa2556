import type { Principal } from './principal.ts';

/** How long a secret may go on to be believed after it was last looked up: a revocation takes effect within this. */
const BELIEVED_MS = 4_000;
const MAX_BELIEVED = 10_000;

/** What a look-up found; from `endsAt` on it is worth nothing. */
type Found = { readonly principal: Principal; readonly endsAt: number | null };
type Believed = Found & { readonly lookedUpAt: number };

/** Tells who a secret belongs to. Answers at once for those that were looked up a moment ago. */
export type CredentialCache = {
  find(secret: string): Principal | null | Promise<Principal | null>;
  /** Every secret is looked up again: something was revoked here and now. */
  forget(): void;
};

export type CredentialCacheOptions = {
  /** What is of no such form needs no look-up. */
  readonly mayBe: (secret: string) => boolean;
  readonly lookUp: (secret: string) => Promise<Found | null>;
  readonly now: () => number;
  readonly monotonicNow: () => number;
};

export function createCredentialCache({
  mayBe,
  lookUp,
  now,
  monotonicNow,
}: CredentialCacheOptions): CredentialCache {
  // By secret, since hashing it for each request took longer than all else that lets a request in. The one that was
  // looked up the longest ago comes first.
  const believed = new Map<string, Believed>();
  const lookingUp = new Map<string, Promise<Principal | null>>();
  let revocations = 0;

  const unlessEnded = ({ principal, endsAt }: Found): Principal | null =>
    endsAt !== null && endsAt <= now() ? null : principal;

  /** A secret is not kept in memory for longer than it is of use. */
  function forgetOld(at: number): void {
    for (const [secret, { lookedUpAt }] of believed) {
      if (at - lookedUpAt < BELIEVED_MS && believed.size < MAX_BELIEVED) return;
      believed.delete(secret);
    }
  }

  async function ask(secret: string): Promise<Principal | null> {
    const lookedUpAt = monotonicNow();
    const askedDuring = revocations;
    forgetOld(lookedUpAt);
    const found = await lookUp(secret);
    believed.delete(secret);
    if (found === null) return null;
    // What was found before a revocation may be what was revoked.
    if (askedDuring === revocations) believed.set(secret, { ...found, lookedUpAt });
    return unlessEnded(found);
  }

  return {
    find(secret) {
      const entry = believed.get(secret);
      if (entry && monotonicNow() - entry.lookedUpAt < BELIEVED_MS) return unlessEnded(entry);
      if (!mayBe(secret)) return null;
      let pending = lookingUp.get(secret);
      if (!pending) {
        pending = ask(secret).finally(() => lookingUp.delete(secret));
        lookingUp.set(secret, pending);
      }
      return pending;
    },
    forget() {
      revocations++;
      believed.clear();
      lookingUp.clear();
    },
  };
}
