import { formatOf } from '../format.ts';
import { translator } from '../templates.ts';
import { DOCUMENT_TEXTS } from './document-texts.ts';

/** The German of a text of the server; null if there is none. */
export const translate = translator(DOCUMENT_TEXTS, formatOf('de'));
