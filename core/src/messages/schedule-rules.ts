import type { Sentences } from './language.ts';

/** What the check of a schedule examines, by the reason code with which a TSO rejects it. */
export const SCHEDULE_RULE_TEXTS = {
  'rule.A04': {
    en: 'The interval of the schedule is the German delivery day in UTC, and every period lies within it.',
    de: 'Das Zeitintervall des Fahrplans ist der deutsche Liefertag in UTC, und jeder Zeitraum liegt darin.',
  },
  'rule.A09': {
    en: 'A series between two control areas has the same values in the files of both areas.',
    de: 'Eine Zeitreihe zwischen zwei Regelzonen hat in den Dateien beider Regelzonen dieselben Werte.',
  },
  'rule.A22': {
    en: 'Each party is an EIC with a right check character, and the sender is a party of every series.',
    de: 'Jeder Partner ist ein EIC mit richtigem Prüfzeichen, und der Absender ist Partner jeder Zeitreihe.',
  },
  'rule.A23': {
    en: 'Each area is an EIC with a right check character.',
    de: 'Jedes Gebiet ist ein EIC mit richtigem Prüfzeichen.',
  },
  'rule.A41': { en: 'The resolution is PT15M.', de: 'Die Auflösung ist PT15M.' },
  'rule.A42': {
    en: 'Quantities are numbers with a decimal point and at most three decimals.',
    de: 'Mengen sind Zahlen mit Dezimalpunkt und höchstens drei Nachkommastellen.',
  },
  'rule.A46': { en: 'Quantities have no sign.', de: 'Mengen haben kein Vorzeichen.' },
  'rule.A49': {
    en: 'Positions are numbered from 1 without gaps, and every quarter-hour of the day (92, 96 or 100) stands once.',
    de: 'Positionen sind ab 1 lückenlos nummeriert, und jede Viertelstunde des Tages (92, 96 oder 100) kommt einmal vor.',
  },
  'rule.A50': {
    en: 'The version of a series is at most that of the message; a series that is new or changed since the submitted file has the version of the message.',
    de: 'Die Version einer Zeitreihe ist höchstens die der Nachricht; eine seit der angemeldeten Datei neue oder geänderte Zeitreihe hat die Version der Nachricht.',
  },
  'rule.A51': {
    en: 'A changed message has a higher version than the submitted file, and the same identification.',
    de: 'Eine geänderte Nachricht hat eine höhere Version als die angemeldete Datei, und dieselbe Kennung.',
  },
  'rule.A52': {
    en: 'No series of the submitted file is missing.',
    de: 'Keine Zeitreihe der angemeldeten Datei fehlt.',
  },
  'rule.A53': {
    en: 'The receiver is the TSO, with codingScheme A01 and the role A04.',
    de: 'Der Empfänger ist der ÜNB, mit codingScheme A01 und der Rolle A04.',
  },
  'rule.A54': {
    en: 'All series of the file together net to zero in every quarter-hour.',
    de: 'Alle Zeitreihen der Datei zusammen sind in jeder Viertelstunde ausgeglichen.',
  },
  'rule.A55': {
    en: 'No identification of a series stands twice, and no flow between the same parties and areas.',
    de: 'Keine Kennung einer Zeitreihe kommt zweimal vor, und kein Fluss zwischen denselben Partnern und Gebieten.',
  },
  'rule.A59': {
    en: 'Type, classification, product, unit, aggregation and curve type have the codes of the German process.',
    de: 'Nachrichtenart, Klassifikation, Produkt, Einheit, Aggregation und Kurvenart haben die Codes des deutschen Prozesses.',
  },
  'rule.A62': {
    en: 'The business type is one of A01 to A06.',
    de: 'Der Geschäftstyp ist einer von A01 bis A06.',
  },
  'rule.A69': { en: 'No required element is missing.', de: 'Keine Pflichtangabe fehlt.' },
  'rule.A78': {
    en: 'The sender is an EIC with a right check character, codingScheme A01 and the role A08.',
    de: 'Der Absender ist ein EIC mit richtigem Prüfzeichen, codingScheme A01 und der Rolle A08.',
  },
  'rule.A79': { en: 'The process type is A17.', de: 'Der Prozesstyp ist A17.' },
  'rule.A82': {
    en: 'The areas of a series fit the control area of the receiver and the business type.',
    de: 'Die Gebiete einer Zeitreihe passen zur Regelzone des Empfängers und zum Geschäftstyp.',
  },
  'rule.A94': {
    en: 'The document has the structure of its schema.',
    de: 'Das Dokument hat den Aufbau seines Schemas.',
  },
} as const satisfies Sentences;

