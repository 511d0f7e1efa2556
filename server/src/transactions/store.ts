import type { Tso } from '@saldo/api';
import { addDays, type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import type { TransactionStatus } from '@saldo/core/enums.ts';
import {
  type Cell,
  cellAt,
  chain,
  type Sheet,
  STATUS_BIT,
  unpackVolumes,
} from '@saldo/core/transactions/sheet.ts';
import { seenBy } from '../contracts/store.ts';
import { perViewer, tenantValues, type Viewer, viewedBy } from '../platform/auth/viewer.ts';
import type { Db } from '../platform/db/database.ts';
import { type HotStatement, hotStatement, type Statement, statement } from '../platform/db/statement.ts';
import { type InstantRange, slotsWithin, touchedDays } from '../platform/http/time-filter.ts';
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

export type TransactionRecord = {
  readonly row: SheetRow;
  readonly cell: Cell;
  /** Set for the operator only: see `withInvalidReasons`. */
  readonly invalidReason?: string | null;
};

export type TransactionFilter = {
  readonly status: TransactionStatus | null;
  readonly senderEic: string | null;
  readonly receiverEic: string | null;
  readonly contractId: string | null;
  readonly delivery: InstantRange;
  readonly slotFrom: number;
  readonly slotTo: number;
};

/** Pagination cursor: the last transaction of the previous page. */
export type TransactionPosition = { day: DeliveryDay; contractId: string; slot: number; version: number };

/** First contract-day of a batch of sheets; a null contract means the first contract of the day. */
type Begin = { readonly day: DeliveryDay; readonly contractId: string | null };

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
const SHEET_COLUMNS = `${SHEET},
  case when s.previous is not null then (
    select json_object_agg(e.revision, e.id) from sheet e
    where e.contract_no = s.contract_no and e.delivery_day = s.delivery_day and e.revision = any(s.previous)
  ) end,
  c.id, ${shown('sender', 'seller', 'eic')}, ${shown('sender', 'seller', 'tso')},
  ${shown('receiver', 'buyer', 'eic')}, ${shown('receiver', 'buyer', 'tso')}, c.asset_id`;

type Columns = [
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

const rowOf = (columns: Columns): SheetRow => ({
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

/** The filters that are set determine the best index, so each combination is a prepared statement with its own plan. */
type ListShape = {
  viewer: Viewer['kind'];
  status: TransactionStatus | null;
  sender: boolean;
  receiver: boolean;
  contract: boolean;
};

/**
 * $1 first day, $2 last day, $3 limit of sheets, $4 the contract, or the first contract on the first day. Then, as far
 * as the shape has them: $5 the viewer's BRP, the sender's EIC, the receiver's EIC.
 */
function listStatement(shape: ListShape): HotStatement | Statement {
  const isOfBrp = shape.viewer === 'brp';
  let parameters = isOfBrp ? 5 : 4;
  const senderEic = shape.sender ? `$${++parameters}` : null;
  const receiverEic = shape.receiver ? `$${++parameters}` : null;
  const name = [
    viewedBy(shape.viewer, 'list_transactions'),
    ...(shape.status === null ? [] : [shape.status]),
    ...(shape.sender ? ['from'] : []),
    ...(shape.receiver ? ['to'] : []),
    ...(shape.contract ? ['of_contract'] : []),
  ];
  const parties = {
    sender: senderEic === null ? [] : [{ side: 'sender' as const, eic: senderEic }],
    receiver: receiverEic === null ? [] : [{ side: 'receiver' as const, eic: receiverEic }],
  };
  const sheets = shape.contract
    ? sheetsOfContract(isOfBrp, shape.status, [...parties.sender, ...parties.receiver])
    : isOfBrp
      ? sheetsOfBrp(shape.status, parties)
      : sheetsOfAll(shape.status, [...parties.sender, ...parties.receiver]);
  // With two parties the second one filters the index rows of the first, which may be many: not hot.
  const isHot = isOfBrp && !(shape.sender && shape.receiver);
  return (isHot ? hotStatement : statement)(
    name.join('_'),
    `select ${SHEET_COLUMNS}
     from (${sheets}) s join contract c on c.no = s.contract_no
     order by s.delivery_day, s.contract_no, s.revision
     limit $3`,
  );
}

type PositionFilter = { side: 'sender' | 'receiver'; eic: string };

/** Where a list finds its sheets `s`. The list is in the order of an index of `key`. */
type Source = { from: string; key: 's' | 't'; conditions: readonly string[] };

/** A status other than valid is rare: the list reads the statuses, and looks up their sheets. */
const sourceOf = (status: TransactionStatus | null): Source =>
  status === null
    ? { from: 'sheet s', key: 's', conditions: [] }
    : {
        from: `sheet_status t join sheet s
          on s.contract_no = t.contract_no and s.delivery_day = t.delivery_day and s.revision = t.revision`,
        key: 't',
        conditions: [`t.mask & ${STATUS_BIT[status]} <> 0`],
      };

/**
 * Merges two ordered scans: sheets that the BRP sends, and sheets that it receives from others. One scan with an OR
 * would read the whole market for a small BRP. Each scan uses the index of the counterparty, which has fewer sheets.
 * For a status other than valid, the partial index by status is used instead.
 */
function sheetsOfBrp(
  status: TransactionStatus | null,
  { sender, receiver }: { sender: readonly PositionFilter[]; receiver: readonly PositionFilter[] },
): string {
  const source = sourceOf(status);
  const { key } = source;
  const scan = (tenant: string, parties: readonly PositionFilter[]) => {
    const leading = status === null ? parties.slice(0, 1) : [];
    const others = parties.slice(leading.length).map(isOneOf);
    return sheetScan(source, [tenant, ...others], leading[0] ?? null);
  };
  return `${scan(`${key}.sender_brp = $5`, [...receiver, ...sender])}
    union all
    ${scan(`${key}.receiver_brp = $5 and ${key}.sender_brp <> ${key}.receiver_brp`, [...sender, ...receiver])}`;
}

/**
 * The operator's list has no tenant. It uses the index of the first party in the filter, else the partial index of a
 * status other than valid, else the index by day.
 */
function sheetsOfAll(status: TransactionStatus | null, [lead, ...others]: readonly PositionFilter[]): string {
  if (lead === undefined) return sheetScan(sourceOf(status), status === null ? ['s.revision > 0'] : [], null);
  const hasStatus = status === null ? [] : [`${statusColumnOf('s', 'mask')} & ${STATUS_BIT[status]} <> 0`];
  const ofLead = `s.${lead.side}_brp = p.brp_no`;
  return sheetScan(sourceOf(null), [ofLead, ...hasStatus, ...others.map(isOneOf)], lead);
}

/** Written as array containment so that the planner cannot pick another index. */
const isOneOf = ({ side, eic }: PositionFilter) =>
  `array[s.${side}_position] <@ array(select no from position where eic = ${eic})`;

/**
 * Selects the first sheets by day and contract, not ordered by revision, because not every index includes the revision.
 * That is safe: a full batch drops its last contract-day, and all earlier contract-days are complete.
 */
function sheetScan(
  { from, key, conditions }: Source,
  more: readonly string[],
  lead: PositionFilter | null,
): string {
  const all = [
    `(${key}.delivery_day, ${key}.contract_no) >= ($1::date, coalesce((select no from contract where id = $4), 0))`,
    `${key}.delivery_day <= $2::date`,
    ...conditions,
    ...more,
  ];
  const scan = (of: readonly string[]) => `(
    select s.* from ${from} where ${of.join(' and ')} order by ${key}.delivery_day, ${key}.contract_no limit $3)`;
  if (lead === null) return scan(all);
  // A balance group has one position per control area: at most four ordered scans are merged.
  return `(
    select s.* from position p, lateral ${scan([`s.${lead.side}_position = p.no`, ...all])} s where p.eic = ${lead.eic})`;
}

/**
 * A BRP sees the transactions of a contract that one of its own balance groups takes part in. The tenant is checked on
 * the contract first, so that a contract of another BRP costs as little as an unknown one.
 */
function sheetsOfContract(
  isOfBrp: boolean,
  status: TransactionStatus | null,
  parties: readonly PositionFilter[],
): string {
  const { from, key, conditions } = sourceOf(status);
  const contract = ['id = $4', ...(isOfBrp ? [seenBy('contract', '$5')] : [])];
  const all = [
    `${key}.contract_no = (select no from contract where ${contract.join(' and ')})`,
    `${key}.delivery_day >= $1::date`,
    `${key}.delivery_day <= $2::date`,
    ...(isOfBrp ? ['(s.sender_brp = $5 or s.receiver_brp = $5)'] : []),
    ...conditions,
    ...parties.map(isOneOf),
  ];
  return `
    select s.* from ${from} where ${all.join(' and ')}
    order by ${key}.delivery_day, ${key}.revision limit $3`;
}

const listStatements = new Map<string, HotStatement | Statement>();

function listStatementOf(viewer: Viewer, filter: TransactionFilter): HotStatement | Statement {
  const shape = {
    viewer: viewer.kind,
    // Nearly every sheet has valid cells, so that an index for this status would not be selective.
    status: filter.status === 'valid' ? null : filter.status,
    sender: filter.senderEic !== null,
    receiver: filter.receiverEic !== null,
    contract: filter.contractId !== null,
  };
  const key = `${shape.viewer} ${shape.status} ${shape.sender} ${shape.receiver} ${shape.contract}`;
  return listStatements.getOrInsertComputed(key, () => listStatement(shape));
}

/** Upper bound for the sheets of one query, however few of their transactions pass the filter. */
const MAX_BATCH = 400;
const USUAL_CELLS = 96;

/** Estimates how many sheets contain `count` matching transactions, plus one to detect the end of a contract-day. */
function firstBatch(filter: TransactionFilter, count: number, goesOn: boolean): number {
  const width = Math.min(USUAL_CELLS, filter.slotTo - filter.slotFrom + 1);
  const perSheet = filter.status === null || filter.status === 'valid' ? Math.max(1, width) : 1;
  return Math.min(MAX_BATCH, Math.ceil(count / perSheet) + (goesOn ? 2 : 1));
}

/**
 * Lists the next `count` transactions by delivery day, contract, slot and version. All sheets of a contract-day are read
 * together, because a correction is listed directly after the version that it corrects.
 */
export async function listTransactions(
  db: Db,
  viewer: Viewer,
  filter: TransactionFilter,
  after: TransactionPosition | null,
  count: number,
): Promise<TransactionRecord[]> {
  const { first, last } = touchedDays(filter.delivery);
  const found: TransactionRecord[] = [];
  const list = listStatementOf(viewer, filter);
  let begin: Begin = after ?? { day: first, contractId: null };
  let batch = firstBatch(filter, count, after !== null);
  for (;;) {
    const values = [
      begin.day,
      last,
      batch,
      filter.contractId ?? begin.contractId,
      ...tenantValues(viewer),
      ...[filter.senderEic, filter.receiverEic].filter((eic) => eic !== null),
    ];
    const rows =
      'isHot' in list ? await db.hot.arrays<Columns>(list, values) : await db.arrays<Columns>(list, values);
    const isEnd = rows.length < batch;
    const days = groupByContractDay(rows);
    // A full batch may have cut off its last contract-day, which the next batch reads again from its start.
    const cut = isEnd ? null : (days.pop() ?? null);
    for (const sheets of days)
      if (found.length < count) collect(found, sheets.map(rowOf), filter, after, count);
    if (isEnd || found.length >= count) return found;
    // One contract-day that exceeds the batch is read again with a larger batch. Factor 4 keeps the repetitions few.
    batch = days.length === 0 ? batch * 4 : Math.min(MAX_BATCH, batch * 2);
    if (cut?.[0]) begin = beginAt(rowOf(cut[0]), filter);
  }
}

const DAYS_OF_YEAR = 366;

/**
 * The next batch begins at this contract-day, or at the next day that has the requested slots. Only one day a year has
 * more than 96 slots, so reading the days in between would be wasted.
 */
function beginAt({ day, contractId }: SheetRow, filter: TransactionFilter): Begin {
  if (slotCount(day) >= filter.slotFrom) return { day, contractId };
  let next = day;
  for (let days = 0; days < DAYS_OF_YEAR && slotCount(next) < filter.slotFrom; days++)
    next = addDays(next, 1);
  return { day: next, contractId: null };
}

/** Works on raw columns, so that only the sheets of the page are unpacked. */
function groupByContractDay(rows: readonly Columns[]): Columns[][] {
  const days: Columns[][] = [];
  for (const row of rows) {
    const current = days.at(-1);
    if (current?.[0]?.[2] === row[2] && current[0][3] === row[3]) current.push(row);
    else days.push([row]);
  }
  return days;
}

/** Adds the transactions of a contract-day by slot, then version, until there are `count`. */
function collect(
  found: TransactionRecord[],
  rows: readonly SheetRow[],
  filter: TransactionFilter,
  after: TransactionPosition | null,
  count: number,
): void {
  const [head] = rows;
  if (!head) return;
  const inRange = slotsWithin(head.day, filter.delivery);
  const goesOnHere = after !== null && after.day === head.day && after.contractId === head.contractId;
  const from = Math.max(filter.slotFrom, inRange.from, goesOnHere ? after.slot : 1);
  const to = Math.min(filter.slotTo, inRange.to);
  for (let slot = from; slot <= to; slot++) {
    for (const row of rows) {
      if (found.length >= count) return;
      const cell = cellAt(row.sheet, slot);
      if (cell === null || (filter.status !== null && cell.status !== filter.status)) continue;
      if (goesOnHere && slot === after.slot && cell.version <= after.version) continue;
      found.push({ row, cell });
    }
  }
}

const FIND_SHEETS = perViewer(
  hotStatement,
  'find_sheets',
  's.sender_brp = $2 or s.receiver_brp = $2',
  (andTenant) => `select ${SHEET_COLUMNS} from sheet s join contract c on c.no = s.contract_no
   where s.id = any($1::uuid[])${andTenant}`,
);

export type TransactionKey = { sheetId: string; slot: number };

/** Returns the transactions that the viewer may see, in the order of `keys`. */
export async function findTransactions(
  db: Db,
  viewer: Viewer,
  keys: readonly TransactionKey[],
): Promise<TransactionRecord[]> {
  if (keys.length === 0) return [];
  const ids = [...new Set(keys.map((key) => key.sheetId))];
  const rows = await db.hot.arrays<Columns>(FIND_SHEETS[viewer.kind], [ids, ...tenantValues(viewer)]);
  const byId = new Map(rows.map((columns) => [columns[0], rowOf(columns)]));
  return keys.flatMap(({ sheetId, slot }) => {
    const row = byId.get(sheetId);
    const cell = row && cellAt(row.sheet, slot);
    return row && cell ? [{ row, cell }] : [];
  });
}

/** Reads only sheets with a volume for the slot: a handful, even on a day with hundreds of corrections. */
const FIND_HISTORY = perViewer(
  statement,
  'find_transaction_history',
  's.sender_brp = $3 or s.receiver_brp = $3',
  (andTenant) => `select ${SHEET_COLUMNS} from sheet s join contract c on c.no = s.contract_no
   where (s.contract_no, s.delivery_day) = (select contract_no, delivery_day from sheet where id = $1)
     and sheet_volume(s.volumes, $2) is not null${andTenant}
   order by s.revision`,
);

/** Returns all versions, newest first. Empty when the transaction does not exist or the viewer may not see it. */
export async function findTransactionHistory(
  db: Db,
  viewer: Viewer,
  key: TransactionKey,
): Promise<TransactionRecord[]> {
  const values = [key.sheetId, key.slot, ...tenantValues(viewer)];
  const columns = await db.arrays<Columns>(FIND_HISTORY[viewer.kind], values);
  const rows = columns.map(rowOf);
  if (!rows.some((row) => row.sheet.id === key.sheetId)) return [];
  const sheets = rows.map((row) => row.sheet);
  return chain(sheets, key.slot).flatMap((cell) => {
    const row = rows.find(({ sheet }) => sheet.revision === cell.revision);
    return row ? [{ row, cell }] : [];
  });
}
