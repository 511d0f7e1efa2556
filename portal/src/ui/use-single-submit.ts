import { type Mutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * Ignores a submit while a mutation of the one before is pending. `isBusy` of a button is not enough: it takes effect with the
 * next render, and a double click submits twice before it.
 */
export function useSingleSubmit(submit: () => void): () => void {
  const cache = useQueryClient().getMutationCache();
  const started = useRef<readonly Mutation[]>([]);
  return () => {
    if (started.current.some(({ state }) => state.status === 'pending')) return;
    const known = new Set(cache.getAll());
    submit();
    started.current = cache.getAll().filter((mutation) => !known.has(mutation));
  };
}