/** What a rule has found. */
export const RULE_FINDINGS = {
  'finding.fault': { en: '{fault|clause}.', de: '{fault|clause}.' },
  'finding.not_mirrored': {
    en: 'The file of {tso} that you submitted last has other values for this series.',
    de: 'Die zuletzt angemeldete Datei an {tso|name} hat für diese Zeitreihe andere Werte.',
  },
  'finding.sender_no_party': {
    en: 'The sender {sender} is neither of its parties, {outParty} and {inParty}.',
    de: 'Der Absender {sender} ist keiner ihrer Partner {outParty} und {inParty}.',
  },
  'finding.same_party': {
    en: 'A series within one control area needs two different parties; both are {party}.',
    de: 'Eine Zeitreihe innerhalb einer Regelzone braucht zwei verschiedene Partner; beide sind {party}.',
  },
  'finding.bridge_parties': {
    en: 'A series between two German control areas has the same party on both sides, not {outParty} and {inParty}.',
    de: 'Eine Zeitreihe zwischen zwei deutschen Regelzonen hat auf beiden Seiten denselben Partner, nicht {outParty} und {inParty}.',
  },
  'finding.series_version_beyond': {
    en: 'Its version {version} is higher than that of the message, {message}.',
    de: 'Ihre Version {version} ist höher als die der Nachricht, {message}.',
  },
  'finding.series_version_fallen': {
    en: 'Its version {version} is lower than {before}, which it had in the submitted file.',
    de: 'Ihre Version {version} ist niedriger als {before}, die sie in der angemeldeten Datei hatte.',
  },
  'finding.series_version_changed': {
    en: 'It has changed since version {before} of the message, so its version has to be {message}, not {version}.',
    de: 'Sie hat sich seit Version {before} der Nachricht geändert, also muss ihre Version {message} sein, nicht {version}.',
  },
  'finding.series_version_new': {
    en: 'It is new since version {before} of the message, so its version has to be {message}, not {version}.',
    de: 'Sie ist seit Version {before} der Nachricht neu, also muss ihre Version {message} sein, nicht {version}.',
  },
  'finding.message_version_fallen': {
    en: 'The message version {version} is lower than {before}, which you submitted.',
    de: 'Die Nachrichtenversion {version} ist niedriger als die angemeldete {before}.',
  },
  'finding.message_version_same': {
    en: 'The file differs from the one that you submitted as version {version}: raise the message version to {next}.',
    de: 'Die Datei weicht von der als Version {version} angemeldeten ab: Erhöhen Sie die Nachrichtenversion auf {next}.',
  },
  'finding.message_id': {
    en: 'The message identification is {messageId}; the submitted file has {before}, which is the same for all versions of a day.',
    de: 'Die Nachrichtenkennung ist {messageId}; die angemeldete Datei hat {before}, die für alle Versionen eines Tages gleich bleibt.',
  },
  'finding.vanished': {
    en: 'Version {before} of the message had this series, and the file lacks it: send it with zeros.',
    de: 'Version {before} der Nachricht hatte diese Zeitreihe, und in der Datei fehlt sie: Senden Sie sie mit Nullen.',
  },
  'finding.imbalance': {
    en: 'The series of {eic} at {tso} do not net to zero: {slots}.',
    de: 'Die Zeitreihen von {eic} bei {tso|name} sind nicht ausgeglichen: {slots}.',
  },
  'finding.flow_twice': {
    en: 'The series {other} has the same business type, parties and areas.',
    de: 'Die Zeitreihe {other} hat denselben Geschäftstyp und dieselben Partner und Gebiete.',
  },
  'finding.inner_areas': {
    en: 'It is from {outArea} to {inArea}; with the business type {businessType} both areas are {area}, the control area of {tso}.',
    de: 'Sie geht von {outArea} nach {inArea}; beim Geschäftstyp {businessType} sind beide Gebiete {area}, die Regelzone von {tso|name}.',
  },
  'finding.outer_areas': {
    en: 'It is from {outArea} to {inArea}; with the business type {businessType} exactly one of them is {area}, the control area of {tso}.',
    de: 'Sie geht von {outArea} nach {inArea}; beim Geschäftstyp {businessType} ist genau eines davon {area}, die Regelzone von {tso|name}.',
  },
} as const satisfies Sentences;
