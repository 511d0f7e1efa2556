import Type, { type Static } from 'typebox';
import { Choice } from './common.ts';

/** Error codes of a single field of a request. */
export const FIELD_CODES = [
  'unknown_field',
  'read_only_field',
  'required',
  'invalid_type',
  'invalid_enum_value',
  'invalid_format',
  'invalid_literal',
  'value_too_small',
  'value_too_large',
  'validation_failed',
] as const;
export type FieldCode = (typeof FIELD_CODES)[number];

export const ProblemFieldError = Type.Object(
  {
    field: Type.Optional(
      Type.String({ description: 'JSON path of the offending field.', examples: ['balance_group.tso'] }),
    ),
    code: Choice(FIELD_CODES, { examples: ['invalid_enum_value'] }),
    message: Type.String({ examples: ['must be one of DE_AMPRION, DE_TENNET, DE_TRANSNET_BW, DE_50HERTZ'] }),
  },
  { title: 'ProblemFieldError' },
);
export type ProblemFieldError = Static<typeof ProblemFieldError>;

export const Problem = Type.Object(
  {
    type: Type.String({
      format: 'uri',
      description: 'Identifies the problem class, and resolves to a page that explains it.',
    }),
    title: Type.String({ description: 'Short label, the same for all problems of a type.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.Optional(Type.String({ description: 'Description of this occurrence.' })),
    instance: Type.Optional(Type.String({ description: 'Path and query of the request.' })),
    errors: Type.Optional(Type.Array(ProblemFieldError, { description: 'Present on validation failures.' })),
  },
  { title: 'Problem' },
);
export type Problem = Static<typeof Problem>;
