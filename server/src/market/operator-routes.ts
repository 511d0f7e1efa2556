import {
  type Cover,
  operatorDemandEndpoints as demandEndpoints,
  operatorMarketEndpoints as endpoints,
} from '@saldo/api';
import { parseInstant } from '@saldo/core/delivery-day.ts';
import { recordAudit } from '../audit/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { searchValue } from '../platform/db/search.ts';
import { readPage } from '../platform/http/paging.ts';
import { answerChanged, answerTagged, ifMatch } from '../platform/http/preconditions.ts';
import { type FieldError, validationProblem } from '../platform/http/problem.ts';
import { type Route, route, writeRoute } from '../platform/http/routes.ts';
import {
  assetNotFound,
  assetUuid,
  createAsset,
  createDemand,
  demandNotFound,
  demandUuid,
  type OfferedAsset,
  updateAsset,
  updateDemand,
  withdrawDemand,
} from './actions.ts';
import { coverAddress, coverNameIn, storeCover } from './covers.ts';
import { readImage } from './image.ts';
import {
  ASSET_SORTINGS,
  DEMAND_SORTINGS,
  findAssets,
  findDemand,
  findOffers,
  listAssets,
  listDemands,
} from './store.ts';
import { wireDemand, wireOperatorAsset } from './wire.ts';

/** `customerUrl` is the public base URL of the customer API, which serves the covers. */
export const operatorMarketRoutes = (db: Db, clock: Clock, customerUrl: string): Route[] => [
  ...assetRoutes(db, clock, customerUrl),
  coverRoute(clock, customerUrl),
  ...demandRoutes(db, clock),
];

function assetRoutes(db: Db, clock: Clock, customerUrl: string): Route[] {
  const wire = ({ asset, offer }: OfferedAsset) => wireOperatorAsset(asset, offer, customerUrl);
  const checkOffer = offerCheck(customerUrl);
  return [
    writeRoute(
      endpoints.createAsset,
      async (call, tx) => {
        const now = clock.now();
        const { offer = null, ...asset } = call.body;
        const after = wire(await createAsset(tx, asset, offer, customerUrl, now));
        await recordAudit(tx, call, { action: 'asset.created', subject: after.id, after }, now);
        return after;
      },
      checkOffer,
    ),

    route(endpoints.listAssets, async ({ query, page }) => {
      const { technology = null, tso = null, offered } = query;
      const filter = {
        ...{ technology, tso, search: searchValue(query.search) },
        offered: offered === undefined ? null : offered === 'true',
      };
      const { sort } = query;
      const { records, pagination } = await readPage(page, sort && ASSET_SORTINGS[sort], (start) =>
        listAssets(db, filter, start, sort),
      );
      const ids = records.map(({ id }) => id);
      const offers = await findOffers(db, ids);
      const assets = records.map((asset) => wire({ asset, offer: offers.get(asset.id) ?? null }));
      return { assets, pagination };
    }),

    route(endpoints.getAsset, async (call) => {
      const id = assetUuid(call.params.asset_id);
      const [[asset], offers] = await Promise.all([findAssets(db, [id]), findOffers(db, [id])]);
      if (!asset) throw assetNotFound();
      return answerTagged(call, wire({ asset, offer: offers.get(id) ?? null }));
    }),

    writeRoute(
      endpoints.updateAsset,
      async (call, tx) => {
        const now = clock.now();
        const id = assetUuid(call.params.asset_id);
        const change = await updateAsset(tx, id, call.body, customerUrl, ifMatch(call.request, wire), now);
        const [before, after] = [wire(change.before), wire(change.after)];
        await recordAudit(tx, call, { action: 'asset.updated', subject: after.id, before, after }, now);
        return answerChanged(call, after);
      },
      checkOffer,
    ),
  ];
}

function coverRoute(clock: Clock, customerUrl: string): Route {
  return writeRoute(endpoints.uploadCover, async (call, tx): Promise<Cover> => {
    const now = clock.now();
    const file = call.request.body;
    if (!Buffer.isBuffer(file) || file.length === 0) {
      throw validationProblem([{ code: 'required', message: { key: 'request.image_required' } }]);
    }
    const image = readImage(file);
    if ('fault' in image) {
      const message = { key: 'request.no_image', fault: image.fault } as const;
      throw validationProblem([{ code: 'invalid_format', message }]);
    }
    const name = await storeCover(tx, image, file, now);
    const after = {
      cover_url: coverAddress(customerUrl, name),
      media_type: image.mediaType,
      width: image.width,
      height: image.height,
    };
    await recordAudit(tx, call, { action: 'cover.uploaded', subject: name, after }, now);
    return after;
  });
}

