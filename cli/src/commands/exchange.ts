import { operatorEndpoints as api, type BodyOf, type Message } from '@saldo/api';
import type { Command } from 'commander';
import { addFields, readBody, readFields } from '../fields.ts';
import { openFile } from '../files.ts';
import type { Session } from '../session.ts';
import { type Column, exactMwh, localTime } from '../tables.ts';
import { runCheckoutProgram } from './checkout-program.ts';
import { addExamples, addList, doing, type OpenSession, showing } from './command.ts';

const MESSAGE_COLUMNS: readonly Column<Message>[] = [
  ['ID', ({ id }) => id],
  ['STORED', ({ created_at }) => localTime(created_at)],
  ['', ({ direction }) => direction],
  ['TYPE', ({ type }) => type],
  ['FORMAT', ({ format }) => format],
  ['TSO', ({ tso }) => tso],
  ['DAY', ({ delivery_date }) => delivery_date],
  ['VERSION', ({ version }) => version],
  ['STATE', ({ state }) => state],
  ['ERROR', ({ error }) => error],
];

export function addExchangeCommands(program: Command, open: OpenSession): void {
  const exchange = program.command('exchange').description('schedules to the TSOs, and their answers');
  addSend(exchange, open);
  addReceive(exchange, open);
  addStatusRequest(exchange, open);
  addMessages(exchange, open);
  addOverviews(exchange, open);
  addAlarms(exchange, open);
  addSimulator(program, open);
}

function addSend(exchange: Command, open: OpenSession): void {
  const send = exchange.command('send').description('send unsent schedules now');
  addFields(send, api.sendSchedules.body);
  send.addHelpText(
    'after',
    '\nThe exit code is 1 when a schedule could not be sent, or not with all volumes yet.\n',
  );
  addExamples(send, 'exchange send', 'exchange send --delivery-date 2026-10-25 --tso DE_TENNET').action(
    doing(open, async (session) => {
      const body = readFields(send, api.sendSchedules.body);
      const result = await (await session.operator()).exchange.send(body);
      if (session.format === 'json') await session.show(result);
      else await session.showTable(result.messages, MESSAGE_COLUMNS, 'No schedule to send.');
      for (const { delivery_date, tso, error } of result.faults)
        session.complain(session.style('red', `${delivery_date} ${tso}: ${error}`));
      if (result.faults.length > 0) session.endWith(1);
    }),
  );
}

function addReceive(exchange: Command, open: OpenSession): void {
  const receive = exchange
    .command('receive <file>')
    .description('import a TSO’s answer; - reads standard input');
  addExamples(receive, 'exchange receive answer.xml', 'exchange receive - < answer.xml').action(
    doing(open, async (session, { args: [file = ''] }) => {
      const { source } = await openFile(session.terminal, file);
      const client = await session.operator();
      const result = await client.exchange.receive(source);
      if (session.format === 'json') return session.show(result);
      await session.show(result.message);
      if (session.format === 'text') session.note(`${result.nominations.length} nominations changed.`);
    }),
  );
}

function addStatusRequest(exchange: Command, open: OpenSession): void {
  const request = exchange
    .command('status-request')
    .description('ask a TSO to send its last answer to a schedule again');
  addFields(request, api.requestStatus.body);
  addExamples(request, 'exchange status-request --delivery-date 2026-10-25 --tso DE_TENNET').action(
    showing(open, 'operator', (client) =>
      client.exchange.requestStatus(readBody(request, api.requestStatus)),
    ),
  );
}

function addMessages(exchange: Command, open: OpenSession): void {
  addList(exchange, open, {
    name: 'messages',
    endpoint: api.listMessages,
    about: 'list sent and received messages',
    examples: [
      'exchange messages --delivery-date 2026-10-25',
      'exchange messages --state rejected --all --json',
    ],
    columns: MESSAGE_COLUMNS,
    from: (client) => client.messages,
  });
  const message = exchange
    .command('message <message>')
    .description('show a message')
    .option('--raw', 'the document as it was sent or received');
  addExamples(message, 'exchange message msg_…', 'exchange message msg_… --raw > schedule.xml').action(
    doing(open, async (session, { args: [id = ''] }) => {
      const { raw } = message.opts<{ raw?: boolean }>();
      const { messages } = await session.operator();
      if (raw === true) await session.print(await messages.raw(id));
      else await session.show(await messages.get(id));
    }),
  );
}

