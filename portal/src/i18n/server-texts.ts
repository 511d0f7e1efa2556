type Translate = (text: string) => string | null;

const listeners = new Set<() => void>();

/** Calls `listener` when translations have been loaded, until the returned function is called. */
export function onTranslations(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Translates texts of the server. The translations are large and rarely needed, so they are loaded with the first text.
 * Until then there is none; the listeners are called afterwards.
 */
export function loadedTranslator(load: () => Promise<Translate>): Translate {
  let translate: Translate | null = null;
  let loading: Promise<void> | null = null;
  return (text) => {
    loading ??= load().then(
      (loaded) => {
        translate = loaded;
        for (const listener of listeners) listener();
      },
      // The next text tries again; until then texts are shown in English.
      () => void (loading = null),
    );
    return translate === null ? null : translate(text);
  };
}
