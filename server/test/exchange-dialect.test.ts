import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Message } from '@saldo/api';
import type { MessageFormat } from '@saldo/core/enums.ts';
import type { Acknowledgement, Answer, Confirmation, ConfirmedSeries } from '@saldo/core/exchange/answer.ts';
import { scheduleFileName } from '@saldo/core/exchange/documents/file-names.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { statement } from '../src/platform/db/statement.ts';
import { agree, newPlace, operating, readSchedule } from './exchanging.ts';
import { client, problemOf, startTestPlatform } from './harness.ts';
import { kwhOf, listNominated } from './nominated.ts';

const DAY = '2026-10-25';
const SLOTS = 100;
const platform = await startTestPlatform({
  now: '2026-10-24T12:00:00Z',
  environment: { MESSAGE_LIMIT_MB: '1' },
});
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive, messages } = operating(platform, operator);
const seller = await newPlace(platform, 'DE_TENNET');
const buyer = await newPlace(platform, 'DE_TENNET');
await world.volumes(await agree(world, seller, buyer), DAY, 1000);
await send({ delivery_date: DAY });
const [sent] = await messages('&direction=out');
const schedule = await readSchedule(
  Buffer.from((await operator(`/operator/v1/messages/${sent?.id}/raw`)).text),
);
const given = answersTo(schedule, CONFORMING, platform.clock.now());
const own = schedule.series.find(({ outParty }) => outParty === seller.group.eic) ?? assert.fail();

/** One of a list, in turn. */
const choose = <T>(choices: readonly T[], number: number): T => choices[number % choices.length]!;
const reason = (code: string, text: string | null = null) => ({ code, text });

const DECLARATIONS = [
  '',
  '<!DOCTYPE ConfirmationReport SYSTEM "../scheduleV2r3/dtd/confirmation-xml.dtd">',
  '<!DOCTYPE ScheduleMessage SYSTEM "../scheduleV2r3/dtd/schedule-xml.dtd">',
  "<!DOCTYPE ConfirmationReport\n  SYSTEM 'http://127.0.0.1:1/confirmation.dtd' >",
  '<!DOCTYPE x PUBLIC "-//ENTSO-E//DTD 2.3//EN" "file:///etc/passwd">',
  '<!DOCTYPE Confirmation_MarketDocument>',
  '<!-- from the gateway --><!DOCTYPE y SYSTEM ""><!-- end -->',
];
const UNKNOWN_CODES = ['A26', 'A29', 'A45', 'A54', 'A95', 'Z99-OTHER'];

/** Series that are not in our schedule, as TSOs send them, and whether they are nominations with us. */
const FORECAST_PARTY = '11XFC-CONS-----0';
const foreignSeries: ((series: ConfirmedSeries) => { series: ConfirmedSeries; isWithUs: boolean } | null)[] =
  [
    () => null,
    (one) => ({ series: { ...one, businessType: 'A04', inParty: FORECAST_PARTY }, isWithUs: false }),
    (one) => ({ series: { ...one, businessType: 'A01', outParty: FORECAST_PARTY }, isWithUs: false }),
    (one) => ({ series: { ...one, inParty: FORECAST_PARTY }, isWithUs: false }),
    (one) => ({ series: { ...one, outParty: '11XALBSTROM----X' }, isWithUs: true }),
  ];

const UNKNOWN_SERIES = statement(
  'unknown_series_of_answer',
  'select unknown_series from message where answer_id = $1',
);

type Variant = { answer: Answer; document: Buffer; headers: Record<string, string> };

