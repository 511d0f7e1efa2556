/** Each language by its own name. */
export const LANGUAGE_NAMES = { de: 'Deutsch', en: 'English' } as const;
