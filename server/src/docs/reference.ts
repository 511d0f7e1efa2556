import { anchorOf } from './markdown.ts';
import { callOf, isJson, type SampledApi } from './samples/call.ts';
import { samplesOf } from './samples/samples.ts';

/** Renders an OpenAPI document as Markdown: a page per tag, and one for the schemas. */

type Schema = {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
};

type Content = Readonly<
  Record<string, { readonly schema?: Schema; readonly example?: unknown; readonly examples?: object }>
>;
type Response = { readonly description: string; readonly content?: Content };

type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
};

export type OpenApi = {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export type ReferencePage = {
  readonly url: string;
  readonly label: string;
  readonly markdown: string;
  /** The API whose samples are on the page. */
  readonly sampled?: SampledApi;
};

const lower = (text: string) => text.toLowerCase().replaceAll(/\W+/g, '-');

/** The pages of an API. The first one, at `url`, lists its operations. */
export function referencePages(api: OpenApi, url: string, sampled: SampledApi): ReferencePage[] {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const urlOfTag = (tag: string) => `${url}/${lower(tag)}`;
  const schemasUrl = `${url}/schemas`;
  const inTag = (tag: string) => operations.filter(({ operation }) => operation.tags.includes(tag));
  const name = api.info.title.replace(/^Saldo /, '');
  const overview = api.tags.map(({ name: tag, description = '' }) => {
    const rows = inTag(tag).map(
      ({ method, path, operation: { summary } }) =>
        `| \`${method} ${path}\` | [${summary}](${urlOfTag(tag)}#${anchorOf(summary)}) |`,
    );
    return `## ${tag}\n\n${description}\n\n| | |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const [about = ''] = (api.info.description ?? '').split('\n\n');
  return [
    { url, label: name, sampled, markdown: `# ${name}\n\n${about}\n\n${overview.join('\n')}` },
    ...api.tags.map(({ name: tag, description = '' }) => ({
      url: urlOfTag(tag),
      label: tag,
      sampled,
      markdown: `# ${name}: ${tag}\n\n${description}\n\n${inTag(tag)
        .map((each) => operationText(each, schemasUrl, sampled))
        .join('\n')}`,
    })),
    { url: schemasUrl, label: 'Schemas', markdown: schemaText(name, api.components.schemas, schemasUrl) },
  ];
}

type Routed = { readonly method: string; readonly path: string; readonly operation: Operation };

function operationText({ method, path, operation }: Routed, schemasUrl: string, sampled: SampledApi): string {
  const { summary, description = '', parameters = [], requestBody, responses } = operation;
  const parts = [`## ${summary}`, `\`${method} ${path}\``, description];
  if (parameters.length > 0) {
    const rows = parameters.map(
      (parameter) =>
        `| \`${parameter.name}\` | ${parameter.in}${parameter.required ? ', required' : ''} | ${cell(typeText(parameter.schema, schemasUrl))} | ${cell(parameter.description ?? '')} |`,
    );
    parts.push(`| parameter | in | type | meaning |\n|---|---|---|---|\n${rows.join('\n')}`);
  }
  for (const { language, fence, text } of samplesOf(callOf(method, path, operation), sampled))
    parts.push(codeBlock(`${fence} ${language}`, text));
  if (requestBody) parts.push(`**Body:** ${contentText(requestBody.content, schemasUrl)}`);
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) >= 400) continue;
    parts.push(`**Answer ${status}:** ${contentText(response.content ?? {}, schemasUrl) || 'no content'}`);
    const [[type, { example }] = ['', { example: undefined }]] = Object.entries(response.content ?? {});
    if (example !== undefined) parts.push(exampleText(type, example));
  }
  parts.push(`**Problems:** ${problemLinks(responses)}`);
  return paragraphs(parts);
}

const paragraphs = (parts: readonly string[]) => `${parts.filter((part) => part !== '').join('\n\n')}\n`;

const codeBlock = (language: string, text: string) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

const exampleText = (mediaType: string, example: unknown): string =>
  isJson(mediaType)
    ? codeBlock('json', JSON.stringify(example, null, 2))
    : codeBlock('text', String(example).slice(0, 600));

/** The schema of JSON, and the media types. */
function contentText(content: Content, schemasUrl: string): string {
  const types = Object.keys(content)
    .map((type) => `\`${type}\``)
    .join(' or ');
  const [[type, { schema }] = ['', { schema: undefined }]] = Object.entries(content);
  return isJson(type) && schema ? `${typeText(schema, schemasUrl)} as ${types}` : types;
}

function problemLinks(responses: Operation['responses']): string {
  const codes = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { content = {} }]) =>
      Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples)),
    );
  return codes.map((code) => `[\`${code}\`](/errors/${code})`).join(', ');
}

/** Text of a table's cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n+\s*/g, ' ');

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

const nameOfRef = (ref: string) => ref.split('/').at(-1)!;

/** A schema in one line, with its limits and links to other schemas. */
function typeText(schema: Schema, schemasUrl: string): string {
  if (schema.$ref !== undefined) {
    const name = nameOfRef(schema.$ref);
    return `[${name}](${schemasUrl}#${anchorOf(name)})`;
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.map((each) => typeText(each, schemasUrl)).join(' or ');
  if (schema.allOf) return schema.allOf.map((each) => typeText(each, schemasUrl)).join(' with ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(', ');
  if (schema.type === 'array')
    return `array of ${typeText(schema.items ?? {}, schemasUrl)}${limits(schema.minItems, schema.maxItems, ' items')}`;
  const values = valuesOf(schema);
  if (values) return `object, each value ${typeText(values, schemasUrl)}`;
  const name = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'any');
  const members = Object.entries(schema.properties ?? {}).map(
    ([key, value]) => `\`${key}\` (${typeText(value, schemasUrl)})`,
  );
  return [
    name,
    schema.format === undefined ? '' : ` (${schema.format})`,
    members.length === 0 ? '' : ` with ${members.join(', ')}`,
    limits(schema.minimum, schema.maximum, ''),
    limits(schema.minLength, schema.maxLength, ' characters'),
    schema.default === undefined ? '' : `, default ${code(schema.default)}`,
  ].join('');
}

/** The schema of the values of an object whose names are free. */
const valuesOf = ({ additionalProperties, patternProperties }: Schema): Schema | null =>
  typeof additionalProperties === 'object'
    ? additionalProperties
    : (Object.values(patternProperties ?? {})[0] ?? null);

function limits(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}${unit}`;
  if (most !== undefined) return `, at most ${most}${unit}`;
  return least === undefined ? '' : `, at least ${least}${unit}`;
}

function schemaText(name: string, schemas: OpenApi['components']['schemas'], url: string): string {
  const sections = Object.entries(schemas)
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([title, schema]) =>
      paragraphs([`## ${title}`, schema.description ?? '', membersText(schema, url)]),
    );
  return `# ${name}: schemas\n\nThe members of all requests and answers.\n\n${sections.join('\n')}`;
}

function membersText(schema: Schema, url: string): string {
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return typeText({ ...schema, title: '' }, url);
  const rows = members.map(
    ([key, value]) =>
      `| \`${key}\` | ${cell(typeText(value, url))} | ${schema.required?.includes(key) ? 'yes' : 'no'} | ${cell(value.description ?? '')} |`,
  );
  return `| member | type | required | meaning |\n|---|---|---|---|\n${rows.join('\n')}`;
}
