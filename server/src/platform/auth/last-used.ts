import type { Database } from '../db/database.ts';
import { type Statement, statement } from '../db/statement.ts';
import { timestamp } from '../db/wire-types.ts';

/** Records when keys and sessions were last used. Writes are batched, so that no request waits for them. */
export type LastUsed = {
  keyUsed(id: string, at: number): void;
  sessionUsed(id: string, at: number): void;
  /** Writes the uses collected since the last flush, in one transaction. */
  flush(): Promise<void>;
};

/**
 * Skips locked rows, so that the flush never waits for another transaction. The precision of one minute avoids an
 * update at each flush.
 */
const updateOf = (table: string, column: string): Statement =>
  statement(
    `update_${table}_${column}`,
    `update ${table} t set ${column} = used.at
     from unnest($1::uuid[], $2::timestamptz[]) as used (id, at)
     where t.id = used.id
       and t.id in (
         select id from ${table} where id = any($1::uuid[]) order by id for no key update skip locked)
       and (t.${column} is null or t.${column} < used.at - interval '1 minute')`,
  );

const UPDATE_KEYS = updateOf('api_key', 'last_used_at');
const UPDATE_SESSIONS = updateOf('user_session', 'last_seen_at');

type Uses = Map<string, number>;

export function createLastUsed(db: Database): LastUsed {
  let [keys, sessions]: [Uses, Uses] = [new Map(), new Map()];

  const valuesOf = (uses: Uses) => [[...uses.keys()], [...uses.values()].map(timestamp)];

  return {
    keyUsed: (id, at) => void keys.set(id, at),
    sessionUsed: (id, at) => void sessions.set(id, at),
    async flush() {
      const [usedKeys, usedSessions] = [keys, sessions];
      if (usedKeys.size + usedSessions.size === 0) return;
      [keys, sessions] = [new Map(), new Map()];
      try {
        await db.transaction(async (tx) => {
          if (usedKeys.size > 0) await tx.query(UPDATE_KEYS, valuesOf(usedKeys));
          if (usedSessions.size > 0) await tx.query(UPDATE_SESSIONS, valuesOf(usedSessions));
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
