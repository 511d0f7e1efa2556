import type { Sentences } from './language.ts';

/** About a field of a request. The reader sees the name of the field before the message, or the field above it. */
export const FIELDS = {
  /** Words of others, which have no translation. */
  'field.text': { en: '{text}', de: '{text}' },
  'field.required': { en: 'is required', de: 'ist eine Pflichtangabe' },
  'field.required_without_date': {
    en: 'is required, unless delivery_date is given',
    de: 'ist eine Pflichtangabe, wenn kein Liefertag angegeben ist',
  },
  'field.required_for_owner': {
    en: 'is required for keys of this owner type',
    de: 'ist für Schlüssel dieser Art eine Pflichtangabe',
  },
  'field.required_for_role': {
    en: 'is required for users of role {role}',
    de: 'ist für Benutzer der Rolle {role|name} eine Pflichtangabe',
  },
  'field.required_for_offer': {
    en: 'is required: the asset has no offer yet',
    de: 'ist eine Pflichtangabe: Die Anlage hat noch kein Angebot',
  },
  'field.required_for_deliveries': {
    en: 'is needed, because the customer has contracts that deliver',
    de: 'wird gebraucht, weil der Kunde Verträge mit Lieferungen hat',
  },
  'field.to_before_from': {
    en: 'must not be smaller than from',
    de: 'darf nicht kleiner als from sein',
  },
  'field.as_of_future': { en: 'must not be in the future', de: 'darf nicht in der Zukunft liegen' },
  'field.one_subject': {
    en: 'exactly one of asset_id and demand_id is required',
    de: 'genau eines von asset_id und demand_id ist anzugeben',
  },
  'field.read_only': { en: 'is read-only and must not be sent', de: 'ist nicht änderbar' },
  'field.unknown': { en: 'is unknown; accepted are {names}', de: 'ist unbekannt; möglich sind {names}' },
  'field.none_accepted': { en: 'is unknown; none are accepted', de: 'ist unbekannt; möglich sind keine' },
  'field.one_of': { en: 'must be one of {values}', de: 'muss einer der Werte {values} sein' },
  'field.must_be': { en: 'must be {value}', de: 'muss {value} sein' },
  'field.type': { en: 'must be {types|or}', de: 'muss {types|or} sein' },
  'field.string': { en: 'a string', de: 'ein Text' },
  'field.integer': { en: 'a whole number', de: 'eine ganze Zahl' },
  'field.number': { en: 'a number', de: 'eine Zahl' },
  'field.boolean': { en: 'true or false', de: 'true oder false' },
  'field.object': { en: 'an object', de: 'ein Objekt' },
  'field.array': { en: 'an array', de: 'eine Liste' },
  'field.null': { en: 'null', de: 'leer' },
  'field.at_least': { en: 'must be at least {min}', de: 'muss mindestens {min|number} sein' },
  'field.more_than': { en: 'must be more than {min}', de: 'muss größer als {min|number} sein' },
  'field.at_most': { en: 'must be at most {max}', de: 'darf höchstens {max|number} sein' },
  'field.an_entry': { en: 'must have at least 1 entry', de: 'muss mindestens einen Eintrag haben' },
  'field.min_entries': {
    en: 'must have at least {min} entries',
    de: 'muss mindestens {min|number} Einträge haben',
  },
  'field.max_entries': {
    en: 'must have at most {max} entries',
    de: 'darf höchstens {max|number} Einträge haben',
  },
  'field.a_character': { en: 'must have at least 1 character', de: 'muss mindestens ein Zeichen haben' },
  'field.min_characters': {
    en: 'must have at least {min} characters',
    de: 'muss mindestens {min|number} Zeichen haben',
  },
  'field.max_characters': {
    en: 'must have at most {max} characters',
    de: 'darf höchstens {max|number} Zeichen haben',
  },
  'field.max_decimals': {
    en: 'must have at most {max} decimals',
    de: 'darf höchstens {max} Nachkommastellen haben',
  },
  'field.duplicates': { en: 'must not contain duplicates', de: 'darf nichts doppelt enthalten' },
  'field.repeated': { en: 'must not be repeated', de: 'darf nur einmal vorkommen' },
  'field.given_once': { en: 'must be given once', de: 'darf nur einmal angegeben werden' },
  'field.given_once_short': {
    en: 'must be given once, with 1 to {max} characters',
    de: 'muss einmal angegeben werden, mit 1 bis {max} Zeichen',
  },
  'field.wrong_format': { en: 'has the wrong format', de: 'hat das falsche Format' },
  'field.invalid': { en: 'is invalid', de: 'ist ungültig' },
  'field.ill_formed': {
    en: 'must not contain NUL characters or unpaired surrogates',
    de: 'darf keine NUL-Zeichen und keine unvollständigen Zeichen enthalten',
  },
  'field.blank': { en: 'must not be blank', de: 'darf nicht nur aus Leerzeichen bestehen' },
  'field.empty_key': { en: 'has an empty key', de: 'hat einen leeren Schlüssel' },
  'field.long_key': {
    en: 'has a key of {length} characters ({start}…); at most {max} are allowed',
    de: 'hat einen Schlüssel mit {length|number} Zeichen ({start}…); erlaubt sind höchstens {max|number}',
  },
  'field.invalid_key': { en: 'has a key that {fault}', de: 'hat einen ungültigen Schlüssel: Er {fault}' },
  'field.too_many_keys': {
    en: 'would hold {count} keys; at most {max} are allowed',
    de: 'hätte {count|number} Einträge; erlaubt sind höchstens {max|number}',
  },

  'field.date': {
    en: 'must be an existing date such as 2026-10-25',
    de: 'muss ein gültiges Datum sein, zum Beispiel 2026-10-25',
  },
  'field.date_time': {
    en: 'must be an existing date-time with an offset, such as 2026-10-24T22:00:00Z',
    de: 'muss ein gültiger Zeitpunkt mit Zeitzone sein, zum Beispiel 2026-10-24T22:00:00Z',
  },
  'field.date_time_with_blank': {
    en: 'must be a date-time without a blank; in a URL, write + as %2B',
    de: 'muss ein Zeitpunkt ohne Leerzeichen sein; in einer URL steht %2B für +',
  },
  'field.event_or_time': {
    en: 'must be the id of an event, or a date-time such as 2026-11-15T13:00:00Z',
    de: 'muss die ID eines Ereignisses oder ein Zeitpunkt wie 2026-11-15T13:00:00Z sein',
  },
  'field.plausible_year': {
    en: 'must be in the years 1900 to 2999',
    de: 'muss in den Jahren 1900 bis 2999 liegen',
  },
  'field.network': {
    en: 'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24, but is “{text}”',
    de: 'muss eine IPv4- oder IPv6-Adresse oder ein Netz wie 203.0.113.0/24 sein, lautet aber „{text}“',
  },
  'field.host_bits': {
    en: 'has digits beyond its prefix length; the network is {network}',
    de: 'hat Stellen hinter der Präfixlänge; das Netz heißt {network}',
  },
  'field.in_future': { en: 'must be in the future', de: 'muss in der Zukunft liegen' },
  'field.before_9999': { en: 'must be before the year 9999', de: 'muss vor dem Jahr 9999 liegen' },
  'field.after_start': { en: 'must come after delivery_start', de: 'muss nach dem Lieferbeginn liegen' },
  'field.not_before': { en: 'must not come before {field}', de: 'darf nicht vor {field} liegen' },
  'field.within_days': {
    en: 'must be within {days} delivery days from delivery_start',
    de: 'liegt zu spät: Der Zeitraum darf höchstens {days} Liefertage umfassen',
  },
  'field.midnight': {
    en: 'must be a local midnight in Germany, such as 2025-12-31T23:00:00Z',
    de: 'muss Mitternacht nach deutscher Zeit sein, zum Beispiel 2025-12-31T23:00:00Z',
  },
  'field.cannot_change': { en: 'is set and cannot be changed', de: 'steht fest und lässt sich nicht ändern' },
  'field.outside_delivery': {
    en: 'is not within the delivery period of the contract',
    de: 'liegt nicht im Lieferzeitraum des Vertrags',
  },
  'field.no_earlier_version': {
    en: 'is not the id of an earlier version of this nomination',
    de: 'ist nicht die Id einer früheren Version dieser Nominierung',
  },

  'field.eic_form': {
    en: 'An EIC is two digits, a type letter, twelve of A-Z, 0-9 and "-", and a check character.',
    de: 'Ein EIC besteht aus zwei Ziffern, einem Buchstaben für den Typ, zwölf Zeichen aus A–Z, 0–9 und „-“ und einem Prüfzeichen.',
  },
  'field.eic_no_check_character': {
    en: 'No EIC begins with {start}: its check character would be "-", which is not allowed.',
    de: 'Kein EIC beginnt mit {start}: Sein Prüfzeichen wäre „-“, was nicht erlaubt ist.',
  },
  'field.eic_check_character': {
    en: 'The check character of this EIC must be "{expected}", not "{found}".',
    de: 'Das Prüfzeichen dieses EIC muss „{expected}“ sein, nicht „{found}“.',
  },
  'field.eic_of_balance_group': {
    en: 'must be an EIC of type X or Y, as balance groups have',
    de: 'muss ein EIC vom Typ X oder Y sein, wie ihn Bilanzkreise haben',
  },
  'field.eic_of_operator': {
    en: 'must not be the EIC of the operator',
    de: 'darf nicht der EIC des Betreibers sein',
  },
  'field.country': {
    en: 'must be the code of a country in two capital letters, such as DE',
    de: 'muss der Code eines Landes aus zwei Großbuchstaben sein, zum Beispiel DE',
  },
  'field.email': {
    en: 'must be an email address such as dispatch@nordwind.example',
    de: 'muss eine E-Mail-Adresse wie dispatch@nordwind.example sein',
  },
  'field.invisible_characters': {
    en: 'must not contain invisible characters',
    de: 'darf keine unsichtbaren Zeichen enthalten',
  },
  'field.mixed_scripts': {
    en: 'must not mix letters of different scripts, which may look alike',
    de: 'darf keine Buchstaben verschiedener Schriften mischen, die gleich aussehen können',
  },
  'field.control_characters': {
    en: 'must not contain control characters',
    de: 'darf keine Steuerzeichen enthalten',
  },
  'field.uri': { en: 'must be an absolute URI', de: 'muss eine vollständige Adresse sein' },
  'field.url': {
    en: 'must be a valid URL that begins with {schemes|or}',
    de: 'muss eine gültige Adresse sein, die mit {schemes|or} beginnt',
  },
  'field.url_with_user': {
    en: 'must not contain a user name or a password: the signature authenticates the platform',
    de: 'darf keinen Benutzernamen und kein Passwort enthalten: Die Signatur weist die Plattform aus',
  },
  'field.public_address': { en: 'must have a public address', de: 'muss eine öffentliche Adresse haben' },
  'field.cover_url': {
    en: 'must be the address of an uploaded cover, or begin with https://',
    de: 'muss die Adresse eines hochgeladenen Bildes sein oder mit https:// beginnen',
  },
  'field.unknown_cover': {
    en: 'is not the address of an uploaded cover; upload it first',
    de: 'ist nicht die Adresse eines hochgeladenen Bildes; laden Sie es zuerst hoch',
  },

  'field.password_is_email': {
    en: 'must not be the email address',
    de: 'darf nicht die E-Mail-Adresse sein',
  },
  'field.password_guessable': {
    en: 'is too easy to guess; several words that do not belong together make a good password',
    de: 'ist zu leicht zu erraten; mehrere Wörter, die nicht zusammengehören, sind ein gutes Passwort',
  },
  'field.base64url': { en: 'must be base64url without padding', de: 'muss Base64url ohne Füllzeichen sein' },
  'field.passkey': {
    en: 'is no passkey that can be added; please try again',
    de: 'ist kein Passkey, der sich einrichten lässt; bitte versuchen Sie es noch einmal',
  },
  'field.code_wrong': {
    en: 'is not correct, has expired, or was used before',
    de: 'ist nicht richtig, abgelaufen oder schon benutzt',
  },
  'field.set_up_expired': {
    en: 'is not of a set-up of this session within the last ten minutes; begin again',
    de: 'gehört zu keiner Einrichtung dieser Sitzung in den letzten zehn Minuten; beginnen Sie neu',
  },
  'field.password_wrong': { en: 'is not the current password', de: 'ist nicht das aktuelle Passwort' },

  'field.unknown_customer': { en: 'is not the id of a customer', de: 'ist keine ID eines Kunden' },
  'field.unknown_series': { en: 'is not the id of a series', de: 'ist keine ID einer Zeitreihe' },
  'field.source_kind': {
    en: 'needs the ppa_type forecasted, produced, consumed or indexed',
    de: 'braucht eine der PPA-Arten Pay-as-forecast, Pay-as-produced, Pay-as-consumed oder indexiert',
  },
  'field.source_beside_profile': {
    en: 'is not possible beside a profile',
    de: 'ist neben einem Profil nicht möglich',
  },
  'field.source_without_series': {
    en: 'needs a forecast or a meter',
    de: 'braucht eine Prognose oder einen Zähler',
  },
  'field.source_meter_of_forecasted': {
    en: 'is not for the ppa_type forecasted',
    de: 'ist bei der PPA-Art Pay-as-forecast nicht möglich',
  },
  'field.source_no_forecast': {
    en: 'must be a series of kind forecast',
    de: 'muss eine Zeitreihe mit Prognosen sein',
  },
  'field.source_no_meter': {
    en: 'must be a series of kind meter',
    de: 'muss eine Zeitreihe mit Messwerten sein',
  },
  'field.source_owner_asset': {
    en: 'must be a series of the asset of the contract',
    de: 'muss eine Zeitreihe der Anlage des Vertrags sein',
  },
  'field.source_owner_buyer': {
    en: 'must be a series of the buyer of the contract',
    de: 'muss eine Zeitreihe des Käufers des Vertrags sein',
  },
  'field.source_owner': {
    en: 'must be a series of the asset or of the buyer of the contract',
    de: 'muss eine Zeitreihe der Anlage oder des Käufers des Vertrags sein',
  },
  'field.share_range': {
    en: 'must be above 0 and at most 1',
    de: 'muss über 0 und höchstens 1 sein',
  },
  'field.unknown_asset': { en: 'is not the id of an asset', de: 'ist keine ID einer Anlage' },
  'field.unknown_brp': {
    en: 'is not the id of a BRP',
    de: 'ist keine ID eines Bilanzkreisverantwortlichen',
  },
  'field.unknown_account': { en: 'is not the id of an account', de: 'ist keine ID eines Kontoinhabers' },
  'field.one_operator': {
    en: 'must not be given: there is only one operator',
    de: 'darf nicht angegeben werden: Es gibt nur einen Betreiber',
  },
  'field.for_role': {
    en: 'is for users of role {role} only',
    de: 'gilt nur für Benutzer der Rolle {role|name}',
  },
  'field.scopes_of_account': {
    en: 'must not be given: an account’s key may do everything in the customer API',
    de: 'dürfen nicht angegeben werden: Der Schlüssel eines Kontoinhabers darf in der Kunden-API alles',
  },
  'field.scopes_of_other_api': {
    en: 'must be those of the owner’s API, which has no {scopes}',
    de: 'müssen zur API des Inhabers gehören; dort gibt es nicht: {scopes}',
  },
  'field.scopes_beyond_own': {
    en: 'must be among your own; you lack {scopes}',
    de: 'dürfen nicht über Ihre eigenen hinausgehen; es fehlen Ihnen: {scopes}',
  },
  'field.no_balance_group': { en: 'has no balance group', de: 'hat keinen Bilanzkreis' },
  'field.same_customer': {
    en: 'must be another customer than the seller',
    de: 'muss ein anderer Kunde als der Verkäufer sein',
  },
  'field.not_your_group': {
    en: '{eic} is not one of your balance groups',
    de: '{eic} ist keiner Ihrer Bilanzkreise',
  },
  'field.not_group_of_brp': {
    en: '{eic} is not one of the BRP’s balance groups',
    de: '{eic} ist kein Bilanzkreis dieses Bilanzkreisverantwortlichen',
  },
  'field.for_ppa': { en: 'is for contracts of type ppa only', de: 'gilt nur für PPA' },
  'field.profile_kind': {
    en: 'needs the ppa_type baseload, peakload, shaped or indexed',
    de: 'braucht eine der PPA-Arten Grundlast, Spitzenlast, Profil oder indexiert',
  },
  'field.indexed_profile_kind': {
    en: 'is required for an indexed contract: baseload, peakload or shaped',
    de: 'muss bei einem indexierten Vertrag angegeben werden: Grundlast, Spitzenlast oder Profil',
  },
  'field.other_profile_kind': {
    en: 'must be the ppa_type, which is {kind}',
    de: 'muss der PPA-Art {kind|name} entsprechen',
  },
  'field.baseload': { en: 'baseload', de: 'Grundlast' },
  'field.peakload': { en: 'peakload', de: 'Spitzenlast' },
  'field.shaped': { en: 'shaped', de: 'Profil' },
  'field.power_step': { en: 'must be a multiple of 0.004 MW', de: 'muss ein Vielfaches von 0,004 MW sein' },
  'field.shaped_power': {
    en: 'must hold 12 months of 24 hours',
    de: 'muss 12 Monate mit je 24 Stunden enthalten',
  },
  'field.slots_of_day': {
    en: '{day} has {slots} slots, but there are {count} volumes',
    de: 'Der {day|day} hat {slots} Viertelstunden, angegeben sind aber {count} Mengen',
  },

  'field.cursor': {
    en: 'is not a cursor of this list with these filters; start again without it',
    de: 'gehört nicht zu dieser Liste mit diesen Filtern; beginnen Sie von vorn',
  },
  'field.list_version': {
    en: 'is not a version of this list; start again without it',
    de: 'gehört nicht zu dieser Liste; beginnen Sie von vorn',
  },
  'field.old_list_version': {
    en: 'is too old; start again without it',
    de: 'ist zu alt; beginnen Sie von vorn',
  },
  'field.oldest_first': {
    en: 'needs the order oldest_first: new events are at the other end',
    de: 'braucht die Reihenfolge oldest_first: Neue Ereignisse sind am anderen Ende',
  },
  'field.for_mismatch': { en: 'is for the answer mismatch only', de: 'gilt nur für die Antwort mismatch' },
  'field.not_in_schedule': {
    en: 'is not the EIC of a balance group with energy in this schedule',
    de: 'ist kein EIC eines Bilanzkreises mit Energie in diesem Fahrplan',
  },
  'field.for_csv': { en: 'is for text/csv only', de: 'gilt nur für CSV' },
} as const satisfies Sentences;
