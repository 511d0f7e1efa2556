/** Entry point of `saldo simulate-tso`: simulates the four TSOs on the folders of another platform process. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { MarketRules } from '@saldo/core/market-rules.ts';
import { BUILT_IN_RULES, parseMarketRules } from '@saldo/core/market-rules-file.ts';
import { BehaviourError, readBehaviour } from './behaviour.ts';
import { answerOutbox, type SimulatedFolders, type SimulationOptions } from './folders.ts';

const LOOK_EVERY_MS = 1000;

const HELP = `Usage: saldo simulate-tso [options]

Simulates the four TSOs on the outbox and the inbox of a platform: acknowledges schedules, compares them with those of
the counterparts (equal to ours except with the options below), confirms the smaller value, and reports anomalies.
Answers come at the times of a TSO: the intermediate confirmation after the day-ahead gate, the final one after the
day-after gate. A status request is answered with the last answer to its schedule. With SALDO_URL and the operator's
SALDO_KEY the time is that of the platform, whose clock a sandbox may set. The folders are those of OUTBOX_DIR and
INBOX_DIR, by default in DATA_DIR, and the codes of the TSOs those of MARKET_RULES, as for the server.

Options:
  --deviate <eic[@tso]:slots:kw>  the counterpart says so many kW more or less in these slots, or in all
  --missing <eic[@tso]>           the counterpart has sent no schedule
  --reject <tso>                  the TSO rejects our schedules
  --day <day>                     all of this concerns only that delivery day
  --format <ess|cim>              the format of the answers; by default that of the schedule
  --immediate                     send all answers at once
  --intermediate-only             leave out the final confirmations
  --once                          answer what is there and end

Examples:
  $ saldo simulate-tso
  $ saldo simulate-tso --immediate --deviate 11XSTROMBUND---A:45-48:-50
  $ saldo simulate-tso --missing 11XNORDWIND----J@DE_TENNET --reject DE_AMPRION --once
`;

const say = (text: string) => process.stdout.write(`${text}\n`);

function readArguments() {
  const { values } = parseArgs({
    options: {
      deviate: { type: 'string', multiple: true, default: [] },
      missing: { type: 'string', multiple: true, default: [] },
      reject: { type: 'string', multiple: true, default: [] },
      day: { type: 'string' },
      format: { type: 'string' },
      immediate: { type: 'boolean', default: false },
      'intermediate-only': { type: 'boolean', default: false },
      once: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { deviate, missing, reject, day = null, format = null } = values;
  if (format !== null && format !== 'ess' && format !== 'cim') {
    throw new BehaviourError(`--format must be ess or cim, not ${format}`);
  }
  const behaviour = readBehaviour({ deviate, missing, reject, day });
  const rules = readRules(process.env);
  const options: SimulationOptions = {
    behaviour,
    format,
    isIntermediateOnly: values['intermediate-only'],
    isImmediate: values.immediate,
    rules,
  };
  return { options, isOnce: values.once, wantsHelp: values.help };
}

function readRules(env: NodeJS.ProcessEnv): MarketRules {
  const file = env['MARKET_RULES'];
  if (!file) return BUILT_IN_RULES;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new BehaviourError(`MARKET_RULES must be the path of a file that can be read, not "${file}"`);
  }
  const parsed = parseMarketRules(text);
  if (parsed.kind === 'ok') return parsed.rules;
  throw new BehaviourError(
    `MARKET_RULES must be a file with market rules, but in "${file}" ${parsed.message}`,
  );
}

/** The same variables and defaults as the server's. */
function readFolders(env: NodeJS.ProcessEnv): SimulatedFolders {
  const dataDir = env['DATA_DIR'] || 'data';
  return {
    outboxDir: path.resolve(env['OUTBOX_DIR'] || path.join(dataDir, 'outbox')),
    inboxDir: path.resolve(env['INBOX_DIR'] || path.join(dataDir, 'inbox')),
  };
}

/** The clock of the platform, which differs from the machine's in a sandbox. Only a sandbox answers this request. */
async function platformNow({ SALDO_URL: url, SALDO_KEY: key }: NodeJS.ProcessEnv): Promise<number> {
  if (!url || !key) return Date.now();
  const answer = await fetch(new URL('operator/v1/clock', url.endsWith('/') ? url : `${url}/`), {
    headers: { 'x-api-key': key },
  }).catch((cause: unknown) => {
    throw new Error(`${url} cannot be reached`, { cause });
  });
  if (answer.status === 404) return Date.now();
  if (!answer.ok) throw new Error(`${url} answered the request for its clock with ${answer.status}`);
  const { now } = (await answer.json()) as { now: string };
  return Date.parse(now);
}

async function main(): Promise<void> {
  const { options, isOnce, wantsHelp } = readArguments();
  if (wantsHelp) {
    say(HELP.trimEnd());
    return;
  }
  const folders = readFolders(process.env);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const answerOnce = async () => {
    for (const line of await answerOutbox(folders, options, await platformNow(process.env))) say(line);
  };
  if (isOnce) return answerOnce();
  say(`Answering the schedules in ${folders.outboxDir}. Ctrl-C ends it.`);
  while (!stopping.signal.aborted) {
    await answerOnce();
    // The delay rejects only when stopped, which the loop condition checks.
    await pause(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }
}

/** Such as a folder that cannot be written, or a platform that cannot be reached. */
const isFromSystem = (error: unknown): error is Error =>
  error instanceof Error && ('syscall' in error || error.cause !== undefined);

/** One line for invalid arguments, like the errors of `parseArgs`. */
function isTypedWrongly(error: unknown): error is Error {
  if (error instanceof BehaviourError) return true;
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

main().catch((error: unknown) => {
  const isExpected = isTypedWrongly(error) || isFromSystem(error);
  const text = isExpected ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`error: ${text}\n`);
  process.exitCode = isTypedWrongly(error) ? 2 : 1;
});
