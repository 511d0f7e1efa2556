import * as api from '@saldo/api';
import { describeMember } from './member-descriptions.ts';
import { createBrpClient } from './src/brp.ts';
import { createMarketClient } from './src/market.ts';
import { createOperatorClient } from './src/operator.ts';
import { createPortalClient } from './src/portal.ts';

/** A JSON Schema, as far as the tables use it. */
export type Schema = {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
};

/** What a method of a client says about itself. */
type MethodNotes = {
  readonly endpointId?: string;
  readonly isDownload?: boolean;
  readonly walks?: string;
  readonly yields?: 'pages';
};

const CLIENTS = {
  BrpClient: { create: createBrpClient, prefix: 'Brp', tables: [api.brpEndpoints] },
  OperatorClient: {
    create: createOperatorClient,
    prefix: 'Operator',
    tables: [api.operatorEndpoints, api.sandboxEndpoints, api.simulationEndpoints],
  },
  MarketClient: { create: createMarketClient, prefix: 'Market', tables: [api.marketEndpoints] },
  PortalClient: {
    create: createPortalClient,
    prefix: 'Portal',
    tables: [api.portalEndpoints, api.demoEndpoints],
  },
};

/** Options of uploads that have more than those of every call. */
const UPLOAD_OPTIONS: Readonly<Record<string, string>> = {
  importVolumes: 'options: ImportOptions',
  importValues: 'options: ValuesImportOptions',
  uploadCover: 'options?: CoverOptions',
  checkSchedule: 'options: ScheduleCheckOptions',
};

/** Types that are lists of names in the tables. */
const NAMES: Readonly<Record<string, readonly [description: string, names: readonly string[]]>> = {
  ProblemCode: ['Codes of problems, the last part of their `type`.', api.PROBLEM_CODES],
  FieldCode: ['Codes of errors in fields.', api.FIELD_CODES],
  Scope: ['Permissions of an API key, of a BRP or of the operator.', api.ALL_SCOPES],
  EventType: ['Types of events.', api.EVENT_TYPE_NAMES],
  DecimalMark: ['Decimal marks of CSV files.', api.DECIMAL_MARKS],
  CoverMediaType: ['Media types of cover images.', api.COVER_MEDIA_TYPES],
};

const comment = (text: string, indent = '') => {
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
};
const literals = (values: readonly string[]) => values.map((value) => `'${value}'`).join(' | ');
const isFlag = (schema: Schema) => schema.enum?.join() === 'true,false';

/**
 * The types of the published package: an interface for every record and every group of methods, each with a comment
 * from the tables. They depend on nothing, so that editors show them as they are.
 */
export class Declarations {
  readonly #types = new Map<string, string>();
  /** Distinguishes types of the same title in different APIs. */
  #prefix = '';

  text(): string {
    for (const [name, [description, names]] of Object.entries(NAMES))
      this.#types.set(name, `${comment(description)}export type ${name} = ${literals(names)};\n`);
    this.#nameOf(api.Problem);
    const clients = Object.entries(CLIENTS).map(([name, { create, prefix, tables }]) => {
      this.#prefix = prefix;
      const endpoints = new Map(
        tables.flatMap((table) => Object.values(table)).map((each) => [each.id, each]),
      );
      const client = create({ baseUrl: 'https://saldo.example', apiKey: 'key' });
      return this.#client(name, client, endpoints);
    });
    const events = api.EVENT_TYPE_NAMES.map(api.eventTitleOf);
    this.#types.set(
      'SaldoEvent',
      `${comment('A change, without the content of the changed record. `type` determines `data`.')}export type SaldoEvent = ${events.join(' | ')};\n`,
    );
    return [...this.#types.values(), ...clients].join('\n');
  }

  #client(name: string, client: object, endpoints: ReadonlyMap<string, api.Endpoint>): string {
    const groups = Object.entries(client).filter(([, group]) => typeof group === 'object');
    const members = groups.map(([group, methods]) => {
      const title = `${name.replace('Client', '')}${group[0]?.toUpperCase()}${group.slice(1)}`;
      const written = Object.entries(methods as Record<string, MethodNotes>).map(([method, notes]) =>
        this.#method(method, notes, endpoints),
      );
      if (this.#types.has(title)) throw new Error(`two types have the name ${title}`);
      const about = `Methods of \`${group}\`.`;
      this.#types.set(title, `${comment(about)}export interface ${title} {\n${written.join('')}}\n`);
      return `${comment(about, '  ')}  ${group}: ${title};\n`;
    });
    return `${comment(`The methods of the API, by resource.`)}export interface ${name} {\n${members.join('')}}\n`;
  }

