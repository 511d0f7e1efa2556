import * as api from '@saldo/api';
import type { Plugin } from 'vite';

const API = '@saldo/api';
/** Ids of modules without a file begin with a zero byte. */
const INDEX = `\0${API}`;
/** Each value is a module of its own, so that a page loads only those that it uses. */
const VALUE = `${INDEX}/`;

const VALUES = new Map<string, unknown>(
  Object.entries(api).filter(([, value]) => typeof value !== 'function'),
);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isEndpoint = (value: object): value is api.Endpoint => 'method' in value && 'path' in value;

const mapValues = (object: object, map: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));

/** The names of a schema's members. */
const namesOf = ({ properties = {}, required }: { properties?: object; required?: readonly string[] }) => ({
  properties: mapValues(properties, () => ({})),
  required,
});

/** The members of an endpoint that the SDK reads. */
const callOf = (endpoint: api.Endpoint) => ({
  id: endpoint.id,
  method: endpoint.method,
  path: endpoint.path,
  scopes: endpoint.scopes,
  query: namesOf(endpoint.query),
  body: endpoint.body && {},
  stream: endpoint.stream,
  response: { required: namesOf(endpoint.response).required },
  documents: endpoint.documents && mapValues(endpoint.documents, () => ''),
  numberedPages: endpoint.numberedPages,
});

const withoutDocumentation = (value: unknown): unknown => {
  if (!isObject(value) || Array.isArray(value)) return value;
  return isEndpoint(value) ? callOf(value) : mapValues(value, withoutDocumentation);
};

/**
 * Replaces the API package by its values as data: the schemas, the documentation and TypeBox would be a fifth of the
 * script of the first page. Functions are left out, and importing one fails the build.
 */
export const apiAsData: Plugin = {
  name: 'saldo:api-as-data',
  apply: 'build',
  enforce: 'pre',
  resolveId(id) {
    if (id === API) return { id: INDEX, moduleSideEffects: false };
    return id.startsWith(VALUE) ? { id, moduleSideEffects: false } : null;
  },
  load(id) {
    if (id === INDEX)
      return Array.from(VALUES.keys(), (name) => `export { ${name} } from '${VALUE}${name}';`).join('\n');
    if (!id.startsWith(VALUE)) return null;
    const name = id.slice(VALUE.length);
    return `export const ${name} = ${JSON.stringify(withoutDocumentation(VALUES.get(name)))};`;
  },
};
