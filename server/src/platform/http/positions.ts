import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../auth/principal.ts';
import { DatabaseUnavailable } from '../db/connection.ts';
import type { Db, Replication } from '../db/database.ts';
import { type Lsn, laterOf } from '../db/lsn.ts';

/**
 * Read-your-writes with read replicas. The answer of a request that has changed or seen the newest state has this
 * header. A read that carries it sees that state, in every process. Without it, the process remembers the position of
 * each key and session.
 */
const HEADER = 'x-saldo-position';

/** The position of a change whose outcome is unknown. No replica has it, so the caller's next read goes to the primary. */
const UNKNOWN: Lsn = 2n ** 64n;

/** Longer than the lag of any replica in use, so that no position is forgotten too early. */
const REMEMBERED_MS = 30_000;

const FORM = /^([0-9a-f]{1,16})\.([\w-]{22})$/;
const SEAL_LENGTH = 22;

/** Signed, so that a caller cannot send all its reads to the primary with a position that no replica reaches. */
function positionSealer(secret: Uint8Array) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'position', 32));
  const sealOf = (text: string) =>
    createHmac('sha256', key).update(text).digest('base64url').slice(0, SEAL_LENGTH);
  return {
    seal(position: Lsn): string {
      const text = position.toString(16);
      return `${text}.${sealOf(text)}`;
    },
    /** Null for text that this platform has not signed. */
    open(header: string): Lsn | null {
      const [, text, seal] = FORM.exec(header) ?? [];
      if (text === undefined || seal === undefined) return null;
      return timingSafeEqual(Buffer.from(seal), Buffer.from(sealOf(text))) ? BigInt(`0x${text}`) : null;
    },
  };
}

type Known = {
  readonly position: Lsn;
  readonly at: number;
  /** When a change with an unknown outcome failed, unless a later request has seen the newest state since. */
  readonly unknownAt: number | null;
};

const NOTHING: Known = { position: 0n, at: 0, unknownAt: null };

/** The newest position of each caller that has one. In order of their times, so that the oldest come first. */
class RecentPositions {
  private readonly byCaller = new Map<string, Known>();
  private readonly monotonicNow: () => number;

  constructor(monotonicNow: () => number) {
    this.monotonicNow = monotonicNow;
  }

  of(caller: string): Lsn {
    const known = this.find(caller);
    return known.unknownAt === null ? known.position : UNKNOWN;
  }

  /** Of a request that began at `begunAt`. */
  remember(caller: string, position: Lsn, begunAt: number): void {
    const known = this.find(caller);
    const isUnknown = known.unknownAt !== null && known.unknownAt >= begunAt;
    this.set(caller, laterOf(position, known.position), isUnknown ? known.unknownAt : null);
  }

  rememberUnknown(caller: string): void {
    this.set(caller, this.find(caller).position, this.monotonicNow());
  }

  private find(caller: string): Known {
    const known = this.byCaller.get(caller);
    const isRecent = known !== undefined && this.monotonicNow() - known.at < REMEMBERED_MS;
    return isRecent ? known : NOTHING;
  }

  private set(caller: string, position: Lsn, unknownAt: number | null): void {
    const at = this.monotonicNow();
    for (const [oldest, { at: rememberedAt }] of this.byCaller) {
      if (at - rememberedAt < REMEMBERED_MS) break;
      this.byCaller.delete(oldest);
    }
    this.byCaller.delete(caller);
    this.byCaller.set(caller, { position, at, unknownAt });
  }
}

/** Answers a request so that its reads include what its caller has written or seen before. */
export type PositionTracker = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  mayReadReplica: boolean,
  answer: (db: Db) => Promise<T>,
) => Promise<T>;

export function positionTracker(
  replication: Replication,
  secret: Uint8Array,
  monotonicNow: () => number,
): PositionTracker {
  const { seal, open } = positionSealer(secret);
  const recent = new RecentPositions(monotonicNow);
  return async (request, reply, mayReadReplica, answer) => {
    const begunAt = monotonicNow();
    const caller = callerOf(request.principal);
    const header = request.headers[HEADER];
    const given = typeof header === 'string' ? open(header) : null;
    const after = laterOf(given ?? 0n, recent.of(caller));
    const reads = mayReadReplica ? await replication.readsAfter(after, caller) : replication.primaryReads();
    const note = async () => {
      if (!reads.hasUsedPrimary()) return;
      try {
        const position = await replication.position();
        recent.remember(caller, position, begunAt);
        reply.header(HEADER, seal(position));
      } catch (error) {
        // The request is done. A failure now would say that it is not.
        if (!(error instanceof DatabaseUnavailable)) throw error;
        recent.rememberUnknown(caller);
      }
    };
    const answered = await answer(reads.db).catch(async (error: unknown) => {
      // The caller of a conflict has to see the state that it conflicts with.
      if (!(error instanceof DatabaseUnavailable)) await note();
      else if (!mayReadReplica) recent.rememberUnknown(caller);
      throw error;
    });
    await note();
    return answered;
  };
}
