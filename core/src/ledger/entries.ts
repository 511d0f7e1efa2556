import type { DeliveryDay } from '../delivery-day.ts';
import type { Direction, NominationStatus, Tso } from '../enums.ts';
import { encodeId, ID_PREFIX } from '../id.ts';
import { canonicalJson, type Json } from './canonical-json.ts';

/**
 * Entries of the ledger: the canonical JSON of one committed change. The same functions make an entry when a change is
 * committed and when it is verified, so every member has to follow from stored rows. Released forms never change.
 */

/** The place in this list is the code of a kind in `ledger_batch.records`: new kinds are appended. */
export const ENTRY_KINDS = [
  'transactions',
  'transactions_superseded',
  'transactions_invalidated',
  'nomination',
  'nomination_superseded',
  'nomination_sent',
  'nomination_confirmed',
  'message',
  'message_sent',
  'placements',
  'audit',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** An entry, and the record that it is about: a kind, a UUID and a number occur together once. */
export type LedgerEntry = {
  readonly kind: EntryKind;
  readonly uuid: string;
  readonly number: number;
  /** Canonical JSON. */
  readonly text: string;
};

/** The entries of an import have one instant, whose text took a sixth of the time of an entry. */
let lastInstant = { ms: 0, text: '1970-01-01T00:00:00.000Z' };
function instant(ms: number): string {
  if (ms !== lastInstant.ms) lastInstant = { ms, text: new Date(ms).toISOString() };
  return lastInstant.text;
}

function entry(
  kind: EntryKind,
  record: { readonly uuid: string; readonly id: string },
  number: number,
  committedAt: number,
  members: { readonly [name: string]: Json },
): LedgerEntry {
  const text = canonicalJson({ ...members, kind, id: record.id, number, committed_at: instant(committedAt) });
  return { kind, uuid: record.uuid, number, text };
}

const sheetRecord = (uuid: string) => ({ uuid, id: encodeId(ID_PREFIX.transaction, uuid) });
const nominationRecord = (uuid: string) => ({ uuid, id: encodeId(ID_PREFIX.nomination, uuid) });
const messageRecord = (uuid: string) => ({ uuid, id: encodeId(ID_PREFIX.message, uuid) });

export type LedgerParty = { readonly eic: string; readonly tso: Tso };

export type LedgerSheet = {
  readonly uuid: string;
  readonly contractUuid: string;
  readonly day: DeliveryDay;
  readonly revision: number;
  readonly sender: LedgerParty;
  readonly receiver: LedgerParty;
  /** The stored bytes of `packVolumes`, in lower-case hex. */
  readonly volumesHex: string;
  readonly versions: readonly number[] | null;
  readonly previous: readonly (number | null)[] | null;
  readonly committedAt: number;
};

const arrayJson = (elements: readonly (number | null)[] | null): string =>
  elements === null ? 'null' : `[${elements.map(String).join(',')}]`;

/**
 * The transactions of a sheet. Its id is that of its transactions with slot 0. Written without `canonicalJson`, because an
 * import makes one per contract and day: the members are in their order, and no text needs escaping.
 */
export function sheetEntry(sheet: LedgerSheet): LedgerEntry {
  const { uuid, sender, receiver, revision } = sheet;
  const text =
    `{"committed_at":"${instant(sheet.committedAt)}","contract_id":"${encodeId(ID_PREFIX.contract, sheet.contractUuid)}"` +
    `,"delivery_date":"${sheet.day}","id":"${encodeId(ID_PREFIX.transaction, uuid)}","kind":"transactions","number":${revision}` +
    `,"previous":${arrayJson(sheet.previous)},"receiver_eic":"${receiver.eic}","receiver_tso":"${receiver.tso}"` +
    `,"sender_eic":"${sender.eic}","sender_tso":"${sender.tso}","versions":${arrayJson(sheet.versions)}` +
    `,"volumes":"${sheet.volumesHex}"}`;
  return { kind: 'transactions', uuid, number: revision, text };
}

/** Transactions of a sheet that a later sheet of the day replaced. `byRevision` is the revision of that one. */
export const supersededEntry = (
  sheetUuid: string,
  byRevision: number,
  slots: readonly number[],
  committedAt: number,
): LedgerEntry =>
  entry('transactions_superseded', sheetRecord(sheetUuid), byRevision, committedAt, { slots });

/** Transactions of a sheet that became invalid. `number` is that of the invalidation, which counts per contract and day. */
export const invalidatedEntry = (
  sheetUuid: string,
  number: number,
  slots: readonly number[],
  committedAt: number,
): LedgerEntry => entry('transactions_invalidated', sheetRecord(sheetUuid), number, committedAt, { slots });

export type LedgerNomination = LedgerParty & {
  readonly uuid: string;
  readonly day: DeliveryDay;
  readonly direction: Direction;
  readonly version: number;
  readonly previousUuid: string | null;
  /** kWh per slot. */
  readonly amounts: readonly number[];
  readonly gateClosure: number;
  readonly committedAt: number;
};

export const nominationEntry = (nomination: LedgerNomination): LedgerEntry =>
  entry('nomination', nominationRecord(nomination.uuid), nomination.version, nomination.committedAt, {
    eic: nomination.eic,
    tso: nomination.tso,
    delivery_date: nomination.day,
    direction: nomination.direction,
    previous_nomination_id:
      nomination.previousUuid === null ? null : nominationRecord(nomination.previousUuid).id,
    amounts: nomination.amounts,
    gate_closure: instant(nomination.gateClosure),
  });

/** `byVersion` is the version that replaced the nomination. */
export const nominationSupersededEntry = (
  uuid: string,
  byVersion: number,
  byUuid: string,
  committedAt: number,
): LedgerEntry =>
  entry('nomination_superseded', nominationRecord(uuid), byVersion, committedAt, {
    by_nomination_id: nominationRecord(byUuid).id,
  });

export const nominationSentEntry = (uuid: string, committedAt: number): LedgerEntry =>
  entry('nomination_sent', nominationRecord(uuid), 1, committedAt, {});

export type LedgerConfirmation = {
  readonly nominationUuid: string;
  readonly number: number;
  readonly status: NominationStatus;
  /** kW per slot. */
  readonly matched: readonly number[];
  /** Null unless the confirmation is final. */
  readonly confirmedAt: number | null;
  readonly committedAt: number;
};

export const nominationConfirmedEntry = (confirmation: LedgerConfirmation): LedgerEntry =>
  entry(
    'nomination_confirmed',
    nominationRecord(confirmation.nominationUuid),
    confirmation.number,
    confirmation.committedAt,
    {
      status: confirmation.status,
      matched: confirmation.matched,
      confirmed_at: confirmation.confirmedAt === null ? null : instant(confirmation.confirmedAt),
    },
  );

export type LedgerMessage = {
  readonly uuid: string;
  readonly direction: 'out' | 'in';
  /** SHA-256 of the document in lower-case hex; null if the document was too large to be stored. */
  readonly documentSha256: string | null;
  readonly committedAt: number;
};

export const messageEntry = (message: LedgerMessage): LedgerEntry =>
  entry('message', messageRecord(message.uuid), 1, message.committedAt, {
    direction: message.direction,
    document_sha256: message.documentSha256,
  });

export const messageSentEntry = (uuid: string, committedAt: number): LedgerEntry =>
  entry('message_sent', messageRecord(uuid), 1, committedAt, {});

export type LedgerPlacement = LedgerParty & {
  /** Null for the beginning and the end of all days. */
  readonly firstDay: DeliveryDay | null;
  readonly lastDay: DeliveryDay | null;
};

/** All placements of a customer after a change, by their first day. `number` counts the changes of the customer. */
export const placementsEntry = (
  customerUuid: string,
  number: number,
  placements: readonly LedgerPlacement[],
  committedAt: number,
): LedgerEntry =>
  entry(
    'placements',
    { uuid: customerUuid, id: encodeId(ID_PREFIX.customer, customerUuid) },
    number,
    committedAt,
    {
      placements: placements.map(({ eic, tso, firstDay, lastDay }) => ({
        eic,
        tso,
        first_day: firstDay,
        last_day: lastDay,
      })),
    },
  );

export type LedgerAudit = {
  readonly no: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly requestId: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly before: Json;
  readonly after: Json;
  readonly committedAt: number;
};

/** The UUID of an entry of the audit trail: its number in the last eight bytes. */
function auditUuid(no: number): string {
  const hex = no.toString(16).padStart(16, '0');
  return `00000000-0000-0000-${hex.slice(0, 4)}-${hex.slice(4)}`;
}

export const auditEntry = (audit: LedgerAudit): LedgerEntry =>
  entry('audit', { uuid: auditUuid(audit.no), id: String(audit.no) }, 1, audit.committedAt, {
    actor: audit.actor,
    action: audit.action,
    subject: audit.subject,
    request_id: audit.requestId,
    address: audit.address,
    user_agent: audit.userAgent,
    before: audit.before,
    after: audit.after,
  });
