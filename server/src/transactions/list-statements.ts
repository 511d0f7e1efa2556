import type { TransactionStatus } from '@saldo/core/enums.ts';
import { STATUS_BIT } from '@saldo/core/transactions/sheet.ts';
import { seenBy } from '../contracts/store.ts';
import { type Viewer, viewedBy } from '../platform/auth/viewer.ts';
import { type HotStatement, hotStatement, type Statement, statement } from '../platform/db/statement.ts';
import { SHEET_COLUMNS } from './sheet-rows.ts';
import { statusColumnOf } from './sheet-status.ts';

/** The filters that are set determine the best index, so each combination is a prepared statement with its own plan. */
type ListShape = {
  viewer: Viewer['kind'];
  status: TransactionStatus | null;
  sender: boolean;
  receiver: boolean;
  contract: boolean;
  asOf: boolean;
};

/**
 * $1 first day, $2 last day, $3 limit of sheets, $4 the contract, or the first contract on the first day. Then, as far
 * as the shape has them: $5 the viewer's BRP, the sender's EIC, the receiver's EIC, the instant.
 */
export function listStatement(shape: ListShape): HotStatement | Statement {
  const isOfBrp = shape.viewer === 'brp';
  let parameters = isOfBrp ? 5 : 4;
  const senderEic = shape.sender ? `$${++parameters}` : null;
  const receiverEic = shape.receiver ? `$${++parameters}` : null;
  const status = { status: shape.status, asOf: shape.asOf ? `$${++parameters}` : null };
  const name = [
    viewedBy(shape.viewer, 'list_transactions'),
    ...(shape.status === null ? [] : [shape.status]),
    ...(shape.sender ? ['from'] : []),
    ...(shape.receiver ? ['to'] : []),
    ...(shape.contract ? ['of_contract'] : []),
    ...(shape.asOf ? ['as_of'] : []),
  ];
  const parties = {
    sender: senderEic === null ? [] : [{ side: 'sender' as const, eic: senderEic }],
    receiver: receiverEic === null ? [] : [{ side: 'receiver' as const, eic: receiverEic }],
  };
  const sheets = shape.contract
    ? sheetsOfContract(isOfBrp, status, [...parties.sender, ...parties.receiver])
    : isOfBrp
      ? sheetsOfBrp(status, parties)
      : sheetsOfAll(status, [...parties.sender, ...parties.receiver]);
  // With two parties the second one filters the index rows of the first, which may be many: not hot. Nor is a read as of an
  // instant, which skips all sheets that were stored later.
  const isHot = isOfBrp && !(shape.sender && shape.receiver) && !shape.asOf;
  return (isHot ? hotStatement : statement)(
    name.join('_'),
    `select ${SHEET_COLUMNS}
     from (${sheets}) s join contract c on c.no = s.contract_no
     order by s.delivery_day, s.contract_no, s.revision
     limit $3`,
  );
}

type PositionFilter = { side: 'sender' | 'receiver'; eic: string };

/** Where a list finds its sheets `s`. The list is in the order of an index of `key`. */
type Source = { from: string; key: 's' | 't'; conditions: readonly string[] };

/** The status of a list other than valid, and the parameter with the instant at which transactions had it. */
type StatusFilter = { readonly status: TransactionStatus | null; readonly asOf: string | null };

/**
 * A status other than valid is rare: the list reads the statuses, and looks up their sheets. The statuses are those of today.
 * What was superseded at an instant still is; what was invalid is invalid or superseded. The list reads the superseded
 * sheets of the latter apart, because the statuses have an index each.
 */
function sourcesOf({ status, asOf }: StatusFilter): Source[] {
  const stored = asOf === null ? [] : [`s.created_at <= ${asOf}`];
  if (status === null) return [{ from: 'sheet s', key: 's', conditions: stored }];
  const from = `sheet_status t join sheet s
          on s.contract_no = t.contract_no and s.delivery_day = t.delivery_day and s.revision = t.revision`;
  const source = (...conditions: string[]): Source => ({
    from,
    key: 't',
    conditions: [...conditions, ...stored],
  });
  const has = `t.mask & ${STATUS_BIT[status]} <> 0`;
  if (status !== 'invalid' || asOf === null) return [source(has)];
  return [
    source(has),
    source(
      `t.mask & ${STATUS_BIT.superseded} <> 0`,
      `t.mask & ${STATUS_BIT.invalid} = 0`,
      wasInvalid('t', asOf),
    ),
  ];
}

/** `offset 0` makes it one look-up per sheet: the planner could begin with all invalidations instead. */
const wasInvalid = (key: 's' | 't', asOf: string) => `exists (
      select from invalidation i
      where i.contract_no = ${key}.contract_no and i.delivery_day = ${key}.delivery_day and i.revision = ${key}.revision
        and i.invalidated_at <= ${asOf} offset 0)`;

