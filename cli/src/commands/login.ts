import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { dayOf } from '@saldo/core/delivery-day.ts';
import { type BrpClient, createBrpClient, createOperatorClient, isProblem } from '@saldo/sdk';
import type { Command } from 'commander';
import { keyKindOf, shownPrefix } from '../key-kind.ts';
import type { Session } from '../session.ts';
import { type Access, findUrl, saveProfile } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage.ts';
import { addExamples, doing, type OpenSession } from './command.ts';

export function addLoginCommands(program: Command, open: OpenSession): void {
  const login = program
    .command('login')
    .description(
      'check an API key and store it with the address, in the default profile or that of --profile',
    );
  login.addHelpText(
    'after',
    '\nThe key is read from the terminal without being shown, or from standard input.\n',
  );
  addExamples(
    login,
    'login --url https://saldo.example.com',
    'login --url https://saldo.example.com --profile desk < key.txt',
  ).action(
    doing(open, async (session) => {
      const { flags, terminal } = session;
      const baseUrl = await findUrl(flags, terminal);
      const apiKey = flags.key ?? (await readKey(terminal, baseUrl));
      if (apiKey === '') throw new UsageError('there is no API key on standard input');
      const access = { baseUrl, apiKey };
      const checked = await identify(session, access);
      const file = await saveProfile(flags, terminal, access);
      session.note(`Stored in ${file}.`);
      await session.show(checked);
    }),
  );
  const whoami = program.command('whoami').description('show the address and the kind of the API key in use');
  addExamples(whoami, 'whoami', 'whoami --profile desk').action(
    doing(open, async (session) => session.show(await identify(session, await session.access()))),
  );
}

/** Asks the platform whether the key is valid. */
async function identify({ terminal }: Session, access: Access) {
  const kind = keyKindOf(access.apiKey);
  const shown = { url: access.baseUrl, kind, key: `${shownPrefix(access.apiKey)}…` };
  const options = { ...terminal.dependencies, ...access, signal: terminal.signal };
  const today = dayOf(Date.now());
  switch (kind) {
    case 'account':
      throw new UsageError('the key is an account key, and this command line is for operators and BRPs');
    case 'operator':
      await unlessLacking(createOperatorClient(options).deliveryDays.get(today));
      return shown;
    case 'brp': {
      const client = createBrpClient(options);
      await client.deliveryDays.get(today);
      return { ...shown, balance_groups: await balanceGroupsOf(client) };
    }
  }
}

/** A key that lacks the scope of the request is valid. */
async function unlessLacking(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isProblem(error, 'insufficient_scopes')) throw error;
  }
}

/** Empty if the key may not read them. */
async function balanceGroupsOf(client: BrpClient): Promise<string[]> {
  const eics: string[] = [];
  const read = async () => {
    for await (const { eic } of client.balanceGroups.each()) eics.push(eic);
  };
  await unlessLacking(read());
  return eics;
}

async function readKey({ stdin, stderr }: Terminal, url: string): Promise<string> {
  const isPrompt = stderr.isTTY === true;
  if (isPrompt) stderr.write(`API key for ${url}: `);
  // Readline echoes what is typed to its output, which discards it.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: discard, terminal: isPrompt });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
    if (isPrompt) stderr.write('\n');
  }
}
