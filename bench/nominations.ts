/** Measures a market day from its volumes to the confirmations of the TSOs: netting, schedules, answers. */
import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import { readDocument } from '@saldo/core/exchange/documents/read-document.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { gatesOf } from '@saldo/core/gates.ts';
import { BUILT_IN_RULES } from '@saldo/core/market-rules-file.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import type { Exchange } from '../server/src/exchange/process/exchange.ts';
import { receiveMessage } from '../server/src/exchange/process/receive.ts';
import { sendDue } from '../server/src/exchange/process/send.ts';
import { type NominationRun, nominateDue } from '../server/src/nominations/actions.ts';
import { openDatabase } from '../server/src/platform/db/database.ts';
import { statement } from '../server/src/platform/db/statement.ts';
import { GOALS } from './goals.ts';
import { count, digits, type Row, spreadOf, valueRow } from './measure.ts';
import type { Run } from './run.ts';
import { createWorld, loadVolumes, markAll } from './world.ts';

const CONTRACTS_OF_BRP = 16;
const OPERATOR_EIC = '11XSALDO-------Z';
const MINUTE_MS = 60_000;
/** Market days that are netted one after the other: the first one runs code that V8 has not compiled yet. */
const DAYS = 3;

const COUNT_UNMATCHED = statement(
  'bench_count_unmatched',
  "select count(*)::int as count from nomination where delivery_day = $1 and (status <> 'match' or confirmed_at is null)",
);

async function seconds<T>(work: () => Promise<T>): Promise<[number, T]> {
  const startedAt = performance.now();
  const result = await work();
  return [(performance.now() - startedAt) / 1000, result];
}

export async function* measureNominations({ sizes, databases }: Run): AsyncGenerator<Row> {
  const { contracts } = sizes;
  const url = await databases.create('nominations');
  const brps = Math.ceil(contracts / CONTRACTS_OF_BRP);
  const world = await createWorld(url, { contracts, days: DAYS, brps });
  await loadVolumes(world);
  // Only the first day is due to be sent.
  const [first] = world.days as [DeliveryDay, ...DeliveryDay[]];
  const now = gatesOf(first, BUILT_IN_RULES).dayAhead - MINUTE_MS;
  const db = openDatabase(url);
  const inSeconds = digits(2, 's');
  try {
    const netDays = async () => {
      await markAll(db);
      const took: number[] = [];
      const runs: NominationRun[] = [];
      for (const day of world.days) {
        const [time, run] = await seconds(() => nominateDue(db, { now: () => now }, BUILT_IN_RULES, { day }));
        took.push(time);
        runs.push(run);
      }
      return { took: spreadOf(took), runs };
    };
    const { took: netting, runs } = await netDays();
    const what = `netting a market day of ${count(runs[0]!.positions)} positions`;
    yield valueRow(what, netting, inSeconds, GOALS.nettingSeconds);
    const { took: unchanged, runs: again } = await netDays();
    if (again.some(({ created }) => created !== 0)) throw new Error('netting twice made something new');
    yield valueRow('netting it again without a change', unchanged, inSeconds, GOALS.nettingSeconds);

    const sent: Buffer[] = [];
    const [sending, { faults }] = await seconds(() => sendDue(db, { now: () => now }, exchangeInto(sent)));
    if (faults.length > 0) throw new Error(faults.map(({ error }) => error).join(' '));
    const answers = sent.map((document) => confirmationOf(document, now));
    const [receiving] = await seconds(async () => {
      const settings = {
        operatorEic: OPERATOR_EIC,
        rules: BUILT_IN_RULES,
        messageLimitBytes: Number.POSITIVE_INFINITY,
      };
      for (const document of answers)
        await receiveMessage(db, { now: () => now }, settings, {
          document,
          error: null,
          fileName: null,
          inboxFingerprint: null,
        });
    });
    const [unmatched] = await db.query<{ count: number }>(COUNT_UNMATCHED, [first]);
    if (unmatched?.count !== 0) throw new Error('not everything was matched');
    const exchanged = 'its schedules sent and their confirmations applied';
    yield valueRow(exchanged, sending + receiving, inSeconds, GOALS.exchangeSeconds);
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

/** The answer of a TSO, whose creation is not part of the measured time. */
function confirmationOf(document: Buffer, now: number): Buffer {
  const read = readDocument(document, BUILT_IN_RULES);
  if (read.kind !== 'ok' || read.document.kind !== 'schedule') throw new Error('a schedule cannot be read');
  const { final } = answersTo(read.document.schedule, CONFORMING, now);
  if (final === null) throw new Error('a schedule that nets to zero is confirmed');
  return Buffer.from(writeAnswer(final, read.format));
}
