import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../db/wire-types.ts';

/** Records when keys and sessions were last used. Writes are batched, so that no request waits for them. */
export type LastUsed = {
  keyUsed(id: string, at: number, address: string): void;
  sessionUsed(id: string, at: number): void;
  /** Writes the uses collected since the last flush, in one transaction. */
  flush(): Promise<void>;
};

/**
 * Skips locked rows, so that the flush never waits for another transaction. The precision of one minute avoids an
 * update at each flush.
 */
const lockedRows = (table: string) => `(
         select id from ${table} where id = any($1::uuid[]) order by id for no key update skip locked)`;

/** A use from another address is written at once. */
const UPDATE_KEYS = statement(
  'update_keys_last_used',
  `update api_key t set last_used_at = used.at, last_used_address = used.address
   from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as used (id, at, address)
   where t.id = used.id
     and t.id in ${lockedRows('api_key')}
     and (t.last_used_at is null or t.last_used_at < used.at - interval '1 minute'
       or t.last_used_address is distinct from used.address)`,
);
const UPDATE_SESSIONS = statement(
  'update_sessions_last_seen',
  `update user_session t set last_seen_at = used.at
   from unnest($1::uuid[], $2::timestamptz[]) as used (id, at)
   where t.id = used.id
     and t.id in ${lockedRows('user_session')}
     and t.last_seen_at < used.at - interval '1 minute'`,
);

type KeyUse = { readonly at: number; readonly address: string };

/** `formatAddress` makes the form in which addresses are stored. */
export function createLastUsed(db: Database, formatAddress: (address: string) => string): LastUsed {
  let keys = new Map<string, KeyUse>();
  let sessions = new Map<string, number>();
  return {
    keyUsed: (id, at, address) => void keys.set(id, { at, address }),
    sessionUsed: (id, at) => void sessions.set(id, at),
    async flush() {
      const [usedKeys, usedSessions] = [keys, sessions];
      if (usedKeys.size + usedSessions.size === 0) return;
      [keys, sessions] = [new Map(), new Map()];
      try {
        await db.transaction(async (tx) => {
          const uses = [...usedKeys.values()];
          if (uses.length > 0)
            await tx.query(UPDATE_KEYS, [
              [...usedKeys.keys()],
              uses.map(({ at }) => timestamp(at)),
              uses.map(({ address }) => formatAddress(address)),
            ]);
          if (usedSessions.size > 0)
            await tx.query(UPDATE_SESSIONS, [
              [...usedSessions.keys()],
              [...usedSessions.values()].map(timestamp),
            ]);
        });
      } catch (error) {
        // Keep the uses for the next flush. Newer uses of the same id win.
        keys = new Map([...usedKeys, ...keys]);
        sessions = new Map([...usedSessions, ...sessions]);
        throw error;
      }
    },
  };
}
