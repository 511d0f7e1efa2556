/**
 * The bare server: the lower bound of one Node process. It runs the product's own statements with the product's database
 * client on two connections and writes the same bodies by hand, without keys, rate limits or validation, and only for the requests
 * of the benchmark. The header x-brp-no identifies the caller.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { contractStatus } from '@saldo/core/contracts/contract.ts';
import { formatInstant, SLOT_MS, slotCount, slotStart } from '@saldo/core/delivery-day.ts';
import { mwhText } from '@saldo/core/energy.ts';
import { decodeId, encodeId, ID_PREFIX, transactionIdWriter } from '@saldo/core/id.ts';
import { unpackVolumes } from '@saldo/core/transactions/sheet.ts';
import { type ContractRow, findContract } from '../server/src/contracts/store.ts';
import { type CustomerRow, findCustomer } from '../server/src/customers/store.ts';
import { hotConfig } from '../server/src/platform/db/connection.ts';
import { Pipeline } from '../server/src/platform/db/pipeline.ts';
import type { Statement } from '../server/src/platform/db/statement.ts';
import { cursorSealer } from '../server/src/platform/http/cursor.ts';
import { deliveryRange } from '../server/src/platform/http/time-filter.ts';
import { listTransactions } from '../server/src/transactions/store.ts';
import { captured } from './captured.ts';

/** The columns of a page statement that this server needs, by position. */
type Columns = unknown[] & { 0: string; 1: number; 3: string; 5: Uint8Array; 10: string };

const PAGE = 100;
const url = process.env['DATABASE_URL'] ?? '';

const CAPTURE_VIEWER = { kind: 'brp', brpNo: 0 } as const;
const NO_ID = '00000000-0000-0000-0000-000000000000';
const anyTransaction = { status: null, senderEic: null, receiverEic: null, slotFrom: 1, slotTo: 100 };
const listOf = (contractId: string | null, day: string | undefined) =>
  captured((db) => {
    const filter = { ...anyTransaction, contractId, delivery: deliveryRange({ delivery_date: day }) };
    return listTransactions(db, CAPTURE_VIEWER, filter, null, PAGE + 1);
  });
const OF_CONTRACT = await listOf(NO_ID, undefined);
const OF_DAY = await listOf(null, '2026-10-25');
const CONTRACT = await captured((db) => findContract(db, CAPTURE_VIEWER, NO_ID));
const CUSTOMER = await captured((db) => findCustomer(db, CAPTURE_VIEWER, NO_ID));

/** The product's own database client on as many connections. */
const connections = [new Pipeline(hotConfig(url)), new Pipeline(hotConfig(url))] as const;
let turn: 0 | 1 = 0;

function rowsOf<R>(statement: Statement, values: unknown[], mode: 'array' | 'object'): Promise<R[]> {
  turn = turn === 0 ? 1 : 0;
  return connections[turn].run<R>(statement, values, mode);
}

const sealer = cursorSealer(randomBytes(32));

const slotTextsByDay = new Map<string, readonly string[]>();

/** The times and number of each slot of a day as JSON members, cached for all requested days. */
function slotTexts(day: string): readonly string[] {
  let texts = slotTextsByDay.get(day);
  if (!texts) {
    texts = Array.from({ length: slotCount(day) }, (_, at) => {
      const start = slotStart(day, at + 1);
      const times = [formatInstant(start), '","delivery_end":"', formatInstant(start + SLOT_MS)];
      // `join`, because a string built with `+` stays a tree that each write walks again.
      return ['"delivery_start":"', ...times, `","slot_number":${at + 1}`].join('');
    });
    slotTextsByDay.set(day, texts);
  }
  return texts;
}

/** One join of few parts was the fastest of eight ways to write a page. */
function pageText(rows: readonly Columns[], binding: string): string {
  const texts: string[] = [];
  let next = 'null';
  for (const row of rows) {
    const [writeId, slots] = [transactionIdWriter(row[0]), slotTexts(row[3])];
    const volumes = unpackVolumes(row[5]);
    const shared = [
      `","type":"ppa","contract_id":"${encodeId(ID_PREFIX.contract, row[10])}","status":"valid","version":1`,
      `,"previous_transaction_id":null,"sender":{"eic":"${row[11]}","asset_id":"`,
      `${encodeId(ID_PREFIX.asset, row[15] as string)}","tso":"${row[12]}"}`,
      `,"receiver":{"eic":"${row[13]}","tso":"${row[14]}"},`,
    ].join('');
    const created = [',"created_at":"', formatInstant(row[1]), '"'].join('');
    const count = Math.min(PAGE - texts.length, volumes.length);
    for (let at = 0; at < count; at++) {
      texts.push(`${writeId(at + 1)}${shared}${slots[at]},"volume":${mwhText(volumes[at]!)}${created}`);
    }
    if (texts.length < PAGE) continue;
    next = `"${sealer.seal(binding, [row[3], row[10], count, 1])}"`;
    break;
  }
  texts[0] = `{"transactions":[{"id":"${texts[0]}`;
  texts.push(
    `${texts.pop()}}],"pagination":{"limit":${PAGE},"has_more":${next !== 'null'},"next_cursor":${next}}}`,
  );
  return texts.join('},{"id":"');
}

