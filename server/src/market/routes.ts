import { hash } from 'node:crypto';
import { LIMITS, type marketEndpoints } from '@saldo/api';
import { COVERS_PATH } from '@saldo/core/market/cover.ts';
import type { FastifyInstance } from 'fastify';
import type { Database, Db } from '../platform/db/database.ts';
import { hotStatement } from '../platform/db/statement.ts';
import { pageLinks } from '../platform/http/paging.ts';
import { isFresh } from '../platform/http/preconditions.ts';
import { fieldProblem, problem } from '../platform/http/problem.ts';
import { type Call, type Route, route } from '../platform/http/routes.ts';
import { coverAddress, coverFinder } from './covers.ts';
import { drawCover } from './drawn-cover.ts';
import { type ListName, type MarketList, marketList, type VersionFault } from './lists.ts';
import { type DemandColumns, demandPage, type OfferedColumns, offeredPage } from './wire.ts';

// The limit repeats what the range implies, so that the planner does not expect thousands of rows.
const ON_A_PAGE = `order by published_no desc limit ${LIMITS.pageSize.maximum}`;

const ASSET_PAGE = hotStatement(
  'market_assets',
  `select l.version, o.asset_id, a.name, a.technology, a.nominal_power_kw, o.average_annual_kwh, o.delivery_start,
     o.ppa_type, o.additional_info, o.state, o.country, o.cover_name, o.cover_url, o.price_years, o.price_cents
   from market_list l
   left join ((select * from offer where published_no between $1 and $2 ${ON_A_PAGE}) o
              join asset a on a.id = o.asset_id) on true
   where l.name = 'assets'
   order by o.published_no desc`,
);
const DEMAND_PAGE = hotStatement(
  'market_demands',
  `select l.version, d.id, d.contract_years, d.annual_kwh, d.additional_info, d.country, d.state, d.delivery_start
   from market_list l
   left join (select * from demand where published_no between $1 and $2 ${ON_A_PAGE}) d on true
   where l.name = 'demands'
   order by d.published_no desc`,
);

const offeredAssets = (db: Db) =>
  marketList<OfferedColumns>(db, 'assets', { table: 'offer', page: ASSET_PAGE });
const listedDemands = (db: Db) =>
  marketList<DemandColumns>(db, 'demands', { table: 'demand', page: DEMAND_PAGE });

/** An operation of the customer API, which the portal mounts under another path. */
type AnywhereOf<Id extends keyof typeof marketEndpoints> = Omit<(typeof marketEndpoints)[Id], 'path'> & {
  readonly path: string;
};

type MarketPlace = {
  readonly assets: AnywhereOf<'listMarketAssets'>;
  readonly demands: AnywhereOf<'listMarketDemands'>;
  /** Public base URLs of the listener that serves these routes, and of the customer API, which serves the covers. */
  readonly baseUrl: () => string;
  readonly customerUrl: () => string;
};

/** Lists of assets and demands, served on the customer API with keys and on the portal with sessions. */
export function marketRoutes(db: Db, { assets, demands, baseUrl, customerUrl }: MarketPlace): Route[] {
  const [offered, listed] = [offeredAssets(db), listedDemands(db)];
  return [
    route(assets, async (call) => {
      const rows = await readPage(call, 'assets', offered, baseUrl() + assets.path);
      return offeredPage(rows, coverAddress(customerUrl(), ''));
    }),
    route(demands, async (call) =>
      demandPage(await readPage(call, 'demands', listed, baseUrl() + demands.path)),
    ),
  ];
}

type ListCall = Call<MarketPlace['assets' | 'demands']>;

/** Reads the requested page and sets the pagination headers. */
async function readPage<Row extends readonly unknown[]>(
  { query, request, reply }: ListCall,
  name: ListName,
  list: MarketList<Row>,
  address: string,
): Promise<Row[]> {
  const { page = LIMITS.pageNumber.default, limit = LIMITS.pageSize.default } = query;
  // The addresses in `Link` carry the version. The header is for clients that number the pages themselves.
  const field = query.listVersion === undefined ? 'X-List-Version' : 'listVersion';
  const text = query.listVersion ?? request.headers['x-list-version'];
  const wanted = text === undefined ? null : versionIn(name, String(text));
  const found = wanted === 'unknown' ? wanted : await list.read(page, limit, wanted);
  if (typeof found === 'string') throw versionProblem(field, found);
  const version = `${name}-${found.version}`;
  reply.headers({
    link: pageLinks(address, { page, limit, total: found.total, version }),
    'x-total-count': String(found.total),
    'x-list-version': version,
  });
  return found.rows;
}

function versionIn(name: ListName, text: string): number | 'unknown' {
  const [, version] = new RegExp(`^${name}-(\\d{1,10})$`).exec(text) ?? [];
  return version === undefined ? 'unknown' : Number(version);
}

const versionProblem = (field: string, fault: VersionFault) =>
  fault === 'unknown'
    ? fieldProblem(field, 'invalid_format', { key: 'field.list_version' })
    : fieldProblem(field, 'validation_failed', { key: 'field.old_list_version' });

/** The content of these covers never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** A release may change the drawings. */
const FOR_A_DAY = 'public, max-age=86400';
const NO_ACTIVE_CONTENT = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

/** Covers are public, because browsers load them from `img` elements without a key. */
export function mountCovers(app: FastifyInstance, db: Database): void {
  const find = coverFinder(db);
  app.get<{ Params: { name: string } }>(`${COVERS_PATH}:name`, async (request, reply) => {
    const { name } = request.params;
    const drawing = drawCover(name);
    const cover = drawing === null ? await find(name) : { media_type: 'image/svg+xml', bytes: drawing };
    if (cover === null) throw problem('not_found', { key: 'problem.cover_not_found' });
    const tag = drawing === null ? `"${name}"` : `"${hash('sha256', drawing, 'base64url')}"`;
    reply.removeHeader('vary').headers({
      'cache-control': drawing === null ? FOR_EVER : FOR_A_DAY,
      etag: tag,
      'content-security-policy': NO_ACTIVE_CONTENT,
      'cross-origin-resource-policy': 'cross-origin',
    });
    if (isFresh(request.headers['if-none-match'], tag)) return reply.code(304).send();
    return reply.type(cover.media_type).send(cover.bytes);
  });
}
