import type { EventData, Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

/** The columns of a nomination that its events need. */
export type NominationIdentity = {
  id: string;
  brp_no: number;
  eic: string;
  tso: Tso;
  delivery_day: DeliveryDay;
  direction: 'out' | 'in';
  version: number;
  previous_id: string | null;
};

export const IDENTITY_COLUMNS =
  'n.id, n.brp_no, n.eic, n.tso, n.delivery_day, n.direction, n.version, n.previous_id';

const publicId = (id: string) => encodeId(ID_PREFIX.nomination, id);

export const nominationData = (row: NominationIdentity): EventData<'nomination.created'> => ({
  object: 'nomination',
  id: publicId(row.id),
  eic: row.eic,
  tso: row.tso,
  direction: row.direction,
  delivery_date: row.delivery_day,
  version: row.version,
  previous_nomination_id: row.previous_id === null ? null : publicId(row.previous_id),
});

const CURRENT = statement(
  'current_nomination_identities',
  `select ${IDENTITY_COLUMNS} from nomination n where n.id = any($1::uuid[]) and n.status <> 'superseded'
   order by n.id`,
);

/** Reads these nominations, without those that were superseded. */
export const readCurrentIdentities = (db: Db, ids: readonly string[]): Promise<NominationIdentity[]> =>
  db.query<NominationIdentity>(CURRENT, [ids]);
