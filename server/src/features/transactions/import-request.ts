import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ImportResult, operatorVolumeEndpoints } from '@saldo/api';
import type { Database, Tx } from '../../db/database.ts';
import { sparingly } from '../../heap.ts';
import { callerSecretOf, idempotencyKeyOf, repeatableStream } from '../../http/idempotency.ts';
import { validationProblem } from '../../http/problem.ts';
import type { Call } from '../../http/routes.ts';
import { chunksOf, mediaTypeOf } from '../../http/streams.ts';
import { turnstile } from '../../http/turnstile.ts';
import { recordAudit } from '../audit/store.ts';
import { type ImportOptions, importVolumes, newImportResult } from './import.ts';

type ImportCall = Call<typeof operatorVolumeEndpoints.importVolumes>;

/**
 * Each import may hold three connections to the database, one of them from its first byte to its last. More of them
 * wait, unread, so that there are always connections left for everybody else.
 */
const IMPORTS_AT_ONCE = 3;

const inTurn = turnstile({ atOnce: IMPORTS_AT_ONCE });

/**
 * Answers an import. With an `Idempotency-Key`, one that was done before is read, compared, and not done again. A
 * client that sends nothing for `silenceMs` has gone.
 */
export function answerImport(
  db: Database,
  call: ImportCall,
  now: number,
  silenceMs: number,
): Promise<ImportResult | string> {
  const { request, reply, query } = call;
  const body = request.body as Readable | undefined;
  if (body === undefined) {
    throw validationProblem([{ code: 'required', message: 'a body with volumes is required' }]);
  }
  const { type } = mediaTypeOf(request.headers['content-type']);
  const options: ImportOptions = {
    format: type === 'text/csv' ? 'csv' : 'ndjson',
    isDryRun: query.dry_run === 'true',
    now,
  };
  const key = idempotencyKeyOf(request);
  const answer = async () => {
    try {
      // Only now, since whoever waits for their turn cannot send.
      request.raw.setTimeout(silenceMs, () => request.raw.destroy());
      if (key === null) return await importOnce(db, call, bytesOf(body, null), options);
      const asked = repeatableStream(callerSecretOf(request), key);
      // The key stays locked until the answer is stored: of two at once, the second waits for the first.
      return await db.transaction(async (tx) => {
        const hash = createHash('sha256');
        const content = () => JSON.stringify(['importVolumes', type, query, hash.digest('hex')]);
        const earlier = await asked.earlier(tx);
        if (earlier !== null) {
          for await (const _chunk of bytesOf(body, hash)) continue;
          reply.header('idempotent-replayed', 'true');
          return earlier(content()).body;
        }
        const answer = JSON.stringify(await importOnce(db, call, bytesOf(body, hash), options, tx));
        await asked.remember(tx, content(), { status: 200, body: answer });
        return answer;
      });
    } finally {
      // Whoever is refused before the end of the body is let send the rest, which nobody reads.
      body.resume();
    }
  };
  return inTurn(() => sparingly(answer));
}

async function* bytesOf(body: Readable, hash: Hash | null): AsyncGenerator<Buffer> {
  for await (const chunk of chunksOf(body)) {
    hash?.update(chunk);
    yield chunk;
  }
}

/** Takes the volumes and notes it, also when the stream broke off after a part of them was taken. */
async function importOnce(
  db: Database,
  call: ImportCall,
  source: AsyncIterable<Buffer>,
  options: ImportOptions,
  tx: Tx | null = null,
): Promise<ImportResult> {
  const result = newImportResult(options.isDryRun);
  const note = (action: string) => {
    const { rejected: _listed, dry_run: _never, ...after } = result;
    const deed = { action, subject: call.request.id, before: null, after };
    const record = (on: Tx) => recordAudit(on, call, deed, options.now);
    return tx === null || action !== 'volumes.imported' ? db.transaction(record) : record(tx);
  };
  try {
    await importVolumes(db, source, options, result);
  } catch (error) {
    const hasChanged = !options.isDryRun && result.created + result.corrected > 0;
    if (hasChanged) await note('volumes.import_broken_off');
    throw error;
  }
  if (!options.isDryRun) await note('volumes.imported');
  return result;
}
