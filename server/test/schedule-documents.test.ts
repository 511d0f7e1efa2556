import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import type { Tso } from '@saldo/api';
import { newPlace, operating, readSchedule } from './exchanging.ts';
import { assertProblem, assertRefused, client, startTestPlatform } from './harness.ts';
import { amountsOf, listNominated, only } from './nominated.ts';

const platform = await startTestPlatform({ now: '2026-03-01T08:00:00Z' });
const { world } = platform;
const operator = client(platform.baseUrl, await world.operatorKey());
const OPERATOR = '11XSALDO-------Z';
const FORMATS = ['ess', 'cim'] as const;
const DAYS = ['2026-03-29', '2026-03-30', '2026-10-25'];
const TSOS: Tso[] = ['DE_AMPRION', 'DE_50HERTZ'];
const brp = await world.brp();
const group = await world.group(brp, TSOS);
const ask = client(platform.baseUrl, brp.key);
const other = await newPlace(platform, 'DE_AMPRION');
for (const tso of TSOS) {
  const own = await world.customer(brp, { group, tso });
  const theirs = await world.customer(other.brp, { group: other.group, tso: 'DE_AMPRION' });
  const sale = await world.contract(own, theirs);
  const purchase = await world.contract(theirs, own);
  // The direction changes within the day.
  for (const day of DAYS) {
    await world.volumes(sale, day, only(day, [1, 61], 1234, 7));
    await world.volumes(purchase, day, only(day, [2, 3], 5000));
  }
}
await world.nominate();

const pathOf = (day: string, tso: Tso, format: string, version = 1) =>
  `/v1/nominations/schedule?delivery_date=${day}&eic=${group.eic}&tso=${tso}&format=${format}&message_version=${version}`;

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;
const schema = (name: string) => path.join(import.meta.dirname, 'schemas', name);
const VALIDATION = {
  ess: ['--dtdvalid', schema('schedule-ess.dtd')],
  cim: ['--schema', schema('schedule-cim.xsd')],
};

/** What xmllint says against a document; empty if it is valid. */
function faultsOf(format: (typeof FORMATS)[number], document: string): string {
  const run = spawnSync('xmllint', ['--nonet', '--noout', ...VALIDATION[format], '-'], { input: document });
  return run.status === 0 ? '' : run.stderr.toString();
}

test('documents are valid against the structure of their format', {
  skip: !hasXmllint && 'xmllint is not installed',
}, async () => {
  for (const format of FORMATS) {
    for (const day of DAYS) {
      const { text } = await ask(pathOf(day, 'DE_AMPRION', format));
      assert.equal(faultsOf(format, text), '');
      const broken = text.replace(/<(?:Resolution|resolution)\b.*\n/, '');
      assert.notEqual(broken, text);
      assert.notEqual(faultsOf(format, broken), '', 'the schema rejects a document without a resolution');
    }
  }
});

test('a document is read back to the nominations of its balance group and TSO', async () => {
  for (const format of FORMATS) {
    for (const day of DAYS) {
      for (const tso of TSOS) {
        const nominations = await listNominated(ask, `&delivery_date=${day}&tso=${tso}`);
        assert.equal(nominations.length, 2, 'both directions are nominated');
        const answer = await ask(pathOf(day, tso, format, 12));
        assert.equal(answer.status, 200, answer.text);
        const schedule = await readSchedule(Buffer.from(answer.text));
        const { area, party, tag } = schedule.codes;
        assert.deepEqual(
          [schedule.operatorEic, schedule.tso, schedule.day, schedule.version, schedule.messageId],
          [group.eic, tso, day, 12, `${day.replaceAll('-', '')}_TPS_${group.eic}_${tag}`],
        );
        assert.equal(
          answer.headers.get('content-disposition'),
          `attachment; filename="${day.replaceAll('-', '')}_TPS_${group.eic}_${party}_012.XML"`,
        );
        const expected = nominations.map((nomination) => {
          const isOut = nomination.direction === 'out';
          return {
            identification: `${OPERATOR}_${isOut ? 'OUT' : 'IN'}`,
            version: 12,
            businessType: 'A02',
            outParty: isOut ? group.eic : OPERATOR,
            outArea: area,
            inParty: isOut ? OPERATOR : group.eic,
            inArea: area,
            powersKw: amountsOf(nomination).map((kwh) => kwh * 4),
          };
        });
        const byName = (one: { identification: string }, two: { identification: string }) =>
          one.identification < two.identification ? -1 : 1;
        assert.deepEqual(schedule.series.toSorted(byName), expected.toSorted(byName));
      }
    }
  }
});

test('a document has the flows of the operator’s schedule, so that the TSO finds both sides equal', async () => {
  const day = '2026-03-30';
  const { send } = operating(platform, operator);
  const { messages } = await send({ delivery_date: day });
  for (const tso of TSOS) {
    const sent = messages.find((message) => message.tso === tso);
    const raw = await operator(`/operator/v1/messages/${sent?.id}/raw`);
    const theirs = await readSchedule(Buffer.from(raw.text));
    const ours = await readSchedule(Buffer.from((await ask(pathOf(day, tso, 'ess'))).text));
    const flows = (series: typeof theirs.series) =>
      series
        .filter(({ outParty, inParty }) => [outParty, inParty].includes(group.eic))
        .map(({ outParty, outArea, inParty, inArea, powersKw }) =>
          [outParty, outArea, inParty, inArea, ...powersKw].join(' '),
        )
        .toSorted();
    assert.equal(flows(ours.series).length, 2);
    assert.deepEqual(flows(ours.series), flows(theirs.series));
  }
});

test('a document needs a balance group, a TSO and a version', async () => {
  for (const format of FORMATS) {
    const answer = await ask(`/v1/nominations/schedule?delivery_date=2026-03-30&format=${format}`);
    assertRefused(answer, 'eic required', 'message_version required', 'tso required');
  }
  assertRefused(await ask(pathOf('2026-03-30', 'DE_AMPRION', 'ess', 0)), 'message_version value_too_small');
  assertRefused(
    await ask(pathOf('2026-03-30', 'DE_AMPRION', 'ess', 1000)),
    'message_version value_too_large',
  );
  assertRefused(await ask(pathOf('2026-03-30', 'DE_AMPRION', 'csv')), 'message_version validation_failed');
});

test('the CSV of a day can be restricted to a balance group and a TSO', async () => {
  const query = `delivery_date=2026-03-30&eic=${group.eic}&tso=DE_50HERTZ`;
  const { text, headers } = await ask(`/v1/nominations/schedule?${query}`);
  assert.match(headers.get('content-disposition') ?? '', /2026-03-30_.*_DE_50HERTZ\.csv/);
  const lines = text.trimEnd().split('\n').slice(1);
  assert.deepEqual(new Set(lines.map((line) => line.split(',')[4])), new Set(['DE_50HERTZ']));
  assert.equal(lines.length, 2 * 96);
});

test('a position without nominations has no document, and neither has that of another BRP', async () => {
  assertProblem(await ask(pathOf('2026-03-30', 'DE_TENNET', 'ess')), 404, 'nomination_not_found');
  assertProblem(await ask(pathOf('2027-01-01', 'DE_AMPRION', 'cim')), 404, 'nomination_not_found');
  assertProblem(await other.ask(pathOf('2026-03-30', 'DE_AMPRION', 'ess')), 404, 'nomination_not_found');
});
