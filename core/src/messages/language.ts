export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Sentences by key, in every language. `{name}` stands for a parameter, `{name|day}` for one with a format. */
export type Sentences = Readonly<Record<string, Readonly<Record<Language, string>>>>;
