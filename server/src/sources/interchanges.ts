import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type InterchangeResult, operatorSeriesEndpoints } from '@saldo/api';
import { formatInstant } from '@saldo/core/delivery-day.ts';
import { encodeId, ID_PREFIX } from '@saldo/core/id.ts';
import { EDIFACT_LIMITS } from '@saldo/core/series/edifact.ts';
import { readHeader } from '@saldo/core/series/interchange.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { languageOf } from '../platform/http/accept.ts';
import { concurrencyLimiter } from '../platform/http/concurrency-limiter.ts';
import { answerLong } from '../platform/http/idempotency.ts';
import { decimalOfCsvOnly, fieldProblem, problem, validationProblem } from '../platform/http/problem.ts';
import type { Call } from '../platform/http/routes.ts';
import { disconnectSilent, readDecoded } from '../platform/http/streams.ts';
import { findInterchange, type InterchangeRow, storeInterchange } from './interchange-store.ts';
import { wireResult } from './interchange-wire.ts';
import { applyReceived, decodeInterchange } from './read-interchange.ts';

type InterchangeCall = Call<typeof operatorSeriesEndpoints.importValues>;

/** Memory limit: each request holds a whole interchange, also while it arrives. Others wait unread. */
const HELD_AT_ONCE = 8;
/** Concurrency limit of complete interchanges: each holds two connections and its text. */
const APPLIED_AT_ONCE = 2;

const held = concurrencyLimiter({ atOnce: HELD_AT_ONCE });
const inTurn = concurrencyLimiter({ atOnce: APPLIED_AT_ONCE });

/**
 * Answers an interchange. It is stored before its messages are read, and the same one again changes nothing. A client
 * that sends nothing for `silenceMs` is disconnected.
 */
export function answerInterchange(
  db: Database,
  call: InterchangeCall,
  clock: Clock,
  silenceMs: number,
): Promise<InterchangeResult | string> {
  const { request, reply, query } = call;
  const body = request.body as Readable | undefined;
  if (body === undefined) throw bodyRequired();
  if (query.decimal !== undefined) throw decimalOfCsvOnly();
  if (query.dry_run === 'true')
    throw fieldProblem('dry_run', 'validation_failed', { key: 'mscons.no_dry_run' });
  return held(async () => {
    try {
      disconnectSilent(request, reply, silenceMs);
      // Read before the second limit applies, so that a slow sender does not delay interchanges that are complete.
      const bytes = await readDecoded(request, body, EDIFACT_LIMITS.interchangeCharacters);
      if (bytes.length === 0) throw bodyRequired();
      const operation = {
        work: async () => wireResult(await receive(db, call, clock, bytes), languageOf(call)),
        // The audit event is stored with the outcome, which a later process may have to do.
        record: async () => {},
      };
      const content = () => hash('sha256', bytes);
      return await inTurn(() =>
        answerLong(
          { db, request, reply, endpoint: operatorSeriesEndpoints.importValues },
          { content, skip: async () => {} },
          operation,
        ),
      );
    } finally {
      // Drain the rest of the body so that the client can read our error.
      body.resume();
    }
  });
}

const bodyRequired = () => validationProblem([{ code: 'required', message: { key: 'mscons.required' } }]);

async function receive(
  db: Database,
  { actor, request }: InterchangeCall,
  clock: Clock,
  bytes: Buffer,
): Promise<InterchangeRow> {
  const { sender = null, reference = null } = readHeader(decodeInterchange(bytes)) ?? {};
  const { id, receivedAt, isConflict } = await db.transaction((tx) =>
    storeInterchange(tx, {
      ...{ actor, request_id: request.id, sender, reference },
      ...{ bytes, receivedAt: clock.now() },
    }),
  );
  const publicId = encodeId(ID_PREFIX.interchange, id);
  if (isConflict) {
    throw problem('interchange_conflict', {
      key: 'problem.interchange_conflict',
      ...{ sender: sender ?? '', reference: reference ?? '', id: publicId },
      receivedAt: formatInstant(receivedAt),
    });
  }
  const stored = await getStored(db, id);
  if (stored.result === null) await applyReceived(db, clock, stored, bytes);
  const read = stored.result === null ? await getStored(db, id) : stored;
  const fault = read.result?.fault ?? null;
  if (fault !== null) {
    const message = { key: 'mscons.kept', fault, id: publicId } as const;
    throw validationProblem([{ code: 'invalid_format', message }]);
  }
  return read;
}

async function getStored(db: Database, id: string): Promise<InterchangeRow> {
  const row = await findInterchange(db, id);
  if (row === null) throw new Error('a stored interchange exists');
  return row;
}
