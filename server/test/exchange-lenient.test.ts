import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, Reconciliation } from '@saldo/api';
import type { MessageFormat } from '@saldo/core/enums.ts';
import type { Confirmation } from '@saldo/core/exchange/answer.ts';
import { writeAnswer } from '@saldo/core/exchange/documents/write-document.ts';
import { answersTo, CONFORMING } from '@saldo/simulator/tso.ts';
import { agree, newPlace, operating, readSchedule } from './exchanging.ts';
import { client, startTestPlatform } from './harness.ts';
import { listNominated } from './nominated.ts';

/** Answers are read leniently, values strictly. Each confirmation is final and newer than the one before it. */
const DAY = '2026-10-25';
const platform = await startTestPlatform({ now: '2026-10-24T12:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const { send, receive } = operating(platform, operator);
const [seller, buyer] = [await newPlace(platform, 'DE_TENNET'), await newPlace(platform, 'DE_TENNET')];
await world.volumes(await agree(world, seller, buyer), DAY, 1750);
const [sent] = (await send({ delivery_date: DAY })).messages;
const schedule = await readSchedule(
  Buffer.from((await operator(`/operator/v1/messages/${sent?.id}/raw`)).text),
);
const base = answersTo(schedule, CONFORMING, platform.clock.now()).final ?? assert.fail();
const own = schedule.series.find(({ outParty }) => outParty === seller.group.eic) ?? assert.fail();

let count = 0;
const reason = (code: string, text: string | null = null) => ({ code, text });

/** A confirmation with another value of the seller's first slot each time. */
function nextConfirmation(change: Partial<Confirmation> = {}): { kw: number; confirmation: Confirmation } {
  count++;
  const kw = 6000 + count;
  const series = base.series.map((one) =>
    one.identification === own.identification
      ? { ...one, powersKw: own.powersKw.map((power, at) => (at === 0 ? kw : power)) }
      : one,
  );
  const createdAt = base.createdAt + count * 1000;
  const outcome = { outcome: 'partial', reasons: [reason('A07')] } as const;
  return { kw, confirmation: { ...base, id: `CNF-${count}`, createdAt, series, ...outcome, ...change } };
}

async function apply(document: string | Buffer): Promise<Message> {
  const received = await receive(document);
  assert.equal(received.status, 200, received.text);
  assert.equal(received.body.message.state, 'applied', received.text);
  return received.body.message;
}

async function reconcile(): Promise<Reconciliation> {
  const [nomination] = await listNominated(seller.ask, `&delivery_date=${DAY}`);
  return (await seller.ask(`/v1/nominations/${nomination?.id}/reconciliation`)).body;
}
const matchedKw = async () => Math.round(((await reconcile()).slots[0]?.matched_amount ?? 0) * 4000);

/** The children of the root as texts. Our writer starts a line with each element. */
function childrenOf(document: string): { start: string; children: string[]; end: string } {
  const lines = document.trimEnd().split('\n');
  const from =
    lines.findIndex((line) => /^<(?:ConfirmationReport|Confirmation_MarketDocument)\b/.test(line)) + 1;
  const children: string[] = [];
  let depth = 0;
  for (const line of lines.slice(from, -1)) {
    if (depth === 0) children.push(line);
    else children[children.length - 1] += `\n${line}`;
    if (/^<[\w.]+>$/.test(line)) depth++;
    if (/^<\/[\w.]+>$/.test(line)) depth--;
  }
  return { start: lines.slice(0, from).join('\n'), children, end: lines.at(-1) ?? '' };
}

/** The same document with its elements in another order. */
function reordered(document: string, order: (children: string[]) => string[]): string {
  const { start, children, end } = childrenOf(document);
  const moved = order(children);
  assert.notDeepEqual(moved, children);
  assert.deepEqual(moved.toSorted(), children.toSorted());
  return [start, ...moved, end].join('\n');
}
const isNamed = (pattern: RegExp) => (child: string) => pattern.test(child);
const isSeries = isNamed(/^<(?:TimeSeriesConfirmation|Confirmed_TimeSeries)>/);
const isImposed = isNamed(/^<(?:ImposedTimeSeries|Imposed_TimeSeries)>/);
const isReason = isNamed(/^<Reason>/);
const last = (is: (child: string) => boolean) => (children: string[]) => [
  ...children.filter((child) => !is(child)),
  ...children.filter(is),
];

for (const format of ['ess', 'cim'] as const satisfies MessageFormat[]) {
  const orders: [string, (children: string[]) => string[]][] = [
    ['the reasons of the head after the series', last(isReason)],
    ['every element of the root in reverse', (children) => children.toReversed()],
    ['the series before the head', last((child) => !isSeries(child))],
  ];
  for (const [name, order] of orders) {
    test(`${format}: ${name} is applied`, async () => {
      const { kw, confirmation } = nextConfirmation();
      const message = await apply(reordered(writeAnswer(confirmation, format), order));
      assert.equal(message.error, null);
      assert.equal(await matchedKw(), kw);
    });
  }

  test(`${format}: imposed series after the confirmed ones are applied, with the reasons of their slots`, async () => {
    const { kw, confirmation } = nextConfirmation();
    const imposed = {
      ...own,
      identification: `IMPOSED-${format}`,
      powersKw: own.powersKw.map((power, at) => (at === 0 ? kw - 100 : power)),
      reasons: [reason('A30')],
      slotReasons: [{ slot: 1, reasons: [reason('A44'), reason('Z77', 'see our notice')] }],
    };
    const document = writeAnswer({ ...confirmation, imposed: [imposed] }, format);
    const message = await apply(reordered(document, last(isImposed)));
    assert.match(message.error ?? '', /Z77 “see our notice” \(series IMPOSED-\w+, slot 1\)/);
    const { slots } = await reconcile();
    assert.deepEqual(slots[0]?.reasons, [
      { code: 'A44', text: 'Quantity decreased.' },
      { code: 'Z77', text: 'see our notice' },
    ]);
    assert.deepEqual(slots[1]?.reasons, []);
    assert.equal(await matchedKw(), kw - 100);
  });

  test(`${format}: unknown elements of the head are named, and the rest is applied`, async () => {
    const { kw, confirmation } = nextConfirmation();
    const unknown =
      format === 'ess'
        ? '<SettlementHint v="x"/><Extension><Inner v="1"/></Extension><SettlementHint v="y"/>'
        : '<docStatus><value>A01</value></docStatus><Extension>2</Extension><docStatus/>';
    const document = writeAnswer(confirmation, format).replace(/<Reason>/, `${unknown}\n$&`);
    const message = await apply(document);
    const names = format === 'ess' ? 'SettlementHint, Extension' : 'docStatus, Extension';
    assert.equal(message.error, `It has elements that are not known and were not used: ${names}.`);
    assert.equal(await matchedKw(), kw);
  });

  test(`${format}: A85, A86 and A87 count as accepted, partial and rejected`, async () => {
    for (const [code, outcome, expected] of [
      ['A86', 'partial', null],
      ['A85', 'accepted', null],
      ['A87', 'rejected', 0],
      ['A86', 'partial', null],
    ] as const) {
      const { kw, confirmation } = nextConfirmation({ outcome, reasons: [reason(code)] });
      assert.equal((await apply(writeAnswer(confirmation, format))).error, null, code);
      assert.equal(await matchedKw(), expected ?? kw, code);
    }
    const { kw, confirmation } = nextConfirmation({ reasons: [reason('A07'), reason('A86')] });
    await apply(writeAnswer(confirmation, format));
    assert.equal(await matchedKw(), kw, 'both say the same');
    const opposed = nextConfirmation({ reasons: [reason('A06'), reason('A87')] }).confirmation;
    assert.equal((await receive(writeAnswer(opposed, format))).status, 400);
  });

  test(`${format}: ISO-8859-1 and a style sheet are accepted`, async () => {
    const { kw, confirmation } = nextConfirmation({ reasons: [reason('A07'), reason('Z78', 'für Müller')] });
    const document = writeAnswer(confirmation, format)
      .replace('encoding="UTF-8"', 'encoding="ISO-8859-1"')
      .replace('?>\n', '?>\n<?xml-stylesheet type="text/xsl" href="http://127.0.0.1:1/a.xsl?b=1"?>\n');
    const message = await apply(Buffer.from(document, 'latin1'));
    assert.match(message.error ?? '', /Z78 “für Müller”/);
    assert.equal(await matchedKw(), kw);
    const raw = await operator(`/operator/v1/messages/${message.id}/raw`);
    assert.ok(raw.text.includes('ISO-8859-1'), 'it is stored as it came');
  });
}

test('a CIM confirmation 5:3 may name a related document', async () => {
  const { kw, confirmation } = nextConfirmation();
  const document = writeAnswer(confirmation, 'cim')
    .replace('confirmationdocument:5:0', 'confirmationdocument:5:3')
    .replace('<domain.mRID', '<related_MarketDocument.mRID>OTHER-1</related_MarketDocument.mRID>\n$&');
  assert.equal((await apply(document)).error, null);
  assert.equal(await matchedKw(), kw);
});

test('a difference of 1 kW is visible', async () => {
  const { confirmation } = nextConfirmation();
  const series = confirmation.series.map((one) =>
    one.identification === own.identification
      ? { ...one, powersKw: own.powersKw.map((power, at) => (at === 0 ? 6999 : power)) }
      : one,
  );
  await apply(writeAnswer({ ...confirmation, series }, 'ess'));
  const [nomination] = await listNominated(seller.ask, `&delivery_date=${DAY}`);
  assert.deepEqual(
    [nomination?.status, nomination?.slots[0]?.amount, nomination?.slots[0]?.matched_amount],
    ['partial_match', 1.75, 1.75],
    'the nomination has three decimals',
  );
  assert.deepEqual(
    (await reconcile()).slots.slice(0, 2).map(({ amount, matched_amount }) => [amount, matched_amount]),
    [
      [1.75, 1.74975],
      [1.75, 1.75],
    ],
  );
  const { body } = await operator(`/operator/v1/exchange/mismatches?delivery_date=${DAY}`);
  assert.deepEqual(
    body.mismatches.map(({ slots }: { slots: { amount: number; matched_amount: number }[] }) =>
      slots.map(({ amount, matched_amount }) => [amount, matched_amount]),
    ),
    [[[1.75, 1.74975]]],
  );
});

test('values stay strict, and so do the rules for hostile input', async () => {
  const document = () => writeAnswer(nextConfirmation().confirmation, 'ess');
  const [nomination] = await listNominated(seller.ask, `&delivery_date=${DAY}`);
  const hostile = [
    document().replace('7.000', '7,000'),
    document().replace(/<ScheduleTimeInterval .*\n/, ''),
    document().replace(/(<ScheduleTimeInterval .*\n)/, '$1$1'),
    document().replace('?>\n', '?>\n<?php echo 1 ?>\n'),
    document().replace('<Reason>', '<?xml-stylesheet href="a.xsl"?><Reason>'),
    document().replace(/<!DOCTYPE[^>]*>/, '<!DOCTYPE x [<!ENTITY e "1">]>'),
    document().replace('"A07"/>', '"&e;"/>'),
    document().replace('encoding="UTF-8"', 'encoding="UTF-7"'),
    document().replace('<Reason>', `<Unknown>${'<a>'.repeat(20)}${'</a>'.repeat(20)}</Unknown><Reason>`),
  ];
  for (const text of hostile) assert.equal((await receive(text)).status, 400, text.slice(0, 300));
  const [after] = await listNominated(seller.ask, `&delivery_date=${DAY}`);
  assert.deepEqual(after, nomination);
});
