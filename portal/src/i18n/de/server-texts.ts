import { formatOf } from '../format.ts';
import { type Template, translator } from '../templates.ts';
import { FIELD_TEXTS, IMPORT_TEXTS } from './field-texts.ts';

const OTHERS: readonly Template[] = [
  [
    'line {}: is {} a number with a decimal point, or {} with a thousands separator? Send the file again with decimal=point or decimal=comma',
    'Zeile {1}: ist {2} eine Zahl mit Dezimalpunkt, oder {3} mit Tausenderpunkt?',
  ],
  ['{*}.', '{1}.'],
];

/** The German of a text of the server; null if there is none. */
export const translate = translator([...FIELD_TEXTS, ...IMPORT_TEXTS, ...OTHERS], formatOf('de'));
