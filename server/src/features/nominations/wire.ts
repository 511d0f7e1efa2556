import type { Pagination } from '@saldo/api';
import { formatInstant } from '../../domain/delivery-day.ts';
import { kwhFromMatchedKw, mwhText } from '../../domain/energy.ts';
import { encodeId, ID_PREFIX } from '../../domain/id.ts';
import { slotTexts } from '../transactions/wire.ts';
import type { NominationRow } from './store.ts';

/** The platform operator, who stands between the two sides of every contract. */
export type Operator = { readonly name: string; readonly eic: string };

export type SlotRange = { readonly from: number; readonly to: number };

const instantText = (instant: number | null) => (instant === null ? 'null' : `"${formatInstant(instant)}"`);

function slotsText(row: NominationRow & { amounts: number[] }, range: SlotRange): string {
  const times = slotTexts(row.delivery_day);
  const matched = row.matched ?? null;
  let json = '';
  for (let at = range.from - 1; at < Math.min(range.to, row.amounts.length); at++) {
    const confirmed = matched === null ? 'null' : mwhText(kwhFromMatchedKw(matched[at] as number));
    json += `${json === '' ? '' : ','}{${times[at]},"amount":${mwhText(row.amounts[at] as number)},"matched_amount":${confirmed}}`;
  }
  return json;
}

/** Writes nominations as JSON text: a hundred of them with their slots are 1.4 MB, most of it the same each time. */
export function nominationWriter(operator: Operator): (row: NominationRow, range: SlotRange) => string {
  const counterparty = JSON.stringify({ name: operator.name, eic: operator.eic });
  return (row, range) => {
    const previous =
      row.previous_id === null ? 'null' : `"${encodeId(ID_PREFIX.nomination, row.previous_id)}"`;
    const slots = row.amounts ? `,"slots":[${slotsText({ ...row, amounts: row.amounts }, range)}]` : '';
    return (
      `{"id":"${encodeId(ID_PREFIX.nomination, row.id)}","status":"${row.status}","version":${row.version}` +
      `,"previous_nomination_id":${previous},"gate_closure":${instantText(row.gate_closure)}` +
      `,"confirmed_at":${instantText(row.confirmed_at)},"direction":"${row.direction}","eic":"${row.eic}"` +
      `,"tso":"${row.tso}","sent_at":${instantText(row.sent_at)},"counterparty":${counterparty}${slots}` +
      `,"created_at":${instantText(row.created_at)}}`
    );
  };
}

export function nominationEnvelope(texts: readonly string[], pagination: Pagination | null): string {
  const more = pagination === null ? '' : `,"pagination":${JSON.stringify(pagination)}`;
  return `{"nominations":[${texts.join(',')}]${more}}`;
}
