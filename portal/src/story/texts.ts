import type { Language } from '@saldo/core/messages/language.ts';

/** The facts of a running story, as texts. */
type Facts = {
  readonly contract: string;
  readonly day: string;
  readonly hour: string;
  readonly group: string;
  readonly tso: string;
};

const en = {
  title: 'Guided story',
  offer: 'From a volume to the TSO’s answer, in three minutes',
  offerText:
    'Correct a volume, watch the nomination follow, send it, and see why the TSO confirms less. All of it happens through the API, on the demo data.',
  start: 'Start the story',
  skip: 'Skip',
  stepOf: (step: number, count: number) => `Step ${step} of ${count}`,
  next: 'Next',
  finish: 'Finish',
  again: 'Play it again',
  waiting: 'The platform is netting the change.',
  toPage: 'Back to the page of this step',
  stop: 'End the story',
  fold: 'Fold',
  unfold: 'Unfold',
  noContract: 'The demo data have no contract left whose volumes can be corrected.',
  unchanged: 'The answer did not change the nomination. Play it again.',
  change: {
    title: 'Change a volume',
    text: ({ contract, day, hour }: Facts) =>
      `The seller of ${contract} reports an outage: on ${day}, in the hour from ${hour}, a fifth of the energy is missing. The volumes have to be right before the gate closes.`,
    action: 'Correct the volumes',
    done: (slots: number, mwh: string) =>
      `${slots === 1 ? '1 quarter-hour' : `${slots} quarter-hours`} corrected: ${mwh} MWh. The former values stay as the dashed line.`,
  },
  move: {
    title: 'The nomination moves',
    text: ({ group, tso }: Facts) =>
      `The platform has netted all contracts of ${group} with ${tso} again by itself. The history names the cause: contract, size, time and user.`,
    done: (version: number, mwh: string) =>
      `Version ${version} has been made: ${mwh} MWh compared with the version before.`,
  },
  send: {
    title: 'Send the schedule',
    text: ({ tso }: Facts) =>
      `Until a new schedule is sent, the former one counts for ${tso}. A job sends every change in time before the gate; the control room can send it at once.`,
    action: 'Send now',
    done: (version: number, tso: string) => `Version ${version} of the schedule is with ${tso}.`,
  },
  cut: {
    title: 'The TSO cuts it',
    text: ({ tso, group }: Facts) =>
      `${tso} compares our schedule with that of ${group}. In the demo a simulator answers for it: the other side has announced less.`,
    action: 'Let the TSO answer',
    done: (slots: number, mwh: string, tso: string) =>
      `${tso} confirms ${mwh} MWh less, in ${slots === 1 ? '1 quarter-hour' : `${slots} quarter-hours`}.`,
  },
  why: {
    title: 'Why',
    text: 'If both sides differ, the TSO takes the lower amount. What stays open at the gate becomes imbalance energy, which costs money. A scheduler now asks the other side to correct its schedule.',
    amounts: (slot: string, nominated: string, confirmed: string) =>
      `${slot}: nominated ${nominated} MWh, confirmed ${confirmed} MWh.`,
    counterpart: (mwh: string) => `The other side announced ${mwh} MWh.`,
  },
};

const de: typeof en = {
  title: 'Rundgang',
  offer: 'Von der Menge zur Antwort des ÜNB, in drei Minuten',
  offerText:
    'Korrigieren Sie eine Menge, sehen Sie, wie die Nominierung folgt, senden Sie sie und sehen Sie, warum der ÜNB weniger bestätigt. Alles geschieht über die API, mit den Demodaten.',
  start: 'Rundgang beginnen',
  skip: 'Überspringen',
  stepOf: (step, count) => `Schritt ${step} von ${count}`,
  next: 'Weiter',
  finish: 'Fertig',
  again: 'Noch einmal',
  waiting: 'Die Plattform saldiert die Änderung.',
  toPage: 'Zurück zur Seite dieses Schritts',
  stop: 'Rundgang beenden',
  fold: 'Einklappen',
  unfold: 'Ausklappen',
  noContract: 'Die Demodaten haben keinen Vertrag mehr, dessen Mengen korrigiert werden können.',
  unchanged: 'Die Antwort hat die Nominierung nicht geändert. Beginnen Sie den Rundgang von vorn.',
  change: {
    title: 'Eine Menge ändern',
    text: ({ contract, day, hour }) =>
      `Der Verkäufer von ${contract} meldet einen Ausfall: Am ${day} fehlt in der Stunde ab ${hour} ein Fünftel der Energie. Die Mengen müssen vor der Frist stimmen.`,
    action: 'Mengen korrigieren',
    done: (slots, mwh) =>
      `${slots === 1 ? '1 Viertelstunde' : `${slots} Viertelstunden`} korrigiert: ${mwh} MWh. Die früheren Werte bleiben als gestrichelte Linie.`,
  },
  move: {
    title: 'Die Nominierung folgt',
    text: ({ group, tso }) =>
      `Die Plattform hat alle Verträge von ${group} bei ${tso} neu saldiert, ohne jede Eingabe. Der Verlauf nennt die Ursache: Vertrag, Größe, Zeit und Benutzer.`,
    done: (version, mwh) => `Version ${version} ist da: ${mwh} MWh gegenüber der vorigen.`,
  },
  send: {
    title: 'Den Fahrplan senden',
    text: ({ tso }) =>
      `Bis ein neuer Fahrplan gesendet ist, gilt bei ${tso} der frühere. Ein Job sendet jede Änderung rechtzeitig vor der Frist; der Leitstand kann sie sofort senden.`,
    action: 'Jetzt senden',
    done: (version, tso) => `Version ${version} des Fahrplans ist bei ${tso}.`,
  },
  cut: {
    title: 'Der ÜNB kürzt',
    text: ({ tso, group }) =>
      `${tso} vergleicht unseren Fahrplan mit dem von ${group}. In der Demo antwortet ein Simulator: Die Gegenseite hat weniger angemeldet.`,
    action: 'Den ÜNB antworten lassen',
    done: (slots, mwh, tso) =>
      `${tso} bestätigt ${mwh} MWh weniger, in ${slots === 1 ? '1 Viertelstunde' : `${slots} Viertelstunden`}.`,
  },
  why: {
    title: 'Warum',
    text: 'Sind beide Seiten verschieden, gilt für den ÜNB die kleinere Menge. Was nach der Frist offen ist, wird Ausgleichsenergie und kostet Geld. Wer den Fahrplan führt, bittet jetzt die Gegenseite um eine Korrektur.',
    amounts: (slot, nominated, confirmed) =>
      `${slot}: nominiert ${nominated} MWh, bestätigt ${confirmed} MWh.`,
    counterpart: (mwh) => `Die Gegenseite hat ${mwh} MWh angemeldet.`,
  },
};

/** Not in the dictionary, which is loaded before the first page: only the demo has the texts. */
export const STORY_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
