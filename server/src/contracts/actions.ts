import type { OperatorContractCreate, SourceInput } from '@saldo/api';
import type { Profile } from '@saldo/core/contracts/profile.ts';
import { type DeliveryDay, dayOf, dayStart, parseInstant } from '@saldo/core/delivery-day.ts';
import { findKw } from '@saldo/core/energy.ts';
import { effectiveDay } from '@saldo/core/gates.ts';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import type { SourcedContract } from '@saldo/core/series/source.ts';
import { changedMembers } from '../events/changed-members.ts';
import { appendEvents, type Tenant } from '../events/store.ts';
import { findAssets } from '../market/store.ts';
import { OPERATOR_VIEW } from '../platform/auth/viewer.ts';
import type { Clock } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Precondition } from '../platform/http/preconditions.ts';
import { type FieldError, problem, validationProblem } from '../platform/http/problem.ts';
import { FIRST_DAY, LAST_DAY } from '../platform/http/time-filter.ts';
import type { SeriesRow } from '../series/store.ts';
import { decideSource, lockSourceSeries, type NewSource, requireShares } from './source-actions.ts';
import { lockChanges, readSources, SINCE_CREATION, saveSource } from './source-store.ts';
import {
  type ContractBrps,
  type ContractRow,
  findContract,
  findSourcedContract,
  insertContract,
  lockContract,
  lockParties,
  saveContractDates,
  TERMS,
} from './store.ts';
import { wireContract } from './wire.ts';

type Errors = FieldError[];

/** Validates all references of a contract and creates it. */
export async function createContract(
  tx: Tx,
  input: OperatorContractCreate,
  clock: Clock,
): Promise<ContractRow> {
  const errors: Errors = [];
  const { seller_customer_id: _seller, buyer_customer_id: _buyer, source: _source, ...terms } = input;
  const period = deliveryPeriod(input.delivery_start, input.delivery_end, errors);
  errors.push(...fieldsOfOtherTypes(input));
  const profile = input.type === 'ppa' && input.profile ? profileOf(input, input.profile, errors) : null;
  const parties = await findParties(tx, input, errors);
  const assetId = await findAssetId(tx, input.asset_id ?? null, errors);
  const asked = input.type === 'ppa' ? (input.source ?? null) : null;
  const series = await lockSourceSeries(tx, asked);
  const sourced = {
    ppaType: input.ppa_type ?? null,
    hasProfile: (input.profile ?? null) !== null,
    assetId,
    buyerId: parties.buyer,
  };
  const source = asked === null ? null : decideSource(asked, sourced, series, errors);
  if (errors.length > 0) throw validationProblem(errors);
  const now = clock.now();
  const made = await insertContract(
    tx,
    {
      ...terms,
      ...period,
      asset_id: assetId,
      profile,
      seller_customer: parties.seller,
      buyer_customer: parties.buyer,
    },
    now,
  );
  if (made === null)
    throw problem('already_exists', {
      key: 'problem.contract_exists',
      reference: input.external_id,
    });
  if (source !== null) {
    await saveSource(tx, made.no, { ...source, firstDay: SINCE_CREATION });
    await requireShares(tx, series);
  }
  const row = await findContract(tx, OPERATOR_VIEW, made.id);
  if (row === null) throw new Error('a contract that was just made is there');
  await appendEvents(
    tx,
    [{ type: 'contract.created', tenants: brpsOf(made), data: identityOf(made.id) }],
    now,
  );
  return row;
}

const brpsOf = (of: ContractBrps): Tenant[] => [`brp/${of.seller_brp}`, `brp/${of.buyer_brp}`];
const identityOf = (id: string) => ({ object: 'contract', id: encodeId(ID_PREFIX.contract, id) }) as const;

type DateText = string | null | undefined;

/** Parses both dates and checks their order and that each is a local midnight, whether from a request or a record. */
function deliveryPeriod(start: DateText, end: DateText, errors: Errors) {
  const deliveryStart = localMidnight('delivery_start', start, errors);
  const deliveryEnd = localMidnight('delivery_end', end, errors);
  errors.push(...emptyPeriod(deliveryStart, deliveryEnd));
  return { delivery_start: deliveryStart, delivery_end: deliveryEnd };
}

