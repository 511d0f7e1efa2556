import type { Sentences } from './language.ts';

/**
 * About MSCONS interchanges and their messages: sentences without full stop. Results of interchanges are stored with them,
 * so a key and its parameters keep their names.
 */
export const MSCONS = {
  'mscons.required': {
    en: 'a body with an interchange is required',
    de: 'Die Übertragungsdatei fehlt',
  },
  'mscons.no_dry_run': {
    en: 'is not possible for an interchange',
    de: 'ist bei einer Übertragungsdatei nicht möglich',
  },
  'mscons.kept': {
    en: '{fault}; the interchange is stored as {id}, and nothing of it was applied',
    de: '{fault}; die Übertragungsdatei ist als {id} gespeichert, nichts davon wurde übernommen',
  },

  // Interchanges
  'mscons.interchange_too_large': {
    en: 'The interchange has more than {maxCharacters} characters',
    de: 'Die Übertragungsdatei hat mehr als {maxCharacters|number} Zeichen',
  },
  'mscons.too_many_messages': {
    en: 'The interchange has more than {max} messages',
    de: 'Die Übertragungsdatei hat mehr als {max|number} Nachrichten',
  },
  'mscons.service_characters': {
    en: 'UNA does not define five different service characters with a decimal point or comma',
    de: 'UNA legt nicht fünf verschiedene Trennzeichen mit Dezimalpunkt oder -komma fest',
  },
  'mscons.interchange_header': {
    en: 'The interchange does not begin with a UNB that has sender, receiver and reference',
    de: 'Die Übertragungsdatei beginnt nicht mit einem UNB mit Absender, Empfänger und Datenaustauschreferenz',
  },
  'mscons.character_set': {
    en: 'The character set "{found}" of UNB is not one of {known}',
    de: 'Der Zeichensatz „{found}“ im UNB ist keiner von {known}',
  },
  'mscons.test_interchange': {
    en: 'The interchange is marked as a test in UNB',
    de: 'Die Übertragungsdatei ist im UNB als Test gekennzeichnet',
  },
  'mscons.unterminated_segment': {
    en: 'The last segment does not end; the interchange is cut off',
    de: 'Das letzte Segment endet nicht; die Übertragungsdatei ist abgeschnitten',
  },
  'mscons.unexpected_segment': {
    en: 'There is a segment "{found}" outside of the messages',
    de: 'Außerhalb der Nachrichten steht ein Segment „{found}“',
  },
  'mscons.interchange_unfinished': {
    en: 'UNZ is missing; the interchange is cut off',
    de: 'UNZ fehlt; die Übertragungsdatei ist abgeschnitten',
  },
  'mscons.interchange_count': {
    en: 'UNZ states "{stated}" messages, the interchange has {found}',
    de: 'UNZ nennt „{stated}“ Nachrichten, die Übertragungsdatei hat {found}',
  },
  'mscons.interchange_reference': {
    en: 'UNZ has the reference "{stated}", UNB has "{expected}"',
    de: 'UNZ hat die Referenz „{stated}“, UNB hat „{expected}“',
  },
  'mscons.text_after_end': {
    en: 'There is text after UNZ',
    de: 'Nach UNZ folgt noch etwas',
  },

  // Messages
  'mscons.segment_too_long': {
    en: 'The segment has more than {maxCharacters} characters',
    de: 'Das Segment hat mehr als {maxCharacters|number} Zeichen',
  },
  'mscons.message_header': {
    en: 'UNH has no message reference of 1 to 14 characters',
    de: 'UNH hat keine Nachrichtenreferenz mit 1 bis 14 Zeichen',
  },
  'mscons.message_unfinished': {
    en: 'The message has no UNT',
    de: 'Die Nachricht hat kein UNT',
  },
  'mscons.message_count': {
    en: 'UNT states "{stated}" segments, the message has {found}',
    de: 'UNT nennt „{stated}“ Segmente, die Nachricht hat {found}',
  },
  'mscons.message_reference': {
    en: 'UNT has the reference "{stated}", UNH has "{expected}"',
    de: 'UNT hat die Referenz „{stated}“, UNH hat „{expected}“',
  },
  'mscons.message_type': {
    en: 'The message is "{found}", not MSCONS:D:04B:UN:2.4c',
    de: 'Die Nachricht ist „{found}“, nicht MSCONS:D:04B:UN:2.4c',
  },
  'mscons.message_function': {
    en: 'The function of the message is "{found}"; only originals (9) are read',
    de: 'Die Nachrichtenfunktion ist „{found}“; gelesen werden nur Originale (9)',
  },
  'mscons.unknown_segment': {
    en: 'MSCONS has no segment "{found}"',
    de: 'Ein Segment „{found}“ gibt es in MSCONS nicht',
  },
  'mscons.no_location': {
    en: 'There is no market location (LOC+172) before this segment',
    de: 'Vor diesem Segment steht keine Markt- oder Messlokation (LOC+172)',
  },
  'mscons.no_product': {
    en: 'There is no product (PIA+5) before this value',
    de: 'Vor diesem Wert steht kein Produkt (PIA+5)',
  },
  'mscons.no_values': { en: 'The message has no values', de: 'Die Nachricht hat keine Werte' },
  'mscons.unit': {
    en: 'The unit of the value is "{found}", not KWH',
    de: 'Die Einheit des Werts ist „{found}“, nicht KWH',
  },
  'mscons.no_interval': {
    en: 'The value has no start (DTM+163) or no end (DTM+164)',
    de: 'Dem Wert fehlt der Beginn (DTM+163) oder das Ende (DTM+164)',
  },
  'mscons.repeated_time': {
    en: 'The value has two starts or two ends',
    de: 'Der Wert hat zweimal einen Beginn oder ein Ende',
  },
  'mscons.time': {
    en: '"{found}" is no time with UTC offset such as 202611162300+00:303',
    de: '„{found}“ ist kein Zeitpunkt mit UTC-Abstand wie 202611162300+00:303',
  },
  'mscons.interval_length': {
    en: 'The interval of the value has {minutes} minutes, not 15 or 60',
    de: 'Das Intervall des Werts hat {minutes} Minuten, nicht 15 oder 60',
  },
  'mscons.duplicate_slot': {
    en: 'The message has two values for slot {slot} of {day}',
    de: 'Die Nachricht hat zwei Werte für die Viertelstunde {slot} des {day|day}',
  },
  'mscons.too_many_days': {
    en: 'The message has values of more than {max} days',
    de: 'Die Nachricht hat Werte von mehr als {max|number} Tagen',
  },
  'mscons.value_fault': { en: 'The value {fault}', de: 'Der Wert {fault}' },
  'mscons.start_fault': {
    en: 'The start of the value {fault}',
    de: 'Der Beginn des Werts {fault}',
  },
  'mscons.location_fault': {
    en: 'The identification of the market location {fault}',
    de: 'Die ID der Markt- oder Messlokation {fault}',
  },

  // Remarks
  'mscons.quantity_ignored': {
    en: '{marketLocation}: {count} values with the qualifier {found}, which is neither a true (220) nor a substitute value (67), are not read',
    de: '{marketLocation}: {count} Werte mit dem Qualifier {found} werden nicht gelesen; er steht weder für einen wahren Wert (220) noch für einen Ersatzwert (67)',
  },
  'mscons.product_ignored': {
    en: '{marketLocation}: the product {found} is no load profile of active energy and is not read',
    de: '{marketLocation}: Das Produkt {found} ist kein Lastgang der Wirkarbeit und wird nicht gelesen',
  },
  'mscons.direction_ignored': {
    en: '{marketLocation}: the {direction} is not read, because the series of this location has the other direction',
    de: '{marketLocation}: Die {direction} wird nicht gelesen, weil die Zeitreihe dieser Lokation die andere Richtung hat',
  },
  'mscons.consumption': { en: 'consumption (1.29.0)', de: 'Entnahme (1.29.0)' },
  'mscons.feed_in': { en: 'feed-in (2.29.0)', de: 'Einspeisung (2.29.0)' },
  'mscons.further_remarks': {
    en: 'There are {count} further remarks',
    de: 'Es gibt {count} weitere Anmerkungen',
  },
} as const satisfies Sentences;
