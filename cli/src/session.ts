import { addDays, type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import {
  type BrpClient,
  createBrpClient,
  createMarketClient,
  createOperatorClient,
  isProblem,
  type OperatorClient,
} from '@saldo/sdk';
import { parseDayArgument, RelativeDay } from './fields.ts';
import { type KeyKind, keyKindOf } from './key-kind.ts';
import { parsePath, selectLines } from './select.ts';
import { type Access, type Flags, findAccess } from './settings.ts';
import { type Column, detailsOf, handlesOf, tableOf } from './tables.ts';
import { harmless, type Style, styleFor, type Terminal, write } from './terminal.ts';
import { UsageError } from './usage.ts';

export type GlobalFlags = Flags & {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly select?: string;
};

/** Tables and lines for people, the JSON of the API, or one value per record for scripts. */
type OutputFormat = 'text' | 'json' | 'quiet';

/** What every owner of a key has: its events and its webhook endpoints. */
type OwnClient = Pick<BrpClient, 'events' | 'webhookEndpoints'>;

/** The context of one command run: its client and its output. */
export type Session = {
  readonly terminal: Terminal;
  readonly format: OutputFormat;
  readonly style: Style;
  readonly flags: GlobalFlags;
  /** Address, key and kind of the key. */
  access(): Promise<Access & { readonly kind: KeyKind }>;
  /** For commands of the operator only. */
  operator(): Promise<OperatorClient>;
  /** For commands of BRPs only. */
  brp(): Promise<BrpClient>;
  /** For commands of both: the client of the kind of the key. */
  client(): Promise<OperatorClient | BrpClient>;
  /** Resolves a day argument. Relative days use the platform's clock. */
  day(given: string | RelativeDay): Promise<DeliveryDay>;
  /** For commands of every owner of a key, accounts included. */
  own(): Promise<OwnClient>;
  print(text: string): Promise<void>;
  /** Prints to standard error, so that standard output stays parseable. Prints nothing with `--quiet`. */
  note(text: string): void;
  /** The same for errors, which `--quiet` does not silence. */
  complain(text: string): void;
  /** Prints a value as JSON, on one line where one value follows the other, or what `--select` takes of it. */
  printJson(value: unknown, isLine?: boolean): Promise<void>;
  /** Prints a record as JSON of the API, line by line, or as its handle. */
  show(record: object): Promise<void>;
  /** Prints records as JSON of the API, as a table, or one handle per line. */
  showTable<Item>(items: readonly Item[], columns: readonly Column<Item>[], whenEmpty: string): Promise<void>;
  /** Sets the exit code of a run that did not fail. */
  endWith(code: number): void;
};

export function openSession(
  flags: GlobalFlags,
  terminal: Terminal,
  endWith: (code: number) => void,
): Session {
  if (flags.json && flags.quiet) throw new UsageError('--json and --quiet exclude each other');
  const path = flags.select === undefined ? null : parsePath(flags.select);
  const format = flags.json || path !== null ? 'json' : flags.quiet ? 'quiet' : 'text';
  const style = styleFor(terminal.stdout, terminal.env);
  const complain = (text: string) => void terminal.stderr.write(`${text}\n`);
  const note = flags.quiet ? () => {} : complain;
  const print = (text: string) => write(terminal.stdout, text);
  const printJson = (value: unknown, isLine = false) => {
    if (path === null) return print(`${JSON.stringify(value, null, isLine ? 0 : 2)}\n`);
    const lines = selectLines(value, path);
    return print(terminal.stdout.isTTY ? lines.split('\n').map(harmless).join('\n') : lines);
  };
  const access = async () => {
    const found = await findAccess(flags, terminal, { note, complain });
    return { ...found, kind: keyKindOf(found.apiKey) };
  };
  /** The options of a client, if the key is of one of these kinds. */
  const optionsFor = async (...kinds: readonly KeyKind[]) => {
    const { kind, ...found } = await access();
    if (!kinds.includes(kind)) throw new UsageError(wrongKey(kind, kinds));
    return { kind, options: { ...terminal.dependencies, ...found, signal: terminal.signal } };
  };
  /**
   * The operator's health tells the time of the platform, which is moved in a sandbox. BRPs cannot read it, and keys without
   * the scope neither: for these it is the time of this machine.
   */
  const platformNow = async (): Promise<number> => {
    const { kind, options } = await optionsFor('operator', 'brp', 'account');
    const { now = Date.now } = terminal.dependencies ?? {};
    if (kind !== 'operator') return now();
    const health = createOperatorClient(options).health.get();
    return health.then(
      ({ server_time }) => Date.parse(server_time),
      (error: unknown) => {
        if (isProblem(error)) return now();
        throw error;
      },
    );
  };
  return {
    terminal,
    format,
    style,
    flags,
    note,
    complain,
    print,
    printJson,
    endWith,
    access,
    operator: async () => createOperatorClient((await optionsFor('operator')).options),
    brp: async () => createBrpClient((await optionsFor('brp')).options),
    client: async () => {
      const { kind, options } = await optionsFor('operator', 'brp');
      return kind === 'brp' ? createBrpClient(options) : createOperatorClient(options);
    },
    async day(given) {
      const day = given instanceof RelativeDay ? given : parseDayArgument(given);
      return day instanceof RelativeDay ? addDays(dayOf(await platformNow()), day.days) : day;
    },
    async own() {
      const { kind, options } = await optionsFor('operator', 'brp', 'account');
      if (kind === 'account') return createMarketClient(options);
      return kind === 'brp' ? createBrpClient(options) : createOperatorClient(options);
    },
    show(record) {
      if (format === 'json') return printJson(record);
      return print(format === 'quiet' ? handlesOf([record]) : detailsOf(record, style));
    },
    async showTable(items, columns, whenEmpty) {
      if (format === 'json') await printJson(items);
      else if (format === 'quiet') await print(handlesOf(items));
      else if (items.length === 0) note(whenEmpty);
      else await print(tableOf(items, columns, style));
    },
  };
}

const KEYS: Readonly<Record<KeyKind, string>> = {
  operator: 'an operator key',
  brp: 'a BRP key',
  account: 'an account key',
};

const wrongKey = (kind: KeyKind, needed: readonly KeyKind[]) =>
  `this command needs ${needed.map((one) => KEYS[one]).join(' or ')}, and the key is ${KEYS[kind]}`;
