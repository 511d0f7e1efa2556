import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';

/** The entries of `Accept` or `Accept-Encoding` in lower case, with their weights. A malformed weight counts as 0. */
export function weightedEntries(header: string): { name: string; weight: number }[] {
  return header
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { name, weight: weight === undefined ? 1 : Math.min(Number(weight) || 0, 1) };
    });
}

/**
 * The format to send, of those that are offered by media type with the default first (RFC 9110, 12.5.1). Of equal
 * weights, a type that is named wins over a range, then the first in the header. A type with weight 0 is sent only if
 * all have it, because 406 is never sent.
 */
export function preferredFormat<F>(header: string | undefined, offered: Readonly<Record<string, F>>): F {
  const entries = weightedEntries(header ?? '');
  const rankOf = (type: string): [weight: number, width: number, place: number] => {
    const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
    for (const [width, range] of ranges.entries()) {
      const place = entries.findIndex(({ name }) => name === range);
      const weight = entries[place]?.weight;
      if (weight !== undefined) return [weight > 0 ? weight : -1, width, place];
    }
    return [0, 0, 0];
  };
  const ranked = Object.entries(offered).map(([type, format]) => ({ format, rank: rankOf(type) }));
  ranked.sort(({ rank: a }, { rank: b }) => b[0] - a[0] || a[1] - b[1] || a[2] - b[2]);
  return ranked[0]!.format;
}

/** Caches must distinguish answers that were chosen by `Accept`. */
export const varyByAccept = (reply: FastifyReply): FastifyReply =>
  reply.header('vary', `${String(reply.getHeader('vary'))}, Accept`);

/** Whether the client is a browser that shows a page, rather than a program that reads a problem. */
export const prefersPage = ({ headers }: FastifyRequest): boolean =>
  preferredFormat(headers.accept, { [PROBLEM_MEDIA_TYPE]: false, 'text/html': true });
