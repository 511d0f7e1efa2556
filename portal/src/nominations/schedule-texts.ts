import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  check: {
    text: 'Check the schedule that you are about to nominate before the TSO does: everything for which it would be rejected, and every difference from the current nominations. The file is not stored. For series that are equal, the portal notes that you checked them.',
    drop: 'Drop your schedule here',
    choose: 'Choose a file',
    kinds: 'CSV, or XML in ESS or CIM, up to 16 MB',
    checking: (file: string) => `Checking ${file}…`,
    unusable: (file: string) => `${file} cannot be compared`,
    result: (file: string, day: string) => `${file} · ${day}`,
    version: (version: number) => `Message version ${version}`,
    allEqual: (slots: number) => `All ${slots} quarter-hours are equal. The TSO will find no difference.`,
    allSame: (slots: number) => `All ${slots} quarter-hours with the operator are equal.`,
    broken: (count: number) =>
      count === 1
        ? '1 reason for the TSO to reject the file'
        : `${count} reasons for the TSO to reject the file`,
    notNetted:
      'Whether the file nets to zero was not checked: it has only series with the operator. A complete schedule has your other series, too.',
    findings: 'Why the TSO would reject the file',
    code: 'Code',
    findingSeries: 'Series',
    findingSlots: 'Quarter-hours',
    findingText: 'What is wrong',
    wholeFile: 'whole file',
    loadDifferent: 'Load only what differs',
    loadDifferentHint: 'Download the nominated values of the series that differ or are missing',
    differentFile: 'differences',
    submitted: 'Mark as submitted',
    submittedHint:
      'Marks the nominations without differences, too; later checks of the day compare versions and series with this file',
    submittedDone: (version: number, nominations: number) =>
      `Version ${version} is marked as submitted, with ${nominations === 1 ? '1 nomination' : `${nominations} nominations`}. Later checks of the day compare versions and series with it.`,
    nothing: 'The file has no series with the operator, and no nomination is missing.',
    different: (slots: number) => (slots === 1 ? '1 quarter-hour differs' : `${slots} quarter-hours differ`),
    missingCount: (count: number) =>
      count === 1 ? '1 nomination is missing in the file' : `${count} nominations are missing in the file`,
    unknownCount: (count: number) =>
      count === 1 ? '1 series has no nomination' : `${count} series have no nomination`,
    ignored: (count: number) =>
      count === 1
        ? '1 series with another party was not compared.'
        : `${count} series with other parties were not compared.`,
    series: 'Series with the operator',
    state: 'Result',
    equal: 'equal',
    missing: 'missing in the file',
    unknown: 'no nomination',
    swapped: 'no nomination; direction swapped?',
    openNomination: 'Open the nomination',
    chart: (eic: string, day: string) => `Nominated and your file: ${eic} on ${day}`,
    nominated: 'Nominated',
    yours: 'Your file',
    difference: 'Nominated − your file',
    differs: 'differs',
    next: 'Next difference',
    slots: 'Quarter-hours that differ',
    noSlots: 'All quarter-hours are equal.',
  },
  message: {
    button: 'Schedule XML…',
    hint: 'Download a complete ESS or CIM message of your own side',
    title: (day: string) => `Schedule message of ${day}`,
    text: 'A complete message of one balance group for one TSO, with all its series against the operator. Balance groups with other business need their other series in it before it is sent.',
    position: 'Balance group and TSO',
    formats: { ess: 'ESS 2.3', cim: 'CIM' },
    version: 'Message version',
    versionHint: 'Raise it with every message that you send for the day.',
    versionRange: (minimum: number, maximum: number) => `A whole number from ${minimum} to ${maximum}`,
    done: (file: string) => `${file} has been downloaded.`,
  },
  reconciliation: {
    title: 'Answer of the TSO',
    text: 'What the TSO made of this nomination, and why.',
    schedule: 'Schedule of the operator',
    version: (version: number) => `version ${version}`,
    acknowledged: 'Acknowledged',
    reasons: 'Reasons',
    noReasons: 'The TSO has given no reasons.',
    slots: 'Quarter-hours with differences or reasons',
    yours: 'Your schedule',
    ownSchedule: 'Schedule of the BRP',
    difference: 'Nominated − yours',
    unknownAmount: 'not reported',
  },
  /** What the TSO wrote, in its own language. */
  tsoText: (text: string) => `TSO: “${text}”`,
};

