import type { FastifyReply } from 'fastify';

const MAX_STEM_LENGTH = 100;

/**
 * The header that names the file of an answer. The name may contain what a caller has sent, so it is reduced to characters
 * that cannot end the quoted text and that every file system accepts.
 */
export function attachment(fileName: string): { 'content-disposition': string } {
  const dot = fileName.lastIndexOf('.');
  const stem = safe(fileName.slice(0, dot)).replaceAll(/_+/g, '_').replace(/_$/, '');
  const name = `${stem.slice(0, MAX_STEM_LENGTH)}.${safe(fileName.slice(dot + 1))}`;
  return { 'content-disposition': `attachment; filename="${name}"` };
}

const safe = (text: string) => text.replaceAll(/[^\w-]/g, '');

/** As in `validateHeaderValue` of Node. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** A header that Node would reject when it writes it. Fastify could then only send its own error, so it is found before. */
export function findUnsendable(reply: FastifyReply): string | null {
  const headers = reply.getHeaders();
  for (const name of Object.keys(headers)) if (UNSENDABLE.test(String(headers[name]))) return name;
  return null;
}

/** Removes the headers of the content that a problem is sent in place of, and those that cannot be sent. */
export function removeContentHeaders(reply: FastifyReply): void {
  for (const name of ['content-disposition', 'content-encoding', 'etag']) reply.removeHeader(name);
  for (let name = findUnsendable(reply); name !== null; name = findUnsendable(reply))
    reply.removeHeader(name);
}
