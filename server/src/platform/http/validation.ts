import { type FieldCode, LIMITS } from '@saldo/api';
import { findUnits } from '@saldo/core/decimal.ts';
import { dayNumber, dayStart, parseDay, parseInstant } from '@saldo/core/delivery-day.ts';
import { checkEic, isBalanceGroupEic } from '@saldo/core/eic.ts';
import type { Message } from '@saldo/core/messages/message.ts';
import { codePointLength, isWellFormedText } from '@saldo/core/text.ts';
import { volumeFaultMessage, volumeFromJson } from '@saldo/core/transactions/volume.ts';
import { isEmail, whyDeceptive } from '@saldo/core/users/email.ts';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { networkFault } from '../auth/allowed-addresses.ts';
import type { FieldError } from './problem.ts';
import { deliveryRange, touchedDays } from './time-filter.ts';

/** Returns all field errors of a value. An empty list means that the value is valid. */
export type Validator = (value: unknown) => FieldError[];

/** An offset whose plus sign was not escaped in a URL. */
const BLANK_OFFSET = / \d\d:\d\d$/;

const ILL_FORMED = { key: 'field.ill_formed' } as const;
const NO_EMAIL = { key: 'field.email' } as const;
/** An empty text is reported as too short. */
const isBlank = (text: string) => /^\s+$/.test(text);

const FORMATS: Record<
  string,
  { check: (text: string) => boolean; explain: (text: string) => Message | null }
> = {
  date: {
    check: (text) => parseDay(text) !== null,
    explain: () => ({ key: 'field.date' }),
  },
  'date-time': {
    check: (text) => parseInstant(text) !== null,
    explain: (text) => ({
      key: BLANK_OFFSET.test(text) ? 'field.date_time_with_blank' : 'field.date_time',
    }),
  },
  eic: {
    check: (text) => checkEic(text) === null,
    explain: checkEic,
  },
  'balance-group-eic': {
    check: isBalanceGroupEic,
    explain: (text) => checkEic(text) ?? { key: 'field.eic_of_balance_group' },
  },
  text: {
    check: isWellFormedText,
    explain: () => ILL_FORMED,
  },
  name: {
    check: (text) => isWellFormedText(text) && !isBlank(text),
    explain: (text) => (isBlank(text) ? { key: 'field.blank' } : ILL_FORMED),
  },
  'country-code': {
    check: isCountryCode,
    explain: () => ({ key: 'field.country' }),
  },
  email: {
    check: isEmail,
    explain: () => NO_EMAIL,
  },
  'new-email': {
    check: (text) => isEmail(text) && whyDeceptive(text) === null,
    explain: (text) => (isEmail(text) ? whyDeceptive(text) : NO_EMAIL),
  },
  base64url: { check: (text) => /^[\w-]*$/.test(text), explain: () => ({ key: 'field.base64url' }) },
  network: {
    check: (text) => networkFault(text) === null,
    explain: networkFault,
  },
  uri: { check: (text) => URL.canParse(text), explain: () => ({ key: 'field.uri' }) },
};

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Region codes of the same form that are not countries: unions and placeholders. */
const NO_COUNTRIES = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];

function isCountryCode(text: string): boolean {
  return /^[A-Z]{2}$/.test(text) && !NO_COUNTRIES.includes(text) && REGIONS.of(text) !== undefined;
}

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true, strict: true });
for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format.check);
ajv.addKeyword({ keyword: 'x-read-only' });
// Only for readers of the OpenAPI document: `oneOf` validates without it.
ajv.addKeyword({ keyword: 'discriminator' });
ajv.addKeyword({
  keyword: 'x-mwh',
  type: 'number',
  validate: (_schema: true, value: number) => volumeFromJson(value) !== 'too_precise',
  errors: false,
});
ajv.addKeyword({
  keyword: 'x-decimals',
  type: 'number',
  validate: (decimals: number, value: number) => findUnits(value, decimals) !== null,
  errors: false,
});
ajv.addKeyword({
  keyword: 'x-ordered',
  type: 'object',
  // A pair with a malformed member is not compared. The member's own schema reports the error.
  validate: (pairs: [string, string][], value: Record<string, unknown>) =>
    pairs.every(([first, second]) => !runsBackwards(value[first], value[second])),
  errors: false,
});

ajv.addKeyword({
  keyword: 'x-delivery-days',
  type: 'object',
  validate: (days: number, value: Record<string, unknown>) => deliveryFaults(value, days).length === 0,
  errors: false,
});

/** Malformed members are left to their own schemas. */
function deliveryFaults(query: Record<string, unknown>, maxDays: number): FieldError[] {
  const { delivery_date: date, delivery_start: start, delivery_end: end } = query;
  const isDate = typeof date === 'string';
  if (isDate && parseDay(date) !== null) return [];
  const missing = isDate
    ? []
    : ['delivery_start', 'delivery_end'].filter((name) => query[name] === undefined);
  if (missing.length > 0) {
    const message = { key: 'field.required_without_date' } as const;
    return missing.map((field) => ({ field, code: 'required', message }));
  }
  if (typeof start !== 'string' || typeof end !== 'string') return [];
  if (parseInstant(start) === null || parseInstant(end) === null) return [];
  const { first, last } = touchedDays(deliveryRange({ delivery_start: start, delivery_end: end }));
  if (dayNumber(last) - dayNumber(first) < maxDays) return [];
  const message = { key: 'field.within_days', days: maxDays } as const;
  return [{ field: 'delivery_end', code: 'value_too_large', message }];
}

