import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  action: 'Invalidate',
  text: (volume: string) =>
    `${volume} no longer count in any saldo. A later correction of this quarter-hour is valid again.`,
  reason: 'Reason',
  reasonHint: 'Recorded in the audit trail.',
  done: (slot: string) => `${slot} is invalid.`,
};

const de: typeof en = {
  action: 'Ungültig machen',
  text: (volume) =>
    `${volume} werden aus allen Salden genommen. Eine spätere Korrektur dieser Viertelstunde ist wieder gültig.`,
  reason: 'Grund',
  reasonHint: 'Steht im Protokoll.',
  done: (slot) => `${slot} ist ungültig.`,
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const INVALIDATE_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
