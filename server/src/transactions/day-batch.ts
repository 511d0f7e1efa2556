import { type DeliveryDay, slotCount } from '@saldo/core/delivery-day.ts';
import type { TransactionStatus } from '@saldo/core/enums.ts';
import {
  type Cell,
  type Choice,
  currentVolumes,
  type DayChange,
  invalidate,
  invalidateCell,
  invalidCells,
  reissueDay,
  type StatusChange,
  statusMask,
  unfold,
  writeDay,
} from '@saldo/core/transactions/sheet.ts';
import { appendEvents } from '../events/store.ts';
import type { Tx } from '../platform/db/database.ts';
import { newSheetId } from '../platform/db/new-id.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import { type DayHistory, type PlacedSheet, readSheets, writeSheets } from './batch-sheets.ts';
import { DirtyPositions } from './dirty-positions.ts';
import { transactionEvents } from './events.ts';
import { appendInvalidationEntries, appendSheetEntries } from './ledger-entries.ts';
import {
  type DaySource,
  insertSheetSources,
  repeatedSource,
  type SheetSource,
  SheetSources,
  sourceOfSheet,
} from './sheet-sources.ts';
import { hasMoved, partiesOn, type VolumeContract } from './volume-contracts.ts';

/** The row of a sheet is inserted when the first of its transactions is no longer valid, and updated after that. */
const SET_STATUSES = statement(
  'set_statuses_of_batch',
  `insert into sheet_status (contract_no, delivery_day, revision, sender_brp, receiver_brp, mask, statuses)
   select contract_no, delivery_day, revision, sender_brp, receiver_brp, mask, statuses::smallint[]
   from unnest($1::int[], $2::date[], $3::int[], $4::int[], $5::int[], $6::smallint[], $7::text[])
     as changed (contract_no, delivery_day, revision, sender_brp, receiver_brp, mask, statuses)
   on conflict (contract_no, delivery_day, revision)
     do update set mask = excluded.mask, statuses = excluded.statuses`,
);

/** The numbers continue after those of the contract-day's earlier invalidations. */
const INSERT_INVALIDATIONS = statement(
  'insert_invalidations',
  `insert into invalidation (contract_no, delivery_day, number, revision, slots, reason, invalidated_at, customer_id, by_end)
   select of_day.contract_no, of_day.delivery_day,
     (select count(*) from invalidation i
      where i.contract_no = of_day.contract_no and i.delivery_day = of_day.delivery_day)
       + row_number() over (partition by of_day.contract_no, of_day.delivery_day order by of_day.revision),
     of_day.revision, of_day.slots::smallint[], $5, $6, $7, $8
   from unnest($1::int[], $2::date[], $3::int[], $4::text[]) as of_day (contract_no, delivery_day, revision, slots)
   returning contract_no, delivery_day, revision, number, slots`,
);

/** Positions of all sheets of contract-days, also of those that are superseded as a whole. */
const POSITIONS_OF_DAYS = statement(
  'positions_of_contract_days',
  `select s.delivery_day, of_sheet.position_no
   from unnest($1::int[], $2::date[]) as changed (contract_no, delivery_day)
   join sheet s on s.contract_no = changed.contract_no and s.delivery_day = changed.delivery_day,
     lateral (values (s.sender_position), (s.receiver_position)) as of_sheet (position_no)`,
);

type AddedSource = { readonly revision: number; readonly source: SheetSource };

type InvalidationColumns = [
  contractNo: number,
  day: DeliveryDay,
  revision: number,
  number: number,
  slots: number[],
];

type Invalidation = { readonly revision: number; readonly slots: readonly number[] };

/** Why transactions become invalid: an act of the operator, the deactivation of a customer, or the end of the contract. */
export type InvalidationReason = {
  readonly text: string;
  readonly customerId: string | null;
  readonly byEnd: boolean;
};

/** A contract-day and what the batch changes of it. */
type ContractDayState = DayHistory & {
  readonly contract: VolumeContract;
  /** Sheets, stored or not, whose statuses have changed. */
  readonly changed: Set<PlacedSheet>;
  readonly invalidations: Invalidation[];
  /** Of the sheets that the batch adds, if their volumes follow from series. */
  readonly sources: AddedSource[];
  /** The batch only repeats valid volumes with other parties: the saldo of a side that stays does not change. */
  repeatsVolumes: boolean;
  /** Number of slots that the batch creates and corrects. */
  created: number;
  corrected: number;
};

export type ContractDay = { readonly contract: VolumeContract; readonly day: DeliveryDay };

const keyOf = (no: number, day: DeliveryDay) => `${no} ${day}`;

