/** Alternative (a): Fastify and an ORM, with a row per quarter-hour. Queries are prepared, as the ORM's guide recommends. */
import { and, eq, ne, or, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import {
  date,
  integer,
  type PgColumn,
  pgSchema,
  smallint,
  text,
  timestamp,
  unionAll,
} from 'drizzle-orm/pg-core';
import { fastify } from 'fastify';
import { PAGE, pageOf, placeOf } from './page.ts';

const rival = pgSchema('rival');
const contract = rival.table('contract', {
  no: integer().primaryKey(),
  id: text().notNull(),
  externalId: text('external_id').notNull(),
  sellerBrp: integer('seller_brp').notNull(),
  buyerBrp: integer('buyer_brp').notNull(),
  sellerPosition: integer('seller_position').notNull(),
  buyerPosition: integer('buyer_position').notNull(),
  senderEic: text('sender_eic').notNull(),
  senderTso: text('sender_tso').notNull(),
  receiverEic: text('receiver_eic').notNull(),
  receiverTso: text('receiver_tso').notNull(),
  assetId: text('asset_id'),
});
const quarterHour = rival.table('quarter_hour', {
  contractNo: integer('contract_no').notNull(),
  day: date('delivery_day').notNull(),
  slot: smallint().notNull(),
  version: smallint().notNull(),
  id: text().notNull(),
  status: text().notNull(),
  previousId: text('previous_id'),
  senderBrp: integer('sender_brp').notNull(),
  receiverBrp: integer('receiver_brp').notNull(),
  senderPosition: integer('sender_position').notNull(),
  receiverPosition: integer('receiver_position').notNull(),
  deliveryStart: timestamp('delivery_start', { withTimezone: true }).notNull(),
  deliveryEnd: timestamp('delivery_end', { withTimezone: true }).notNull(),
  volumeKwh: integer('volume_kwh').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

const db = drizzle(process.env['DATABASE_URL'] ?? '');
const given = (name: string) => sql.placeholder(name);

const COLUMNS = {
  day: quarterHour.day,
  contractNo: quarterHour.contractNo,
  slot: quarterHour.slot,
  version: quarterHour.version,
  id: quarterHour.id,
  status: quarterHour.status,
  previousId: quarterHour.previousId,
  deliveryStart: quarterHour.deliveryStart,
  deliveryEnd: quarterHour.deliveryEnd,
  volumeKwh: quarterHour.volumeKwh,
  createdAt: quarterHour.createdAt,
  contractId: contract.id,
  senderEic: contract.senderEic,
  senderTso: contract.senderTso,
  receiverEic: contract.receiverEic,
  receiverTso: contract.receiverTso,
  assetId: contract.assetId,
};
const { contractNo, day, slot, version } = quarterHour;
const pages = (where: SQL | undefined, order: readonly [PgColumn, PgColumn, PgColumn]) =>
  db
    .select(COLUMNS)
    .from(quarterHour)
    .innerJoin(contract, eq(contract.no, contractNo))
    .where(where)
    .orderBy(...order)
    .limit(PAGE + 1);

const visibleContract = db
  .select({ no: contract.no })
  .from(contract)
  .where(
    and(
      eq(contract.id, given('contract')),
      or(eq(contract.sellerBrp, given('brp')), eq(contract.buyerBrp, given('brp'))),
    ),
  );
const ofContract = pages(
  and(
    eq(contractNo, sql`(${visibleContract})`),
    sql`(${day}, ${slot}, ${version}) > (${given('day')}::date, ${given('slot')}::int, ${given('version')}::int)`,
  ),
  [day, slot, version],
).prepare('of_contract');

const ofDaySide = (side: SQL | undefined) =>
  pages(
    and(
      side,
      eq(day, given('day')),
      sql`(${contractNo}, ${slot}, ${version})
        > (${given('contractNo')}::int, ${given('slot')}::int, ${given('version')}::int)`,
    ),
    [contractNo, slot, version],
  );
const ofDay = unionAll(
  ofDaySide(eq(quarterHour.senderBrp, given('brp'))),
  ofDaySide(
    and(eq(quarterHour.receiverBrp, given('brp')), ne(quarterHour.senderBrp, quarterHour.receiverBrp)),
  ),
)
  .orderBy(contractNo, slot, version)
  .limit(PAGE + 1)
  .prepare('of_day');

const app = fastify();
type Query = { delivery_date: string; after?: string };
const FROM_THE_START = { day: '0001-01-01', contractNo: 0, slot: 0, version: 0 };
const afterOf = ({ after }: Query) => (after === undefined ? FROM_THE_START : placeOf(after));

app.get<{ Params: { id: string }; Querystring: Query }>(
  '/v1/contracts/:id/transactions',
  async ({ headers, params, query }) => {
    const values = { ...afterOf(query), brp: Number(headers['x-brp-no']), contract: params.id };
    return pageOf(await ofContract.execute(values));
  },
);

app.get<{ Querystring: Query }>('/v1/transactions', async ({ headers, query }) => {
  const values = { ...afterOf(query), brp: Number(headers['x-brp-no']), day: query.delivery_date };
  return pageOf(await ofDay.execute(values));
});

await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
