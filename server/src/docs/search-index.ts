import type { RenderedPage } from './markdown.ts';

/** Longer sections are found by their first words only, so that the index stays small. */
const TEXT_LENGTH = 600;

/** URL, title of the page, title of the section, text. As arrays, because names would double the size. */
type Entry = readonly [url: string, page: string, section: string, text: string];

export const searchEntries = (url: string, { title, sections }: RenderedPage): Entry[] =>
  sections.map((section) => [
    section.id === '' ? url : `${url}#${section.id}`,
    title,
    section.title,
    section.text.slice(0, TEXT_LENGTH),
  ]);
