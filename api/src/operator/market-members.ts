import Type from 'typebox';
import { LIMITS, Name, Nullable } from '../common.ts';

/** Members that offers and demands have in common. */

export const AdditionalInfo = Nullable(
  Type.String({
    maxLength: LIMITS.additionalInfoLength,
    format: 'text',
    description: 'Free text.',
    examples: ['Eleven turbines, in operation since 2019.'],
  }),
);
export const State = Nullable(Name('Name of the region.', 'Brandenburg'));
export const CountryCode = Type.String({
  format: 'country-code',
  description: 'Country code of two letters.',
  examples: ['DE'],
});
export const AnnualMwh = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: LIMITS.annualMwh, 'x-decimals': 3, description, examples: [example] });
export const Years = (description: string) =>
  Type.Integer({ ...LIMITS.contractYears, description, examples: [10] });
