import { type Call, type SampledApi, sentFile, targetOf } from './call.ts';

export function curlSample(call: Call, { url, key }: SampledApi): string {
  const lines = [`curl -H "X-Api-Key: $${key}" "$${url}${targetOf(call)}"`];
  const { method, body } = call;
  // curl sends a POST when it has a body.
  if (method !== 'GET' && !(method === 'POST' && body !== null)) lines.push(`-X ${method}`);
  if (body !== null) {
    const file = sentFile(call);
    const json = JSON.stringify(body.example).replaceAll("'", "'\\''");
    lines.push(`-H 'Content-Type: ${body.mediaType}'`);
    lines.push(file === null ? `-d '${json}'` : `--data-binary @${file}`);
  }
  return lines.join(' \\\n  ');
}
