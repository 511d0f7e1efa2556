import type { Language } from '@saldo/core/messages/language.ts';

const en = {
  title: 'Control room',
  label: 'State of the exchange by delivery day and TSO',
  day: 'Delivery day',
  yesterday: 'Yesterday',
  gate: 'Next gate',
  closed: 'all gates closed',
  empty: 'no nominations',
  sent: 'Sent',
  acknowledged: 'Acknowledged',
  confirmed: 'Confirmed',
  finally: 'final',
  version: (version: number) => `v${version}`,
  never: 'not yet',
  mismatch: 'mismatch',
  mismatches: (nominations: number, slots: number) =>
    `${nominations === 1 ? '1 nomination' : `${nominations} nominations`}, ${slots === 1 ? '1 quarter-hour' : `${slots} quarter-hours`}`,
  unsentCount: (count: number) => (count === 1 ? '1 not sent' : `${count} not sent`),
  messages: 'Messages',
  moreFrom: (day: string) => `More nominations from ${day} on.`,
  toWall: 'Full screen',
  back: 'Back to the portal',
  fullScreen: 'Fill the screen',
  dark: 'Dark',
  sound: 'Sound at the gate',
  soundHint: '15 minutes before and at the gate. Browsers need a click for it after each load.',
  soon: (time: string) => `15 minutes to the gate at ${time}.`,
  closes: (time: string) => `The gate at ${time} has closed.`,
};

const de: typeof en = {
  title: 'Leitstand',
  label: 'Stand des Fahrplanaustauschs nach Liefertag und ÜNB',
  day: 'Liefertag',
  yesterday: 'Gestern',
  gate: 'Nächste Frist',
  closed: 'alle Fristen abgelaufen',
  empty: 'keine Nominierungen',
  sent: 'Gesendet',
  acknowledged: 'Quittiert',
  confirmed: 'Bestätigt',
  finally: 'endgültig',
  version: (version) => `v${version}`,
  never: 'noch nicht',
  mismatch: 'Abweichung',
  mismatches: (nominations, slots) =>
    `${nominations === 1 ? '1 Nominierung' : `${nominations} Nominierungen`}, ${slots === 1 ? '1 Viertelstunde' : `${slots} Viertelstunden`}`,
  unsentCount: (count) => `${count} nicht gesendet`,
  messages: 'Nachrichten',
  moreFrom: (day) => `Weitere Nominierungen ab ${day}.`,
  toWall: 'Großanzeige',
  back: 'Zurück zum Portal',
  fullScreen: 'Vollbild',
  dark: 'Dunkel',
  sound: 'Ton zur Frist',
  soundHint: '15 Minuten vor der Frist und zur Frist. Browser verlangen dafür nach jedem Laden einen Klick.',
  soon: (time) => `Noch 15 Minuten bis zur Frist um ${time}.`,
  closes: (time) => `Die Frist um ${time} ist abgelaufen.`,
};

/** Not in the dictionary, which is loaded before the first page: only the pages with the board have the texts. */
export const BOARD_TEXTS: Readonly<Record<Language, typeof en>> = { en, de };
