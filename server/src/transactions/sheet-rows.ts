import type { Tso } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { type Sheet, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import { statusColumnOf } from './sheet-status.ts';

/** A sheet with everything that its transactions show: contract, parties and asset. */
export type SheetRow = {
  readonly sheet: Sheet;
  readonly day: DeliveryDay;
  readonly contractNo: number;
  readonly contractId: string;
  readonly senderEic: string;
  readonly senderTso: Tso;
  readonly receiverEic: string;
  readonly receiverTso: Tso;
  readonly assetId: string | null;
  /** Ids of the sheets that this one corrects, by revision. */
  readonly correctedIds: Readonly<Record<number, string>> | null;
};

const SHEET = `s.id, s.created_at, s.contract_no, s.delivery_day, s.revision, s.volumes, ${statusColumnOf('s', 'statuses')},
  s.versions, s.previous`;

/**
 * A sheet shows the balance groups that it was made with. The position is read only where it is not the contract's
 * newest.
 */
const shown = (party: 'sender' | 'receiver', side: 'seller' | 'buyer', column: 'eic' | 'tso') =>
  `case when s.${party}_position = c.${side}_position then c.${side}_${column}
    else (select p.${column} from position p where p.no = s.${party}_position) end`;

/** Includes the ids of the corrected sheets only, because a day may have hundreds of sheets. */
export const SHEET_COLUMNS = `${SHEET},
  case when s.previous is not null then (
    select json_object_agg(e.revision, e.id) from sheet e
    where e.contract_no = s.contract_no and e.delivery_day = s.delivery_day and e.revision = any(s.previous)
  ) end,
  c.id, ${shown('sender', 'seller', 'eic')}, ${shown('sender', 'seller', 'tso')},
  ${shown('receiver', 'buyer', 'eic')}, ${shown('receiver', 'buyer', 'tso')}, c.asset_id`;

export type SheetColumns = [
  id: string,
  createdAt: number,
  contractNo: number,
  day: DeliveryDay,
  revision: number,
  packedVolumes: Uint8Array,
  statuses: number[] | null,
  versions: number[] | null,
  previous: (number | null)[] | null,
  correctedIds: Record<number, string> | null,
  contractId: string,
  senderEic: string,
  senderTso: Tso,
  receiverEic: string,
  receiverTso: Tso,
  assetId: string | null,
];

export const rowOf = (columns: SheetColumns): SheetRow => ({
  sheet: {
    id: columns[0],
    createdAt: columns[1],
    revision: columns[4],
    volumes: unpackVolumes(columns[5]),
    statuses: columns[6],
    versions: columns[7],
    previous: columns[8],
  },
  contractNo: columns[2],
  day: columns[3],
  correctedIds: columns[9],
  contractId: columns[10],
  senderEic: columns[11],
  senderTso: columns[12],
  receiverEic: columns[13],
  receiverTso: columns[14],
  assetId: columns[15],
});
