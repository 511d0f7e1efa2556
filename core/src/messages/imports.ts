import type { Sentences } from './language.ts';

/** About files with volumes and their lines, and about CSV files in general. */
export const IMPORTS = {
  'import.required': { en: 'a body with volumes is required', de: 'Die Datei mit Mengen fehlt' },
  'import.header_encoding': {
    en: 'the header line is not UTF-8',
    de: 'Die Kopfzeile ist nicht in UTF-8',
  },
  'import.encoding': { en: 'the line is not UTF-8', de: 'Die Zeile ist nicht in UTF-8' },
  'import.long_line': {
    en: 'the line is longer than {max} bytes',
    de: 'Die Zeile ist länger als {max|number} Bytes',
  },
  'import.column_twice': {
    en: 'the header line has this column twice',
    de: 'Die Kopfzeile hat diese Spalte zweimal',
  },
  'import.columns': {
    en: 'the header line must have the columns {columns}, separated by commas, semicolons or tabs',
    de: 'Die Kopfzeile muss die Spalten {columns} haben, getrennt durch Kommas, Semikolons oder Tabulatoren',
  },
  'import.unreadable_columns': { en: '{columns}; {fault}', de: '{columns}. {fault}' },
  'import.open_quote': {
    en: 'a quote is not closed on its line',
    de: 'Ein Anführungszeichen wird in seiner Zeile nicht geschlossen',
  },
  'import.text_after_quote': {
    en: 'there is text after a closing quote',
    de: 'Nach einem schließenden Anführungszeichen steht Text',
  },
  'import.quote_within': {
    en: 'a field with a quote in it must be quoted as a whole',
    de: 'Ein Feld mit einem Anführungszeichen muss ganz in Anführungszeichen stehen',
  },
  'import.field_count': {
    en: 'the line has {count} fields, the header {expected}',
    de: 'Die Zeile hat {count} Felder, die Kopfzeile {expected}',
  },
  'import.decimal_mark': {
    en: 'line {line}: is {number} a number with a decimal point, or {whole} with a thousands separator? Send the file again with decimal=point or decimal=comma',
    de: 'Zeile {line}: Ist {number} eine Zahl mit Dezimalpunkt, oder {whole} mit Tausenderpunkt? Senden Sie die Datei noch einmal mit decimal=point oder decimal=comma',
  },
  'import.not_json': { en: 'the line is not valid JSON', de: 'Die Zeile ist kein gültiges JSON' },
  'import.no_object': {
    en: 'the line must be a JSON object',
    de: 'Die Zeile muss ein JSON-Objekt sein',
  },
  'import.other_member': {
    en: 'a line with {members} must have no other member',
    de: 'Eine Zeile mit {members} darf nichts anderes enthalten',
  },
  'import.member_missing': { en: '{member} is missing', de: '{member} fehlt' },
  'import.member_repeated': {
    en: '{member} is given more than once',
    de: '{member} ist mehrmals angegeben',
  },
  'import.no_string': { en: '{member} must be a string', de: '{member} muss ein Text sein' },
  'import.no_array': { en: 'volumes must be an array', de: 'volumes muss eine Liste sein' },
  'import.date': {
    en: 'delivery_date must be an existing date such as 2026-10-25',
    de: 'Der Liefertag muss ein gültiges Datum sein, zum Beispiel 2026-10-25',
  },
  'import.slot': {
    en: 'slot must be a whole number from 1 to {slots} on {day}',
    de: 'Die Nummer der Viertelstunde (slot) muss am {day|day} eine ganze Zahl von 1 bis {slots} sein',
  },
  'import.slot_twice': {
    en: 'slot {slot} of {day} already has a volume in an earlier line of the same block',
    de: 'Die Viertelstunde {slot} des {day|day} hat schon eine Menge in einer früheren Zeile desselben Blocks',
  },
  'import.slot_count': {
    en: '{day} has {slots} slots, but volumes has {count}',
    de: 'Der {day|day} hat {slots} Viertelstunden, volumes aber {count} Werte',
  },
  'import.volume': { en: 'volume {fault}', de: 'Die Menge {fault}' },
  'import.volume_at': { en: 'volumes[{at}] {fault}', de: 'Die Menge volumes[{at}] {fault}' },
  'import.not_a_number': {
    en: 'must be a number of MWh such as 1.25',
    de: 'muss eine Zahl in MWh wie 1.25 sein',
  },
  'import.negative': { en: 'must not be negative', de: 'darf nicht negativ sein' },
  'import.too_large': {
    en: 'must be at most {max} MWh',
    de: 'darf höchstens {max|number} MWh sein',
  },
  'import.unknown_contract': {
    en: 'there is no contract with this id or external id',
    de: 'Es gibt keinen Vertrag mit dieser ID oder Referenz',
  },
  'import.contract_without_volumes': {
    en: 'only ppa contracts with both delivery dates accept volumes',
    de: 'Nur PPA mit Lieferbeginn und Lieferende nehmen Mengen auf',
  },
  'import.contract_has_source': {
    en: 'the volumes of the contract follow from series on {day}',
    de: 'Am {day|day} folgen die Mengen des Vertrags aus Zeitreihen',
  },
  'import.not_delivering': {
    en: 'the contract does not deliver on {day}',
    de: 'Der Vertrag liefert am {day|day} nicht',
  },
  'import.customers_not_active': { en: '{customers|sentences}', de: '{customers|sentences}' },
  'import.customer_not_active': {
    en: 'Customer {name} is {status}: BRP {brp} must activate it.',
    de: 'Der Kunde {name} ist {status}: Der Bilanzkreisverantwortliche {brp} muss ihn aktivieren.',
  },
} as const satisfies Sentences;
