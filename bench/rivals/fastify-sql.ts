/** Alternative (b): Fastify and handwritten SQL, as prepared statements on a pool, with a row per quarter-hour. */
import { fastify } from 'fastify';
import pg from 'pg';
import { PAGE, pageOf, placeOf, type Row } from './page.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
// Days stay text, because a Date would be an instant in some time zone.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

const COLUMNS = `q.delivery_day as day, q.contract_no as "contractNo", q.slot, q.version, q.id, q.status,
  q.previous_id as "previousId", q.delivery_start as "deliveryStart", q.delivery_end as "deliveryEnd",
  q.volume_kwh as "volumeKwh", q.created_at as "createdAt", c.id as "contractId", c.sender_eic as "senderEic",
  c.sender_tso as "senderTso", c.receiver_eic as "receiverEic", c.receiver_tso as "receiverTso",
  c.asset_id as "assetId"`;

const OF_CONTRACT = {
  name: 'of_contract',
  text: `select ${COLUMNS}
    from rival.quarter_hour q join rival.contract c on c.no = q.contract_no
    where q.contract_no = (select no from rival.contract where id = $2 and (seller_brp = $1 or buyer_brp = $1))
      and (q.delivery_day, q.slot, q.version) > ($3::date, $4::int, $5::int)
    order by q.delivery_day, q.slot, q.version
    limit ${PAGE + 1}`,
};

const AFTER = `q.delivery_day = $2 and (q.contract_no, q.slot, q.version) > ($3::int, $4::int, $5::int)
  order by q.contract_no, q.slot, q.version limit ${PAGE + 1}`;
const OF_DAY = {
  name: 'of_day',
  text: `select ${COLUMNS}
    from (
      (select * from rival.quarter_hour q where q.sender_brp = $1 and ${AFTER})
      union all
      (select * from rival.quarter_hour q where q.receiver_brp = $1 and q.sender_brp <> q.receiver_brp and ${AFTER})
    ) q join rival.contract c on c.no = q.contract_no
    order by q.contract_no, q.slot, q.version
    limit ${PAGE + 1}`,
};

const app = fastify();
type Query = { delivery_date: string; after?: string };
const FROM_THE_START = { day: '0001-01-01', contractNo: 0, slot: 0, version: 0 };
const afterOf = ({ after }: Query) => (after === undefined ? FROM_THE_START : placeOf(after));

app.get<{ Params: { id: string }; Querystring: Query }>(
  '/v1/contracts/:id/transactions',
  async ({ headers, params, query }) => {
    const { day, slot, version } = afterOf(query);
    const values = [headers['x-brp-no'], params.id, day, slot, version];
    return pageOf((await pool.query<Row>({ ...OF_CONTRACT, values })).rows);
  },
);

app.get<{ Querystring: Query }>('/v1/transactions', async ({ headers, query }) => {
  const { contractNo, slot, version } = afterOf(query);
  const values = [headers['x-brp-no'], query.delivery_date, contractNo, slot, version];
  return pageOf((await pool.query<Row>({ ...OF_DAY, values })).rows);
});

await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
