import type { Sentences } from './language.ts';

/**
 * About schedules and answers in XML, and schedules in CSV: sentences without full stop. Messages with their faults are
 * stored, so a key and its parameters keep their names.
 */
export const DOCUMENTS = {
  'document.at': {
    en: '{fault} (line {line}, column {column})',
    de: '{fault} (Zeile {line}, Spalte {column})',
  },
  'document.in_line': { en: 'line {line}: {fault|clause}', de: 'Zeile {line}: {fault|clause}' },
  'document.within': { en: '{part}: {fault}', de: '{part}: {fault}' },
  'document.series': { en: 'series "{identification}"', de: 'Zeitreihe „{identification}“' },
  'document.unnamed_series': {
    en: 'a {element} without identification',
    de: 'ein Element {element} ohne Kennung',
  },
  'document.position': { en: 'position {position}', de: 'Position {position}' },

  // Any XML
  'document.xml_declaration': {
    en: 'The XML declaration is malformed',
    de: 'Die XML-Deklaration ist fehlerhaft',
  },
  'document.xml_version': { en: 'The XML version must be 1.0', de: 'Die XML-Version muss 1.0 sein' },
  'document.encoding': {
    en: 'The document declares the encoding "{encoding}"; it must be {known|or}',
    de: 'Das Dokument nennt die Kodierung „{encoding}“; es muss {known|or} sein',
  },
  'document.utf16': {
    en: 'The document is in UTF-16 or UTF-32; it must be in UTF-8',
    de: 'Das Dokument ist in UTF-16 oder UTF-32; es muss in UTF-8 sein',
  },
  'document.not_utf8': {
    en: 'The document is not in UTF-8, whatever it declares',
    de: 'Das Dokument ist nicht in UTF-8, was auch immer es angibt',
  },
  'document.empty': { en: 'The document is empty', de: 'Das Dokument ist leer' },
  'document.cut_off': { en: 'The document is cut off', de: 'Das Dokument ist abgeschnitten' },
  'document.after_end': {
    en: 'Something follows after the end of {element}',
    de: 'Nach dem Ende von {element} folgt noch etwas',
  },
  'document.depth': {
    en: 'Elements are nested deeper than {max} levels',
    de: 'Elemente sind tiefer als {max} Ebenen verschachtelt',
  },
  'document.long_name': {
    en: 'A name is longer than {max} characters',
    de: 'Ein Name ist länger als {max} Zeichen',
  },
  'document.long_value': {
    en: 'A value is longer than {max} characters',
    de: 'Ein Wert ist länger als {max|number} Zeichen',
  },
  'document.long_part': {
    en: 'One part of the document is longer than {max} characters',
    de: 'Ein Teil des Dokuments ist länger als {max|number} Zeichen',
  },
  'document.mixed': {
    en: '{element} holds both elements and the text "{text}"',
    de: '{element} enthält sowohl Elemente als auch den Text „{text}“',
  },
  'document.attribute_cut_off': {
    en: 'The attribute "{attribute}" of {element} is cut off',
    de: 'Das Attribut „{attribute}“ von {element} ist abgeschnitten',
  },
  'document.attribute_twice': {
    en: 'The attribute "{attribute}" of {element} stands twice',
    de: 'Das Attribut „{attribute}“ von {element} steht zweimal da',
  },
  'document.attributes': { en: '{element} has too many attributes', de: '{element} hat zu viele Attribute' },
  'document.tag': {
    en: 'The tag {element} is malformed or cut off',
    de: 'Das Tag {element} ist fehlerhaft oder abgeschnitten',
  },
  'document.closing_tag': {
    en: 'The closing tag of {element} is malformed or cut off',
    de: 'Das schließende Tag von {element} ist fehlerhaft oder abgeschnitten',
  },
  'document.closed_by': {
    en: '{element} is closed by "{other}"',
    de: '{element} wird durch „{other}“ geschlossen',
  },
  'document.space': {
    en: 'There is too much space between two tags',
    de: 'Zwischen zwei Tags ist zu viel Leerraum',
  },
  'document.open_comment': { en: 'A comment does not end', de: 'Ein Kommentar endet nicht' },
  'document.comment': { en: 'A comment holds "--"', de: 'Ein Kommentar enthält „--“' },
  'document.cdata': {
    en: 'CDATA sections are not accepted',
    de: 'CDATA-Abschnitte werden nicht angenommen',
  },
  'document.declaration': {
    en: 'Declarations are not accepted',
    de: 'Deklarationen werden nicht angenommen',
  },
  'document.instruction': {
    en: 'Processing instructions are not accepted',
    de: 'Verarbeitungsanweisungen werden nicht angenommen',
  },
  'document.doctype_place': {
    en: 'A document type declaration stands once, before the first element',
    de: 'Eine Dokumenttyp-Deklaration steht einmal, vor dem ersten Element',
  },
  'document.doctype': {
    en: 'The document type declaration is malformed or has an internal subset',
    de: 'Die Dokumenttyp-Deklaration ist fehlerhaft oder hat einen internen Teil',
  },
  'document.bracket': { en: 'There is a "<" within an attribute', de: 'In einem Attribut steht „<“' },
  'document.character': {
    en: 'There is a character that XML does not allow',
    de: 'Es gibt ein Zeichen, das XML nicht erlaubt',
  },
  'document.entity': {
    en: 'The entity "{entity}" is not accepted',
    de: 'Die Entität „{entity}“ wird nicht angenommen',
  },
  'document.ampersand': {
    en: 'There is an "&" that begins no character',
    de: 'Es gibt ein „&“, das kein Zeichen beginnt',
  },
  'document.foreign_element': {
    en: '"{element}" is not of the document\'s namespace',
    de: '„{element}“ ist nicht aus dem Namensraum des Dokuments',
  },
  'document.no_tag': {
    en: 'There should be an element instead of "{text}"',
    de: 'Statt „{text}“ sollte dort ein Element stehen',
  },

  // Elements of schedules and answers
  'document.kind': {
    en: '"{element}" is no schedule message and no answer to one',
    de: '„{element}“ ist weder ein Fahrplan noch eine Antwort auf einen',
  },
  'document.namespace': {
    en: 'The namespace of {element} must begin with {start}',
    de: 'Der Namensraum von {element} muss mit {start} beginnen',
  },
  'document.no_attribute': {
    en: '{element} has no attribute "{attribute}"',
    de: '{element} hat kein Attribut „{attribute}“',
  },
  'document.no_element': {
    en: '{owner} has no element "{element}"',
    de: '{owner} hat kein Element „{element}“',
  },
  'document.wrong_place': {
    en: '{element} stands twice or in the wrong place in {owner}',
    de: '{element} steht in {owner} zweimal oder an der falschen Stelle',
  },
  'document.element_twice': {
    en: '{element} stands twice in {owner}',
    de: '{element} steht in {owner} zweimal',
  },
  'document.lacks': { en: '{owner} lacks {element}', de: 'In {owner} fehlt {element}' },
  'document.holds': { en: '{element} holds "{text}"', de: '{element} enthält „{text}“' },
  'document.no_value': { en: '{element} has no value', de: '{element} hat keinen Wert' },
  'document.value_only': {
    en: '{element} holds a value, no elements',
    de: '{element} enthält einen Wert, keine Elemente',
  },
  'document.eic_scheme': {
    en: '{element} must be an EIC, with codingScheme="{scheme}"',
    de: '{element} muss ein EIC sein, mit codingScheme="{scheme}"',
  },
  'document.no_eic': {
    en: '{element} "{text}" is no EIC: {fault|clause}',
    de: '{element} „{text}“ ist kein EIC: {fault|clause}',
  },

  // Values of schedules and answers
  'document.reasons': { en: 'There are more than {max} reasons', de: 'Es gibt mehr als {max|number} Gründe' },
  'document.no_outcome': {
    en: 'None of its reasons is one of {known}',
    de: 'Keiner der Gründe ist einer von {known}',
  },
  'document.outcomes': {
    en: 'Its reasons among {known} contradict each other',
    de: 'Die Gründe unter {known} widersprechen sich',
  },
  'document.long_identification': {
    en: 'The identification "{text}" is longer than {max} characters',
    de: 'Die Kennung „{text}“ ist länger als {max} Zeichen',
  },
  'document.long_series_identification': {
    en: 'The identification is longer than {max} characters',
    de: 'Die Kennung ist länger als {max} Zeichen',
  },
  'document.version': {
    en: 'The version "{text}" is not a whole number from 1 to {max}',
    de: 'Die Version „{text}“ ist keine ganze Zahl von 1 bis {max}',
  },
  'document.created_at': {
    en: 'The time of the message "{text}" is not a date and time with offset',
    de: 'Der Zeitpunkt der Nachricht „{text}“ ist kein Datum mit Uhrzeit und Zeitzone',
  },
  'document.code': {
    en: 'The {field} is "{code}", known are {known}',
    de: '{field} ist „{code}“; bekannt sind {known}',
  },
  'document.field_type': { en: 'type', de: 'Die Art der Nachricht' },
  'document.field_confirmation': { en: 'type of the confirmation', de: 'Die Art der Bestätigung' },
  'document.field_process': { en: 'process', de: 'Der Prozess' },
  'document.field_classification': { en: 'classification', de: 'Die Klassifikation' },
  'document.field_businessType': { en: 'business type', de: 'Der Geschäftstyp' },
  'document.field_senderRole': { en: 'role of the sender', de: 'Die Rolle des Absenders' },
  'document.field_receiverRole': { en: 'role of the receiver', de: 'Die Rolle des Empfängers' },
  'document.field_domain': { en: 'area of the message', de: 'Das Gebiet der Nachricht' },
  'document.field_aggregation': { en: 'object aggregation', de: 'Die Objektaggregation' },
  'document.field_product': { en: 'product', de: 'Das Produkt' },
  'document.field_unit': { en: 'unit', de: 'Die Einheit' },
  'document.field_curveType': { en: 'curveType', de: 'Die Kurvenart' },
  'document.receiver': {
    en: 'The receiver {receiver} is no TSO',
    de: 'Der Empfänger {receiver} ist kein ÜNB',
  },
  'document.flow': {
    en: 'A scheduled series names both parties and both areas',
    de: 'Eine Zeitreihe eines Fahrplans nennt beide Partner und beide Regelzonen',
  },
  'document.twice': { en: 'It stands twice', de: 'Sie steht zweimal da' },
  'document.interval_form': {
    en: 'The interval "{text}" is not two UTC times such as "{example}"',
    de: 'Der Zeitraum „{text}“ besteht nicht aus zwei UTC-Zeiten wie „{example}“',
  },
  'document.interval': {
    en: 'The interval "{text}" is not a German delivery day from midnight to midnight',
    de: 'Der Zeitraum „{text}“ ist kein deutscher Liefertag von Mitternacht bis Mitternacht',
  },
  'document.interval_length': {
    en: '{fault}: it has {count} quarter-hours, {day} has {slots}',
    de: '{fault}: Er hat {count} Viertelstunden, der {day|day} hat {slots}',
  },
  'document.slot_missing': {
    en: 'Slot {slot} of {day} is in none of the periods',
    de: 'Die Viertelstunde {slot} des {day|day} liegt in keinem der Zeiträume',
  },
  'document.resolution': {
    en: 'The resolution must be {expected}, not "{text}"',
    de: 'Die Auflösung muss {expected} sein, nicht „{text}“',
  },
  'document.period': {
    en: 'The period "{text}" does not lie within {day}',
    de: 'Der Zeitraum „{text}“ liegt nicht innerhalb des {day|day}',
  },
  'document.position_twice': { en: 'it stands twice', de: 'sie steht zweimal da' },
  'document.position_missing': {
    en: 'It has {count} of {expected} positions: position {position} is missing',
    de: 'Sie hat {count} von {expected} Positionen: Position {position} fehlt',
  },
  'document.position_form': {
    en: 'The position "{text}" is not a whole number from 1 on',
    de: 'Die Position „{text}“ ist keine ganze Zahl ab 1',
  },
  'document.position_beyond': {
    en: 'the period has only {count} positions',
    de: 'der Zeitraum hat nur {count} Positionen',
  },
  'document.quantity': { en: 'the quantity "{text}" {fault}', de: 'der Wert „{text}“ {fault}' },
  'document.negative_power': {
    en: 'is negative, power never is',
    de: 'ist negativ, was eine Leistung nie ist',
  },
  'document.negative': { en: 'is negative', de: 'ist negativ' },
  'document.comma': {
    en: 'has a comma, decimals stand behind a point',
    de: 'hat ein Komma; Nachkommastellen stehen hinter einem Punkt',
  },
  'document.no_mw': { en: 'is not a decimal number of MW', de: 'ist keine Dezimalzahl in MW' },
  'document.no_mwh': { en: 'is not a decimal number of MWh', de: 'ist keine Dezimalzahl in MWh' },
  'document.three_decimals': { en: 'has more than three decimals', de: 'hat mehr als drei Nachkommastellen' },
  'document.five_decimals': { en: 'has more than five decimals', de: 'hat mehr als fünf Nachkommastellen' },
  'document.too_large': { en: 'is too large', de: 'ist zu groß' },
  'document.no_whole_kw': {
    en: 'is not a multiple of 0.00025 MWh, which is 1 kW for a quarter-hour',
    de: 'ist kein Vielfaches von 0,00025 MWh, was 1 kW für eine Viertelstunde ist',
  },
  'document.no_point': {
    en: 'is not written with a decimal point',
    de: 'ist nicht mit Dezimalpunkt geschrieben',
  },
  'document.no_comma': {
    en: 'is not written with a decimal comma',
    de: 'ist nicht mit Dezimalkomma geschrieben',
  },

  // Schedules in CSV
  'document.csv_encoding': { en: 'the file is not in UTF-8', de: 'die Datei ist nicht in UTF-8' },
  'document.csv_empty': { en: 'the file is empty', de: 'die Datei ist leer' },
  'document.csv_long_line': {
    en: 'the line is longer than {max} characters',
    de: 'die Zeile ist länger als {max|number} Zeichen',
  },
  'document.csv_unknown_column': {
    en: '"{column}" is no column of a schedule; known are {known}',
    de: '„{column}“ ist keine Spalte eines Fahrplans; bekannt sind {known}',
  },
  'document.csv_column_twice': {
    en: 'the column "{column}" stands twice',
    de: 'die Spalte „{column}“ steht zweimal da',
  },
  'document.csv_column_missing': {
    en: 'the column {column} is missing',
    de: 'die Spalte {column} fehlt',
  },
  'document.csv_value_column': {
    en: 'one of the columns {columns|and} is needed',
    de: 'eine der Spalten {columns|and} wird gebraucht',
  },
  'document.csv_value': {
    en: 'one of {columns|and} is needed',
    de: 'einer der Werte {columns|and} wird gebraucht',
  },
  'document.csv_series_count': {
    en: 'the file has more than {max} series',
    de: 'die Datei hat mehr als {max|number} Zeitreihen',
  },
  'document.csv_slot_twice': {
    en: 'slot {slot} stands twice',
    de: 'die Viertelstunde {slot} steht zweimal da',
  },
  'document.csv_no_series': {
    en: 'the file has no series with the operator, {eic}',
    de: 'die Datei hat keine Zeitreihe mit dem Betreiber, {eic}',
  },
  'document.csv_date': {
    en: 'delivery_date "{text}" is no date such as 2026-10-25 or 25.10.2026',
    de: 'delivery_date „{text}“ ist kein Datum wie 2026-10-25 oder 25.10.2026',
  },
  'document.csv_days': {
    en: 'delivery_date is {day}, but {other} in line {line}; a file is of one day',
    de: 'der Liefertag ist der {day|day}, in Zeile {line} aber der {other|day}; eine Datei hat nur einen Liefertag',
  },
  'document.csv_slot': {
    en: 'slot_number "{text}" is not from 1 to {slots}; {day} has {slots} slots',
    de: 'slot_number „{text}“ liegt nicht zwischen 1 und {slots}; der {day|day} hat {slots} Viertelstunden',
  },
  'document.csv_time': {
    en: '{column} "{text}" is not that of slot {slot} of {day}',
    de: '{column} „{text}“ gehört nicht zur Viertelstunde {slot} des {day|day}',
  },
  'document.csv_not_one_of': {
    en: '{column} "{text}" is not one of {known}',
    de: '{column} „{text}“ ist keiner der Werte {known}',
  },
  'document.csv_number': { en: '{column} "{text}" {fault}', de: '{column} „{text}“ {fault}' },
  'document.csv_incomplete': {
    en: 'the series {direction} of {eic} at {tso} has {present} of the {slots} slots of {day}: {missing}',
    de: 'die Zeitreihe {direction|name} von {eic} bei {tso|name} hat {present} der {slots} Viertelstunden des {day|day}: {missing}',
  },
  'document.csv_slot_missing': { en: '{slots} is missing', de: 'es fehlt {slots}' },
  'document.csv_slots_missing': { en: '{slots} are missing', de: 'es fehlen {slots}' },

  // Schedules that are compared with nominations
  'document.check_answer': {
    en: 'this is an answer of a TSO, not a schedule',
    de: 'das ist eine Antwort eines ÜNB, kein Fahrplan',
  },
  'document.check_area': {
    en: 'series {identification} is from area {outArea} to area {inArea}, but the control area of {tso} is {area}',
    de: 'die Zeitreihe {identification} geht von {outArea} nach {inArea}, die Regelzone von {tso|name} ist aber {area}',
  },
  'document.check_twice': {
    en: '{eic} has more than one series with the operator in direction {direction}',
    de: '{eic} hat mehr als eine Zeitreihe mit dem Betreiber in der Richtung {direction|name}',
  },
  'document.check_required': { en: 'a body with the schedule is required', de: 'der Fahrplan fehlt' },
} as const satisfies Sentences;
