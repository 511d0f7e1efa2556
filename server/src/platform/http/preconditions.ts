import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problem } from './problem.ts';

/** `If-Match` and `If-None-Match`: lists of entity tags, or `*` for any. */

/** ETag from the content, so that all processes compute the same tag. */
const contentTag = (record: object): string =>
  `"${hash('sha256', JSON.stringify(record), 'base64url').slice(0, 22)}"`;

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply };

/** Answers a read with the record and its ETag, or with 304 if the client already has this version. */
export function answerTagged({ request, reply }: Exchange, record: object): object {
  const tag = contentTag(record);
  reply.header('etag', tag);
  return isFresh(request.headers['if-none-match'], tag) ? reply.code(304).send() : record;
}

/** Answers a change with the record and its new ETag. */
export function answerChanged<R extends object>({ reply }: Pick<Exchange, 'reply'>, record: R): R {
  reply.header('etag', contentTag(record));
  return record;
}

/** Condition of a change on the locked record. Throws if it does not hold. */
export type Precondition<Row> = (current: Row) => void;

/** The condition that `If-Match` names the current version of the record, as the caller sees it through `wire`. */
export const ifMatch =
  <Row>(request: FastifyRequest, wire: (row: Row) => object): Precondition<Row> =>
  (current) => {
    if (!meetsIfMatch(request.headers['if-match'], contentTag(wire(current))))
      throw problem('precondition_failed');
  };

const TAG = /(?:W\/)?"[^"]*"/g;
const tagsOf = (header: string): string[] => header.match(TAG) ?? [];

/** `If-Match` needs a strong comparison, so weak tags never match (RFC 9110). */
export function meetsIfMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined || header.trim() === '*') return true;
  return tagsOf(header).includes(tag);
}

/** Whether the client already has this version, so that 304 is the right response. */
export function isFresh(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return tagsOf(header).some((known) => known.replace(/^W\//, '') === tag);
}
