import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIELD_CODES, ordered, Strict } from '@saldo/api';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { compile, compileQuery } from './validation.ts';

const codes = (errors: { field?: string; code: string }[]) =>
  errors.map(({ field, code }) => `${field ?? ''} ${code}`);
const check = (schema: TSchema, value: unknown) => codes(compile(schema)(value));

const Query = Strict(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    to: Type.Optional(Type.Integer()),
    ids: Type.Array(Type.String(), { minItems: 1, maxItems: 3 }),
    from: Type.Optional(Type.String({ format: 'date-time' })),
    until: Type.Optional(Type.String({ format: 'date-time' })),
    day: Type.Optional(Type.String({ format: 'date' })),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    only: Type.Optional(Type.Literal('ppa')),
  },
  ordered(['from', 'until'], ['limit', 'to']),
);
const readQuery = compileQuery(Query);
const queryCodes = (raw: Record<string, unknown>) => codes(readQuery({ ids: 'x', ...raw }).errors);

test('a valid value has no errors', () => {
  assert.deepEqual(check(Type.Object({ a: Type.String() }), { a: '', b: 1 }), []);
});

test('every failure of a schema has its code and its path', () => {
  const schema = Strict(
    {
      text: Type.String({ minLength: 1, maxLength: 3 }),
      whole: Type.Integer({ minimum: 1, maximum: 9 }),
      part: Strict({ flag: Type.Boolean() }),
      list: Type.Array(Strict({ kind: Type.Enum(['a', 'b']) }), { minItems: 1, maxItems: 2 }),
      eic: Type.String({ format: 'eic' }),
      fixed: Type.Literal('ppa'),
    },
    { 'x-read-only': ['id'] },
  );
  const good = {
    text: 'ok',
    whole: 1,
    part: { flag: true },
    list: [{ kind: 'a' }],
    eic: '11XNORDWIND----J',
    fixed: 'ppa',
  };
  assert.deepEqual(check(schema, good), []);
  const cases: [change: object, error: string][] = [
    [{ text: '' }, 'text value_too_small'],
    [{ text: 'long' }, 'text value_too_large'],
    [{ text: null }, 'text invalid_type'],
    [{ whole: 0 }, 'whole value_too_small'],
    [{ whole: 10 }, 'whole value_too_large'],
    [{ whole: 1.5 }, 'whole invalid_type'],
    [{ whole: '1' }, 'whole invalid_type'],
    [{ part: {} }, 'part.flag required'],
    [{ part: { flag: 'true' } }, 'part.flag invalid_type'],
    [{ part: { flag: true, more: 1 } }, 'part.more unknown_field'],
    [{ part: [] }, 'part invalid_type'],
    [{ list: [] }, 'list value_too_small'],
    [{ list: [{ kind: 'a' }, { kind: 'b' }, { kind: 'a' }] }, 'list value_too_large'],
    [{ list: [{ kind: 'a' }, { kind: 'c' }] }, 'list[1].kind invalid_enum_value'],
    [{ list: [{ kind: 7 }] }, 'list[0].kind invalid_type'],
    [{ eic: '11XNORDWIND----K' }, 'eic invalid_format'],
    [{ eic: 7 }, 'eic invalid_type'],
    [{ fixed: 'other' }, 'fixed invalid_literal'],
    [{ id: 'x' }, 'id read_only_field'],
    [{ toString: 'x' }, 'toString unknown_field'],
  ];
  for (const [change, error] of cases)
    assert.deepEqual(check(schema, { ...good, ...change }), [error], error);
  assert.deepEqual(check(schema, null), [' invalid_type']);
  const all = check(schema, { text: 1, whole: 0, list: [], fixed: 1, id: 1 });
  assert.deepEqual(all.length, 7, 'all of them are listed at once');
});

test('a field is listed once, and a wrong type takes precedence over other errors', () => {
  const schema = Strict({ a: Type.Unsafe({ format: 'eic', maxLength: 2, type: ['string', 'null'] }) });
  assert.deepEqual(check(schema, { a: 'abc' }).length, 1);
  assert.deepEqual(check(schema, { a: 7 }), ['a invalid_type']);
});

