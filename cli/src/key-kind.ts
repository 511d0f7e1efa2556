export type KeyKind = 'operator' | 'brp' | 'account';

/** By the prefix of the key. The operator's first key may be any text, so all other keys are the operator's. */
export const keyKindOf = (key: string): KeyKind =>
  (/^saldo_(brp|account)_/.exec(key)?.[1] as KeyKind | undefined) ?? 'operator';

/** The part of a key that lists of keys show; of the operator's own text nothing. */
export const shownPrefix = (key: string): string =>
  /^saldo_(?:brp|account|operator)_.{4}/.exec(key)?.[0] ?? '';
