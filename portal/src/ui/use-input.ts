import { useState } from 'react';
import { isSameInput, rebasedInput } from '../session/input.ts';

type Input<R> = {
  /** Whether the input differs from this version of the record. */
  isChangedFrom: (record: R) => boolean;
  /** Takes over the fields that the user has not changed: those that equal the base. */
  rebase: (base: R, stored: R) => void;
  /** Whether the stored version is the one that the user has just saved. The input is based on it already. */
  isOwn?: boolean;
};

/**
 * Keeps a form's input when others change its record. Returns the version that the input started from while the stored
 * one differs from both, else null.
 */
export function useOthersChange<R>(stored: R, { isChangedFrom, rebase, isOwn = false }: Input<R>): R | null {
  const [base, setBase] = useState(stored);
  const [started, setStarted] = useState<R | null>(null);
  if (JSON.stringify(base) !== JSON.stringify(stored)) {
    setBase(stored);
    // Without a difference from the stored record, the change was the user's own.
    setStarted(!isOwn && isChangedFrom(base) && isChangedFrom(stored) ? (started ?? base) : null);
    if (!isOwn) rebase(base, stored);
  } else if (started !== null && (isOwn || !isChangedFrom(stored))) setStarted(null);
  return started;
}

/**
 * The input of a form. `stored` is the input that shows the stored record, which others may change: the fields that the
 * user has not changed follow it. A form for a new record starts with a constant.
 */
export function useInput<I extends object>(stored: I) {
  const [input, setInput] = useState(stored);
  /** The version that the user has saved, until the page has read it. */
  const [saved, setSaved] = useState<I | null>(null);
  const isOwn = saved !== null && isSameInput(saved, stored);
  const started = useOthersChange(stored, {
    isOwn,
    isChangedFrom: (of) => !isSameInput(input, of),
    rebase: (base, now) => setInput(rebasedInput(input, base, now)),
  });
  if (isOwn) setSaved(null);
  return {
    input,
    set: (change: Partial<I>) => setInput((now) => ({ ...now, ...change })),
    isUnsaved: !isSameInput(input, stored),
    /** The stored input that this one started from, if others have changed the record since. */
    started,
    reset: () => setInput(stored),
    /** Takes over the input as it was saved. What the user has changed since it was sent stays. */
    takeOver: (sent: I, answer: I) => {
      setSaved(answer);
      setInput((now) => rebasedInput(now, sent, answer));
    },
  };
}
