const en = {
  title: 'Volumes by profile',
  isWanted: 'The platform generates the volumes',
  power: 'Power in MW',
  baseloadHint: 'In every quarter-hour, in steps of 0.004 MW.',
  peakloadHint: 'Monday to Friday from 8:00 to 20:00, in steps of 0.004 MW.',
  shape: 'Power in MW per month and hour',
  shapeHint: 'Paste 12 lines of 24 numbers, as copied from a spreadsheet. In steps of 0.004 MW.',
  shapeProblems: {
    rows: (_row: number, found: string) => `12 lines are needed, one a month; there are ${found}.`,
    columns: (row: number, found: string) => `Line ${row} needs 24 numbers, one an hour; it has ${found}.`,
    number: (row: number, found: string) => `Line ${row} has something that is no power: ${found}`,
  },
};

const de: typeof en = {
  title: 'Mengen nach Profil',
  isWanted: 'Die Plattform erzeugt die Mengen selbst',
  power: 'Leistung in MW',
  baseloadHint: 'In jeder Viertelstunde, in Schritten von 0,004 MW.',
  peakloadHint: 'Montag bis Freitag von 8:00 bis 20:00 Uhr, in Schritten von 0,004 MW.',
  shape: 'Leistung in MW je Monat und Stunde',
  shapeHint: '12 Zeilen mit je 24 Zahlen einfügen, wie aus einer Tabelle kopiert. In Schritten von 0,004 MW.',
  shapeProblems: {
    rows: (_row, found) => `Es braucht 12 Zeilen, eine je Monat; vorhanden sind ${found}.`,
    columns: (row, found) => `Zeile ${row} braucht 24 Zahlen, eine je Stunde; sie hat ${found}.`,
    number: (row, found) => `In Zeile ${row} steht etwas, das keine Leistung ist: ${found}`,
  },
};

/** Texts of the volumes that the platform generates from a profile. */
export const PROFILE_TEXTS = { de, en };
