import {
  operatorEndpoints as api,
  type Explanation,
  type LatePositionDay,
  type Nomination,
  type NominationWithSlots,
} from '@saldo/api';
import { dayOf } from '@saldo/core/delivery-day.ts';
import type { Command } from 'commander';
import { addFields, countOf, parseDayArgument, readFields } from '../fields.ts';
import type { Session } from '../session.ts';
import { type Column, detailsOf, localTime, mwh, tableOf } from '../tables.ts';
import { UsageError } from '../usage.ts';
import { addExamples, addList, doing, type OpenSession } from './command.ts';

const COLUMNS: readonly Column<Nomination>[] = [
  ['ID', ({ id }) => id],
  ['DAY', ({ slots: [first] = [] }) => first && dayOf(Date.parse(first.delivery_start))],
  ['EIC', ({ eic }) => eic],
  ['TSO', ({ tso }) => tso],
  ['DIRECTION', ({ direction }) => direction],
  ['VERSION', ({ version }) => version],
  ['STATUS', ({ status }) => status],
  ['GATE CLOSES', ({ gate_closure }) => gate_closure && localTime(gate_closure)],
  ['SENT', ({ sent_at }) => sent_at && localTime(sent_at)],
];

export function addNominationCommands(program: Command, open: OpenSession): void {
  const nominate = program.command('nominate').description('net all changes and create nominations now');
  nominate.option('--date <day>', 'only this delivery day', (text) => parseDayArgument(text));
  addExamples(nominate, 'nominate', 'nominate --date tomorrow').action(
    doing(open, async (session) => {
      const { date } = nominate.opts<{ date?: string }>();
      const body = date === undefined ? {} : { delivery_date: date };
      await session.show(await (await session.operator()).nominations.run(body));
    }),
  );
  addReads(program, open);
  const explain = program
    .command('explain <nomination>')
    .description('show the transactions behind a nomination');
  explain.option('--slot <number>', 'only this slot', countOf);
  addExamples(explain, 'explain nom_01jhm52x6yf6rbkm2s8hq3j5zd --slot 61').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { slot } = explain.opts<{ slot?: number }>();
      const explanation = await (await session.client()).nominations.explain(id);
      const slots = explanation.slots.filter(({ slot_number }) => slot === undefined || slot_number === slot);
      if (slots.length === 0 && slot !== undefined)
        throw new UsageError(`the nomination has no slot ${slot}`);
      await showExplanation(session, { ...explanation, slots });
    }),
  );
  addCauses(program, open);
}

function addCauses(program: Command, open: OpenSession): void {
  const causes = program
    .command('causes <nomination>')
    .description('show which contracts changed a nomination, how and by how much');
  addFields(causes, api.operatorGetNominationCauses.query);
  addExamples(causes, 'causes nom_01jhm52x6yf6rbkm2s8hq3j5zd').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const query = readFields(causes, api.operatorGetNominationCauses.query);
      const found = await (await session.client()).nominations.causes(id, query);
      if (session.format === 'json') return session.show(found);
      await session.showTable(
        found.causes,
        [
          ['KIND', ({ kind }) => kind],
          ['CONTRACT', ({ contract_id }) => contract_id],
          ['WHEN', ({ at }) => at && localTime(at)],
          ['BY', ({ actor_name }) => actor_name],
          ['SLOTS', ({ slots_changed }) => slots_changed],
          ['MWH', ({ difference }) => mwh(difference), 'right'],
        ],
        'The amounts are the same.',
      );
    }),
  );
}

function addReads(program: Command, open: OpenSession): void {
  const nominations = program
    .command('nominations')
    .description('nominations of balance groups to their TSOs');
  addList(nominations, open, {
    endpoint: api.operatorListNominations,
    about: 'list nominations by delivery day',
    examples: [
      'nominations list --delivery-date 2026-10-25',
      'nominations list --status pending --tso DE_TENNET --all --json',
    ],
    columns: COLUMNS,
    // The day of a nomination follows from its slots; the first one is enough.
    forTable: { include_slots: 'true', slot_number_to: 1 },
    fromBoth: (client) => client.nominations,
  });
  addLate(nominations, open);
  const show = nominations.command('show <nomination>').description('show a nomination with its slots');
  addFields(show, api.operatorGetNomination.query);
  addExamples(
    show,
    'nominations show nom_01jhm52x6yf6rbkm2s8hq3j5zd',
    'nominations show nom_01jhm52x6yf6rbkm2s8hq3j5zd --as-of 2026-10-24T12:25:00Z',
  ).action(
    doing(open, async (session, { args: [id = ''] }) => {
      const nomination = await (await session.client()).nominations.get(
        id,
        readFields(show, api.operatorGetNomination.query),
      );
      await session.show(nomination);
      if (session.format === 'text') await session.print(`\n${slotTable(session, nomination)}`);
    }),
  );
  const history = nominations.command('history <nomination>').description('all versions, newest first');
  addFields(history, api.operatorGetNominationHistory.query);
  addExamples(history, 'nominations history nom_01jhm52x6yf6rbkm2s8hq3j5zd').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const query = readFields(history, api.operatorGetNominationHistory.query);
      const { nominations: versions } = await (await session.client()).nominations.history(id, query);
      await session.showTable(versions, COLUMNS, 'No records match.');
    }),
  );
}