  #method(name: string, notes: MethodNotes, endpoints: ReadonlyMap<string, api.Endpoint>): string {
    const endpoint = endpoints.get(notes.endpointId ?? notes.walks ?? '');
    if (endpoint === undefined) {
      if (name !== 'follow') throw new Error(`the method ${name} has no endpoint`);
      const about =
        'Yields the events in order, and waits for new ones. Continues after connection errors, so no event is missed or repeated.';
      return `${comment(about, '  ')}  follow(options?: FollowOptions): AsyncGenerator<SaldoEvent, void, undefined>;\n`;
    }
    const path = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => `${parameter}: string`);
    const isWalk = notes.walks !== undefined;
    const input = endpoint.stream === undefined ? this.#payload(endpoint, isWalk) : ['source: UploadSource'];
    const options = UPLOAD_OPTIONS[endpoint.id] ?? 'options?: CallOptions';
    const response = endpoint.status === 204 ? 'null' : this.#nameOf(endpoint.response);
    const result = isWalk
      ? `AsyncGenerator<${notes.yields === 'pages' ? response : this.#recordOf(endpoint)}, void, undefined>`
      : `Promise<${notes.isDownload === true ? 'Download' : response}>`;
    const walk =
      notes.yields === 'pages' ? 'Iterates over all pages. ' : isWalk ? 'Iterates over all records. ' : '';
    const scopes = endpoint.scopes.length > 0 ? `\n\nNeeds the scope ${endpoint.scopes.join(' and ')}.` : '';
    const about = `${walk}${endpoint.summary}. ${endpoint.description}${scopes}`;
    return `${comment(about, '  ')}  ${name}(${[...path, ...input, options].join(', ')}): ${result};\n`;
  }

  #payload(endpoint: api.Endpoint, isWalk: boolean): string[] {
    const named = (suffix: string) => `${endpoint.id[0]?.toUpperCase()}${endpoint.id.slice(1)}${suffix}`;
    if (endpoint.body !== null) {
      const body = endpoint.body as Schema;
      return [`body${(body.required ?? []).length === 0 ? '?' : ''}: ${this.#nameOf(body, named('Body'))}`];
    }
    const query = endpoint.query as Schema;
    if (Object.keys(query.properties ?? {}).length === 0) return [];
    const isOptional = (query.required ?? []).length === 0 && endpoint.isExport !== true;
    const type = this.#nameOf(
      { ...query, description: `Filters of ${endpoint.summary.toLowerCase()}.` },
      named('Query'),
    );
    if (!isWalk) return [`query${isOptional ? '?' : ''}: ${type}`];
    const paging = endpoint.isExport ? "'format'" : "'limit' | 'after' | 'page'";
    return [`filter${isOptional ? '?' : ''}: Omit<${type}, ${paging}>`];
  }

  /** The records of an export are those of its list. */
  #recordOf(endpoint: api.Endpoint): string {
    if (endpoint.isExport) {
      const transaction = endpoint.id === 'exportTransactions' ? 'Transaction' : 'OperatorTransaction';
      return endpoint.id.endsWith('Transactions') ? transaction : 'NominationWithSlots';
    }
    const { properties = {}, required = [] } = endpoint.response as Schema;
    const member = properties[required.find((name) => name !== 'pagination') ?? ''];
    return this.#typeOf(member?.items ?? {}, '');
  }

  /** Declares a schema with a title, and returns its name. */
  #nameOf(schema: Schema, byDefault?: string): string {
    const title = schema.title ?? byDefault;
    if (title === undefined) return this.#typeOf(schema, '');
    // A name of its own, because `Event` is a type of every browser.
    if (title === 'Event') {
      for (const choice of schema.oneOf ?? []) this.#nameOf(choice);
      return 'SaldoEvent';
    }
    const declare = (name: string) => {
      const about = comment(schema.description ?? `${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')}.`);
      const { title: _, ...untitled } = schema;
      return schema.properties === undefined
        ? `${about}export type ${name} = ${this.#typeOf(untitled, '')};\n`
        : `${about}export interface ${name} ${this.#object(schema, '')}\n`;
    };
    const text = declare(title);
    const known = this.#types.get(title);
    if (known === undefined || known === text) {
      this.#types.set(title, text);
      return title;
    }
    const name = `${this.#prefix}${title}`;
    this.#types.set(name, declare(name));
    return name;
  }

  #typeOf(schema: Schema, indent: string): string {
    if (schema.title !== undefined) return this.#nameOf(schema);
    if (schema.const !== undefined) return `'${schema.const}'`;
    if (isFlag(schema)) return 'boolean';
    if (schema.enum !== undefined) return literals(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return choices.map((choice) => this.#typeOf(choice, indent)).join(' | ');
    if (typeof schema.type === 'object')
      return schema.type.map((type) => this.#typeOf({ ...schema, type }, indent)).join(' | ');
    switch (schema.type) {
      case 'string':
      case 'boolean':
      case 'null':
        return schema.type;
      case 'integer':
      case 'number':
        return 'number';
      case 'array':
        return `${wrapped(this.#typeOf(schema.items ?? {}, indent))}[]`;
      case 'object':
        return typeof schema.additionalProperties === 'object'
          ? `Record<string, ${this.#typeOf(schema.additionalProperties, indent)}>`
          : this.#object(schema, indent);
      case undefined:
        return 'unknown';
      default:
        throw new Error(`no type for ${JSON.stringify(schema)}`);
    }
  }

  #object({ properties = {}, required = [] }: Schema, indent: string): string {
    const inner = `${indent}  `;
    const members = Object.entries(properties).map(([name, schema]) => {
      const about = comment(describeMember(name, schema), inner);
      return `${about}${inner}${name}${required.includes(name) ? '' : '?'}: ${this.#typeOf(schema, inner)};\n`;
    });
    return `{\n${members.join('')}${indent}}`;
  }
}

const wrapped = (type: string) => (/[ |]/.test(type) && !type.startsWith('{') ? `(${type})` : type);
