import type { Explanation } from '@saldo/api';
import { type DeliveryDay, formatInstant, SLOT_MS, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import { mwhNumber } from '@saldo/core/energy.ts';
import type { Direction } from '@saldo/core/enums.ts';
import { encodeId, ID_PREFIX, transactionIdWriter } from '@saldo/core/id.ts';
import {
  countedAsOf,
  type InvalidatedCell,
  type Sheet,
  unpackVolumes,
} from '@saldo/core/transactions/sheet.ts';
import { perViewer, tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

type ExplainedRow = {
  id: string;
  position_no: number;
  delivery_day: DeliveryDay;
  direction: Direction;
  amounts: number[];
  basis_contracts: number[];
  basis_revisions: number[];
  basis_invalidations: number[];
};

const FIND = perViewer(
  statement,
  'find_nomination_basis',
  'brp_no = $2',
  (
    andTenant,
  ) => `select id, position_no, delivery_day, direction, amounts, basis_contracts, basis_revisions, basis_invalidations
   from nomination where id = $1${andTenant}`,
);

const SHEETS = statement(
  'sheets_of_basis',
  `select s.contract_no, c.id as contract_id, c.seller_position = $4 as sends, s.id, s.revision, s.created_at,
     s.volumes
   from unnest($1::int[], $2::int[]) as b (contract_no, revision)
   join sheet s on s.contract_no = b.contract_no and s.delivery_day = $3 and s.revision <= b.revision
   join contract c on c.no = b.contract_no
   order by s.contract_no, s.revision`,
);

const INVALIDATIONS = statement(
  'invalidations_of_basis',
  `select i.contract_no, i.revision, i.slot
   from unnest($1::int[], $2::int[]) as b (contract_no, known)
   join invalidation i on i.contract_no = b.contract_no and i.delivery_day = $3 and i.number <= b.known`,
);

type SheetRow = {
  contract_no: number;
  contract_id: string;
  sends: boolean;
  id: string;
  revision: number;
  created_at: number;
  volumes: Uint8Array;
};

/** The transactions of one contract that count towards a position-day, by slot. */
type Share = {
  contractId: string;
  role: 'sender' | 'receiver';
  slots: ({ id: string; volumeKwh: number } | null)[];
};

/**
 * Lists every transaction that was valid when the nomination version was created. Works for superseded versions too,
 * because each version stores its basis; later corrections and invalidations are excluded.
 */
export async function explainNomination(db: Db, viewer: Viewer, id: string): Promise<Explanation | null> {
  const [row] = await db.query<ExplainedRow>(FIND[viewer.kind], [id, ...tenantValues(viewer)]);
  if (!row) return null;
  const shares = await sharesOf(db, row);
  const { delivery_day: day } = row;
  return {
    nomination_id: encodeId(ID_PREFIX.nomination, row.id),
    direction: row.direction,
    slots: row.amounts.map((amount, at) => {
      const start = slotStart(day, at + 1);
      return {
        slot_number: at + 1,
        delivery_start: formatInstant(start),
        delivery_end: formatInstant(start + SLOT_MS),
        amount: mwhNumber(amount),
        transactions: shares.flatMap(({ contractId, role, slots }) => {
          const cell = slots[at];
          if (!cell) return [];
          return [{ id: cell.id, contract_id: contractId, role, volume: mwhNumber(cell.volumeKwh) }];
        }),
      };
    }),
  };
}

async function sharesOf(db: Db, row: ExplainedRow): Promise<Share[]> {
  const { delivery_day: day } = row;
  const sheets = await db.query<SheetRow>(SHEETS, [
    row.basis_contracts,
    row.basis_revisions,
    day,
    row.position_no,
  ]);
  const invalidations = await db.query<InvalidatedCell & { contract_no: number }>(INVALIDATIONS, [
    row.basis_contracts,
    row.basis_invalidations,
    day,
  ]);
  const ofContract = Map.groupBy(invalidations, (cell) => cell.contract_no);
  const byContract = Map.groupBy(sheets, (sheet) => sheet.contract_no);
  return Array.from(byContract, ([contractNo, rows]) => shareOf(rows, ofContract.get(contractNo) ?? [], day));
}

function shareOf(rows: SheetRow[], invalidated: InvalidatedCell[], day: DeliveryDay): Share {
  const [head] = rows;
  if (!head) throw new Error('a group has at least one row');
  const idOf = new Map(rows.map((row) => [row.revision, transactionIdWriter(row.id)]));
  const history = rows.map(
    (row): Sheet => ({
      id: row.id,
      revision: row.revision,
      createdAt: row.created_at,
      volumes: unpackVolumes(row.volumes),
      statuses: null,
      versions: null,
      previous: null,
    }),
  );
  return {
    contractId: encodeId(ID_PREFIX.contract, head.contract_id),
    role: head.sends ? 'sender' : 'receiver',
    // A volume of zero contributes nothing to the saldo.
    slots: countedAsOf(history, invalidated, slotCount(day)).map((counted, at) => {
      if (counted === null || counted.volumeKwh === 0) return null;
      const id = idOf.get(counted.sheet.revision)?.(at + 1) ?? '';
      return { id, volumeKwh: counted.volumeKwh };
    }),
  };
}