function addLate(nominations: Command, open: OpenSession): void {
  const late = nominations
    .command('late')
    .description('list changes that can no longer be nominated, slot by slot')
    .option('--csv', 'as CSV');
  addFields(late, api.listLate.query, { except: ['limit', 'after'] });
  addExamples(
    late,
    'nominations late --delivery-date 2026-10-25',
    'nominations late --csv > late.csv',
  ).action(
    doing(open, async (session) => {
      const query = readFields(late, api.exportLate.query);
      const client = (await session.operator()).nominations;
      if (late.opts<{ csv?: boolean }>().csv === true) return session.print(await client.exportLate(query));
      const found = [];
      for await (const position of client.eachLate(query)) found.push(position);
      await showLate(session, found);
    }),
  );
}

async function showLate(session: Session, found: readonly LatePositionDay[]): Promise<void> {
  if (session.format !== 'text') return session.showTable(found, [], '');
  const rows = found.flatMap(({ slots, ...position }) => slots.map((slot) => ({ ...position, ...slot })));
  await session.showTable(
    rows,
    [
      ['DAY', ({ delivery_date }) => delivery_date],
      ['EIC', ({ eic }) => eic],
      ['TSO', ({ tso }) => tso],
      ['SLOT', ({ slot_number }) => slot_number],
      ['NOMINATED', ({ nominated }) => mwh(nominated), 'right'],
      ['TRANSACTIONS', ({ transactions }) => mwh(transactions), 'right'],
      ['DIFFERENCE', ({ difference }) => mwh(difference), 'right'],
      ['SINCE', ({ since }) => localTime(since)],
    ],
    'No late changes.',
  );
}

function slotTable({ style }: Session, { slots }: NominationWithSlots): string {
  return tableOf(
    slots,
    [
      ['SLOT', ({ slot_number }) => slot_number],
      ['START', ({ delivery_start }) => localTime(delivery_start)],
      ['MWH', ({ amount }) => mwh(amount), 'right'],
      ['MATCHED', ({ matched_amount }) => (matched_amount == null ? null : mwh(matched_amount)), 'right'],
    ],
    style,
  );
}

async function showExplanation(session: Session, explanation: Explanation): Promise<void> {
  if (session.format !== 'text') return session.show(explanation);
  await session.print(detailsOf(explanation, session.style));
  const rows = explanation.slots.flatMap(({ transactions, ...slot }) => [
    { ...slot, transaction: null },
    ...transactions.map((transaction: Part) => ({ ...slot, transaction })),
  ]);
  const hasSources = rows.some(({ transaction }) => transaction?.source !== undefined);
  const source: Column<(typeof rows)[number]> = [
    'SOURCE',
    ({ transaction }) => (transaction ? transaction.source : ''),
  ];
  const table = tableOf(
    rows,
    [
      ['SLOT', ({ slot_number, transaction }) => (transaction ? '' : String(slot_number))],
      ['START', ({ delivery_start, transaction }) => (transaction ? '' : localTime(delivery_start))],
      ['NOMINATED', ({ amount, transaction }) => (transaction ? '' : mwh(amount)), 'right'],
      // From the balance group's view: sent volume increases an outgoing saldo, received volume reduces it.
      ['SENDS', ({ transaction }) => volumeOf(transaction, 'sender'), 'right'],
      ['RECEIVES', ({ transaction }) => volumeOf(transaction, 'receiver'), 'right'],
      ['TRANSACTION', ({ transaction }) => transaction?.id ?? ''],
      ['CONTRACT', ({ transaction }) => transaction?.contract_id ?? ''],
      ...(hasSources ? [source] : []),
    ],
    session.style,
  );
  await session.print(`\n${table}`);
}

/** The explanation of an operator has the source of each volume; that of a BRP does not. */
type Part = Explanation['slots'][number]['transactions'][number] & { readonly source?: string | null };

const volumeOf = (part: Part | null, role: Part['role']) => (part?.role === role ? mwh(part.volume) : '');
