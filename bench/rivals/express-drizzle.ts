/**
 * Alternative (a): Express and an ORM, with a row per quarter-hour. Queries are prepared, as the ORM's guide
 * recommends.
 */
import { randomUUID } from 'node:crypto';
import { SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { and, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm';
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
import express, { type Request } from 'express';
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

const app = express();
// Both cost time for every response and are not needed here.
app.disable('etag').disable('x-powered-by');

const FROM_THE_START = { day: '0001-01-01', contractNo: 0, slot: 0, version: 0 };
const afterOf = ({ query }: Request) =>
  typeof query['after'] === 'string' ? placeOf(query['after']) : FROM_THE_START;
const brpOf = ({ headers }: Request) => Number(headers['x-brp-no']);

app.get('/v1/contracts/:id/transactions', async (request, response) => {
  const values = { ...afterOf(request), brp: brpOf(request), contract: request.params.id };
  response.json(pageOf(await ofContract.execute(values)));
});

app.get('/v1/transactions', async (request, response) => {
  const values = { ...afterOf(request), brp: brpOf(request), day: request.query['delivery_date'] };
  response.json(pageOf(await ofDay.execute(values)));
});

/** Imports volumes: a record per quarter-hour, in MWh. A request is stored completely or not at all. */
type Volume = { contract: string; delivery_date: string; slot: number; volume: number };
const ROWS_AT_ONCE = 1000;

app.post('/v1/volumes', express.json({ limit: '100mb' }), async (request, response) => {
  const volumes = request.body as Volume[];
  const names = [...new Set(volumes.map((volume) => volume.contract))];
  await db.transaction(async (tx) => {
    const known = await tx.select().from(contract).where(inArray(contract.externalId, names));
    const contracts = new Map(known.map((found) => [found.externalId, found]));
    const createdAt = new Date();
    for (let at = 0; at < volumes.length; at += ROWS_AT_ONCE) {
      const rows = volumes.slice(at, at + ROWS_AT_ONCE).map((volume) => {
        const of = contracts.get(volume.contract);
        if (!of) throw new Error(`there is no contract ${volume.contract}`);
        return rowOf(of, volume, createdAt);
      });
      await tx.insert(quarterHour).values(rows);
    }
  });
  response.json({ created: volumes.length });
});

function rowOf(of: typeof contract.$inferSelect, volume: Volume, createdAt: Date) {
  const start = slotStart(volume.delivery_date, volume.slot);
  return {
    id: `txn_${randomUUID()}`,
    contractNo: of.no,
    day: volume.delivery_date,
    slot: volume.slot,
    version: 1,
    status: 'valid',
    senderBrp: of.sellerBrp,
    receiverBrp: of.buyerBrp,
    senderPosition: of.sellerPosition,
    receiverPosition: of.buyerPosition,
    deliveryStart: new Date(start),
    deliveryEnd: new Date(start + SLOT_MS),
    volumeKwh: Math.round(volume.volume * 1000),
    createdAt,
  };
}

app.listen(Number(process.env['PORT']), '127.0.0.1');