function emptyPeriod(start: number | null, end: number | null): Errors {
  if (start === null || end === null || start < end) return [];
  return [{ field: 'delivery_end', code: 'validation_failed', message: { key: 'field.after_start' } }];
}

function localMidnight(field: string, text: DateText, errors: Errors): number | null {
  if (text === null || text === undefined) return null;
  const instant = parseInstant(text);
  if (instant === null) throw new Error('a request is validated before it is acted on');
  const canBeNamed = instant >= dayStart(FIRST_DAY) && instant <= dayStart(LAST_DAY);
  if (canBeNamed && dayStart(dayOf(instant)) === instant) return instant;
  errors.push({ field, code: 'validation_failed', message: { key: 'field.midnight' } });
  return null;
}

const PPA_FIELDS = [...TERMS, 'asset_id', 'profile', 'source'] as const;

function fieldsOfOtherTypes(input: OperatorContractCreate): Errors {
  if (input.type === 'ppa') return [];
  const given = PPA_FIELDS.filter((field) => (input[field] ?? null) !== null);
  return given.map((field) => ({ field, code: 'validation_failed', message: { key: 'field.for_ppa' } }));
}

type ProfileInput = NonNullable<OperatorContractCreate['profile']>;

/** Converts the profile to whole kW. The PPA type determines the kind of profile; an indexed price says nothing of it. */
function profileOf(input: OperatorContractCreate, profile: ProfileInput, errors: Errors): Profile | null {
  const kind = input.ppa_type === 'indexed' ? profile.kind : input.ppa_type;
  const fail = (field: string, message: Message) => {
    errors.push({ field, code: 'validation_failed', message });
    return null;
  };
  if (kind === undefined) return fail('profile.kind', { key: 'field.indexed_profile_kind' });
  if (kind !== 'baseload' && kind !== 'peakload' && kind !== 'shaped')
    return fail('profile', { key: 'field.profile_kind' });
  if (profile.kind !== undefined && profile.kind !== kind)
    return fail('profile.kind', { key: 'field.other_profile_kind', kind: { key: `field.${kind}` } });
  const { power } = profile;
  const wholeKw = (field: string, powerMw: number) => {
    const kw = findKw(powerMw);
    return kw !== null && kw % KW_STEP === 0 ? kw : fail(field, { key: 'field.power_step' });
  };
  if (typeof power === 'number') {
    if (kind === 'shaped') return fail('profile.power', { key: 'field.shaped_power' });
    const powerKw = wholeKw('profile.power', power);
    return powerKw === null ? null : { kind, powerKw };
  }
  if (kind !== 'shaped')
    return fail('profile.power', { key: 'field.type', types: [{ key: 'field.number' }] });
  const powerKw = power.map((hours, month) =>
    hours.map((mw, hour) => wholeKw(`profile.power[${month}][${hour}]`, mw) ?? 0),
  );
  return { kind, powerKw };
}

/** Power in kW must be a multiple of 4, so that a quarter-hour is a whole number of kWh. */
const KW_STEP = 4;

async function findParties(tx: Tx, input: OperatorContractCreate, errors: Errors) {
  const seller = decodeId(ID_PREFIX.customer, input.seller_customer_id);
  const buyer = decodeId(ID_PREFIX.customer, input.buyer_customer_id);
  const rows = await lockParties(
    tx,
    [seller, buyer].filter((id) => id !== null),
  );
  const check = (field: string, id: string | null) => {
    const found = rows.find((row) => row.id === id);
    const key = found ? 'field.no_balance_group' : 'field.unknown_customer';
    if (!found || found.position_no === null)
      errors.push({ field, code: 'validation_failed', message: { key } });
    return id ?? '';
  };
  if (seller !== null && seller === buyer) {
    const message = { key: 'field.same_customer' } as const;
    errors.push({ field: 'buyer_customer_id', code: 'validation_failed', message });
  }
  return { seller: check('seller_customer_id', seller), buyer: check('buyer_customer_id', buyer) };
}

async function findAssetId(tx: Tx, publicId: string | null, errors: Errors): Promise<string | null> {
  if (publicId === null) return null;
  const id = decodeId(ID_PREFIX.asset, publicId);
  const [asset] = id === null ? [] : await findAssets(tx, [id]);
  if (asset) return asset.id;
  errors.push({ field: 'asset_id', code: 'validation_failed', message: { key: 'field.unknown_asset' } });
  return null;
}