function runsBackwards(first: unknown, second: unknown): boolean {
  if (typeof first === 'number' && typeof second === 'number') return second < first;
  if (typeof first !== 'string' || typeof second !== 'string') return false;
  const [from, to] = [timeOf(first), timeOf(second)];
  return from !== null && to !== null && to < from;
}

/** The time of a date-time or a day; null for any other text. */
function timeOf(text: string): number | null {
  const day = parseDay(text);
  return day === null ? parseInstant(text) : dayStart(day);
}

/** Compiles at first use: compiling the schemas of all routes would take a quarter of the server's start. */
export function compile(schema: TSchema): Validator {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    return validate(value) ? [] : fieldErrors(validate.errors ?? [], value);
  };
}

function fieldErrors(errors: readonly ErrorObject[], value: unknown): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const error of withoutOtherChoices(errors)) {
    for (const entry of describe(error, value)) {
      // One error per field: the first one, except that a type error always wins, since it causes the others.
      const known = found.get(entry.field ?? '');
      if (!known || (entry.code === 'invalid_type' && known.code !== 'invalid_type')) {
        found.set(entry.field ?? '', entry);
      }
    }
    if (found.size >= LIMITS.fieldErrors) break;
  }
  return [...found.values()];
}

/**
 * For `anyOf`, Ajv reports the errors of every choice. Keeps the errors of the choice whose type matches the value. If
 * no choice matches, reports one type error instead.
 */
function withoutOtherChoices(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept = errors;
  for (const failed of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const choiceOf = (error: ErrorObject) =>
      error.schemaPath.startsWith(`${failed.schemaPath}/`) &&
      error.instancePath.startsWith(failed.instancePath)
        ? (error.schemaPath.slice(failed.schemaPath.length + 1).split('/', 1)[0] ?? null)
        : null;
    const isWrongType = (error: ErrorObject) =>
      error.keyword === 'type' && error.instancePath === failed.instancePath;
    const inside = kept.filter((error) => choiceOf(error) !== null);
    const unfit = new Set(inside.filter(isWrongType).map(choiceOf));
    const fits = inside.some((error) => !unfit.has(choiceOf(error)));
    const types = inside.filter(isWrongType).flatMap((error) => (error.params as { type: string }).type);
    kept = kept.flatMap((error) => {
      if (error === failed) return fits ? [] : [{ ...failed, keyword: 'type', params: { type: types } }];
      return choiceOf(error) === null || (fits && !unfit.has(choiceOf(error))) ? [error] : [];
    });
  }
  return kept;
}

