import type { Contract, OperatorContract, PpaContract, Source } from '@saldo/api';
import { contractStatus } from '@saldo/core/contracts/contract.ts';
import { formatInstant, formatInstantOrNull } from '@saldo/core/delivery-day.ts';
import { mwNumber } from '@saldo/core/energy.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { WHOLE_SHARE } from '@saldo/core/series/source.ts';
import { wireAsset } from '../market/wire.ts';
import type { ContractRow, SourceColumn } from './store.ts';

/** Contracts are polymorphic: only PPAs have a PPA type, a period, a profile and an asset. */
export function wireContract(row: ContractRow, now: number): Contract {
  const { delivery_start: deliveryStart, delivery_end: deliveryEnd, is_activated: isActivated } = row;
  const shared = {
    id: encodeId(ID_PREFIX.contract, row.id),
    external_id: row.external_id,
    type: row.type,
    status: contractStatus({ deliveryStart, deliveryEnd, isActivated }, now),
    delivery_start: formatInstantOrNull(row.delivery_start),
    delivery_end: formatInstantOrNull(row.delivery_end),
    seller: { name: row.seller_name, eic: row.seller_eic, tso: row.seller_tso },
    buyer: { name: row.buyer_name, eic: row.buyer_eic, tso: row.buyer_tso },
  };
  const createdAt = formatInstant(row.created_at);
  return row.type === 'ppa'
    ? { ...shared, type: row.type, ...ppaFields(row), created_at: createdAt }
    : { ...shared, type: row.type, created_at: createdAt };
}

function ppaFields(
  row: ContractRow,
): Pick<PpaContract, 'ppa_type' | 'period' | 'delivery_profile' | 'asset'> {
  const fields = { ppa_type: row.ppa_type, period: row.period, delivery_profile: row.delivery_profile };
  if (row.asset_id === null) return fields;
  const asset = wireAsset({
    id: row.asset_id,
    name: row.asset_name,
    nominal_power_kw: row.asset_power_kw,
    technology: row.asset_technology,
    tso: row.asset_tso,
  });
  return { ...fields, asset };
}

/** The contract with what only the operator sees. */
export function wireOperatorContract(row: ContractRow, now: number): OperatorContract {
  const contract = wireContract(row, now);
  return contract.type === 'ppa' ? { ...contract, source: wireSource(row.source ?? null) } : contract;
}

function wireSource(source: SourceColumn | null): Source | null {
  if (source === null) return null;
  const idOf = (uuid: string | null) => (uuid === null ? null : encodeId(ID_PREFIX.series, uuid));
  return {
    forecast: idOf(source.forecast),
    meter: idOf(source.meter),
    share: source.share_millionths / WHOLE_SHARE,
    max_power_mw: source.max_power_kw === null ? null : mwNumber(source.max_power_kw),
  };
}
