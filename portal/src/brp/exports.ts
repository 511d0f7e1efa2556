import type { Contract, Customer, Nomination, Transaction } from '@saldo/api';
import { dayOf, formatInstant, slotLabel } from '@saldo/core/delivery-day.ts';
import { formatMwh, kwFromKwh, kwhFromMatchedKw, kwhFromMwh } from '@saldo/core/energy.ts';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import type { NominatedSlot } from '../nominations/nominated-slots.ts';

/** Columns have the names of the API's fields, so that a file can be compared with a response. */
export const CONTRACT_COLUMNS: readonly CsvColumn<Contract>[] = [
  ...memberColumns<Contract>('id', 'external_id', 'type', 'status', 'delivery_start', 'delivery_end'),
  { name: 'seller_name', value: ({ seller }) => seller.name },
  { name: 'seller_eic', value: ({ seller }) => seller.eic },
  { name: 'seller_tso', value: ({ seller }) => seller.tso },
  { name: 'buyer_name', value: ({ buyer }) => buyer.name },
  { name: 'buyer_eic', value: ({ buyer }) => buyer.eic },
  { name: 'buyer_tso', value: ({ buyer }) => buyer.tso },
  ...memberColumns<Contract>('ppa_type', 'period', 'delivery_profile'),
  { name: 'asset_id', value: ({ asset }) => asset?.id ?? null },
  { name: 'created_at', value: ({ created_at }) => created_at },
];

export const TRANSACTION_COLUMNS: readonly CsvColumn<Transaction>[] = [
  ...memberColumns<Transaction>('id', 'contract_id'),
  { name: 'delivery_date', value: ({ delivery_start }) => dayOf(Date.parse(delivery_start)) },
  { name: 'slot_number', value: ({ slot_number }) => slot_number },
  { name: 'local_time', value: ({ delivery_start }) => slotLabel(Date.parse(delivery_start)) },
  ...memberColumns<Transaction>('delivery_start', 'delivery_end'),
  { name: 'volume_mwh', value: ({ volume }) => formatMwh(kwhFromMwh(volume)), isDecimal: true },
  { name: 'power_mw', value: ({ volume }) => formatMwh(kwFromKwh(kwhFromMwh(volume))), isDecimal: true },
  ...memberColumns<Transaction>('status', 'version'),
  { name: 'sender_eic', value: ({ sender }) => sender.eic },
  { name: 'sender_tso', value: ({ sender }) => sender.tso },
  { name: 'receiver_eic', value: ({ receiver }) => receiver.eic },
  { name: 'receiver_tso', value: ({ receiver }) => receiver.tso },
  { name: 'created_at', value: ({ created_at }) => created_at },
];

/** A quarter-hour of a nomination: one line of the file. */
export type NominationLine = { readonly nomination: Nomination; readonly slot: NominatedSlot };

/** Three decimals, as the API's nominations have them. */
const matchedMwh = (kw: number | null) => (kw === null ? null : formatMwh(kwhFromMatchedKw(kw)));

export const NOMINATION_COLUMNS: readonly CsvColumn<NominationLine>[] = [
  { name: 'nomination_id', value: ({ nomination }) => nomination.id },
  { name: 'version', value: ({ nomination }) => nomination.version },
  { name: 'status', value: ({ nomination }) => nomination.status },
  { name: 'eic', value: ({ nomination }) => nomination.eic },
  { name: 'tso', value: ({ nomination }) => nomination.tso },
  { name: 'direction', value: ({ nomination }) => nomination.direction },
  { name: 'counterparty_eic', value: ({ nomination }) => nomination.counterparty.eic },
  { name: 'delivery_date', value: ({ slot }) => dayOf(slot.start) },
  { name: 'slot_number', value: ({ slot }) => slot.slot },
  { name: 'local_time', value: ({ slot }) => slotLabel(slot.start) },
  { name: 'delivery_start', value: ({ slot }) => formatInstant(slot.start) },
  { name: 'amount_mwh', value: ({ slot }) => formatMwh(slot.amountKwh), isDecimal: true },
  { name: 'amount_mw', value: ({ slot }) => formatMwh(kwFromKwh(slot.amountKwh)), isDecimal: true },
  { name: 'matched_amount_mwh', value: ({ slot }) => matchedMwh(slot.matchedKw), isDecimal: true },
];

export const CUSTOMER_COLUMNS: readonly CsvColumn<Customer>[] = [
  ...memberColumns<Customer>('id', 'name', 'status'),
  { name: 'eic', value: ({ balance_group }) => balance_group?.eic ?? null },
  { name: 'tso', value: ({ balance_group }) => balance_group?.tso ?? null },
  { name: 'metadata', value: ({ metadata }) => JSON.stringify(metadata) },
  ...memberColumns<Customer>('assigned_at', 'activated_at', 'created_at'),
];
