import { readFile } from 'node:fs/promises';
import * as api from '@saldo/api';
import type { Schema } from '../declarations.ts';
import { describeMember } from '../member-descriptions.ts';
import { isKeyword, pythonMethod, pythonParameter } from '../src/python-names.ts';

const { sandboxEndpoints, simulationEndpoints } = api;
const CLIENTS = [
  {
    name: 'BrpClient',
    prefix: 'Brp',
    base: '_Exports',
    about: 'The BRP API: the data of a balancing responsible party, and its customers.',
    table: { ...api.brpEndpoints },
  },
  {
    name: 'OperatorClient',
    prefix: 'Operator',
    base: '_Exports',
    about: 'The operator API: master data, imports and daily operation.',
    table: { ...api.operatorEndpoints, ...sandboxEndpoints, ...simulationEndpoints },
  },
  {
    name: 'MarketClient',
    prefix: 'Market',
    base: '_Client',
    about: 'The customer API, which account holders use. It has its own base URL.',
    table: { ...api.marketEndpoints },
  },
] as const;

/** Parameters that the iterators set themselves. */
const PAGING = new Set(['limit', 'after', 'page', 'listVersion', 'wait']);
const INDENT = '    ';

const literal = (values: readonly string[]) =>
  `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
const isFlag = (schema: Schema) => schema.enum?.join() === 'true,false';
const docstring = (text: string, indent: string) =>
  `${indent}"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll('\n', `\n${indent}`).replaceAll(/ +\n/g, '\n')}"""\n`;

/** Writes the types and the methods of the Python client, from the tables of endpoints. */
class PythonClient {
  readonly #types = new Map<string, string>();
  /** Distinguishes types of the same title in different APIs. */
  #prefix = '';

  text(): string {
    const clients = CLIENTS.map(({ name, prefix, base, about, table }) => {
      this.#prefix = prefix;
      const methods = Object.values<api.Endpoint>(table).flatMap((endpoint) => this.#methods(endpoint));
      const names = methods.map((method) => /def (\w+)/.exec(method)?.[1]);
      const twice = names.find((method, at) => names.indexOf(method) !== at);
      if (twice !== undefined) throw new Error(`two methods of ${name} have the name ${twice}`);
      return `class ${name}(${base}):\n${docstring(about, INDENT)}\n${methods.join('\n')}`;
    });
    return [...this.#types.values(), ...clients].map((part) => `\n${part}`).join('\n');
  }

  #methods(endpoint: api.Endpoint): string[] {
    const name = pythonMethod(endpoint.id);
    const call = this.#method(name, endpoint);
    const { properties = {}, required = [] } = endpoint.response as Schema;
    const isList = endpoint.numberedPages === true || 'pagination' in properties;
    const member = required.find((each) => each !== 'pagination');
    if (!isList || member === undefined) return [call];
    return [call, this.#iterator(name.replace(/^list_/, ''), endpoint, member)];
  }

  #method(name: string, endpoint: api.Endpoint): string {
    const { id, method, body, stream, documents, isExport, status } = endpoint;
    const [path, ids] = pathOf(endpoint);
    const query = this.#query(endpoint, () => true);
    const positional = [...ids];
    const headers: string[] = [];
    const keywords = [...query.parameters];
    if (stream !== undefined) {
      positional.push('source: Union[bytes, BinaryIO]', `content_type: ${literal(stream)}`);
      headers.push('"Content-Type": content_type');
      if (endpoint.gzip) {
        keywords.push('is_gzip: bool = False');
        headers.push('"Content-Encoding": "gzip" if is_gzip else None');
      }
    } else if (body !== null) {
      const isOptional = ((body as Schema).required ?? []).length === 0;
      const type = this.#typeOf(body, `${pascal(id)}Body`);
      positional.push(isOptional ? `body: Optional[${type}] = None` : `body: ${type}`);
    }
    if (api.isRepeatable(endpoint)) {
      keywords.push('idempotency_key: Optional[str] = None');
      headers.push('"Idempotency-Key": idempotency_key or uuid.uuid4().hex');
    }
    const sentHeaders = `{${headers.join(', ')}}`;
    const isDocument = documents !== undefined;
    const accept = JSON.stringify(Object.keys(documents ?? {}).join(', '));
    const result =
      isExport && isDocument
        ? 'Download'
        : isDocument
          ? 'str'
          : status === 204
            ? 'None'
            : this.#typeOf(endpoint.response, pascal(id));
    const sentBody =
      body === null || stream !== undefined
        ? 'None'
        : ((body as Schema).required ?? []).length === 0
          ? 'body or {}'
          : 'body';
    const expression =
      isExport && isDocument
        ? `Download(self._open("GET", ${path}, ${query.sent}, {"Accept": ${accept}}))`
        : isDocument
          ? `self._document(${path}, ${query.sent}, ${accept})`
          : stream !== undefined
            ? `self._upload(${path}, ${query.sent}, source, ${sentHeaders})`
            : `self._call("${method}", ${path}, ${query.sent}, ${sentBody}, ${sentHeaders})`;
    const isDecoded = !isDocument && result !== 'None';
    // A type checker in strict mode rejects a decoded answer, which is Any, as a result.
    const returned = isDecoded ? `cast('${result}', ${expression})` : expression;
    return define(name, positional, keywords, result, aboutOf(endpoint), returned);
  }

  #iterator(name: string, endpoint: api.Endpoint, member: string): string {
    const [path, ids] = pathOf(endpoint);
    // A feed may begin after an event that was seen.
    const isFeed = 'wait' in ((endpoint.query as Schema).properties ?? {});
    const query = this.#query(endpoint, (each) => !PAGING.has(each) || (isFeed && each === 'after'));
    const { items = {} } = (endpoint.response as Schema).properties?.[member] ?? {};
    const record = this.#typeOf(items, `${pascal(endpoint.id)}Record`);
    const walk = endpoint.numberedPages ? '_each_numbered' : '_each';
    const expression = `self.${walk}(${path}, "${member}", ${query.sent})`;
    return define(
      name,
      ids,
      query.parameters,
      `Iterator[${record}]`,
      `Iterates over all records. ${aboutOf(endpoint)}`,
      expression,
    );
  }

  #query({ query }: api.Endpoint, isSent: (name: string) => boolean): { parameters: string[]; sent: string } {
    const { properties = {}, required = [] } = query as Schema;
    const members = Object.entries(properties).filter(([name]) => isSent(name));
    const parameters = members.map(([name, schema]) => {
      const type = this.#typeOf(schema, '');
      return required.includes(name)
        ? `${pythonParameter(name)}: ${type}`
        : `${pythonParameter(name)}: Optional[${type}] = None`;
    });
    return {
      parameters,
      sent: `{${members.map(([name]) => `"${name}": ${pythonParameter(name)}`).join(', ')}}`,
    };
  }

  /** Declares a schema with a title, and an object without one under the name that it would have. */
  #typeOf(schema: Schema, byDefault: string): string {
    const { title, ...untitled } = schema;
    if (title !== undefined) return this.#declare(title, untitled);
    if (schema.const !== undefined) return literal([schema.const]);
    if (isFlag(schema)) return 'bool';
    if (schema.enum !== undefined) return literal(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined)
      return union(choices.map((choice, at) => this.#typeOf(choice, `${byDefault}${at + 1}`)));
    if (typeof schema.type === 'object')
      return union(schema.type.map((type) => this.#typeOf({ ...schema, type }, byDefault)));
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'integer':
        return 'int';
      case 'number':
        return 'Number';
      case 'array':
        return `List[${this.#typeOf(schema.items ?? {}, `${byDefault}Item`)}]`;
      case 'object':
        if (typeof schema.additionalProperties === 'object')
          return `Dict[str, ${this.#typeOf(schema.additionalProperties, `${byDefault}Value`)}]`;
        return schema.properties === undefined ? 'Dict[str, Any]' : this.#declare(byDefault, schema);
      default:
        return 'Any';
    }
  }

  /** Equal schemas have one type. */
  #declare(title: string, schema: Schema): string {
    for (const name of [title, `${this.#prefix}${title}`]) {
      const known = this.#types.get(name);
      // Declared before its members, so that types are in the order of their first use.
      if (known === undefined) this.#types.set(name, '');
      const text = this.#declaration(name, schema);
      if (known === undefined) this.#types.set(name, text);
      if (known === undefined || known === text) return name;
    }
    throw new Error(`two types have the name ${this.#prefix}${title}`);
  }

  #declaration(name: string, schema: Schema): string {
    if (schema.properties === undefined) return `${name} = ${quoted(this.#typeOf(schema, name))}\n`;
    const members = Object.entries(schema.properties).map(([member, value]) => {
      const type = this.#typeOf(value, `${name}${pascal(member)}`);
      const isRequired = (schema.required ?? []).includes(member);
      return {
        member,
        type: isRequired ? type : `NotRequired[${type}]`,
        about: describeMember(member, value),
      };
    });
    const about = schema.description ?? `${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')}.`;
    // A class cannot have a member with the name of a keyword.
    if (members.some(({ member }) => isKeyword(member)))
      return `${name} = TypedDict("${name}", {${members.map(({ member, type }) => `"${member}": ${JSON.stringify(type)}`).join(', ')}})\n`;
    const lines = members.map(
      ({ member, type, about: text }) => `${INDENT}${member}: ${type}\n${docstring(text, INDENT)}`,
    );
    return `class ${name}(TypedDict):\n${docstring(about, INDENT)}\n${lines.join('')}`;
  }
}

