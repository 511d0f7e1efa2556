/** A request that a sample shows: an operation with the example values of its OpenAPI document. */
export type Call = {
  readonly id: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly pathParameters: readonly Value[];
  readonly query: readonly Value[];
  readonly body: { readonly mediaType: string; readonly example: unknown } | null;
  /** Null for an answer without content. */
  readonly answerType: string | null;
};

type Value = readonly [name: string, value: unknown];

/** An API whose samples are made: which client it has, and the environment variables of its address and its key. */
export type SampledApi = {
  readonly client: 'brp' | 'operator' | 'market';
  readonly url: string;
  readonly key: string;
};

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
};
type Content = Readonly<Record<string, { readonly example?: unknown }>>;
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

export const isJson = (mediaType: string): boolean => /\bjson$/.test(mediaType);

/** The required parameters only. A file also has its day, because it would otherwise have all days. */
export function callOf(method: string, path: string, operation: Operation): Call {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const [answerType = null] = Object.keys(success?.content ?? {});
  const isFile = answerType !== null && !isJson(answerType);
  const isNeeded = ({ name, required }: Parameter) =>
    required === true || (isFile && name === 'delivery_date');
  const valuesIn = (place: string): Value[] =>
    parameters
      .filter((parameter) => parameter.in === place && isNeeded(parameter))
      .map(({ name, example }) => {
        if (example === undefined) throw new Error(`the parameter ${name} of ${operationId} has no example`);
        return [name, example];
      });
  const [content] = Object.entries(requestBody?.content ?? {});
  return {
    id: operationId,
    method,
    path,
    pathParameters: valuesIn('path'),
    query: valuesIn('query'),
    body: content === undefined ? null : { mediaType: content[0], example: content[1].example ?? {} },
    answerType,
  };
}

/** Path and query, as they are sent. */
export function targetOf({ path, pathParameters, query }: Call): string {
  const filled = pathParameters.reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    path,
  );
  const sent = query.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return sent.length === 0 ? filled : `${filled}?${sent.join('&')}`;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/csv': 'csv',
  'application/xml': 'xml',
  'image/png': 'png',
};

/** The name of the file that is sent as the body, or null for a body of JSON. */
export function sentFile({ body }: Call): string | null {
  if (body === null || isJson(body.mediaType)) return null;
  const extension = EXTENSIONS[body.mediaType];
  if (extension === undefined) throw new Error(`files of the type ${body.mediaType} have no extension`);
  return `file.${extension}`;
}

/** A word of a shell command, in quotes where the shell would change it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
