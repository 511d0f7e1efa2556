import { formatInstant, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { formatMw, formatMwh, kwFromKwh } from '@saldo/core/energy.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { NominationRow } from '../../nominations/store.ts';

const HEADER =
  'nomination_id,version,delivery_date,eic,tso,direction,counterparty_eic,slot_number,delivery_start,delivery_end,power_mw,amount_mwh\n';

/** Formats nominations as CSV with one line per slot. No value needs quotes: ids, codes, times and numbers. */
export function scheduleCsv(rows: readonly NominationRow[], operatorEic: string): string {
  let csv = HEADER;
  for (const row of rows) {
    const { delivery_day: day, amounts = [] } = row;
    const id = encodeId(ID_PREFIX.nomination, row.id);
    const head = `${id},${row.version},${day},${row.eic},${row.tso},${row.direction},${operatorEic}`;
    for (const [at, kwh] of amounts.entries()) {
      const start = slotStart(day, at + 1);
      const times = `${formatInstant(start)},${formatInstant(start + SLOT_MS)}`;
      csv += `${head},${at + 1},${times},${formatMw(kwFromKwh(kwh))},${formatMwh(kwh)}\n`;
    }
  }
  return csv;
}
