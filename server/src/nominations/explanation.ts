import type { Explanation, OperatorExplanation } from '@saldo/api';
import { type DeliveryDay, formatInstant, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { kwhFromMwh, mwhNumber } from '@saldo/core/energy.ts';
import type { Direction, SeriesKind } from '@saldo/core/enums.ts';
import { slotClosings } from '@saldo/core/gates.ts';
import { encodeId, ID_PREFIX, transactionIdWriter } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { sendableCells } from '@saldo/core/nominations/late-changes.ts';
import { perViewer, tenantValues, type Viewer } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { SheetSources } from '../transactions/sheet-sources.ts';
import { applyLateMarks, lateReadings, readContractDays, type StoredContractDay } from './contract-days.ts';

type ExplainedRow = {
  id: string;
  position_no: number;
  delivery_day: DeliveryDay;
  direction: Direction;
  amounts: number[];
  created_at: number;
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
  ) => `select id, position_no, delivery_day, direction, amounts, created_at, basis_contracts, basis_revisions,
     basis_invalidations
   from nomination where id = $1${andTenant}`,
);

/** `source` is set for the operator only. */
type Transaction = Explanation['slots'][number]['transactions'][number] & { source?: SeriesKind | null };

/**
 * Lists every transaction that the nomination version counted: those that were valid when it was created and, where a
 * late change between control areas could not be nominated, the one that was valid when the slot closed. Works for
 * superseded versions too, because each version stores its basis; later corrections and invalidations are excluded.
 */
export async function explainNomination(
  db: Db,
  viewer: Viewer,
  id: string,
  rules: MarketRules,
): Promise<Explanation | OperatorExplanation | null> {
  const [row] = await db.query<ExplainedRow>(FIND[viewer.kind], [id, ...tenantValues(viewer)]);
  if (!row) return null;
  const { delivery_day: day, direction } = row;
  const sources = viewer.kind === 'operator' ? await sourcesOf(db, row) : null;
  const readings = await readingsOf(db, row, slotClosings(day, rules), sources);
  return {
    nomination_id: encodeId(ID_PREFIX.nomination, row.id),
    direction,
    slots: row.amounts.map((amount, at) => {
      const start = slotStart(day, at + 1);
      const isExact = (reading: Reading) => amountOf(reading[at] ?? [], direction) === amount;
      return {
        slot_number: at + 1,
        delivery_start: formatInstant(start),
        delivery_end: formatInstant(start + SLOT_MS),
        amount: mwhNumber(amount),
        transactions: (readings.find(isExact) ?? readings[0])?.[at] ?? [],
      };
    }),
  };
}

/** What the volumes of the contracts of a version follow from. */
async function sourcesOf(db: Db, row: ExplainedRow): Promise<SheetSources> {
  const { basis_contracts: contracts, delivery_day: day } = row;
  const sources = new SheetSources();
  await sources.load(
    db,
    contracts.map((contractNo) => ({ contractNo, day })),
  );
  return sources;
}

/** The transactions of each slot. */
type Reading = Transaction[][];

async function readingsOf(
  db: Db,
  row: ExplainedRow,
  closings: readonly number[],
  sources: SheetSources | null,
): Promise<Reading[]> {
  const { delivery_day: day, position_no: position, created_at: createdAt } = row;
  const keys = row.basis_contracts.map((contractNo, at) => ({
    contractNo,
    day,
    revision: row.basis_revisions[at] ?? 0,
    invalidations: row.basis_invalidations[at] ?? 0,
  }));
  const contractDays = await readContractDays(db, keys);
  return lateReadings(createdAt, closings).map(({ counts, deadlines }): Reading => {
    const shares = contractDays.map((one) =>
      shareOf(applyLateMarks(one, counts), position, deadlines, sources),
    );
    return deadlines.map((_, at) => shares.flatMap((share) => share[at] ?? []));
  });
}

/** The transactions of one contract that count towards a position-day, by slot. */
function shareOf(
  contractDay: StoredContractDay,
  position: number,
  closings: readonly number[],
  sources: SheetSources | null,
): (Transaction | null)[] {
  const idOf = new Map(contractDay.sheets.map(({ id, revision }) => [revision, transactionIdWriter(id)]));
  return sendableCells(contractDay, closings).map((cell, at) => {
    // A volume of zero contributes nothing to the saldo.
    if (cell === null || cell.volumeKwh === 0) return null;
    const { revision, senderPosition, receiverPosition } = cell.sheet;
    // Nor does energy that a position sends to itself, or that passes between others.
    if ((senderPosition === position) === (receiverPosition === position)) return null;
    return {
      id: idOf.get(revision)?.(at + 1) ?? '',
      contract_id: encodeId(ID_PREFIX.contract, contractDay.contractId),
      role: senderPosition === position ? 'sender' : 'receiver',
      volume: mwhNumber(cell.volumeKwh),
      ...(sources && { source: sources.originOf(contractDay, revision, at + 1) }),
    };
  });
}

function amountOf(transactions: readonly Transaction[], direction: Direction): number {
  const saldo = transactions.reduce(
    (kwh, { role, volume }) => kwh + (role === 'sender' ? 1 : -1) * kwhFromMwh(volume),
    0,
  );
  return Math.max(direction === 'out' ? saldo : -saldo, 0);
}