/** Writes an answer as one of the TSOs would. */
function dress(answer: Answer, number: number, format: MessageFormat): Variant {
  let text = writeAnswer(answer, format).replace(/<!DOCTYPE[^>]*>\n/, '');
  text = text.replace('?>\n', `?>\n${choose(DECLARATIONS, number)}`);
  if (answer.kind === 'confirmation' && number % 3 === 2) {
    text = text.replace(/(<MessageType v="|<type>)A08/, '$1A09');
  }
  if (number % 4 === 1) text = text.replaceAll(/(<Qty v="|<quantity>)(\d+\.\d{3})/g, '$1$20000');
  if (number % 5 === 2) text = text.replaceAll('\n', '\r\n');
  if (number % 5 === 3) text = `\ufeff${text}`;
  const isPacked = number % 5 === 4;
  const headers: Record<string, string> = { 'content-type': choose(['application/xml', 'text/xml'], number) };
  if (isPacked) headers['content-encoding'] = 'gzip';
  return { answer, document: isPacked ? gzipSync(text) : Buffer.from(text), headers };
}

async function apply({ document, headers }: Variant): Promise<Message & { nominations: string[] }> {
  const answer = await operator('/operator/v1/exchange/receive', { method: 'POST', body: document, headers });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.message.state, 'applied', answer.text);
  return { ...answer.body.message, nominations: answer.body.nominations };
}

async function sellersNomination() {
  const [nomination] = await listNominated(seller.ask, `&delivery_date=${DAY}`);
  return nomination ?? assert.fail();
}

test('40 acknowledgements that name our file only are applied', async () => {
  for (let number = 0; number < 40; number++) {
    const isAccepted = number % 2 === 1;
    const acknowledgement: Acknowledgement = {
      ...given.acknowledgement,
      id: `ACK-${number}`,
      createdAt: platform.clock.now() + number * 1000,
      answers: null,
      outcome: isAccepted ? 'accepted' : choose(['rejected', 'errors_in_series'], number >> 1),
      reasons: [
        reason(isAccepted ? 'A01' : choose(['A02', 'A03'], number >> 1)),
        reason(choose(UNKNOWN_CODES, number), 'not readable'),
      ],
    };
    const format = choose(['ess', 'cim'] as const, number >> 2);
    const { document, ...variant } = dress(acknowledgement, number - (number % 5), format);
    const file = choose(
      [scheduleFileName(schedule), `/out/${scheduleFileName(schedule).toLowerCase()}`],
      number,
    );
    const name =
      format === 'ess'
        ? `<ReceivingPayloadName v="${file}"/>`
        : `<received_MarketDocument.title>${file}</received_MarketDocument.title>`;
    const text = document
      .toString()
      .replace(/<ReceiverRole v="A08"\/>|<receiver\S*type>A08<\/\S+>/, `$&${name}`);
    const message = await apply({ ...variant, document: Buffer.from(text) });
    assert.equal(message.answers, sent?.id);
    const [out] = await messages('&direction=out');
    assert.equal(out?.state, isAccepted ? 'acknowledged' : 'rejected');
    const shown = `${choose(UNKNOWN_CODES, number)} “not readable”`;
    assert.ok((isAccepted ? message.error : out?.error)?.includes(shown), JSON.stringify(message));
  }
});

test('160 confirmations in the real dialect are applied to the kW', async () => {
  const base = given.final ?? assert.fail();
  const before = await sellersNomination();
  for (let number = 0; number < 160; number++) {
    const slot = (number % SLOTS) + 1;
    const kw = 4 * (number + 1);
    const code = choose(UNKNOWN_CODES, number);
    const codeAt = choose(['head', 'series', 'slot', 'imposed', 'nowhere'], number);
    const confirmed = base.series.map((series): ConfirmedSeries => {
      if (series.identification !== own.identification || codeAt === 'imposed') return series;
      return {
        ...series,
        powersKw: own.powersKw.map((power, at) => (at + 1 === slot ? kw : power)),
        reasons: [reason('A63'), ...(codeAt === 'series' ? [reason(code)] : [])],
        slotReasons: [{ slot, reasons: [reason('A44'), ...(codeAt === 'slot' ? [reason(code)] : [])] }],
      };
    });
    const imposed = {
      ...own,
      identification: `TSO-${number}`,
      powersKw: own.powersKw.map((power, at) => (at + 1 === slot ? kw : power)),
      reasons: [reason('A30'), reason(code)],
      slotReasons: [],
    };
    const foreign = choose(
      foreignSeries,
      number >> 1,
    )({
      ...confirmed.find(({ identification }) => identification === own.identification)!,
      identification: `FOREIGN-${number}`,
      slotReasons: [],
    });
    const confirmation: Confirmation = {
      ...base,
      id: `CNF-${number}`,
      // Intermediate ones first: they count only before the final one. Some are dated in the future.
      isFinal: number >= 60,
      createdAt: platform.clock.now() + (number < 60 && number % 7 === 0 ? 1e9 : number * 1000),
      outcome: 'partial',
      reasons: [...(codeAt === 'head' ? [reason(code, 'Zähler'), reason('A07')] : [reason('A07')])],
      series: [...confirmed, ...(foreign === null ? [] : [foreign.series])],
      imposed: codeAt === 'imposed' ? [imposed] : [],
    };
    const message = await apply(dress(confirmation, number, choose(['ess', 'cim'], number >> 2)));
    const nomination = await sellersNomination();
    const about = `variant ${number}: ${message.error}`;
    for (const { slot_number, amount, matched_amount } of nomination.slots) {
      assert.equal(kwhOf(matched_amount ?? -1), slot_number === slot ? kw / 4 : kwhOf(amount), about);
    }
    assert.deepEqual([nomination.id, nomination.status], [before.id, 'partial_match'], about);
    assert.ok(message.nominations.includes(before.id), about);
    assert.equal(message.error?.includes(`FOREIGN-${number} from`) ?? false, foreign !== null, about);
    assert.equal(message.error?.includes(code) ?? false, codeAt !== 'nowhere', about);
    const [stored] = await platform.db.query<{ unknown_series: string[] }>(UNKNOWN_SERIES, [confirmation.id]);
    assert.equal(stored?.unknown_series.length, foreign?.isWithUs ? 1 : 0, about);
  }
});

test('faulty series of other parties are named, and the rest is applied', async () => {
  const base = given.final ?? assert.fail();
  const foreign = {
    ...base.series[0]!,
    identification: 'FOREIGN-1',
    outParty: '11XALBSTROM----X',
    slotReasons: [],
  };
  const confirmation = { ...base, id: 'CNF-F', createdAt: platform.clock.now() + 1e9, series: [foreign] };
  const text = writeAnswer(confirmation, 'ess').replace(/(<Pos v="7"\/>\n<Qty v=")[\d.]+/, '$1unknown');
  const message = await apply({
    answer: confirmation,
    document: Buffer.from(text),
    headers: { 'content-type': 'text/xml' },
  });
  assert.match(message.error ?? '', /FOREIGN-1": position 7: the quantity "unknown" is not a decimal number/);
  assert.equal((await sellersNomination()).status, 'match');
});

test('an older final confirmation changes nothing', async () => {
  const base = given.final ?? assert.fail();
  const older = { ...base, id: 'CNF-OLD', outcome: 'rejected' as const, reasons: [reason('A08')] };
  const answer = await receive(writeAnswer(older, 'ess'));
  assert.deepEqual([answer.status, answer.body.message.state, answer.body.nominations], [200, 'ignored', []]);
  assert.equal((await sellersNomination()).status, 'match');
});

test('a body in gzip is limited in both sizes and must be gzip', async () => {
  const post = (body: Buffer, encoding = 'gzip') =>
    operator('/operator/v1/exchange/receive', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/xml', 'content-encoding': encoding },
    });
  const bomb = await post(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
  assert.deepEqual([bomb.status, problemOf(bomb).code], [413, 'payload_too_large']);
  const wrong = await post(Buffer.from('<x/>'));
  assert.deepEqual([wrong.status, problemOf(wrong).code], [400, 'validation']);
  const other = await post(Buffer.from('<x/>'), 'br');
  assert.deepEqual([other.status, problemOf(other).code], [415, 'unsupported_media_type']);
});
