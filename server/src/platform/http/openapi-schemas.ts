import type { TSchema } from 'typebox';

type Json = Record<string, unknown>;

/**
 * The formats of our own, in the terms of JSON Schema as far as it has any: a validator in strict mode rejects a document
 * with formats or keywords that it does not know.
 */
const STANDARD_FORMS: Readonly<Record<string, Json>> = {
  eic: { pattern: '^[0-9]{2}[A-Z][A-Z0-9-]{13}$' },
  'balance-group-eic': { pattern: '^[0-9]{2}[XY][A-Z0-9-]{13}$' },
  'country-code': { pattern: '^[A-Z]{2}$' },
  'new-email': { format: 'email' },
  network: { pattern: '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$' },
  name: { pattern: '\\S' },
  base64url: { pattern: '^[A-Za-z0-9_-]*$' },
  text: {},
};

/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'examples', 'required']);

/** Schemas with a title become components. All others are inlined. */
export function reference(schema: TSchema, components: Json): Json {
  const { title } = schema as { title?: string };
  if (title === undefined) return inline(schema, components);
  const known = components[title];
  // Reserves the place of a component before those of its members.
  components[title] ??= {};
  const definition = inline(schema, components);
  if (known === undefined) components[title] = definition;
  else if (JSON.stringify(known) !== JSON.stringify(definition)) {
    throw new Error(`two schemas have the title ${title}`);
  }
  return { $ref: `#/components/schemas/${title}` };
}

function inline(schema: unknown, components: Json): Json {
  const copy = (value: unknown, isSchema: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => copy(item, isSchema));
    if (typeof value !== 'object' || value === null) return value;
    if (isSchema && 'title' in value) return reference(value, components);
    return inline(value, components);
  };
  return Object.fromEntries(
    Object.entries(schema as Json).flatMap(([key, value]): [string, unknown][] => {
      if (DATA_KEYWORDS.has(key)) return [[key, value]];
      // Only the server's own validation knows these keywords.
      if (key.startsWith('x-')) return [];
      if (key === 'format') return Object.entries(STANDARD_FORMS[String(value)] ?? { format: value });
      if (key === 'properties') {
        const properties = Object.entries(value as Json).map(([name, property]) => [
          name,
          copy(property, true),
        ]);
        return [[key, Object.fromEntries(properties)]];
      }
      if (key === 'discriminator')
        return [[key, { ...(value as Json), mapping: mappingOf(schema as Choices) }]];
      return [[key, copy(value, key === 'items' || key === 'anyOf' || key === 'oneOf')]];
    }),
  );
}

type Choices = {
  readonly discriminator: { readonly propertyName: string };
  readonly oneOf: readonly { title: string; properties: Record<string, { const?: string }> }[];
};

/** From the value of the member that distinguishes the choices to the component of the choice. */
const mappingOf = ({ discriminator: { propertyName }, oneOf }: Choices): Json =>
  Object.fromEntries(
    oneOf.map(({ title, properties }) => [
      properties[propertyName]?.const ?? '',
      `#/components/schemas/${title}`,
    ]),
  );
