/** The query string of a URL: every value is text. */
export type RawSearch = Record<string, unknown>;

/** Parses one URL parameter; an invalid value is treated as absent. */
export type Parameter<T> = (value: string) => T | undefined;

export const oneOf =
  <const V extends string>(values: readonly V[]): Parameter<V> =>
  (value) =>
    values.find((known) => known === value);

export const text =
  (maxLength: number): Parameter<string> =>
  (value) =>
    value.trim() === '' ? undefined : value.slice(0, maxLength);

export const matching =
  (isValid: (value: string) => boolean): Parameter<string> =>
  (value) =>
    isValid(value) ? value : undefined;

export const wholeNumber =
  (minimum: number, maximum: number): Parameter<number> =>
  (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    return number >= minimum && number <= maximum ? number : undefined;
  };

type Parameters = Record<string, Parameter<string | number>>;
export type SearchOf<P extends Parameters> = {
  [Name in keyof P]?: NonNullable<ReturnType<P[Name]>> | undefined;
};

/** The typed filters of a page, parsed from its URL. Unknown parameters are dropped. */
export function searchReader<const P extends Parameters>(parameters: P) {
  return (raw: RawSearch): SearchOf<P> => {
    const known = Object.entries(parameters).flatMap(([name, read]) => {
      const value = raw[name];
      if (typeof value !== 'string' && typeof value !== 'number') return [];
      const meant = read(String(value));
      return meant === undefined ? [] : [[name, meant] as const];
    });
    return Object.fromEntries(known) as SearchOf<P>;
  };
}

/** `?status=pending&eic=…`: plain text instead of JSON, so that people can write URLs by hand. */
export const parseSearch = (search: string): RawSearch => Object.fromEntries(new URLSearchParams(search));

export function stringifySearch(search: RawSearch): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? '' : `?${query}`;
}

const fold = (value: string): string => value.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss');

/** Whether one of the texts contains the search, as the server's lists compare them. No search matches everything. */
export const containsText = (search: string | undefined, ...texts: readonly string[]): boolean =>
  search === undefined || texts.some((one) => fold(one).includes(fold(search)));
