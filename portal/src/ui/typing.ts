import type { ChangeEvent, InputEvent } from 'react';
import { flushSync } from 'react-dom';

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * The handlers of a text field. The text is rendered before the event ends, because a script or an extension may submit the
 * form at once. React's `onChange` alone does not hear of a value that a script of the page has assigned.
 */
export function typing(take: (text: string) => void) {
  const read = ({ currentTarget }: ChangeEvent<Field> | InputEvent<Field>) =>
    flushSync(() => take(currentTarget.value));
  return {
    onInput: read,
    /** React calls it for both native events. Some extensions send only `change`. */
    onChange: (event: ChangeEvent<Field>) => event.nativeEvent.type === 'change' && read(event),
  };
}