export type ContractUpdate = {
  delivery_start?: string | undefined;
  delivery_end?: string | undefined;
  source?: SourceInput | null | undefined;
};

export type ContractChange = {
  before: ContractRow;
  after: ContractRow;
  hasNewSource: boolean;
  now: number;
  effectiveDay: DeliveryDay;
};

/**
 * Sets dates that were null, moves the end of a contract, or changes its source from the effective day on. The caller
 * must change the transactions that follow from it. The series are locked before the contract; the time is read after
 * that, so that waiting for a lock cannot miss a gate.
 */
export async function changeContract(
  tx: Tx,
  publicId: string,
  update: ContractUpdate,
  requireUnchanged: Precondition<ContractRow>,
  { clock, rules }: { clock: { now(): number }; rules: MarketRules },
): Promise<ContractChange> {
  const errors: Errors = [];
  const dates = {
    start: localMidnight('delivery_start', update.delivery_start, errors),
    end: localMidnight('delivery_end', update.delivery_end, errors),
  };
  if (errors.length > 0) throw validationProblem(errors);

  const id = decodeId(ID_PREFIX.contract, publicId);
  if (id === null) throw contractNotFound();
  await lockChanges(tx, id);
  const sourced = await findSourcedContract(tx, id);
  if (sourced === null) throw contractNotFound();
  const sources = (await readSources(tx, [sourced.no])).get(sourced.no) ?? [];
  const series = await lockSourceSeries(tx, update.source ?? null, sources);
  const before = await lockContract(tx, OPERATOR_VIEW, id);
  if (before === null) throw contractNotFound();
  const now = clock.now();
  const firstDay = effectiveDay(now, rules);
  requireUnchanged(before);
  const period = changedPeriod(before, dates, errors);
  const source = update.source ? askedSource(update.source, before, sourced, series, errors) : null;
  if (errors.length > 0) throw validationProblem(errors);

  const tenants = brpsOf(await saveContractDates(tx, { ...before, ...period }));
  const hasNewSource =
    update.source === null ? sources.length > 0 : source !== null && !isSameSource(source, sources.at(-1));
  if (hasNewSource) await saveSource(tx, before.no, source && { ...source, firstDay });
  await requireShares(tx, series);
  const after = await findContract(tx, OPERATOR_VIEW, id);
  if (after === null) throw new Error('a locked contract exists');
  // A BRP does not learn of the source.
  const changed = changedMembers(wireContract(before, now), wireContract(after, now));
  if (changed.length > 0) {
    const data = { ...identityOf(after.id), changed };
    await appendEvents(tx, [{ type: 'contract.updated', tenants, data }], now);
  }
  return { before, after, hasNewSource, now, effectiveDay: firstDay };
}

function changedPeriod(
  { delivery_start: oldStart, delivery_end: oldEnd }: ContractRow,
  { start, end }: { start: number | null; end: number | null },
  errors: Errors,
): Pick<ContractRow, 'delivery_start' | 'delivery_end'> {
  if (start !== null && oldStart !== null && start !== oldStart)
    errors.push({
      field: 'delivery_start',
      code: 'validation_failed',
      message: { key: 'field.cannot_change' },
    });
  const period = { delivery_start: start ?? oldStart, delivery_end: end ?? oldEnd };
  if (errors.length === 0) errors.push(...emptyPeriod(period.delivery_start, period.delivery_end));
  return period;
}

function askedSource(
  input: SourceInput,
  { type }: ContractRow,
  sourced: SourcedContract,
  series: readonly SeriesRow[],
  errors: Errors,
): NewSource | null {
  if (type === 'ppa') return decideSource(input, sourced, series, errors);
  errors.push({ field: 'source', code: 'validation_failed', message: { key: 'field.for_ppa' } });
  return null;
}

const isSameSource = (one: NewSource, other: NewSource | undefined): boolean =>
  one.forecastNo === other?.forecastNo &&
  one.meterNo === other.meterNo &&
  one.shareMillionths === other.shareMillionths &&
  one.maxPowerKw === other.maxPowerKw;

export const contractNotFound = () => problem('contract_not_found');
