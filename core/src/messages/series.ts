import type { Sentences } from './language.ts';

/** About series and their values. Those about a value follow the name of its field. */
export const SERIES = {
  'series.not_a_number': {
    en: 'must be a number such as 1250.5',
    de: 'muss eine Zahl wie 1250.5 sein',
  },
  'series.negative': { en: 'must be 0 or more', de: 'darf nicht negativ sein' },
  'series.no_whole_wh': {
    en: 'must be a whole number of Wh over its interval',
    de: 'muss über sein Intervall eine ganze Zahl von Wh ergeben',
  },
  'series.too_large': {
    en: 'must be at most {maxWh} Wh over its interval',
    de: 'darf über sein Intervall höchstens {maxWh|number} Wh ergeben',
  },
  'series.interval_start': {
    en: 'must be the start of an interval of {resolution}',
    de: 'muss der Beginn eines Intervalls von {resolution} sein',
  },
  'series.year': {
    en: 'must be in the years 1 to 9999',
    de: 'muss in den Jahren 1 bis 9999 liegen',
  },
  'series.location_form': {
    en: 'must be a MaLo (11 digits) or a MeLo (33 characters, the first two are DE)',
    de: 'muss eine MaLo-ID (11 Ziffern) oder eine MeLo-ID (33 Zeichen, beginnend mit DE) sein',
  },
  'series.location_check_digit': {
    en: 'has a wrong check digit: the last digit of this MaLo must be {expected}',
    de: 'hat eine falsche Prüfziffer: Die letzte Ziffer dieser MaLo-ID muss {expected} sein',
  },
  'series.one_unit': {
    en: 'exactly one of {units} is required',
    de: 'genau eine der Angaben {units} ist erforderlich',
  },
  'series.slots_of_day': {
    en: '{day} has {slots} slots, but there are {count} values',
    de: 'Der {day|day} hat {slots} Viertelstunden, angegeben sind aber {count} Werte',
  },
  'series.days_at_most': {
    en: 'must be at most {days} days from the first day on',
    de: 'liegt zu spät: Der Vergleich darf höchstens {days} Liefertage umfassen',
  },
  'series.forecast': { en: 'forecasts', de: 'Prognosewerten' },
  'series.meter': { en: 'metered values', de: 'Messwerten' },
} as const satisfies Sentences;
