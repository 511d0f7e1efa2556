import type { Sentences } from './language.ts';

/** About files with volumes or values of series and their lines, and about CSV files in general. */
export const IMPORTS = {
  'import.required': { en: 'a body with lines is required', de: 'Die Datei fehlt oder ist leer' },
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
  'import.volume_columns': {
    en: 'contract, delivery_date and slot or else delivery_start, and one of volume, power_mw and power_kw',
    de: 'contract, delivery_date und slot oder stattdessen delivery_start, und eine von volume, power_mw und power_kw',
  },
  'import.value_columns': {
    en: 'series, delivery_date and slot or else delivery_start, and one of energy_kwh, energy_mwh, power_kw and power_mw, and may have kind and resolution',
    de: 'series, delivery_date und slot oder stattdessen delivery_start, und eine von energy_kwh, energy_mwh, power_kw und power_mw haben und darf kind und resolution',
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
  'import.no_array': { en: '{member} must be an array', de: '{member} muss eine Liste sein' },
  'import.mixed_units': {
    en: 'the lines of one contract and day must all have a volume, or all a power',
    de: 'Die Zeilen eines Vertrags und Tages müssen alle eine Menge haben oder alle eine Leistung',
  },
  'import.kind': { en: 'kind must be {kinds|or}', de: 'kind muss {kinds|or} sein' },
  'import.resolution': {
    en: 'resolution must be {resolutions|or}',
    de: 'resolution muss {resolutions|or} sein',
  },
  'import.date': {
    en: 'delivery_date must be an existing date such as 2026-10-25',
    de: 'Der Liefertag muss ein gültiges Datum sein, zum Beispiel 2026-10-25',
  },
  'import.start': {
    en: 'delivery_start must be an instant such as 2026-10-25T00:15:00+02:00',
    de: 'Der Lieferbeginn (delivery_start) muss ein Zeitpunkt sein, zum Beispiel 2026-10-25T00:15:00+02:00',
  },
  'import.slot': {
    en: 'slot must be a whole number from 1 to {slots} on {day}',
    de: 'Die Nummer der Viertelstunde (slot) muss am {day|day} eine ganze Zahl von 1 bis {slots} sein',
  },
  'import.interval_start': {
    en: 'slot or delivery_start must be the start of an interval of {resolution}',
    de: 'slot oder delivery_start muss der Beginn eines Intervalls von {resolution} sein',
  },
  'import.slot_twice': {
    en: 'slot {slot} of {day} already has a value in an earlier line of the same block',
    de: 'Die Viertelstunde {slot} des {day|day} hat schon einen Wert in einer früheren Zeile desselben Blocks',
  },
  'import.slot_count': {
    en: '{day} has {slots} slots, but {member} has {count}',
    de: 'Der {day|day} hat {slots} Viertelstunden, {member} aber {count} Werte',
  },
  'import.volume': { en: 'volume {fault}', de: 'Die Menge {fault}' },
  'import.volume_at': { en: 'volumes[{at}] {fault}', de: 'Die Menge volumes[{at}] {fault}' },
  'import.value': { en: '{column} {fault}', de: 'Der Wert in {column} {fault}' },
  'import.not_a_number': {
    en: 'must be a number of {unit} such as 1.25',
    de: 'muss eine Zahl in {unit} wie 1.25 sein',
  },
  'import.negative': { en: 'must not be negative', de: 'darf nicht negativ sein' },
  'import.too_large': {
    en: 'must be at most {max} {unit}',
    de: 'darf höchstens {max|number} {unit} sein',
  },
  'import.unknown_contract': {
    en: 'there is no contract with this id or external id',
    de: 'Es gibt keinen Vertrag mit dieser ID oder Referenz',
  },
  'import.unknown_series': {
    en: 'there is no series with this id, or no {kind} with this market location',
    de: 'Es gibt keine Zeitreihe mit dieser ID und keine der Art {kind|name} mit dieser Markt- oder Messlokation',
  },
  'import.other_kind': {
    en: 'the series is a {actual}, not a {kind}',
    de: 'Die Zeitreihe ist von der Art {actual|name}, nicht {kind|name}',
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
