import type { Language } from './language.ts';
import { formatMessage, MESSAGES, type Message } from './message.ts';

/** The text of a message in a column. Messages that the same code makes from the same values have equal texts. */
export const storeMessage = (message: Message): string => JSON.stringify(message);

/**
 * The message of a column. Sentences that were stored before messages were are shown as they are, and so are messages of
 * another version of the platform, of which this one does not know a part.
 */
export function readStored(text: string): Message {
  const asItIs: Message = { key: 'field.text', text };
  if (!text.startsWith('{"key":')) return asItIs;
  let isKnown = true;
  const stored = JSON.parse(text, (name, value) => {
    if (name === 'key') isKnown &&= Object.hasOwn(MESSAGES, value);
    return value;
  }) as Message;
  return isKnown ? stored : asItIs;
}

/** The sentence of a column. */
export const formatStored = (text: string | null, language: Language): string | null =>
  text && formatMessage(readStored(text), language);
