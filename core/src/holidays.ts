import { addDays, type DeliveryDay, dayNumber, weekday } from './delivery-day.ts';

/** Rules for the holidays of a year. */
export type Holidays = {
  /** Month and day: '12-25'. */
  readonly yearly: readonly string[];
  /** Days counted from Easter Sunday. */
  readonly daysFromEaster: readonly number[];
  /** The last such weekday (1 is Monday) before a month and day. */
  readonly weekdayBefore: readonly { readonly weekday: number; readonly before: string }[];
  /** Holidays of a single year. */
  readonly once: readonly DeliveryDay[];
};

export function isHoliday(
  day: DeliveryDay,
  { yearly, daysFromEaster, weekdayBefore, once }: Holidays,
): boolean {
  const [year, monthAndDay] = [day.slice(0, -'-MM-DD'.length), day.slice(-'MM-DD'.length)];
  return (
    yearly.includes(monthAndDay) ||
    once.includes(day) ||
    daysFromEaster.includes(dayNumber(day) - easterNumber(year)) ||
    weekdayBefore.some((rule) => {
      const before = `${year}-${rule.before}`;
      return weekday(day) === rule.weekday && day < before && day >= addDays(before, -7);
    })
  );
}

/** Easter Sunday of a year, by the Gregorian computus of Meeus, Jones and Butcher. */
function easterNumber(yearText: string): number {
  const year = Number(yearText);
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const moonCorrection = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * (year % 19) + century - Math.floor(century / 4) - moonCorrection + 15) % 30;
  const toSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const lateCorrection = Math.floor(((year % 19) + 11 * epact + 22 * toSunday) / 451);
  return dayNumber(`${yearText}-03-22`) + epact + toSunday - 7 * lateCorrection;
}
