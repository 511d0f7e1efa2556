import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'TSO simulator',
  text: 'Let the simulated TSO answer a sent schedule now. Only in the demo and in a sandbox.',
  empty: 'No schedule waits for an answer. Send one to try it.',
  answers: 'Answer now',
  kinds: { match: 'Confirm', mismatch: 'Confirm with differences', rejection: 'Reject' },
  done: (count: number) => (count === 1 ? '1 answer received.' : `${count} answers received.`),
};

const de: typeof en = {
  title: 'ÜNB-Simulator',
  text: 'Lässt den simulierten ÜNB einen gesendeten Fahrplan jetzt beantworten. Nur in der Demo und in einer Sandbox.',
  empty: 'Kein Fahrplan wartet auf eine Antwort. Senden Sie einen, um es auszuprobieren.',
  answers: 'Jetzt antworten',
  kinds: { match: 'Bestätigen', mismatch: 'Mit Abweichungen bestätigen', rejection: 'Ablehnen' },
  done: (count) => (count === 1 ? '1 Antwort empfangen.' : `${count} Antworten empfangen.`),
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const SIMULATOR_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
