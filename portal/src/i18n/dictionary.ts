import type { Language } from '@saldo/core/messages/language.ts';
import type { en } from './en.ts';

/** A dictionary with the same keys; functions take the same arguments. */
type Texts<T> = {
  readonly [Key in keyof T]: T[Key] extends string
    ? string
    : T[Key] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Texts<T[Key]>;
};
/** `language` selects the texts that are beside the pages. */
export type Dictionary = Omit<Texts<typeof en>, 'language'> & { readonly language: Language };
