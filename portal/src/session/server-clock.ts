import { type DeliveryDay, dayOf } from '@saldo/core/delivery-day.ts';
import { useCallback, useEffect, useState } from 'react';

/** Offset of the platform's clock from this machine's. Gates use the platform's clock, which a sandbox can move. */
let aheadMs = 0;

export function setServerTime(serverTime: string): void {
  aheadMs = Date.parse(serverTime) - Date.now();
}

export const serverNow = (): number => Date.now() + aheadMs;

const SECOND_MS = 1000;
/** Timers of browsers take 32 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Interval of a query whose data change by the clock alone: until the first of these times, or false without one. */
export function untilNext(times: readonly (string | null)[]): number | false {
  const now = serverNow();
  const left = times
    .flatMap((time) => (time === null ? [] : [Date.parse(time) - now]))
    .filter((ms) => ms > 0);
  // One second later, because clocks differ a little.
  return left.length === 0 ? false : Math.min(Math.min(...left) + SECOND_MS, LONGEST_TIMER_MS);
}

/** A value derived from the platform's time; renders again only when it changes. */
function useFromServerTime<T extends string | number>(of: (now: number) => T): T {
  const [value, setValue] = useState(() => of(serverNow()));
  useEffect(() => {
    const timer = setInterval(() => setValue(of(serverNow())), SECOND_MS);
    return () => clearInterval(timer);
  }, [of]);
  return value;
}

const itself = (now: number) => now;

/** The platform's time, to the second. Only for running clocks, because it renders every second. */
export const useServerNow = (): number => useFromServerTime(itself);

const MINUTE_MS = 60_000;
const minuteOf = (now: number) => now - (now % MINUTE_MS);

/** The platform's time, to the minute. */
export const useServerMinute = (): number => useFromServerTime(minuteOf);

/** Whether an instant has passed; renders again when it does. */
export const useIsPast = (at: number): boolean =>
  useFromServerTime(useCallback((now: number) => (now >= at ? 1 : 0), [at])) === 1;

/** The current delivery day. */
export const useToday = (): DeliveryDay => useFromServerTime(dayOf);
