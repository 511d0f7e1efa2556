import { useEffect } from 'react';

/** Hands values to the component that takes them, also to one that is shown later. */
export function createHandover<T>() {
  let offered: T | null = null;
  const takers = new Set<() => void>();
  return {
    offer(value: T): void {
      offered = value;
      for (const take of takers) take();
    },
    /** Calls `onValue` with an offered value, once. */
    useOffered(onValue: (value: T) => void): void {
      useEffect(() => {
        const take = () => {
          const value = offered;
          offered = null;
          if (value !== null) onValue(value);
        };
        take();
        takers.add(take);
        return () => void takers.delete(take);
      }, [onValue]);
    },
  };
}
