import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

/** More than can be committed between two polls; a message also changes while its answers arrive. */
const [AUDIT_ENTRIES, MESSAGES] = [20, 50];

const FINGERPRINT = statement(
  'read_change_fingerprint',
  `select
     (select md5(string_agg(no::text, ' ')) from (select no from audit order by no desc limit ${AUDIT_ENTRIES}) a) as audit,
     (select md5(string_agg(id || ' ' || state, ' '))
      from (select id, state from message order by id desc limit ${MESSAGES}) m) as message`,
);

/** Changes of the operator's records without events: `audit` with every change by a request, `message` with messages. */
export type Fingerprint = { readonly audit: string | null; readonly message: string | null };

/**
 * The newest rows instead of the greatest number, because a transaction with a smaller number may commit later. Only the
 * operator's pages read it.
 */
export async function readFingerprint(db: Db): Promise<Fingerprint> {
  return (await db.query<Fingerprint>(FINGERPRINT))[0]!;
}

export const fingerprintText = ({ audit, message }: Fingerprint): string => `${audit ?? ''} ${message ?? ''}`;
