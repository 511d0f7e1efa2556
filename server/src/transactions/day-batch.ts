import type { Contract } from '@saldo/api';
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import {
  type DayChange,
  packVolumes,
  type Sheet,
  STATUS_BIT,
  statusMask,
  unpackVolumes,
  writeDay,
} from '@saldo/core/transactions/sheet.ts';
import { appendEvents } from '../events/store.ts';
import { CopyText } from '../platform/db/copy-text.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { newSheetId } from '../platform/db/new-id.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { transactionEvents } from './events.ts';

/** The columns of a contract that writing its volumes needs. */
export type VolumeContract = {
  readonly no: number;
  readonly id: string;
  readonly externalId: string;
  readonly type: Contract['type'];
  readonly deliveryStart: number | null;
  readonly deliveryEnd: number | null;
  readonly sellerPosition: number;
  readonly buyerPosition: number;
  readonly sellerBrp: number;
  readonly buyerBrp: number;
};

type ContractColumns = [
  no: number,
  id: string,
  externalId: string,
  type: Contract['type'],
  deliveryStart: number | null,
  deliveryEnd: number | null,
  sellerPosition: number,
  buyerPosition: number,
  sellerBrp: number,
  buyerBrp: number,
];

const CONTRACTS = `select no, id, external_id, type, delivery_start, delivery_end,
     seller_position, buyer_position, seller_brp, buyer_brp
   from contract where id = any($1::uuid[]) or external_id = any($2::text[])
   order by no`;
const READ_CONTRACTS = statement('contracts_of_batch', CONTRACTS);
/**
 * Every writer of volumes locks the contract row first. A batch locks its rows with one statement and in a fixed order,
 * so that two batches cannot deadlock.
 */
const LOCK_CONTRACTS = statement('lock_contracts_of_batch', `${CONTRACTS} for no key update`);

export type ContractNames = { readonly ids: readonly string[]; readonly externalIds: readonly string[] };

const contractOf = (columns: ContractColumns): VolumeContract => ({
  no: columns[0],
  id: columns[1],
  externalId: columns[2],
  type: columns[3],
  deliveryStart: columns[4],
  deliveryEnd: columns[5],
  sellerPosition: columns[6],
  buyerPosition: columns[7],
  sellerBrp: columns[8],
  buyerBrp: columns[9],
});

export async function readContracts(db: Db, { ids, externalIds }: ContractNames): Promise<VolumeContract[]> {
  return (await db.arrays<ContractColumns>(READ_CONTRACTS, [ids, externalIds])).map(contractOf);
}

export async function lockContracts(tx: Tx, { ids, externalIds }: ContractNames): Promise<VolumeContract[]> {
  return (await tx.arrays<ContractColumns>(LOCK_CONTRACTS, [ids, externalIds])).map(contractOf);
}

type SheetColumns = [
  contractNo: number,
  day: DeliveryDay,
  id: string,
  createdAt: number,
  revision: number,
  packedVolumes: Uint8Array,
  statuses: number[] | null,
  versions: number[] | null,
  previous: (number | null)[] | null,
];

const SHEET_COLUMNS = `contract_no, delivery_day, id, created_at, revision, volumes, statuses, versions, previous`;

/** One index lookup per contract-day, so that the planner cannot choose a full scan for a large batch. */
const historiesFrom = (source: string) =>
  `select s.* from unnest($1::int[], $2::date[]) as said (contract_no, delivery_day)
   cross join lateral (
     select ${SHEET_COLUMNS} from ${source} as found
     where found.contract_no = said.contract_no and found.delivery_day = said.delivery_day
     order by revision offset 0
   ) as s`;

const HISTORIES = statement('sheets_of_batch', historiesFrom('sheet'));
const DRY_RUN_HISTORIES = statement(
  'presumed_sheets_of_batch',
  historiesFrom(
    `(select ${SHEET_COLUMNS} from sheet union all select ${SHEET_COLUMNS} from pg_temp.presumed_sheet)`,
  ),
);

/**
 * Temporary table for the sheets of a dry run, so that a contract-day that occurs twice in the file sees its first
 * write.
 */
