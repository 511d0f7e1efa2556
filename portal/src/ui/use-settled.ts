import { useEffect, useState } from 'react';

/** After so long without a key, what was typed is meant. */
export const TYPING_PAUSE_MS = 300;

/** What is typed, as soon as the typing pauses. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
