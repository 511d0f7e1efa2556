import type { Language } from './language.ts';
import { formatMessage, MESSAGES, type Message } from './message.ts';

/** The text of a message in a column. Messages that the same code makes from the same values have equal texts. */
export const storeMessage = (message: Message): string => JSON.stringify(message);

/** The message of a column. Sentences that were stored before messages were are shown as they are. */
export function readStored(text: string): Message {
  if (!text.startsWith('{"key":')) return { key: 'field.text', text };
  const stored = JSON.parse(text) as Message;
  return Object.hasOwn(MESSAGES, stored.key) ? stored : { key: 'field.text', text };
}

/** The sentence of a column. */
export const formatStored = (text: string | null, language: Language): string | null =>
  text && formatMessage(readStored(text), language);
