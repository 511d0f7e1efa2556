/** Whether this browser shows notifications is stored in the browser, because its permission is, too. */
const STORED_AS = 'saldo.notifications';

/** Browsers offer notifications to pages over https and on the own machine only. */
export const areNotificationsSupported = (): boolean => isSecureContext && 'Notification' in window;

export const areNotificationsBlocked = (): boolean => Notification.permission === 'denied';

export const areNotificationsOn = (): boolean =>
  areNotificationsSupported() &&
  Notification.permission === 'granted' &&
  localStorage.getItem(STORED_AS) === 'on';

/**
 * Asks for the permission, which browsers allow in answer to a click only. Resolves to whether it was given. They are on
 * after `prepare` has succeeded.
 */
export async function turnNotificationsOn(prepare: () => Promise<void>): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  await prepare();
  localStorage.setItem(STORED_AS, 'on');
  return true;
}

/** Calls `listener` when another tab turns notifications on, until the returned function is called. */
export function onTurnedOnElsewhere(listener: () => void): () => void {
  // Browsers do not send this event to the tab that has stored the value.
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === STORED_AS && newValue === 'on') listener();
  };
  addEventListener('storage', onStorage);
  return () => removeEventListener('storage', onStorage);
}

export const turnNotificationsOff = (): void => localStorage.removeItem(STORED_AS);