const CREATE_DRY_RUN_TABLE = statement(
  'make_presumed_sheets',
  'create temporary table presumed_sheet (like sheet) on commit drop',
);
const INDEX_DRY_RUN_TABLE = statement(
  'index_presumed_sheets',
  'create index on pg_temp.presumed_sheet (contract_no, delivery_day, revision)',
);

export async function prepareDryRun(tx: Tx): Promise<void> {
  await tx.query(CREATE_DRY_RUN_TABLE);
  await tx.query(INDEX_DRY_RUN_TABLE);
}

const copyInto = (table: string) =>
  `copy ${table} (id, created_at, contract_no, delivery_day, revision, sender_position, receiver_position,
     sender_brp, receiver_brp, status_mask, volumes, statuses, versions, previous) from stdin`;
const COPY_SHEETS = copyInto('sheet');
const COPY_DRY_RUN_SHEETS = copyInto('pg_temp.presumed_sheet');

const SET_STATUSES = statement(
  'set_statuses_of_batch',
  `update sheet as s set statuses = changed.statuses::smallint[], status_mask = changed.mask
   from unnest($1::int[], $2::date[], $3::int[], $4::text[], $5::smallint[])
     as changed (contract_no, delivery_day, revision, statuses, mask)
   where s.contract_no = changed.contract_no and s.delivery_day = changed.delivery_day
     and s.revision = changed.revision`,
);

/**
 * Dirty flags are set in a fixed order after the contracts are locked, to avoid deadlocks. A flag that was touched less
 * than 100 ms ago is locked, so that the nomination job cannot take it before this transaction commits, but is not
 * rewritten: every batch of an import touches the same flags.
 */
const MARK_DIRTY = statement(
  'mark_positions_of_batch',
  `insert into changed_position (position_no, delivery_day)
   select position_no, delivery_day
   from unnest($1::int[], $2::date[]) as marked (position_no, delivery_day)
   order by delivery_day, position_no
   on conflict (position_no, delivery_day) do update set touched_at = clock_timestamp()
     where changed_position.touched_at < clock_timestamp() - interval '100 ms'`,
);

/** A contract-day in memory: its stored sheets, and those that the batch adds. */
type ContractDayState = {
  readonly contract: VolumeContract;
  readonly day: DeliveryDay;
  readonly history: Sheet[];
  /** Number of sheets at the start of `history` that are in the database. */
  stored: number;
  /** Stored sheets whose statuses have changed. */
  readonly changed: Set<Sheet>;
  /** Number of slots that the batch creates and corrects. */
  created: number;
  corrected: number;
};

export type ContractDay = { readonly contract: VolumeContract; readonly day: DeliveryDay };

const keyOf = (contractNo: number, day: DeliveryDay) => `${contractNo} ${day}`;

/** The contract-days of one transaction: loaded with one query, changed in memory, saved in bulk. */
export class DayBatch {
  private readonly states = new Map<string, ContractDayState>();
  private readonly tx: Tx;
  private readonly now: number;
  private readonly isDryRun: boolean;

  constructor(tx: Tx, now: number, isDryRun = false) {
    this.tx = tx;
    this.now = now;
    this.isDryRun = isDryRun;
  }

  /** Precondition: the contracts are locked, unless this is a dry run. */
  async load(days: readonly ContractDay[]): Promise<void> {
    for (const { contract, day } of days) {
      const key = keyOf(contract.no, day);
      if (this.states.has(key)) continue;
      this.states.set(key, {
        contract,
        day,
        history: [],
        stored: 0,
        changed: new Set(),
        created: 0,
        corrected: 0,
      });
    }
    const states = [...this.states.values()];
    if (states.length === 0) return;
    const rows = await this.tx.arrays<SheetColumns>(this.isDryRun ? DRY_RUN_HISTORIES : HISTORIES, [
      states.map(({ contract }) => contract.no),
      states.map(({ day }) => day),
    ]);
    for (const [contractNo, day, id, createdAt, revision, packed, statuses, versions, previous] of rows) {
      const state = this.stateOf(contractNo, day);
      const volumes = unpackVolumes(packed);
      state.history.push({ id, createdAt, revision, volumes, statuses, versions, previous });
      state.stored++;
    }
  }

