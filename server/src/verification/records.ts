import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Direction, NominationStatus, Tso } from '@saldo/core/enums.ts';
import type { Json } from '@saldo/core/ledger/canonical-json.ts';
import {
  auditEntry,
  invalidatedEntry,
  type LedgerEntry,
  type LedgerPlacement,
  messageEntry,
  messageSentEntry,
  nominationConfirmedEntry,
  nominationEntry,
  nominationSentEntry,
  nominationSupersededEntry,
  placementsEntry,
  sheetEntry,
  supersededEntry,
} from '@saldo/core/ledger/entries.ts';
import { supersededSlots, unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import type { Parties } from './parties.ts';
import { arrayOf, instantOf, msOf, type Row } from './row-stream.ts';
import { SheetLines } from './sheet-lines.ts';

/** The entries that follow from the stored rows, by the functions that make them when a change is committed. */

const numbersOf = (text: string): number[] => text.slice(1, -1).split(',').map(Number);

/** A row, the instant of its change, and its entries. */
export type RecordSource = {
  /** Nearly in the order of changes, so that few rows wait for their entries. */
  readonly select: (since: string) => string;
  readonly entries: (row: Row, parties: Parties) => LedgerEntry[];
  /** Compares most rows without `entries`. They are in the binary format. */
  readonly lines?: (parties: Parties) => SheetLines;
};

/** The sheets of its previous versions are in the last column: `revision id`, separated by commas. */
const SHEETS: RecordSource = {
  select: (since) => `
    select s.id, s.created_at, s.contract_no, s.delivery_day, s.revision, s.sender_position,
      s.receiver_position, s.volumes, s.versions::text, s.previous::text,
      case when s.previous is not null then (
        select string_agg(p.revision || ' ' || p.id, ',' order by p.revision) from sheet p
        where p.contract_no = s.contract_no and p.delivery_day = s.delivery_day and p.revision = any (s.previous)
      ) end
    from sheet s where s.created_at >= ${since} order by s.id`,
  entries(row, { contracts, positions }) {
    const [id, at, contract, day, revision, sender, receiver, volumesHex, versions, previous, replaced] = row;
    const committedAt = instantOf(at!);
    const sheet = sheetEntry({
      uuid: id!,
      contractUuid: contracts.get(contract!)!,
      day: day!,
      revision: Number(revision),
      sender: positions.get(sender!)!,
      receiver: positions.get(receiver!)!,
      volumesHex: volumesHex!,
      versions: arrayOf(versions!) as number[] | null,
      previous: arrayOf(previous!),
      committedAt,
    });
    if (previous === '') return [sheet];
    const volumes = unpackVolumes(Buffer.from(volumesHex!, 'hex'));
    const slots = supersededSlots({ volumes, previous: arrayOf(previous!) });
    const superseded = (replaced === '' ? [] : replaced!.split(',')).map((text) => {
      const [before, uuid] = text.split(' ');
      return supersededEntry(uuid!, sheet.number, slots.get(Number(before)) ?? [], committedAt);
    });
    return [sheet, ...superseded];
  },
  lines: (parties) => new SheetLines(parties),
};

const NOMINATIONS: RecordSource = {
  select: (since) => `
    select id, ${msOf('created_at')}, eic, tso, delivery_day, direction, version, previous_id, amounts, ${msOf('gate_closure')}
    from nomination where created_at >= ${since} order by id`,
  entries([id, at, eic, tso, day, direction, version, previousId, amounts, gateClosure]) {
    const nomination = nominationEntry({
      uuid: id!,
      eic: eic!,
      tso: tso as Tso,
      day: day!,
      direction: direction as Direction,
      version: Number(version),
      previousUuid: previousId || null,
      amounts: numbersOf(amounts!),
      gateClosure: instantOf(gateClosure!),
      committedAt: instantOf(at!),
    });
    if (previousId === '') return [nomination];
    return [nomination, nominationSupersededEntry(previousId!, nomination.number, id!, instantOf(at!))];
  },
};

const MESSAGES: RecordSource = {
  select: (since) => `
    select id, ${msOf('created_at')}, direction, encode(document, 'hex')
    from message where created_at >= ${since} order by id`,
  entries([id, at, direction, document]) {
    const documentSha256 =
      document === '' ? null : hash('sha256', gunzipSync(Buffer.from(document!, 'hex')), 'hex');
    const committedAt = instantOf(at!);
    return [messageEntry({ uuid: id!, direction: direction as Direction, documentSha256, committedAt })];
  },
};

type ByInstant = Record<
  string,
  { select: string; instant: string; entry: (values: Json[], at: number) => LedgerEntry }
>;

/** Kinds of records with few rows share one stream, in the order of their instants: a JSON array per row. */
const BY_INSTANT: ByInstant = {
  invalidation: {
    select: `json_build_array(s.id, c.number, c.slots) from invalidation c
      join sheet s using (contract_no, delivery_day, revision)`,
    instant: 'c.invalidated_at',
    entry: ([uuid, number, slots], at) =>
      invalidatedEntry(uuid as string, number as number, slots as number[], at),
  },
  sent: {
    select: 'json_build_array(c.id) from nomination c',
    instant: 'c.sent_at',
    entry: ([uuid], at) => nominationSentEntry(uuid as string, at),
  },
  confirmation: {
    select: `json_build_array(c.nomination_id, c.number, c.status, c.matched, ${msOf('c.confirmed_at')})
      from nomination_confirmation c`,
    instant: 'c.recorded_at',
    entry: ([uuid, number, status, matched, confirmedAt], at) =>
      nominationConfirmedEntry({
        nominationUuid: uuid as string,
        number: number as number,
        status: status as NominationStatus,
        matched: matched as number[],
        confirmedAt: confirmedAt === null ? null : instantOf(String(confirmedAt)),
        committedAt: at,
      }),
  },
  messageSent: {
    select: 'json_build_array(c.id) from message c',
    instant: 'c.sent_at',
    entry: ([uuid], at) => messageSentEntry(uuid as string, at),
  },
  placements: {
    select: 'json_build_array(c.customer_id, c.number, c.placements) from placement_change c',
    instant: 'c.changed_at',
    entry: ([uuid, number, placements], at) =>
      placementsEntry(
        uuid as string,
        number as number,
        (placements as Record<string, string | null>[]).map(
          ({ eic, tso, first_day, last_day }) =>
            ({ eic, tso, firstDay: first_day, lastDay: last_day }) as LedgerPlacement,
        ),
        at,
      ),
  },
  audit: {
    select: `json_build_array(c.no, c.actor, c.action, c.subject, c.request_id, c.address, c.user_agent, c.before, c.after)
      from audit c`,
    instant: 'c.at',
    entry: ([no, actor, action, subject, requestId, address, userAgent, before, after], at) =>
      auditEntry({
        no: no as number,
        actor: actor as string,
        action: action as string,
        subject: subject as string,
        requestId: requestId as string | null,
        address: address as string | null,
        userAgent: userAgent as string | null,
        before: before as Json,
        after: after as Json,
        committedAt: at,
      }),
  },
};

const OTHERS: RecordSource = {
  select: (since) => {
    const kinds = Object.entries(BY_INSTANT).map(
      ([kind, { select, instant }]) => `
        select '${kind}', ${msOf(instant)} as instant, ${select} where ${instant} >= ${since}`,
    );
    return `${kinds.join(' union all ')} order by instant`;
  },
  entries: ([kind, at, values]) => [BY_INSTANT[kind!]!.entry(JSON.parse(values!) as Json[], instantOf(at!))],
};

export const RECORD_SOURCES: readonly RecordSource[] = [SHEETS, NOMINATIONS, MESSAGES, OTHERS];
