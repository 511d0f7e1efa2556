import { formatOf } from '../format.ts';
import { translator } from '../templates.ts';
import { FIELD_TEXTS, IMPORT_TEXTS } from './field-texts.ts';

/** The German of a text of the server; null if there is none. */
export const translate = translator([...FIELD_TEXTS, ...IMPORT_TEXTS], formatOf('de'));