test('errors in a union are those of the matching variant only', () => {
  const Maybe = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
    Type.Union([type, Type.Null()]);
  const schema = Strict({
    word: Type.Optional(Maybe(Type.Enum(['a', 'b'], { type: 'string' }))),
    time: Type.Optional(Maybe(Type.String({ format: 'date-time' }))),
    part: Type.Optional(Maybe(Strict({ size: Type.Union([Type.Number(), Type.Array(Type.Number())]) }))),
  });
  const cases: [object, string[]][] = [
    [{ word: 'a', time: '2026-01-01T00:00:00Z', part: { size: [1] } }, []],
    [{ word: null, time: null, part: null }, []],
    [{ word: 'c' }, ['word invalid_enum_value']],
    [{ word: 7 }, ['word invalid_type']],
    [{ time: 'soon' }, ['time invalid_format']],
    [{ time: {} }, ['time invalid_type']],
    [{ part: 'x' }, ['part invalid_type']],
    [{ part: {} }, ['part.size required']],
    [{ part: { size: 'x', more: 1 } }, ['part.more unknown_field', 'part.size invalid_type']],
    [{ part: { size: [1, 'x'] } }, ['part.size[1] invalid_type']],
  ];
  for (const [value, errors] of cases)
    assert.deepEqual(check(schema, value).toSorted(), errors, JSON.stringify(value));
  const [wrong] = compile(schema)({ part: { size: 'x' } });
  const types = [{ key: 'field.number' }, { key: 'field.array' }];
  assert.deepEqual(wrong?.message, { key: 'field.type', types });
});

test('a repeated parameter has the wrong type unless it is a list, and an unknown one is rejected', () => {
  assert.deepEqual(queryCodes({ limit: ['1', '2'] }), ['limit invalid_type']);
  assert.deepEqual(readQuery({ ids: ['a,b', 'c\0'] }).query['ids'], ['a', 'b', 'c\ufffd']);
  assert.deepEqual(queryCodes({ page: '1' }), ['page unknown_field']);
  assert.deepEqual(queryCodes({ page: ['1', '2'] }), ['page unknown_field']);
  const hostile = Object.fromEntries(['__proto__', 'constructor', 'toString', ''].map((name) => [name, 'x']));
  assert.deepEqual(queryCodes(hostile).toSorted(), [
    ' unknown_field',
    '__proto__ unknown_field',
    'constructor unknown_field',
    'toString unknown_field',
  ]);
});

test('a range must not end before its start, and is checked only if both bounds are valid', () => {
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00+00:00'];
  assert.deepEqual(queryCodes({ from: early, until: late }), [], 'the same instant');
  assert.deepEqual(queryCodes({ from: early, until: '2026-01-01T00:30:00+01:00' }), [
    'until validation_failed',
  ]);
  assert.deepEqual(queryCodes({ from: 'x', until: early }), ['from invalid_format']);
  assert.deepEqual(
    queryCodes({ limit: '5', to: '4', from: late, until: '2025-01-01T00:00:00Z' }).toSorted(),
    ['to validation_failed', 'until validation_failed'],
  );
  assert.deepEqual(queryCodes({ limit: '5', to: 'x' }), ['to invalid_type']);
});

test('any query is accepted or rejected with codes of the catalogue', () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.string(), { maxLength: 3 }));
  const name = fc.oneof(fc.constantFrom(...Object.keys(Query.properties), '__proto__'), fc.string());
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (entries) => {
      const { errors } = readQuery(Object.fromEntries(entries));
      for (const { code } of errors) assert.ok(FIELD_CODES.includes(code));
      const unknown = entries.filter(([key]) => !Object.hasOwn(Query.properties, key));
      for (const [key] of unknown) assert.ok(codes(errors).includes(`${key} unknown_field`), key);
    }),
  );
});
