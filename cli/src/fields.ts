import type { BodyOf, Endpoint } from '@saldo/api';
import { type DeliveryDay, parseDay } from '@saldo/core/delivery-day.ts';
import { DECIMAL_MARKS } from '@saldo/core/enums.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from './usage.ts';

/** The subset of JSON Schema that command options need. */
type Schema = {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

export type FieldSettings = {
  /** Members that the command parses itself. */
  readonly except?: readonly string[];
};

/**
 * Converts the members of a query or body to options: `balance_group` is `--balance-group`. The commands accept the
 * same names and choices as the API.
 */
export function addFields(command: Command, schema: object, { except = [] }: FieldSettings = {}): void {
  const { properties = {}, required = [] } = schema as Schema;
  for (const [name, member] of Object.entries(properties)) {
    if (except.includes(name)) continue;
    const option = optionFor(name, withoutNull(member));
    command.addOption(required.includes(name) ? option.makeOptionMandatory() : option);
  }
}

/** The given options as members of the API's query or body. */
export function readFields(command: Command, schema: object): Record<string, unknown> {
  const { properties = {} } = schema as Schema;
  const options = command.opts<Record<string, unknown>>();
  const given = Object.keys(properties).map((name) => [name, options[attributeOf(name)]] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** The given options as the body of an endpoint, whose types the API checks. */
export const readBody = <E extends Endpoint>(command: Command, { body }: E) =>
  readFields(command, body ?? {}) as BodyOf<E>;

const withoutNull = (schema: Schema): Schema => {
  const other = schema.anyOf?.find(({ type }) => type !== 'null');
  return other ? { ...other, ...(schema.description ? { description: schema.description } : {}) } : schema;
};

const attributeOf = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function optionFor(name: string, schema: Schema): Option {
  const flag = `--${name.replaceAll('_', '-')}`;
  const about = sentenceOf(schema.description ?? schema.items?.description ?? '');
  const isFlag = schema.enum?.join() === 'true,false';
  if (isFlag) return new Option(flag, about).argParser(() => 'true');
  const isList = schema.type === 'array';
  const single = isList ? (schema.items ?? {}) : schema;
  const option = new Option(`${flag} <${wordFor(single)}${isList ? '...' : ''}>`, about);
  const choices = single.enum ?? (single.const === undefined ? undefined : [single.const]);
  if (choices) return option.choices(choices);
  if (single.format === 'date') return option.argParser((text: string) => parseDayArgument(text));
  if (single.type === 'number' || single.type === 'integer') return option.argParser(numberOf);
  return option;
}

const wordFor = ({ type }: Schema) => (type === 'number' || type === 'integer' ? 'number' : 'value');

const sentenceOf = (text: string) => text.replace(/\.$/, '').replaceAll('`', '');

export function numberOf(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

export function countOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
}

/** A day counted from today, which the platform's clock decides: that of a sandbox may be moved. */
export class RelativeDay {
  readonly days: number;

  constructor(days: number) {
    this.days = days;
  }
}

const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** Accepts `2026-10-25`, or a day relative to today in Germany: `yesterday`, `today`, `tomorrow`, `-1`, `+2`. */
export function parseDayArgument(text: string): DeliveryDay | RelativeDay {
  const days = Object.hasOwn(NAMED_DAYS, text) ? NAMED_DAYS[text] : undefined;
  if (days !== undefined) return new RelativeDay(days);
  if (/^[+-]\d{1,4}$/.test(text)) return new RelativeDay(Number(text));
  const day = parseDay(text);
  if (day !== null) return day;
  throw new UsageError(
    `${JSON.stringify(text)} is not a day; write it like 2026-10-25, yesterday, today, tomorrow, -1 or +2`,
  );
}

/** Collects repeated options of the form `key=value`. */
export function pairOf(text: string, earlier: Record<string, string> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be written as key=value.');
  return { ...earlier, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** For CSV files whose numbers can be read in two ways. */
export const decimalOption = (): Option =>
  new Option('--decimal <mark>', 'the decimal mark of a CSV that does not show it').choices(DECIMAL_MARKS);
