import { LIMITS, type SignInMethod, type UserSession } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { idleSince } from '../platform/auth/session-credentials.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';

type SessionRow = {
  id: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  method: SignInMethod | null;
  address: string | null;
  user_agent: string | null;
};

const COLUMNS = 'id, created_at, last_seen_at, expires_at, method::text as method, address, user_agent';
/** Without sessions that lack their second factor: they are no completed sign-ins. */
const LIST = statement(
  'list_user_sessions',
  `select ${COLUMNS} from user_session
   where user_id = $1 and pending is null and expires_at > $2 and last_seen_at > $3
   order by id desc limit $4`,
);
const END = statement(
  'end_own_session',
  `delete from user_session where id = $1 and user_id = $2 returning ${COLUMNS}`,
);

const wireSession = (row: SessionRow): Omit<UserSession, 'current'> => ({
  id: encodeId(ID_PREFIX.session, row.id),
  created_at: formatInstant(row.created_at),
  last_seen_at: formatInstant(row.last_seen_at),
  expires_at: formatInstant(row.expires_at),
  method: row.method,
  address: row.address,
  user_agent: row.user_agent,
});

/** The sessions of a user that have not ended. `machineNow` ignores the sandbox clock. */
export async function listSessions(
  db: Db,
  { id: currentId, userId }: { readonly id: string; readonly userId: string },
  machineNow: number,
): Promise<UserSession[]> {
  const values = [userId, timestamp(machineNow), timestamp(idleSince(machineNow)), LIMITS.sessions];
  const rows = await db.query<SessionRow>(LIST, values);
  return rows.map((row) => ({ ...wireSession(row), current: row.id === currentId }));
}

/** Ends a session of the user and returns it. Null for an unknown one and for another user's. */
export async function endOwnSession(tx: Tx, userId: string, publicId: string) {
  const id = decodeId(ID_PREFIX.session, publicId);
  const [row] = id === null ? [] : await tx.query<SessionRow>(END, [id, userId]);
  return row === undefined ? null : wireSession(row);
}
