/** Measures a day of the exchange: building, writing and sending schedules, reading and applying confirmations. */

import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import type { Exchange } from '../server/src/exchange/process/exchange.ts';
import { receiveMessage } from '../server/src/exchange/process/receive.ts';
import { sendDue } from '../server/src/exchange/process/send.ts';
import { nominateDue } from '../server/src/nominations/actions.ts';
import { type Database, openDatabase } from '../server/src/platform/db/database.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { createWorld, loadVolumes, markAll } from './world.ts';

export type ExchangeResults = {
  readonly positions: number;
  readonly nominations: number;
  /** Total size of the four schedules, and of the four confirmations. */
  readonly sentMegabytes: number;
  readonly receivedMegabytes: number;
  readonly sendSeconds: number;
  readonly receiveSeconds: number;
};

/** Number of contracts per BRP. */
const CONTRACTS_OF_BRP = 19;
const OPERATOR_EIC = '11XSALDO-------Z';
const MINUTE_MS = 60_000;

const COUNTS = statement(
  'bench_count_matches',
  `select count(*)::int as nominations, count(distinct position_no)::int as positions,
     count(*) filter (where status = 'match' and confirmed_at is not null)::int as matched
   from nomination`,
);

export async function measureExchange(
  url: string,
  contracts: number,
  say: (message: string) => void,
): Promise<ExchangeResults> {
  const brps = Math.ceil(contracts / CONTRACTS_OF_BRP);
  const world = await createWorld(url, { contracts, days: 1, brps });
  await loadVolumes(world, () => {});
  const day = world.days[0] as DeliveryDay;
  const now = gatesOf(day, BUILT_IN_RULES).dayAhead - MINUTE_MS;
  const db = openDatabase(url);
  try {
    await markAll(db);
    await nominateDue(db, now, BUILT_IN_RULES);
    const sent: Buffer[] = [];
    const exchange = exchangeInto(sent);
    const sendStartedAt = performance.now();
    const { faults } = await sendDue(db, now, exchange);
    const sendSeconds = (performance.now() - sendStartedAt) / 1000;
    if (faults.length > 0) throw new Error(faults.map(({ error }) => error).join(' '));

    const answers = await confirmationsOf(sent, now);
    const receiveStartedAt = performance.now();
    for (const document of answers) await receive(db, document, now);
    const receiveSeconds = (performance.now() - receiveStartedAt) / 1000;

    const [counts] = await db.query<{ nominations: number; positions: number; matched: number }>(COUNTS);
    if (!counts || counts.matched !== counts.nominations) throw new Error('not everything was matched');
    const { nominations, positions } = counts;
    say(
      `Sent ${nominations} nominations of ${positions} positions in ${sendSeconds.toFixed(2)} s, ` +
        `applied their confirmations in ${receiveSeconds.toFixed(2)} s.`,
    );
    const sizes = { sentMegabytes: megabytesOf(sent), receivedMegabytes: megabytesOf(answers) };
    return { positions, nominations, ...sizes, sendSeconds, receiveSeconds };
  } finally {
    await db.close();
  }
}

const exchangeInto = (sent: Buffer[]): Exchange => ({
  operatorEic: OPERATOR_EIC,
  formats: { DE_AMPRION: 'ess', DE_TENNET: 'cim', DE_TRANSNET_BW: 'ess', DE_50HERTZ: 'cim' },
  waitPhases: { DE_AMPRION: 'hold', DE_TENNET: 'hold', DE_TRANSNET_BW: 'hold', DE_50HERTZ: 'hold' },
  rules: BUILT_IN_RULES,
  transport: {
    async deliver({ document }) {
      sent.push(document);
    },
  },
  remote: {},
});

/** Creates the answers of the TSOs, which is not part of the measured time. */
async function confirmationsOf(sent: readonly Buffer[], now: number): Promise<Buffer[]> {
  const answers: Buffer[] = [];
  for (const document of sent) {
    const read = readDocument(document, BUILT_IN_RULES);
    if (read.kind !== 'ok' || read.document.kind !== 'schedule') throw new Error('a schedule cannot be read');
    const { final } = answersTo(read.document.schedule, CONFORMING, now);
    if (final === null) throw new Error('a schedule that nets to zero is confirmed');
    answers.push(Buffer.from(writeAnswer(final, read.format)));
  }
  return answers;
}

const receive = (db: Database, document: Buffer, now: number) =>
  receiveMessage(
    db,
    now,
    { operatorEic: OPERATOR_EIC, rules: BUILT_IN_RULES, messageLimitBytes: Number.POSITIVE_INFINITY },
    { document, error: null, fileName: null, inboxFingerprint: null },
  );

const megabytesOf = (documents: readonly Buffer[]) =>
  documents.reduce((sum, { length }) => sum + length, 0) / 1e6;