  hasVolumes({ contract, day }: ContractDay): boolean {
    return this.stateOf(contract.no, day).history.length > 0;
  }

  write({ contract, day }: ContractDay, volumes: readonly (number | null)[]): DayChange {
    const state = this.stateOf(contract.no, day);
    const change = writeDay(state.history, volumes);
    for (const { revision, statuses } of change.superseded) {
      const sheet = state.history[revision - 1]!;
      sheet.statuses = statuses;
      if (revision <= state.stored) state.changed.add(sheet);
    }
    state.created += change.created;
    state.corrected += change.corrected;
    if (change.sheet !== null) {
      state.history.push({ ...change.sheet, id: newSheetId(), createdAt: this.now, statuses: null });
    }
    return change;
  }

  async save(): Promise<void> {
    const moved = [...this.states.values()].filter(({ history, stored }) => history.length > stored);
    if (moved.length === 0) return;
    await this.tx.copy(this.isDryRun ? COPY_DRY_RUN_SHEETS : COPY_SHEETS, sheetRows(moved));
    // A dry run reads only the newest version of each slot again, so it can skip the statuses of older sheets.
    if (this.isDryRun) return;
    await this.saveStatuses(moved);
    await this.markDirty(moved);
    const events = moved.flatMap((state) => transactionEvents(state.contract, state.day, state));
    await appendEvents(this.tx, events, this.now);
  }

  private async saveStatuses(states: readonly ContractDayState[]): Promise<void> {
    const changes = states.flatMap(({ contract, day, changed }) =>
      [...changed].map((sheet) => ({ no: contract.no, day, sheet })),
    );
    if (changes.length === 0) return;
    await this.tx.query(SET_STATUSES, [
      changes.map(({ no }) => no),
      changes.map(({ day }) => day),
      changes.map(({ sheet }) => sheet.revision),
      changes.map(({ sheet }) => `{${sheet.statuses?.join(',')}}`),
      changes.map(({ sheet }) => statusMask(sheet)),
    ]);
  }

  /** A contract between a position and itself does not change the saldo, so its position-day stays clean. */
  private async markDirty(states: readonly ContractDayState[]): Promise<void> {
    const dirty = new Map<string, { position: number; day: DeliveryDay }>();
    for (const { contract, day } of states) {
      if (contract.sellerPosition === contract.buyerPosition) continue;
      for (const position of [contract.sellerPosition, contract.buyerPosition]) {
        dirty.set(keyOf(position, day), { position, day });
      }
    }
    if (dirty.size === 0) return;
    const all = [...dirty.values()];
    await this.tx.query(MARK_DIRTY, [all.map(({ position }) => position), all.map(({ day }) => day)]);
  }

  private stateOf(contractNo: number, day: DeliveryDay): ContractDayState {
    const state = this.states.get(keyOf(contractNo, day));
    if (!state) throw new Error(`the day ${day} of contract ${contractNo} was not loaded`);
    return state;
  }
}

function sheetRows(states: readonly ContractDayState[]): Buffer {
  const rows = new CopyText();
  for (const { contract, day, history, stored } of states) {
    for (let index = stored; index < history.length; index++) {
      const sheet = history[index]!;
      rows.field(sheet.id);
      rows.field(timestamp(sheet.createdAt));
      rows.integer(contract.no);
      rows.field(day);
      rows.integer(sheet.revision);
      rows.integer(contract.sellerPosition);
      rows.integer(contract.buyerPosition);
      rows.integer(contract.sellerBrp);
      rows.integer(contract.buyerBrp);
      rows.integer(sheet.statuses === null ? STATUS_BIT.valid : statusMask(sheet));
      rows.binary(packVolumes(sheet.volumes));
      rows.integers(sheet.statuses);
      rows.integers(sheet.versions);
      rows.integers(sheet.previous);
      rows.endRow();
    }
  }
  return rows.written();
}
