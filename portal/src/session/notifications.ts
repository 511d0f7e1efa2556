/** Whether this browser shows notifications is stored in the browser, because its permission is, too. */
const STORED_AS = 'saldo.notifications';

/** Browsers offer notifications to pages over https and on the own machine only. */
export const areNotificationsSupported = (): boolean => isSecureContext && 'Notification' in window;

export const areNotificationsBlocked = (): boolean => Notification.permission === 'denied';

export const areNotificationsOn = (): boolean =>
  areNotificationsSupported() &&
  Notification.permission === 'granted' &&
  localStorage.getItem(STORED_AS) === 'on';

/** Asks for the permission, which browsers allow in answer to a click only. Resolves to whether it was given. */
export async function turnNotificationsOn(): Promise<boolean> {
  const isGranted = (await Notification.requestPermission()) === 'granted';
  if (isGranted) localStorage.setItem(STORED_AS, 'on');
  return isGranted;
}

export const turnNotificationsOff = (): void => localStorage.removeItem(STORED_AS);
