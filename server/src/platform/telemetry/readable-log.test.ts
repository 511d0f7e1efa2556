import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { formatReadable } from './readable-log.ts';

function written(log: (logger: pino.Logger) => void): string {
  let text = '';
  log(pino({ base: null }, { write: (line: string) => void (text += formatReadable(line)) }));
  return text.replaceAll(/\d\d:\d\d:\d\d/g, 'TIME');
}

test('a warning and an error are one line each, with the message of the error and plain members', () => {
  const text = written((logger) => {
    logger.warn('alarm: TenneT has not acknowledged');
    logger.error({ err: new Error('connection refused'), job: 'nominate', tso: null }, 'job failed');
    logger.fatal({ requests: 312, alarm: { id: 'x' } }, 'overload');
  });
  assert.equal(
    text,
    'TIME Warning: alarm: TenneT has not acknowledged\n' +
      'TIME Error: job failed: connection refused (job=nominate)\n' +
      'TIME Fatal: overload (requests=312)\n',
  );
});

test('lines below a warning are left out', () => {
  assert.equal(
    written((logger) => logger.info({ method: 'GET', url: '/' }, 'request')),
    '',
  );
});

test('control characters of a value cannot reach the terminal', () => {
  const text = written((logger) =>
    logger.warn({ file: 'a\u001b[2J\n\u009bb\u202e' }, 'inbox entry not read\r'),
  );
  assert.equal(text, 'TIME Warning: inbox entry not read (file=a [2J b )\n');
});
