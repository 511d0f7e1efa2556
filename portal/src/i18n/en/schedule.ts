import { REASON_TEXTS, UNKNOWN_REASON } from '@saldo/core/exchange/reasons.ts';

export const schedule = {
  check: {
    title: 'Check schedule',
    text: 'Compare the schedule that you are about to nominate with the current nominations, before the TSO does. Nothing is stored.',
    drop: 'Drop your schedule here',
    choose: 'Choose a file',
    kinds: 'CSV, or XML in ESS or CIM, up to 16 MB',
    checking: (file: string) => `Checking ${file}…`,
    unusable: (file: string) => `${file} cannot be compared`,
    result: (file: string, day: string) => `${file} · ${day}`,
    version: (version: number) => `Message version ${version}`,
    allEqual: (slots: number) => `All ${slots} quarter-hours are equal. The TSO will find no difference.`,
    nothing: 'The file has no series with the operator, and no nomination is missing.',
    different: (slots: number) => (slots === 1 ? '1 quarter-hour differs' : `${slots} quarter-hours differ`),
    missingCount: (count: number) =>
      count === 1 ? '1 nomination is missing in the file' : `${count} nominations are missing in the file`,
    unknownCount: (count: number) =>
      count === 1 ? '1 series has no nomination' : `${count} series have no nomination`,
    ignored: (count: number) =>
      count === 1
        ? '1 series with another party was ignored.'
        : `${count} series with other parties were ignored.`,
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
    button: 'Message…',
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
    difference: 'Nominated − yours',
    unknownAmount: 'not reported',
  },
  /** The meaning of a reason code; the text of the TSO is shown in addition if it says something else. */
  reasons: { ...REASON_TEXTS },
  unknownReason: UNKNOWN_REASON,
  /** What the TSO wrote, in its own language. */
  tsoText: (text: string) => `TSO: “${text}”`,
};
