import { setImmediate } from 'node:timers/promises';
import { LIMITS } from '@saldo/api';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import {
  type Interchange,
  isUtf8Syntax,
  readHeader,
  readInterchange,
} from '@saldo/core/series/interchange.ts';
import { assignProfiles, type LoadProfile } from '@saldo/core/series/load-profile.ts';
import { type MessageFault, type MessageRemark, readMessage } from '@saldo/core/series/mscons.ts';
import { type Actor, NO_CLIENT, recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import { collectInto, combineFailures } from '../platform/db/connection.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { lockSeries, lockSeriesRecords, type SeriesRow } from '../series/store.ts';
import type { ChangedDay } from '../transactions/import-run.ts';
import { storeValues } from './actions.ts';
import { lockFollowing } from './follow-values.ts';
import {
  findRaw,
  type InterchangeOutcome,
  type InterchangeRow,
  insertMessageDays,
  insertUnknown,
  listUnread,
  type MessageDay,
  saveOutcome,
  takePending,
  type UnknownLocation,
  withoutOutdated,
} from './interchange-store.ts';

/** Days of series in one transaction. A message is never divided. */
const BATCH_DAYS = 200;
/** Messages that are read before other requests get a turn. */
const READ_AT_ONCE = 500;

type Source = Pick<InterchangeRow, 'no' | 'received_at'>;
type MessageProfile = { readonly message: number; readonly profile: LoadProfile };

/** ISO 8859-1, or UTF-8 if the header says so. Bytes that are not UTF-8 become replacement characters. */
export function decodeInterchange(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const header = readHeader(text);
  return header !== null && isUtf8Syntax(header) ? bytes.toString('utf8') : text;
}

/**
 * Applies a stored interchange and stores its outcome. The work is idempotent: after a crash it is done again, and two
 * processes may do it at the same time.
 */
async function applyInterchange(
  db: Database,
  clock: Clock,
  stored: InterchangeRow,
  bytes: Buffer,
): Promise<void> {
  const text = decodeInterchange(bytes);
  const interchange = readInterchange(text);
  const outcome = new OutcomeBuilder();
  if (interchange.kind === 'interchange') await applyMessages(db, clock, stored, text, interchange, outcome);
  const fault = interchange.kind === 'rejected' ? interchange.fault : null;
  const messages = interchange.kind === 'rejected' ? 0 : interchange.messages.length;
  await db.transaction((tx) => finish(tx, clock, stored, outcome, outcome.build(messages, fault)));
}

const lockName = ({ no }: Source) => `saldo interchange ${no}`;

/**
 * Applies an interchange that was just received. Applies it also while another process holds its lock, because applying is
 * idempotent.
 */
export async function applyReceived(
  db: Database,
  clock: Clock,
  stored: InterchangeRow,
  bytes: Buffer,
): Promise<void> {
  const apply = async () => {
    await applyInterchange(db, clock, stored, bytes);
    return true;
  };
  if ((await db.exclusively(lockName(stored), apply)) === null) await apply();
}

/** Applies the interchanges that a process has stored and not read to their end, because it or the database failed. */
export async function applyUnread(db: Database, clock: Clock): Promise<void> {
  const failures: unknown[] = [];
  for (const stored of await listUnread(db)) {
    const applied = db.exclusively(lockName(stored), async () => {
      const bytes = await findRaw(db, stored.id);
      if (bytes !== null) await applyInterchange(db, clock, stored, bytes);
    });
    // The others do not depend on this one.
    await applied.catch(collectInto(failures));
  }
  if (failures.length > 0) throw combineFailures(failures, 'interchanges could not be read');
}

/** Collects what happens to the messages of an interchange. Lists are bounded, because they are stored and sent. */
class OutcomeBuilder {
  private readonly rejected: InterchangeOutcome['rejected'][number][] = [];
  private rejectedMessages = 0;
  private readonly remarks: InterchangeOutcome['remarks'][number][] = [];
  readonly unknown: UnknownLocation[] = [];
  readonly changed: ChangedDay[] = [];

  reject(message: number, segment: number, reason: Message): void {
    this.rejectedMessages++;
    if (this.rejected.length < LIMITS.rejectedLines) this.rejected.push({ message, segment, reason });
  }

  remark(message: number, segment: number | null, text: Message): void {
    if (this.remarks.length < LIMITS.rejectedLines) this.remarks.push({ message, segment, text });
  }

  build(messages: number, fault: Message | null): InterchangeOutcome {
    const { rejected, rejectedMessages } = this;
    const remarks = this.remarks.sort((one, other) => one.message - other.message);
    return { messages, fault, rejected, rejectedMessages, remarks };
  }
}

async function applyMessages(
  db: Database,
  clock: Clock,
  source: Source,
  text: string,
  interchange: Interchange,
  outcome: OutcomeBuilder,
): Promise<void> {
  let batch = new ProfileBatch();
  const flush = async () => {
    const { profiles } = batch;
    batch = new ProfileBatch();
    if (profiles.length === 0) return;
    const applied = await db.transaction((tx) => applyProfiles(tx, source, profiles, clock));
    outcome.unknown.push(...applied.unknown);
    outcome.changed.push(...applied.changed);
    for (const { message, text: remark } of applied.remarks) outcome.remark(message, null, remark);
  };
  for (const place of interchange.messages) {
    const { number } = place;
    const reading = readMessage(text, interchange, place);
    if (number % READ_AT_ONCE === 0) await setImmediate();
    if (reading.kind === 'rejected') {
      outcome.reject(number, reading.segment, reasonOf(reading.fault));
      continue;
    }
    for (const remark of reading.remarks) outcome.remark(number, remark.segment, remarkText(remark));
    if (reading.furtherRemarks > 0)
      outcome.remark(number, null, { key: 'mscons.further_remarks', count: reading.furtherRemarks });
    if (!batch.hasRoomFor(reading.profiles)) await flush();
    batch.add(number, reading.profiles);
  }
  await flush();
}

/** Load profiles of messages that are applied together. */
class ProfileBatch {
  readonly profiles: MessageProfile[] = [];
  private readonly days = new Set<string>();

  hasRoomFor(profiles: readonly LoadProfile[]): boolean {
    const added = profiles.flatMap(keysOf).filter((key) => !this.days.has(key));
    return this.days.size + added.length <= BATCH_DAYS;
  }

  add(message: number, profiles: readonly LoadProfile[]): void {
    for (const profile of profiles) {
      this.profiles.push({ message, profile });
      for (const key of keysOf(profile)) this.days.add(key);
    }
  }
}

const keysOf = ({ marketLocation, direction, days }: LoadProfile): string[] =>
  days.map(({ day }) => `${marketLocation} ${direction} ${day}`);

type AppliedProfiles = {
  readonly unknown: readonly UnknownLocation[];
  readonly remarks: readonly { message: number; text: Message }[];
  readonly changed: readonly ChangedDay[];
};

/** The clock is read when series and contracts are locked, so that the instants of a day's revisions are in their order. */
async function applyProfiles(
  tx: Tx,
  source: Source,
  profiles: readonly MessageProfile[],
  clock: Clock,
): Promise<AppliedProfiles> {
  const locations = new Set(profiles.map(({ profile }) => profile.marketLocation));
  const rows = await lockSeries(tx, { locations: Array.from(locations, meterAt) });
  await lockFollowing(tx, numbersOf(rows));
  const seriesAt = new Map(rows.map((row) => [row.market_location, row]));
  const ownerAt = (location: string) => {
    const series = seriesAt.get(location);
    return series === undefined ? null : series.asset_id === null ? 'customer' : 'asset';
  };
  const unknown: UnknownLocation[] = [];
  const remarks: { message: number; text: Message }[] = [];
  const days = new MessageDays();
  for (const { message, profile } of profiles) {
    const assigned = assignProfiles([profile], ownerAt);
    for (const marketLocation of assigned.unknown) unknown.push({ marketLocation, message });
    for (const { key, marketLocation, direction } of assigned.remarks)
      remarks.push({ message, text: { key, marketLocation, direction: { key: `mscons.${direction}` } } });
    for (const { marketLocation, days: profileDays } of assigned.applied) {
      const series = seriesAt.get(marketLocation)!;
      for (const { day, valuesWh } of profileDays) days.add({ series, day, message, valuesWh });
    }
  }
  const changed = days.list.length === 0 ? [] : await storeDays(tx, source, days.list, clock.now());
  return { unknown, remarks, changed };
}

/** A day of a series is in it once. Of several messages with a slot the last one counts. */
class MessageDays {
  private readonly days = new Map<string, MessageDay>();

  get list(): MessageDay[] {
    return [...this.days.values()];
  }

  add(added: MessageDay): void {
    const key = `${added.series.no} ${added.day}`;
    const earlier = this.days.get(key)?.valuesWh ?? [];
    const valuesWh = added.valuesWh.map((wh, at) => wh ?? earlier[at] ?? null);
    this.days.set(key, { ...added, valuesWh });
  }
}

const numbersOf = (series: readonly SeriesRow[]) => series.map(({ no }) => no);

const meterAt = (marketLocation: string) => ({ marketLocation, kind: 'meter' }) as const;

async function storeDays(
  tx: Tx,
  source: Source,
  days: readonly MessageDay[],
  now: number,
): Promise<ChangedDay[]> {
  const { changes } = await storeValues(tx, await withoutOutdated(tx, source, days), now);
  const revisions = changes.map(({ next }) => next?.revision ?? null);
  await insertMessageDays(tx, source, days, revisions);
  return days.flatMap(({ series, day }, at) => {
    const revision = revisions[at] ?? null;
    if (revision === null) return [];
    return [{ series: encodeId(ID_PREFIX.series, series.id), delivery_date: day, revision }];
  });
}

/**
 * Stores the outcome. Series that were created meanwhile get their values here: creating a series takes the same lock, so
 * that it either finds the unknown location or is found.
 */
async function finish(
  tx: Tx,
  clock: Clock,
  stored: InterchangeRow,
  { unknown, changed }: OutcomeBuilder,
  outcome: InterchangeOutcome,
): Promise<void> {
  await lockSeriesRecords(tx);
  if (!(await saveOutcome(tx, stored.no, outcome))) return;
  await insertUnknown(tx, stored.no, unknown);
  const locations = new Set(unknown.map(({ marketLocation }) => marketLocation));
  // All of them before the first contract.
  const created = await lockSeries(tx, { locations: Array.from(locations, meterAt) });
  await lockFollowing(tx, numbersOf(created));
  const now = clock.now();
  for (const series of created) changed.push(...(await applyPending(tx, series, now)));
  const { sender, reference, actor, request_id: id } = stored;
  const after = {
    sender,
    reference,
    messages: outcome.messages,
    rejected_messages: outcome.rejectedMessages,
    unknown_locations: locations.size - created.length,
    ...(changed.length > 0 && {
      changed_days: { count: changed.length, first: changed.slice(0, LIMITS.auditedDays) },
    }),
  };
  const subject = encodeId(ID_PREFIX.interchange, stored.id);
  await recordAudit(
    tx,
    { actor, request: { id, ...NO_CLIENT } },
    { action: 'interchange.received', subject, after },
    now,
  );
}

/**
 * Applies and audits the values that interchanges brought for the market location of a series before it had one.
 * Precondition: series records are locked.
 */
export async function writePending(tx: Tx, by: Actor, series: SeriesRow, now: number): Promise<void> {
  for (const { series: subject, ...after } of await applyPending(tx, series, now))
    await recordAudit(tx, by, { action: 'series_day.written', subject, after }, now);
}

/** In the order in which they were received. Returns the days that changed. */
async function applyPending(tx: Tx, series: SeriesRow, now: number): Promise<ChangedDay[]> {
  const { kind, market_location: location } = series;
  const changed: ChangedDay[] = [];
  if (kind !== 'meter' || location === null) return changed;
  for (const { messages, ...source } of await takePending(tx, location)) {
    const bytes = await findRaw(tx, source.id);
    const text = decodeInterchange(bytes!);
    const interchange = readInterchange(text);
    if (interchange.kind === 'rejected') throw new Error('a rejected interchange has no pending messages');
    const profiles = messages.flatMap((message) => {
      const reading = readMessage(text, interchange, interchange.messages[message - 1]!);
      const read = reading.kind === 'read' ? reading.profiles : [];
      return read
        .filter(({ marketLocation }) => marketLocation === location)
        .map((profile) => ({ message, profile }));
    });
    changed.push(...(await applyProfiles(tx, source, profiles, { now: () => now })).changed);
  }
  return changed;
}

/** A fault of a value, a start or a market location does not name what is wrong. */
function reasonOf(fault: MessageFault): Message {
  switch (fault.key) {
    case 'series.location_form':
    case 'series.location_check_digit':
      return { key: 'mscons.location_fault', fault };
    case 'series.interval_start':
    case 'series.year':
      return { key: 'mscons.start_fault', fault };
    case 'series.not_a_number':
    case 'series.negative':
    case 'series.no_whole_wh':
    case 'series.too_large':
      return { key: 'mscons.value_fault', fault };
    default:
      return fault;
  }
}

const remarkText = ({ key, marketLocation, found, count }: MessageRemark): Message => ({
  key,
  marketLocation,
  found,
  count,
});