/** The contract-days of one transaction: loaded with one query, changed in memory, saved in bulk. */
export class DayBatch {
  private readonly states = new Map<string, ContractDayState>();
  private readonly storedSources = new SheetSources();
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
      if (!this.states.has(keyOf(contract.no, day))) this.add(contract, day);
    }
    await readSheets(this.tx, [...this.states.values()], this.isDryRun);
  }

  /** Loads what `reissue` carries on to the new sheets. */
  async loadSources(): Promise<void> {
    const days = [...this.states.values()].map(({ contract, day }) => ({ contractNo: contract.no, day }));
    await this.storedSources.load(this.tx, days);
  }

  hasVolumes({ contract, day }: ContractDay): boolean {
    return this.stateOf(contract.no, day).history.length > 0;
  }

  /** How many slots of a day have no valid volume. */
  missingSlots({ contract, day }: ContractDay): number {
    const { history } = this.stateOf(contract.no, day);
    return currentVolumes(history, slotCount(day)).filter((volume) => volume === null).length;
  }

  /** Per slot its newest transaction if that is invalid. Null if none is. */
  invalidCells({ contract, day }: ContractDay): (Cell | null)[] | null {
    return invalidCells(this.stateOf(contract.no, day).history, slotCount(day));
  }

  /** The newest revision of a day. */
  revisionOf({ contract, day }: ContractDay): number | null {
    return this.stateOf(contract.no, day).history.at(-1)?.revision ?? null;
  }

  /** `source` is what the volumes follow from, unless they are of an import or a profile. */
  write(
    { contract, day }: ContractDay,
    volumes: readonly (number | null)[],
    source: DaySource | null = null,
  ): DayChange {
    const state = this.stateOf(contract.no, day);
    const change = this.apply(state, writeDay(state.history, volumes));
    if (change.sheet !== null && source !== null) {
      const { sheet } = change;
      state.sources.push({ revision: sheet.revision, source: sourceOfSheet(source, sheet) });
    }
    return change;
  }

  /**
   * Gives the chosen transactions a new version with the parties of their day, see `reissueDay`. Precondition: the
   * sources are loaded.
   */
  reissue(
    contractDay: ContractDay,
    isChosen: (sheet: PlacedSheet, slot: number, status: TransactionStatus) => boolean,
  ): DayChange {
    const state = this.stateOf(contractDay.contract.no, contractDay.day);
    state.repeatsVolumes = state.created + state.corrected === 0;
    const choose: Choice = (holder, slot, status) => {
      if (!isChosen(holder as PlacedSheet, slot, status)) return false;
      if (status !== 'valid') state.repeatsVolumes = false;
      return true;
    };
    const change = this.apply(state, reissueDay(state.history, choose));
    if (change.sheet !== null) {
      const { sheet } = change;
      const day = { contractNo: state.contract.no, day: state.day };
      const source = repeatedSource(sheet, (revision) => this.storedSources.of(day, revision));
      if (source !== null) state.sources.push({ revision: sheet.revision, source });
    }
    return change;
  }

  private apply(state: ContractDayState, change: DayChange): DayChange {
    this.setStatuses(state, change.superseded);
    state.created += change.created;
    state.corrected += change.corrected;
    if (change.sheet !== null) {
      const { seller, buyer } = partiesOn(state.contract, state.day);
      state.history.push({
        ...change.sheet,
        ...{ id: newSheetId(), statuses: null, sender: seller, receiver: buyer },
      });
    }
    return change;
  }

  private setStatuses(state: ContractDayState, changes: readonly StatusChange[]): void {
    for (const { revision, statuses } of changes) {
      const sheet = state.history.find((candidate) => candidate.revision === revision)!;
      sheet.statuses = statuses;
      state.changed.add(sheet);
    }
  }

  /** Invalidates all valid transactions of a day and returns their number. */
  invalidate(contractDay: ContractDay): number {
    const state = this.stateOf(contractDay.contract.no, contractDay.day);
    const cells = unfold(state.history).filter(({ status }) => status === 'valid');
    const slots = cells.map(({ slot }) => slot);
    this.setStatuses(state, invalidate(state.history, slots));
    for (const [revision, ofSheet] of Map.groupBy(cells, (cell) => cell.revision))
      state.invalidations.push({ revision, slots: ofSheet.map(({ slot }) => slot) });
    return cells.length;
  }

  /** Precondition: the sheet of this revision has a volume for the slot. */
  invalidateOne(contractDay: ContractDay, revision: number, slot: number): 'invalidated' | 'not_valid' {
    const state = this.stateOf(contractDay.contract.no, contractDay.day);
    // A sheet that is superseded as a whole is not loaded.
    if (!state.history.some((sheet) => sheet.revision === revision)) return 'not_valid';
    const decision = invalidateCell(state.history, revision, slot);
    if (decision.kind === 'not_valid') return 'not_valid';
    this.setStatuses(state, decision.changed);
    state.invalidations.push({ revision, slots: [slot] });
    return 'invalidated';
  }

  /** Stores everything and marks the positions. `reason` is that of the invalidations. */
  async save(reason: InvalidationReason | null = null): Promise<void> {
    const dirty = new DirtyPositions();
    await this.store(dirty, reason);
    await dirty.mark(this.tx);
  }

  /** Stores everything. The caller marks the positions when all batches of the transaction are stored. */
  async store(dirty: DirtyPositions, reason: InvalidationReason | null = null): Promise<void> {
    const states = [...this.states.values()];
    const added = await writeSheets(this.tx, states, this.isDryRun, this.now);
    // A dry run reads only the newest version of each slot again, so it can skip the statuses of older sheets.
    if (this.isDryRun) return;
    await insertSheetSources(
      this.tx,
      states.flatMap(({ contract, day, sources }) =>
        sources.map((added) => ({ contractNo: contract.no, day, ...added })),
      ),
    );
    await this.saveStatuses(states);
    await this.saveInvalidations(states, reason);
    await appendSheetEntries(this.tx, added, this.now);
    this.collectDirty(dirty);
    await this.collectFormer(dirty);
    await this.appendEvents(states);
  }

  private async appendEvents(states: readonly ContractDayState[]): Promise<void> {
    const events = states.flatMap(({ contract, day, created, corrected, invalidations, ...state }) => {
      const invalidated = invalidations.reduce((sum, { slots }) => sum + slots.length, 0);
      const sheets = [...state.changed, ...state.history.slice(state.stored)];
      return transactionEvents(contract, day, sheets, { created, corrected, invalidated });
    });
    await appendEvents(this.tx, events, this.now);
  }

  /**
   * Adds the former positions of contract-days whose parties have changed: where the new parties came too late for a closed
   * slot, nominations count a transaction of a former position, and this change may decide that they no longer do.
   */
  private async collectFormer(dirty: DirtyPositions): Promise<void> {
    const moved = [...this.states.values()].filter(
      ({ contract, history, stored, changed, repeatsVolumes }) =>
        hasMoved(contract) && !repeatsVolumes && (changed.size > 0 || history.length > stored),
    );
    if (moved.length === 0) return;
    const rows = await this.tx.arrays<[day: DeliveryDay, position: number]>(POSITIONS_OF_DAYS, [
      moved.map(({ contract }) => contract.no),
      moved.map(({ day }) => day),
    ]);
    for (const [day, position] of rows) dirty.addPositions(day, [position]);
  }

  /** Adds the positions of all new sheets and of all sheets whose statuses have changed. */
  private collectDirty(dirty: DirtyPositions): void {
    for (const { day, history, stored, changed, repeatsVolumes } of this.states.values()) {
      const sheets = [...changed, ...history.slice(stored)];
      if (repeatsVolumes) dirty.addMoved(day, sheets);
      else for (const sheet of sheets) dirty.add(day, sheet);
    }
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
      changes.map(({ sheet }) => sheet.sender.brpNo),
      changes.map(({ sheet }) => sheet.receiver.brpNo),
      changes.map(({ sheet }) => statusMask(sheet)),
      changes.map(({ sheet }) => `{${sheet.statuses?.join(',')}}`),
    ]);
  }

  private async saveInvalidations(
    states: readonly ContractDayState[],
    reason: InvalidationReason | null,
  ): Promise<void> {
    const rows = states.flatMap(({ contract, day, invalidations }) =>
      invalidations.map((invalidation) => ({ no: contract.no, day, ...invalidation })),
    );
    if (rows.length === 0) return;
    if (reason === null) throw new Error('an invalidation has a reason');
    const stored = await this.tx.arrays<InvalidationColumns>(INSERT_INVALIDATIONS, [
      rows.map(({ no }) => no),
      rows.map(({ day }) => day),
      rows.map(({ revision }) => revision),
      rows.map(({ slots }) => `{${slots.join(',')}}`),
      reason.text,
      timestamp(this.now),
      reason.customerId,
      reason.byEnd,
    ]);
    const invalidated = stored.map(([no, day, revision, number, slots]) => {
      const { history } = this.stateOf(no, day);
      return { sheetId: history.find((sheet) => sheet.revision === revision)!.id, number, slots };
    });
    appendInvalidationEntries(this.tx, invalidated, this.now);
  }

  private add(contract: VolumeContract, day: DeliveryDay): ContractDayState {
    const state = {
      contract,
      day,
      history: [],
      stored: 0,
      changed: new Set<PlacedSheet>(),
      invalidations: [],
      sources: [],
      repeatsVolumes: false,
      created: 0,
      corrected: 0,
    };
    this.states.set(keyOf(contract.no, day), state);
    return state;
  }

  private stateOf(contractNo: number, day: DeliveryDay): ContractDayState {
    const state = this.states.get(keyOf(contractNo, day));
    if (!state) throw new Error(`the day ${day} of contract ${contractNo} was not loaded`);
    return state;
  }
}
