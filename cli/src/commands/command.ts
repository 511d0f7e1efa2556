import type { Endpoint, Pagination } from '@saldo/api';
import { LIMITS } from '@saldo/api';
import type { BrpClient, OperatorClient, RecordOf } from '@saldo/sdk';
import type { Command } from 'commander';
import { addFields, countOf, RelativeDay, readFields } from '../fields.ts';
import type { GlobalFlags, Session } from '../session.ts';
import type { Column } from '../tables.ts';
import { UsageError } from '../usage.ts';

export type OpenSession = (flags: GlobalFlags) => Session;

type Run = (session: Session, input: { args: readonly string[]; command: Command }) => Promise<void>;

/** The action of a command, called after its arguments were validated. */
export const doing =
  (open: OpenSession, run: Run) =>
  async (...input: unknown[]): Promise<void> => {
    const command = input.at(-1) as Command;
    // An empty id would address the list instead of the record.
    const empty = command.args.indexOf('');
    if (empty !== -1) {
      const { registeredArguments: known } = command;
      throw new UsageError(`the argument '${(known[empty] ?? known.at(-1))?.name()}' is empty`);
    }
    const session = open(command.optsWithGlobals());
    for (const [name, value] of Object.entries(command.opts<Record<string, unknown>>()))
      if (value instanceof RelativeDay) command.setOptionValue(name, await session.day(value));
    await run(session, { args: command.args, command });
  };

type ClientOf = 'operator' | 'client' | 'own';

/** The action of a command that shows the answer of one call, which gets the arguments of the command. */
export const showing = <Of extends ClientOf, Answer extends object>(
  open: OpenSession,
  of: Of,
  call: (client: Awaited<ReturnType<Session[Of]>>, first: string, second: string) => Promise<Answer>,
  show: (session: Session, answer: Answer) => Promise<void> = (session, answer) => session.show(answer),
) =>
  doing(open, async (session, { args: [first = '', second = ''] }) => {
    const client = (await session[of]()) as Awaited<ReturnType<Session[Of]>>;
    await show(session, await call(client, first, second));
  });

export function addExamples(command: Command, ...examples: string[]): Command {
  return command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((line) => `  $ saldo ${line}\n`).join('')}`,
  );
}

/** Shows a new record with its secret. */
export async function showSecret(session: Session, record: object): Promise<void> {
  await session.show(record);
  if (session.format === 'text') session.note('Store the secret now: it is not shown again.');
}

export type ListCommand<E extends Endpoint> = {
  readonly name?: string;
  readonly endpoint: E;
  readonly about: string;
  readonly examples: readonly string[];
  readonly columns: readonly Column<RecordOf<E>>[];
  /** Extra query parameters for a table, unless the user set them; other output formats do not need them. */
  readonly forTable?: Readonly<Record<string, unknown>>;
} & ({ readonly from: ListOf<OperatorClient> } | { readonly fromBoth: ListOf<OperatorClient | BrpClient> });

type ListOf<Client> = (client: Client) => { list: (...input: never[]) => Promise<unknown> };

const listsFor = async <E extends Endpoint>(session: Session, list: ListCommand<E>) =>
  'from' in list ? list.from(await session.operator()) : list.fromBoth(await session.client());

type AnyList = (
  query: Record<string, unknown>,
) => Promise<Record<string, unknown> & { pagination: Pagination }>;

/** A command that lists records: it has every filter of the API and prints the first records or all of them. */
export function addList<E extends Endpoint>(
  parent: Command,
  open: OpenSession,
  list: ListCommand<E>,
): Command {
  const command = parent.command(list.name ?? 'list').description(list.about);
  addFields(command, list.endpoint.query, { except: ['limit', 'after', 'include_assets'] });
  command.option('--limit <number>', 'maximum number of records', countOf, 20);
  command.option('--all', 'show all records');
  addExamples(command, ...list.examples);
  return command.action(
    doing(open, async (session) => {
      const { all, limit } = command.opts<{ all?: boolean; limit: number }>();
      const read = (await listsFor(session, list)).list as unknown as AnyList;
      const { limit: _, ...given } = readFields(command, list.endpoint.query);
      const filter = session.format === 'text' ? { ...list.forTable, ...given } : given;
      const wanted = all ? Number.POSITIVE_INFINITY : limit;
      const { records, hasMore } = await collect(read, filter, wanted);
      await session.showTable(records as RecordOf<E>[], list.columns, 'No records match.');
      if (hasMore)
        session.note(`There are more than these ${records.length}: --limit shows more, --all shows all.`);
    }),
  );
}

async function collect(read: AnyList, filter: Record<string, unknown>, wanted: number) {
  const records: unknown[] = [];
  let after: string | null = null;
  do {
    const limit = Math.min(LIMITS.pageSize.maximum, wanted - records.length);
    const page = await read({ ...filter, limit, ...(after === null ? {} : { after }) });
    const { pagination, ...members } = page;
    // A page has one more member, its records, because side-loaded records are not requested.
    for (const member of Object.values(members)) for (const item of member as unknown[]) records.push(item);
    after = pagination.next_cursor;
  } while (after !== null && records.length < wanted);
  return { records, hasMore: after !== null };
}