function contractText(row: ContractRow): string {
  const [start, end] = [row.delivery_start as number, row.delivery_end as number];
  const status = contractStatus(
    { deliveryStart: start, deliveryEnd: end, isActivated: row.is_activated },
    Date.now(),
  );
  const text = JSON.stringify;
  return (
    `{"id":"${encodeId(ID_PREFIX.contract, row.id)}","external_id":${text(row.external_id)},"type":"${row.type}"` +
    `,"status":"${status}","delivery_start":"${formatInstant(start)}","delivery_end":"${formatInstant(end)}"` +
    `,"seller":{"name":${text(row.seller_name)},"eic":"${row.seller_eic}","tso":"${row.seller_tso}"}` +
    `,"buyer":{"name":${text(row.buyer_name)},"eic":"${row.buyer_eic}","tso":"${row.buyer_tso}"}` +
    `,"ppa_type":"${row.ppa_type}","period":${text(row.period)},"delivery_profile":${text(row.delivery_profile)}` +
    `,"asset":{"id":"${encodeId(ID_PREFIX.asset, row.asset_id as string)}","name":${text(row.asset_name)}` +
    `,"nominal_power":${row.asset_power_kw / 1000},"technology":"${row.asset_technology}","tso":"${row.asset_tso}"}` +
    `,"created_at":"${formatInstant(row.created_at)}"}`
  );
}

function customerText(row: CustomerRow): string {
  const text = JSON.stringify;
  const activated = row.activated_at === null ? 'null' : `"${formatInstant(row.activated_at)}"`;
  return (
    `{"id":"${encodeId(ID_PREFIX.customer, row.id)}","name":${text(row.name)},"status":"${row.status}"` +
    `,"balance_group":{"eic":"${row.eic}","tso":"${row.tso}"},"metadata":${text(row.metadata)}` +
    `,"assigned_at":"${formatInstant(row.assigned_at)}","activated_at":${activated}` +
    `,"created_at":"${formatInstant(row.created_at)}"}`
  );
}

const CUSTOMERS = '/v1/customers/';
const CONTRACTS = '/v1/contracts/';
const OF_A_DAY = '/v1/transactions?limit=100&delivery_date=';

async function answer(path: string, brpNo: string): Promise<string> {
  if (path.startsWith(OF_A_DAY)) {
    const day = path.slice(OF_A_DAY.length);
    const rows = await rowsOf<Columns>(OF_DAY.statement, [day, day, OF_DAY.values[2], null, brpNo], 'array');
    return pageText(rows, `["${brpNo}","/v1/transactions",[["delivery_date","${day}"]]]`);
  }
  if (path.startsWith(CUSTOMERS)) {
    const values = [decodeId('cust', path.slice(CUSTOMERS.length)), brpNo];
    const [row] = await rowsOf<CustomerRow>(CUSTOMER.statement, values, 'object');
    return customerText(row!);
  }
  const idEnd = path.indexOf('/', CONTRACTS.length);
  if (idEnd < 0) {
    const [row] = await rowsOf<ContractRow>(
      CONTRACT.statement,
      [decodeId('con', path.slice(CONTRACTS.length)), brpNo],
      'object',
    );
    return contractText(row!);
  }
  const [first, last, sheets] = OF_CONTRACT.values;
  const id = decodeId('con', path.slice(CONTRACTS.length, idEnd));
  const rows = await rowsOf<Columns>(OF_CONTRACT.statement, [first, last, sheets, id, brpNo], 'array');
  return pageText(rows, `["${brpNo}","${path.slice(0, path.indexOf('?'))}",[]]`);
}

createServer((request, response) => {
  const brpNo = String(request.headers['x-brp-no']);
  answer(request.url ?? '', brpNo).then(
    (body) => {
      const length = Buffer.byteLength(body);
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': length,
      });
      response.end(body);
    },
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(Number(process.env['PORT']), '127.0.0.1');
