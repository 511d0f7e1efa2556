import { type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import { useEffect, useState } from 'react';

/** How far the platform's clock is ahead of this machine's. Gates go by the platform's; a sandbox may even move it. */
let aheadMs = 0;

export function setServerTime(serverTime: string): void {
  aheadMs = Date.parse(serverTime) - Date.now();
}

export const serverNow = (): number => Date.now() + aheadMs;

const SECOND_MS = 1000;

/** Something that follows from the platform's time; draws anew only when it changes. */
function useFromServerTime<T extends string | number>(of: (now: number) => T): T {
  const [value, setValue] = useState(() => of(serverNow()));
  useEffect(() => {
    const timer = setInterval(() => setValue(of(serverNow())), SECOND_MS);
    return () => clearInterval(timer);
  }, [of]);
  return value;
}

const itself = (now: number) => now;

/** The platform's time, to the second. Only what shows a running clock should use it. */
export const useServerNow = (): number => useFromServerTime(itself);

/** The delivery day that it is now. */
export const useToday = (): DeliveryDay => useFromServerTime(dayOf);
