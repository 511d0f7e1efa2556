import { LANGUAGES, type Language } from '@saldo/core/messages/language.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';

/**
 * The entries of `Accept`, `Accept-Encoding` or `Accept-Language` in lower case, with their weights. A malformed weight
 * counts as 0.
 */
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

/**
 * The language to answer in (RFC 9110, 12.5.4): `de-AT` asks for German, `*` for any language that is not named. The
 * highest weight of a language counts. Of equal weights, the first in the header wins. English if no language of ours is
 * asked for.
 */
export function preferredLanguage(header: string | undefined): Language {
  const entries = weightedEntries(header ?? '').sort((one, other) => other.weight - one.weight);
  const rankOf = (language: Language): [weight: number, place: number] => {
    const named = entries.findIndex(({ name }) => name.split('-', 1)[0] === language);
    const place = named === -1 ? entries.findIndex(({ name }) => name === '*') : named;
    return [entries[place]?.weight ?? 0, place];
  };
  const ranked = LANGUAGES.map((language) => ({ language, rank: rankOf(language) }));
  ranked.sort(({ rank: a }, { rank: b }) => b[0] - a[0] || a[1] - b[1]);
  return ranked[0]!.rank[0] > 0 ? ranked[0]!.language : 'en';
}

/** Caches must distinguish answers that were chosen by this header of the request. */
export const varyBy = (reply: FastifyReply, header: 'Accept' | 'Accept-Language'): FastifyReply =>
  reply.header('vary', [reply.getHeader('vary') ?? [], header].flat().join(', '));

/** The language of the sentences in an answer. Call it only for an answer that has some, because its headers then say so. */
export function languageOf({ request, reply }: { request: FastifyRequest; reply: FastifyReply }): Language {
  const language = preferredLanguage(request.headers['accept-language']);
  if (reply.getHeader('content-language') === undefined) {
    varyBy(reply, 'Accept-Language').header('content-language', language);
  }
  return language;
}

/** Whether the client is a browser that shows a page, rather than a program that reads a problem. */
export const prefersPage = ({ headers }: FastifyRequest): boolean =>
  preferredFormat(headers.accept, { [PROBLEM_MEDIA_TYPE]: false, 'text/html': true });
