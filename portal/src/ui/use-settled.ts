import { useEffect, useState } from 'react';

/** Debounce delay of typed text. */
export const TYPING_PAUSE_MS = 300;

/** The typed text, debounced. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
