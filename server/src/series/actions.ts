import type { BodyOf, operatorSeriesEndpoints } from '@saldo/api';
import { decodeId, encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { findCustomer } from '../customers/store.ts';
import { findAssets } from '../market/store.ts';
import { OPERATOR_VIEW } from '../platform/auth/viewer.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Precondition } from '../platform/http/preconditions.ts';
import { fieldProblem, getUuid, problem } from '../platform/http/problem.ts';
import {
  findSeriesOfKind,
  insertSeries,
  lockSeries,
  lockSeriesRecords,
  type NewSeries,
  type SeriesRow,
  saveSeries,
} from './store.ts';

type SeriesCreate = BodyOf<typeof operatorSeriesEndpoints.createSeries>;
type SeriesUpdate = BodyOf<typeof operatorSeriesEndpoints.updateSeries>;

export const seriesNotFound = () => problem('series_not_found');
export const seriesUuid = (id: string) => getUuid(ID_PREFIX.series, id, seriesNotFound);

/** Creates a series. The market location has been checked. */
export async function createSeries(tx: Tx, input: SeriesCreate, now: number): Promise<SeriesRow> {
  await lockSeriesRecords(tx);
  const { kind, name, market_location = null } = input;
  const series = { kind, name, market_location, ...(await getOwner(tx, input.owner)) };
  await rejectDuplicates(tx, series, null);
  return insertSeries(tx, series, now);
}

type Owner = Pick<SeriesRow, 'asset_id' | 'customer_id'>;

async function getOwner(tx: Tx, { type, id }: SeriesCreate['owner']): Promise<Owner> {
  const uuid = decodeId(ID_PREFIX[type], id);
  if (type === 'asset') {
    const [asset] = uuid === null ? [] : await findAssets(tx, [uuid]);
    if (asset) return { asset_id: asset.id, customer_id: null };
    throw fieldProblem('owner.id', 'validation_failed', { key: 'field.unknown_asset' });
  }
  const customer = uuid === null ? null : await findCustomer(tx, OPERATOR_VIEW, uuid);
  if (customer) return { asset_id: null, customer_id: customer.id };
  throw fieldProblem('owner.id', 'validation_failed', { key: 'field.unknown_customer' });
}

/** Renames a series or sets its market location, which has been checked. */
export async function updateSeries(
  tx: Tx,
  id: string,
  update: SeriesUpdate,
  requireUnchanged: Precondition<SeriesRow>,
): Promise<{ before: SeriesRow; after: SeriesRow }> {
  await lockSeriesRecords(tx);
  const [before] = await lockSeries(tx, { ids: [id] });
  if (!before) throw seriesNotFound();
  requireUnchanged(before);
  const { name = before.name, market_location = before.market_location } = update;
  const after = { ...before, name, market_location };
  await rejectDuplicates(tx, after, before);
  await saveSeries(tx, after);
  return { before, after };
}

/** Rejects a second series of the owner or of the market location. `own` is the stored record of a change. */
async function rejectDuplicates(tx: Tx, series: NewSeries, own: SeriesRow | null): Promise<void> {
  const others = (await findSeriesOfKind(tx, series)).filter(({ no }) => no !== own?.no);
  const { market_location: location } = series;
  const ofOwner = others.find(
    ({ asset_id: asset, customer_id: customer }) =>
      asset === series.asset_id && customer === series.customer_id,
  );
  const [other] = ofOwner ? [ofOwner] : others;
  if (!other) return;
  const named = {
    kind: { key: `series.${other.kind}` },
    name: other.name,
    id: encodeId(ID_PREFIX.series, other.id),
  } as const;
  throw problem(
    'already_exists',
    ofOwner
      ? { key: 'problem.series_of_owner_exists', ...named }
      : { key: 'problem.series_of_location_exists', location: location ?? '', ...named },
  );
}