function demandRoutes(db: Db, clock: Clock): Route[] {
  return [
    writeRoute(
      demandEndpoints.createDemand,
      async (call, tx) => {
        const now = clock.now();
        const after = wireDemand(await createDemand(tx, call.body, now));
        await recordAudit(tx, call, { action: 'demand.created', subject: after.id, after }, now);
        return after;
      },
      checkDemand,
    ),

    route(demandEndpoints.listDemands, async ({ query, page }) => {
      const { country = null, sort } = query;
      const { records, pagination } = await readPage(page, sort && DEMAND_SORTINGS[sort], (start) =>
        listDemands(db, country, start, sort),
      );
      return { demands: records.map(wireDemand), pagination };
    }),

    route(demandEndpoints.getDemand, async (call) => {
      const row = await findDemand(db, demandUuid(call.params.demand_id));
      if (row === null) throw demandNotFound();
      return answerTagged(call, wireDemand(row));
    }),

    writeRoute(
      demandEndpoints.updateDemand,
      async (call, tx) => {
        const id = demandUuid(call.params.demand_id);
        const change = await updateDemand(tx, id, call.body, ifMatch(call.request, wireDemand));
        const [before, after] = [wireDemand(change.before), wireDemand(change.after)];
        const event = { action: 'demand.updated', subject: after.id, before, after } as const;
        await recordAudit(tx, call, event, clock.now());
        return answerChanged(call, after);
      },
      checkDemand,
    ),

    writeRoute(demandEndpoints.deleteDemand, async (call, tx) => {
      const now = clock.now();
      const id = demandUuid(call.params.demand_id);
      const before = wireDemand(await withdrawDemand(tx, id, ifMatch(call.request, wireDemand), now));
      await recordAudit(tx, call, { action: 'demand.deleted', subject: before.id, before }, now);
      return {};
    }),
  ];
}

/** Plausible range. Some times outside of it cannot be stored or formatted. */
const [FIRST_START, LAST_START] = [Date.UTC(1900, 0, 1), Date.UTC(2999, 11, 31)];

function startErrors(start: unknown, field: string): FieldError[] {
  const instant = typeof start === 'string' ? parseInstant(start) : null;
  if (instant === null || (instant >= FIRST_START && instant <= LAST_START)) return [];
  return [{ field, code: 'validation_failed', message: { key: 'field.plausible_year' } }];
}

type Members = { readonly [name: string]: unknown };
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

const checkDemand = (_: object, body: unknown): FieldError[] =>
  startErrors(membersOf(body)['delivery_start'], 'delivery_start');

/** Checks an offer beyond its schema. The body may violate the schema: errors of both kinds are reported together. */
function offerCheck(customerUrl: string) {
  return (_: object, body: unknown): FieldError[] => {
    const offer = membersOf(membersOf(body)['offer']);
    return [
      ...startErrors(offer['delivery_start'], 'offer.delivery_start'),
      ...coverErrors(offer['cover_url'], customerUrl),
      ...priceErrors(offer['pricing']),
    ];
  };
}

function coverErrors(cover: unknown, customerUrl: string): FieldError[] {
  if (typeof cover !== 'string' || coverNameIn(customerUrl, cover) !== null) return [];
  const url = URL.canParse(cover) ? new URL(cover) : null;
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return [];
  return [{ field: 'offer.cover_url', code: 'invalid_format', message: { key: 'field.cover_url' } }];
}

function priceErrors(pricing: unknown): FieldError[] {
  if (!Array.isArray(pricing)) return [];
  const seen = new Set<unknown>();
  return pricing.flatMap((price, at) => {
    const { years } = membersOf(price);
    const isRepeated = typeof years === 'number' && seen.has(years);
    seen.add(years);
    if (!isRepeated) return [];
    return [
      { field: `offer.pricing[${at}].years`, code: 'validation_failed', message: { key: 'field.repeated' } },
    ];
  });
}
