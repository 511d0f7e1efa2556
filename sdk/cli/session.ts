import { type BrpClient, createBrpClient, createOperatorClient, type OperatorClient } from '../src/index.ts';
import { type Flags, findAccess, type Role } from './settings.ts';
import { type Column, detailsOf, tableOf } from './tables.ts';
import { type Style, styleFor, type Terminal, write } from './terminal.ts';

export type GlobalFlags = Flags & { readonly json?: boolean };

/** One run of a command: who it talks to and how it answers. */
export type Session = {
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly style: Style;
  operator(): Promise<OperatorClient>;
  brp(): Promise<BrpClient>;
  print(text: string): Promise<void>;
  /** For the person beside the output, never part of it. */
  note(text: string): void;
  /** The record as the API answered it, or its members line by line. */
  show(record: object): Promise<void>;
  /** Records as the API answered them, or as a table. */
  showTable<Item>(items: readonly Item[], columns: readonly Column<Item>[], whenEmpty: string): Promise<void>;
  /** The run ends with this code although nothing failed. */
  endWith(code: number): void;
};

export function openSession(
  flags: GlobalFlags,
  terminal: Terminal,
  endWith: (code: number) => void,
): Session {
  const json = flags.json === true;
  const style = styleFor(terminal.stdout, terminal.env);
  const note = (text: string) => void terminal.stderr.write(`${text}\n`);
  const print = (text: string) => write(terminal.stdout, text);
  const clientOptions = async (role: Role) => ({
    ...terminal.surroundings,
    ...(await findAccess(flags, role, terminal, note)),
    signal: terminal.signal,
  });
  return {
    terminal,
    json,
    style,
    note,
    print,
    endWith,
    operator: async () => createOperatorClient(await clientOptions('operator')),
    brp: async () => createBrpClient(await clientOptions('brp')),
    show: (record) => print(json ? `${JSON.stringify(record, null, 2)}\n` : detailsOf(record, style)),
    async showTable(items, columns, whenEmpty) {
      if (json) await print(`${JSON.stringify(items, null, 2)}\n`);
      else if (items.length === 0) note(whenEmpty);
      else await print(tableOf(items, columns, style));
    },
  };
}
