import type { NominationMismatch, Tso, UnsentNomination } from '@saldo/api';
import {
  type DeliveryDay,
  formatInstant,
  formatInstantOrNull,
  SLOT_MS,
  slotStart,
} from '@saldo/core/delivery-day.ts';
import { exactMwh, kwFromKwh, mwhNumber } from '@saldo/core/energy.ts';
import type { Direction } from '@saldo/core/enums.ts';
import { sendingPhase } from '@saldo/core/exchange/sending.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { MAX_DAY_AFTER_DAYS } from '@saldo/core/market-rules.ts';
import type { Language } from '@saldo/core/messages/language.ts';
import { formatStored } from '@saldo/core/messages/stored.ts';
import type { Db } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';
import { timestamp } from '../platform/db/wire-types.ts';
import type { Exchange } from './process/exchange.ts';

export type MismatchRow = {
  id: string;
  eic: string;
  tso: Tso;
  direction: Direction;
  version: number;
  status: NominationMismatch['status'];
  confirmed_at: number | null;
  amounts: number[];
  matched: number[] | null;
  theirs: number[] | null;
};

const MISMATCHES = statement(
  'list_mismatches',
  `select n.id, n.eic, n.tso, n.direction, n.version, n.status, n.confirmed_at, n.amounts, n.matched, a.theirs
   from nomination n
   left join anomaly a on a.nomination_id = n.id
   where n.delivery_day = $1 and n.id > $2
     and (n.status = 'partial_match' or (n.status = 'pending' and a.nomination_id is not null))
     and ($4::tso is null or n.tso = $4)
   order by n.id
   limit $3`,
);

/** Lists current nominations of a day that are not fully matched or are named in an anomaly report. */
export async function listMismatches(
  db: Db,
  filter: { day: DeliveryDay; tso: Tso | null },
  page: { after: string; count: number },
): Promise<MismatchRow[]> {
  return db.query<MismatchRow>(MISMATCHES, [filter.day, page.after, page.count, filter.tso]);
}

const exactMwhOrNull = (kw: number | null | undefined) => (kw == null ? null : exactMwh(kw));

export function wireMismatch(row: MismatchRow, day: DeliveryDay): NominationMismatch {
  const { amounts, matched, theirs } = row;
  const slots = amounts.flatMap((kwh, at) => {
    // Before the TSO's confirmation, compare with the counterpart's value from the anomaly report.
    const other = matched === null ? theirs?.[at] : matched[at];
    if (other === undefined || other === kwFromKwh(kwh)) return [];
    const start = slotStart(day, at + 1);
    return [
      {
        slot_number: at + 1,
        delivery_start: formatInstant(start),
        delivery_end: formatInstant(start + SLOT_MS),
        amount: mwhNumber(kwh),
        matched_amount: exactMwhOrNull(matched?.[at]),
        counterpart_amount: exactMwhOrNull(theirs?.[at]),
      },
    ];
  });
  return {
    nomination_id: encodeId(ID_PREFIX.nomination, row.id),
    eic: row.eic,
    tso: row.tso,
    direction: row.direction,
    version: row.version,
    status: row.status,
    confirmed_at: formatInstantOrNull(row.confirmed_at),
    slots,
  };
}

export type UnsentRow = {
  id: string;
  delivery_day: DeliveryDay;
  eic: string;
  tso: Tso;
  direction: Direction;
  version: number;
  gate_closure: number;
  created_at: number;
  error: string | null;
};

const localMidnight = (date: string) => `((${date})::timestamp at time zone 'Europe/Berlin')`;

/**
 * $1 and $2 gate and id of the last row on the previous page, $3 row limit, $4 day, $5 TSO. The index is by gate. The
 * first gate of a day is on the day before it, the last one at most `MAX_DAY_AFTER_DAYS` after it: a page of a day reads
 * the unsent nominations between them, not all.
 */
const UNSENT = statement(
  'list_unsent',
  `select n.id, n.delivery_day, n.eic, n.tso, n.direction, n.version, n.gate_closure, n.created_at, u.error
   from nomination n
   left join unsent_schedule u on u.delivery_day = n.delivery_day and u.tso = n.tso
   where n.sent_at is null and n.status <> 'superseded'
     and (n.gate_closure, n.id) > (greatest($1, ${localMidnight('$4::date - 1')}), $2::uuid)
     and n.gate_closure < coalesce(${localMidnight(`$4::date + ${MAX_DAY_AFTER_DAYS + 1}`)}, 'infinity')
     and ($4::date is null or n.delivery_day = $4)
     and ($5::tso is null or n.tso = $5)
   order by n.gate_closure, n.id
   limit $3`,
);

/** Lists current nominations that were not sent to their TSO, ordered by gate closure. */
export async function listUnsent(
  db: Db,
  filter: { day: DeliveryDay | null; tso: Tso | null },
  page: { after: { gate: number; id: string }; count: number },
): Promise<UnsentRow[]> {
  const { gate, id } = page.after;
  return db.query<UnsentRow>(UNSENT, [timestamp(gate), id, page.count, filter.day, filter.tso]);
}

export function wireUnsent(
  row: UnsentRow,
  { rules, waitPhases }: Pick<Exchange, 'rules' | 'waitPhases'>,
  now: number,
  language: Language,
): UnsentNomination {
  const sending = sendingPhase(row.delivery_day, rules, waitPhases[row.tso], now);
  const sendsAt = 'opensAt' in sending ? sending.opensAt : sending.phase === 'open' ? now : null;
  return {
    nomination_id: encodeId(ID_PREFIX.nomination, row.id),
    delivery_date: row.delivery_day,
    eic: row.eic,
    tso: row.tso,
    direction: row.direction,
    version: row.version,
    gate_closure: formatInstant(row.gate_closure),
    gate_is_closed: now >= row.gate_closure,
    sends_at: formatInstantOrNull(sendsAt),
    error: formatStored(row.error, language),
    created_at: formatInstant(row.created_at),
  };
}