const merged = (scans: readonly string[]) =>
  scans.join(`
    union all
    `);

/**
 * Merges two ordered scans: sheets that the BRP sends, and sheets that it receives from others. One scan with an OR
 * would read the whole market for a small BRP. Each scan uses the index of the counterparty, which has fewer sheets.
 * For a status other than valid, the partial index by status is used instead.
 */
function sheetsOfBrp(
  filter: StatusFilter,
  { sender, receiver }: { sender: readonly PositionFilter[]; receiver: readonly PositionFilter[] },
): string {
  const scan = (source: Source, tenant: string, parties: readonly PositionFilter[]) => {
    const leading = filter.status === null ? parties.slice(0, 1) : [];
    const others = parties.slice(leading.length).map(isOneOf);
    return sheetScan(source, [tenant, ...others], leading[0] ?? null);
  };
  return merged(
    sourcesOf(filter).flatMap((source) => {
      const { key } = source;
      return [
        scan(source, `${key}.sender_brp = $5`, [...receiver, ...sender]),
        scan(source, `${key}.receiver_brp = $5 and ${key}.sender_brp <> ${key}.receiver_brp`, [
          ...sender,
          ...receiver,
        ]),
      ];
    }),
  );
}

/**
 * The operator's list has no tenant. It uses the index of the first party in the filter, else the partial index of a
 * status other than valid, else the index by day.
 */
function sheetsOfAll(filter: StatusFilter, [lead, ...others]: readonly PositionFilter[]): string {
  const { status, asOf } = filter;
  if (lead === undefined)
    return merged(
      sourcesOf(filter).map((source) => sheetScan(source, status === null ? ['s.revision > 0'] : [], null)),
    );
  const hasStatus =
    status === 'invalid' && asOf !== null
      ? [wasInvalid('s', asOf)]
      : status === null
        ? []
        : [`${statusColumnOf('s', 'mask')} & ${STATUS_BIT[status]} <> 0`];
  const ofLead = `s.${lead.side}_brp = p.brp_no`;
  const conditions = [ofLead, ...hasStatus, ...others.map(isOneOf)];
  return merged(sourcesOf({ status: null, asOf }).map((source) => sheetScan(source, conditions, lead)));
}

/** Written as array containment so that the planner cannot pick another index. */
const isOneOf = ({ side, eic }: PositionFilter) =>
  `array[s.${side}_position] <@ array(select no from position where eic = ${eic})`;

/**
 * Selects the first sheets by day and contract, not ordered by revision, because not every index includes the revision.
 * That is safe: a full batch drops its last contract-day, and all earlier contract-days are complete.
 */
function sheetScan(
  { from, key, conditions }: Source,
  more: readonly string[],
  lead: PositionFilter | null,
): string {
  const all = [
    `(${key}.delivery_day, ${key}.contract_no) >= ($1::date, coalesce((select no from contract where id = $4), 0))`,
    `${key}.delivery_day <= $2::date`,
    ...conditions,
    ...more,
  ];
  const scan = (of: readonly string[]) => `(
    select s.* from ${from} where ${of.join(' and ')} order by ${key}.delivery_day, ${key}.contract_no limit $3)`;
  if (lead === null) return scan(all);
  // A balance group has one position per control area: at most four ordered scans are merged.
  return `(
    select s.* from position p, lateral ${scan([`s.${lead.side}_position = p.no`, ...all])} s where p.eic = ${lead.eic})`;
}

/**
 * A BRP sees the transactions of a contract that one of its own balance groups takes part in. The tenant is checked on
 * the contract first, so that a contract of another BRP costs as little as an unknown one.
 */
function sheetsOfContract(
  isOfBrp: boolean,
  filter: StatusFilter,
  parties: readonly PositionFilter[],
): string {
  const contract = ['id = $4', ...(isOfBrp ? [seenBy('contract', '$5')] : [])];
  const scan = ({ from, key, conditions }: Source) => `(
    select s.* from ${from} where ${conditionsOf(key, conditions).join(' and ')}
    order by ${key}.delivery_day, ${key}.revision limit $3)`;
  const conditionsOf = (key: string, conditions: readonly string[]) => [
    `${key}.contract_no = (select no from contract where ${contract.join(' and ')})`,
    `${key}.delivery_day >= $1::date`,
    `${key}.delivery_day <= $2::date`,
    ...(isOfBrp ? ['(s.sender_brp = $5 or s.receiver_brp = $5)'] : []),
    ...conditions,
    ...parties.map(isOneOf),
  ];
  return merged(sourcesOf(filter).map(scan));
}