function addOverviews(exchange: Command, open: OpenSession): void {
  const mismatches = exchange.command('mismatches').description('list mismatches, slot by slot');
  addFields(mismatches, api.listMismatches.query, { except: ['limit', 'after'] });
  addExamples(mismatches, 'exchange mismatches --delivery-date 2026-10-25').action(
    doing(open, async (session) => {
      const query = readFields(mismatches, api.listMismatches.query);
      await showMismatches(session, query as { delivery_date: string });
    }),
  );
  addList(exchange, open, {
    name: 'unsent',
    endpoint: api.listUnsent,
    about: 'list unsent nominations and their gate closures',
    examples: ['exchange unsent', 'exchange unsent --tso DE_TENNET --all'],
    columns: [
      ['NOMINATION', ({ nomination_id }) => nomination_id],
      ['DAY', ({ delivery_date }) => delivery_date],
      ['EIC', ({ eic }) => eic],
      ['TSO', ({ tso }) => tso],
      ['DIRECTION', ({ direction }) => direction],
      ['VERSION', ({ version }) => version],
      ['GATE CLOSES', ({ gate_closure }) => localTime(gate_closure)],
      ['SENDS', ({ sends_at }) => (sends_at === null ? 'too late' : localTime(sends_at))],
      ['ERROR', ({ error }) => error],
    ],
    from: (client) => ({ list: client.exchange.unsent }),
  });
}

function addAlarms(exchange: Command, open: OpenSession): void {
  addList(exchange, open, {
    name: 'alarms',
    endpoint: api.listAlarms,
    about: 'list open alarms, or those of the past',
    examples: ['exchange alarms', 'exchange alarms --state resolved --kind rejected'],
    columns: [
      ['ID', ({ id }) => id],
      ['SEVERITY', ({ severity }) => severity],
      ['KIND', ({ kind }) => kind],
      ['TSO', ({ tso }) => tso],
      ['DAY', ({ delivery_date }) => delivery_date],
      ['SINCE', ({ since }) => localTime(since)],
      ['ENDED', ({ ended_at }) => (ended_at === null ? null : localTime(ended_at))],
      ['TEXT', ({ text }) => text],
      ['NOTE', ({ note }) => note],
    ],
    from: (client) => ({ list: client.exchange.alarms }),
  });
  const acknowledge = exchange
    .command('acknowledge <alarm>')
    .description('end an alarm, with a note of what was done');
  addFields(acknowledge, api.acknowledgeAlarm.body);
  addExamples(acknowledge, "exchange acknowledge alm_… --note 'phoned the TSO'").action(
    doing(open, async (session, { args: [id = ''] }) => {
      const body = readFields(acknowledge, api.acknowledgeAlarm.body);
      const client = await session.operator();
      const noted = body as BodyOf<typeof api.acknowledgeAlarm>;
      await session.show(await client.exchange.acknowledgeAlarm(id, noted));
    }),
  );
}

async function showMismatches(session: Session, query: { delivery_date: string }): Promise<void> {
  const found = [];
  for await (const mismatch of (await session.operator()).exchange.eachMismatch(query)) found.push(mismatch);
  if (session.format !== 'text') return session.showTable(found, [], '');
  const rows = found.flatMap(({ slots, ...nomination }) => slots.map((slot) => ({ ...nomination, ...slot })));
  const amount = (value: number | null) => (value === null ? null : exactMwh(value));
  await session.showTable(
    rows,
    [
      ['EIC', ({ eic }) => eic],
      ['TSO', ({ tso }) => tso],
      ['DIRECTION', ({ direction }) => direction],
      ['SLOT', ({ slot_number }) => slot_number],
      ['START', ({ delivery_start }) => localTime(delivery_start)],
      ['OURS', (row) => amount(row.amount), 'right'],
      ['THEIRS', (row) => amount(row.counterpart_amount), 'right'],
      ['MATCHED', (row) => amount(row.matched_amount), 'right'],
      ['STATUS', ({ status }) => status],
    ],
    'The TSOs have reported no mismatches.',
  );
}

function addSimulator(program: Command, open: OpenSession): void {
  program
    .command('simulate-tso')
    .description('simulate the four TSOs on the outbox and inbox of a platform; see --help')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(
      doing(open, (session, { args }) =>
        runCheckoutProgram(session, 'simulate-tso', 'simulator/src/main.ts', args),
      ),
    );
}