/** Aliases are evaluated when the module is loaded, before the types that they name. */
const quoted = (type: string) =>
  type.replaceAll(
    /(?<![\w"])(?!Literal|Union|Optional|List|Dict|Any|Number)[A-Z]\w*(?![\w"])/g,
    (name) => `"${name}"`,
  );
const union = (types: readonly string[]) => {
  const [others, isOptional] = [
    [...new Set(types.filter((type) => type !== 'None'))],
    types.includes('None'),
  ];
  const joined = others.length === 1 ? String(others[0]) : `Union[${others.join(', ')}]`;
  return isOptional ? `Optional[${joined}]` : joined;
};
const pascal = (name: string) => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

function pathOf({ path }: api.Endpoint): [expression: string, parameters: string[]] {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => String(name));
  const expression = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{_segment('${name}', ${name})}`);
  return [names.length === 0 ? `"${path}"` : `f"${expression}"`, names.map((name) => `${name}: str`)];
}

function aboutOf({ summary, description, scopes }: api.Endpoint): string {
  return `${summary}.\n\n${description}${scopes.length > 0 ? `\n\nNeeds the scope ${scopes.join(' and ')}.` : ''}\n`;
}

function define(
  name: string,
  positional: readonly string[],
  keywords: readonly string[],
  result: string,
  about: string,
  expression: string,
): string {
  // Parameters without a default are first.
  const sorted = keywords.toSorted((a, b) => Number(a.includes(' = ')) - Number(b.includes(' = ')));
  const parameters = ['self', ...positional, ...(sorted.length > 0 ? ['*', ...sorted] : [])];
  const lines = parameters.map((parameter) => `${INDENT}${INDENT}${parameter},\n`);
  const signature = parameters.length > 3 ? `\n${lines.join('')}${INDENT}` : parameters.join(', ');
  const inner = INDENT + INDENT;
  const returned = result === 'None' ? expression : `return ${expression}`;
  return `${INDENT}def ${pythonParameter(name)}(${signature}) -> ${result}:\n${docstring(about, inner)}${inner}${returned}\n`;
}

/** The text of `saldo_client.py`: the runtime, and the types and methods of this version. */
export async function pythonClient(): Promise<string> {
  const read = (file: string) => readFile(new URL(file, import.meta.url), 'utf8');
  const { version } = JSON.parse(await read('../package.json')) as { version: string };
  return (await read('runtime.py')).replace('"VERSION"', JSON.stringify(version)) + new PythonClient().text();
}
