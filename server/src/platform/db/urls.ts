const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * One URL per host of `postgres://user:password@h1:5432,h2:5433/database`, the form of PostgreSQL's own clients. Null if
 * the text is no such URL.
 */
export function urlPerHost(text: string): readonly string[] | null {
  const [, start, hosts, end] = FORM.exec(text) ?? [];
  if (start === undefined || hosts === undefined || end === undefined) return null;
  const urls = hosts.split(',').map((host) => start + host + end);
  return urls.every((url) => URL.canParse(url)) ? urls : null;
}

/** One URL per server of a comma-separated list of URLs, each of which may have several hosts. */
export function urlPerServer(text: string): readonly string[] | null {
  const found = text.split(/,\s*(?=postgres(?:ql)?:\/\/)/).map(urlPerHost);
  return found.every((urls) => urls !== null) ? found.flat() : null;
}

/** Host and port, for logs and metrics. Never the password. */
export function nameOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return host === '' ? (searchParams.get('host') ?? 'localhost') : host;
}