/** `/balance_group/tso` → `balance_group.tso`, `/ids/3` → `ids[3]`. */
function fieldPath(pointer: string, root: unknown): string {
  let path = '';
  let value: unknown = root;
  for (const escaped of pointer.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    path += Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
    value = (value as Record<string, unknown> | null)?.[name];
  }
  return path;
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function describe(error: ErrorObject, root: unknown): FieldError[] {
  const path = fieldPath(error.instancePath, root);
  const params = error.params as Record<string, unknown>;
  const one = (code: FieldCode, message: Message, field = path): FieldError[] => [
    field === '' ? { code, message } : { field, code, message },
  ];
  switch (error.keyword) {
    case 'required':
      return one('required', { key: 'field.required' }, join(path, String(params['missingProperty'])));
    case 'additionalProperties':
      return one(...unexpectedMember(error), join(path, String(params['additionalProperty'])));
    case 'type':
      return one('invalid_type', typeMessage(params['type'] as JsonType | JsonType[]));
    case 'enum':
      return typeof error.data === 'string'
        ? one('invalid_enum_value', { key: 'field.one_of', values: params['allowedValues'] as string[] })
        : one('invalid_type', typeMessage('string'));
    case 'const':
      return one('invalid_literal', { key: 'field.must_be', value: String(params['allowedValue']) });
    case 'format':
      return one('invalid_format', formatFault(error));
    case 'x-ordered':
      return (error.schema as [string, string][])
        .filter(([first, second]) => {
          const members = error.data as Record<string, unknown>;
          return runsBackwards(members[first], members[second]);
        })
        .flatMap(([first, second]) =>
          one('validation_failed', { key: 'field.not_before', field: first }, join(path, second)),
        );
    case 'x-delivery-days':
      return deliveryFaults(error.data as Record<string, unknown>, error.schema as number);
    case 'x-mwh':
      return one('invalid_format', volumeFaultMessage('too_precise'));
    case 'x-decimals':
      return one('invalid_format', { key: 'field.max_decimals', max: error.schema as number });
    case 'propertyNames':
      // The error of the property name itself has the details.
      return [];
    default:
      return one(...sizeMessage(error));
  }
}

function unexpectedMember(error: ErrorObject): [FieldCode, Message] {
  const name = String((error.params as Record<string, unknown>)['additionalProperty']);
  const schema = error.parentSchema as { 'x-read-only'?: readonly string[]; properties?: object };
  if (schema['x-read-only']?.includes(name)) return ['read_only_field', { key: 'field.read_only' }];
  const names = Object.keys(schema.properties ?? {});
  return [
    'unknown_field',
    names.length === 0 ? { key: 'field.none_accepted' } : { key: 'field.unknown', names },
  ];
}

/** The types of JSON Schema. */
type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

const typeMessage = (types: JsonType | readonly JsonType[]): Message => ({
  key: 'field.type',
  types: [types].flat().map((type) => ({ key: `field.${type}` })),
});

function formatFault(error: ErrorObject): Message {
  const format = FORMATS[String((error.params as Record<string, unknown>)['format'])];
  const fault = format?.explain(String(error.data)) ?? ({ key: 'field.wrong_format' } as const);
  return error.propertyName === undefined ? fault : { key: 'field.invalid_key', fault };
}

function sizeMessage(error: ErrorObject): [FieldCode, Message] {
  const { limit = 0 } = error.params as { limit?: number };
  const key = error.propertyName;
  switch (error.keyword) {
    case 'minimum':
      return ['value_too_small', { key: 'field.at_least', min: limit }];
    case 'exclusiveMinimum':
      return ['value_too_small', { key: 'field.more_than', min: limit }];
    case 'uniqueItems':
      return ['validation_failed', { key: 'field.duplicates' }];
    case 'maximum':
      return ['value_too_large', { key: 'field.at_most', max: limit }];
    case 'minItems':
      return [
        'value_too_small',
        limit === 1 ? { key: 'field.an_entry' } : { key: 'field.min_entries', min: limit },
      ];
    case 'maxItems':
      return ['value_too_large', { key: 'field.max_entries', max: limit }];
    case 'minLength':
      if (key !== undefined) return ['value_too_small', { key: 'field.empty_key' }];
      return [
        'value_too_small',
        limit === 1 ? { key: 'field.a_character' } : { key: 'field.min_characters', min: limit },
      ];
    case 'maxLength': {
      if (key === undefined) return ['value_too_large', { key: 'field.max_characters', max: limit }];
      const start = [...key].slice(0, 20).join('');
      const length = codePointLength(key);
      return ['value_too_large', { key: 'field.long_key', length, start, max: limit }];
    }
    default:
      return ['validation_failed', { key: 'field.invalid' }];
  }
}

type QueryProperty = { type?: string };
const WHOLE_NUMBER = /^-?\d+$/;

/**
 * Clamps to finite numbers, because the schema would report infinity as a wrong type instead of as too large. 2^53 + 1
 * would be rounded down to 2^53 and could pass a limit, so it is rounded up.
 */
function wholeNumber(digits: string): number {
  const number = Number(digits);
  if (number === 2 ** 53 && BigInt(digits) > 2n ** 53n) return number + 2;
  return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE);
}

/**
 * Converts a query string to the types of its schema: whole numbers to numbers, comma-separated lists to arrays. Other
 * text stays text, so that the schema reports the error.
 */
export function compileQuery(schema: TSchema): (raw: Record<string, unknown>) => {
  query: Record<string, unknown>;
  errors: FieldError[];
} {
  const validate = compile(schema);
  const properties = (schema as { properties?: Record<string, QueryProperty> }).properties ?? {};
  return (raw) => {
    // Without a prototype, so that a parameter named `__proto__` is rejected as unknown.
    const query: Record<string, unknown> = Object.create(null);
    const repeated: FieldError[] = [];
    for (const [name, given] of Object.entries(raw)) {
      const isKnown = Object.hasOwn(properties, name);
      const type = isKnown ? properties[name]?.type : undefined;
      // A list may also be written as a repeated parameter.
      const text = type === 'array' && Array.isArray(given) ? given.join(',') : given;
      // Postgres rejects NUL even in comparisons. No stored text contains one, so with U+FFFD the filter finds nothing.
      const value = typeof text === 'string' ? text.replaceAll('\0', '\ufffd') : text;
      if (typeof value !== 'string') {
        if (isKnown)
          repeated.push({ field: name, code: 'invalid_type', message: { key: 'field.given_once' } });
        else query[name] = value;
      } else if (type === 'integer' && WHOLE_NUMBER.test(value)) {
        query[name] = wholeNumber(value);
      } else if (type === 'array') {
        query[name] = value === '' ? [] : value.split(',');
      } else {
        query[name] = value;
      }
    }
    const errors = validate(query);
    if (repeated.length === 0) return { query, errors };
    const named = new Set(repeated.map((error) => error.field));
    return { query, errors: [...repeated, ...errors.filter((error) => !named.has(error.field))] };
  };
}