const de: typeof en = {
  check: {
    text: 'Prüfen Sie den Fahrplan, den Sie anmelden wollen, bevor es der ÜNB tut: alles, wofür er ihn ablehnen würde, und jede Abweichung von den aktuellen Nominierungen. Die Datei wird nicht gespeichert. Bei gleichen Zeitreihen wird festgehalten, dass Sie geprüft haben.',
    drop: 'Fahrplan hier ablegen',
    choose: 'Datei wählen',
    kinds: 'CSV, oder XML als ESS oder CIM, bis 16 MB',
    checking: (file) => `${file} wird geprüft…`,
    unusable: (file) => `${file} lässt sich nicht vergleichen`,
    result: (file, day) => `${file} · ${day}`,
    version: (version) => `Nachrichtenversion ${version}`,
    allEqual: (slots) => `Alle ${slots} Viertelstunden sind gleich. Der ÜNB wird keine Abweichung finden.`,
    allSame: (slots) => `Alle ${slots} Viertelstunden mit dem Betreiber sind gleich.`,
    broken: (count) =>
      count === 1
        ? '1 Grund für den ÜNB, die Datei abzulehnen'
        : `${count} Gründe für den ÜNB, die Datei abzulehnen`,
    notNetted:
      'Nicht geprüft wurde, ob die Datei ausgeglichen ist: Sie hat nur Zeitreihen mit dem Betreiber. Ein vollständiger Fahrplan hat auch Ihre anderen Zeitreihen.',
    findings: 'Warum der ÜNB die Datei ablehnen würde',
    code: 'Code',
    findingSeries: 'Zeitreihe',
    findingSlots: 'Viertelstunden',
    findingText: 'Was nicht stimmt',
    wholeFile: 'ganze Datei',
    loadDifferent: 'Nur Abweichendes laden',
    loadDifferentHint: 'Die nominierten Werte der abweichenden und fehlenden Zeitreihen herunterladen',
    differentFile: 'abweichungen',
    submitted: 'Als angemeldet markieren',
    submittedHint:
      'Markiert auch die Nominierungen ohne Abweichung; spätere Prüfungen des Tages vergleichen Versionen und Zeitreihen mit dieser Datei',
    submittedDone: (version, nominations) =>
      `Version ${version} ist als angemeldet markiert, mit ${nominations === 1 ? '1 Nominierung' : `${nominations} Nominierungen`}. Spätere Prüfungen des Tages vergleichen Versionen und Zeitreihen damit.`,
    nothing: 'Die Datei hat keine Zeitreihe mit dem Betreiber, und es fehlt keine Nominierung.',
    different: (slots) => (slots === 1 ? '1 Viertelstunde weicht ab' : `${slots} Viertelstunden weichen ab`),
    missingCount: (count) =>
      count === 1 ? '1 Nominierung fehlt in der Datei' : `${count} Nominierungen fehlen in der Datei`,
    unknownCount: (count) =>
      count === 1 ? '1 Zeitreihe hat keine Nominierung' : `${count} Zeitreihen haben keine Nominierung`,
    ignored: (count) =>
      count === 1
        ? '1 Zeitreihe mit einem anderen Partner wurde nicht verglichen.'
        : `${count} Zeitreihen mit anderen Partnern wurden nicht verglichen.`,
    series: 'Zeitreihen mit dem Betreiber',
    state: 'Ergebnis',
    equal: 'gleich',
    missing: 'fehlt in der Datei',
    unknown: 'keine Nominierung',
    swapped: 'keine Nominierung; Richtung vertauscht?',
    openNomination: 'Nominierung öffnen',
    chart: (eic, day) => `Nominiert und Ihre Datei: ${eic} am ${day}`,
    nominated: 'Nominiert',
    yours: 'Ihre Datei',
    difference: 'Nominiert − Ihre Datei',
    differs: 'weicht ab',
    next: 'Nächste Abweichung',
    slots: 'Abweichende Viertelstunden',
    noSlots: 'Alle Viertelstunden sind gleich.',
  },
  message: {
    button: 'Fahrplan XML…',
    hint: 'Eine vollständige ESS- oder CIM-Nachricht Ihrer eigenen Seite herunterladen',
    title: (day) => `Fahrplannachricht für ${day}`,
    text: 'Eine vollständige Nachricht eines Bilanzkreises an einen ÜNB, mit allen Zeitreihen mit dem Betreiber. Bei Bilanzkreisen mit anderen Geschäften müssen deren Zeitreihen vor dem Senden ergänzt werden.',
    position: 'Bilanzkreis und ÜNB',
    formats: { ess: 'ESS 2.3', cim: 'CIM' },
    version: 'Nachrichtenversion',
    versionHint: 'Erhöhen Sie sie mit jeder Nachricht, die Sie für den Tag senden.',
    versionRange: (minimum, maximum) => `Eine ganze Zahl von ${minimum} bis ${maximum}`,
    done: (file) => `${file} wurde heruntergeladen.`,
  },
  reconciliation: {
    title: 'Antwort des ÜNB',
    text: 'Was der ÜNB aus dieser Nominierung gemacht hat, und warum.',
    schedule: 'Fahrplan des Betreibers',
    version: (version) => `Version ${version}`,
    acknowledged: 'Quittiert',
    reasons: 'Gründe',
    noReasons: 'Der ÜNB hat keine Gründe genannt.',
    slots: 'Viertelstunden mit Abweichungen oder Gründen',
    ownSchedule: 'Fahrplan des BKV',
    yours: 'Ihr Fahrplan',
    difference: 'Nominiert − Ihr Fahrplan',
    unknownAmount: 'nicht gemeldet',
  },
  tsoText: (text) => `ÜNB: „${text}“`,
};

/** Not in the dictionary, which is loaded before the first page: few pages have these texts. */
export const SCHEDULE_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
