import type { DeliveryDay } from '../delivery-day.ts';

/** A day of a contract or series of an import, and how many of its slots have no value. */
export type DayGap = {
  readonly subjectNo: number;
  /** As the file names it. */
  readonly subject: string;
  readonly day: DeliveryDay;
  readonly missing: number;
  /** The first line of the day. */
  readonly line: number;
};

type Month = { readonly subject: string; readonly line: number; readonly missing: Uint8Array };

const DAYS_OF_MONTH = 31;

/**
 * The days of an import that have slots without a value. The days of a subject and month share one array with
 * a byte each, because a file may have millions of such days.
 */
export class IncompleteDays {
  private readonly months = new Map<string, Month>();
  private days = 0;

  get count(): number {
    return this.days;
  }

  /** Sets what a day misses. A later call for the same day replaces the earlier one. */
  set({ subjectNo, subject, day, missing, line }: DayGap): void {
    if (missing === 0 && this.days === 0) return;
    const key = `${subjectNo} ${day.slice(0, -2)}`;
    let month = this.months.get(key);
    if (month === undefined) {
      if (missing === 0) return;
      month = { subject, line, missing: new Uint8Array(DAYS_OF_MONTH) };
      this.months.set(key, month);
    }
    const at = Number(day.slice(-2)) - 1;
    this.days += Number(missing > 0) - Number(month.missing[at]! > 0);
    month.missing[at] = missing;
  }

  /** The first ones in the order of the file, where the days of a subject and month stand together. */
  first(limit: number): { subject: string; day: DeliveryDay; missing: number }[] {
    const inOrder = [...this.months].sort(([, one], [, other]) => one.line - other.line);
    const found: { subject: string; day: DeliveryDay; missing: number }[] = [];
    for (const [key, { subject, missing }] of inOrder) {
      for (let at = 0; at < missing.length && found.length < limit; at++) {
        if (missing[at] === 0) continue;
        const day = key.slice(key.indexOf(' ') + 1) + String(at + 1).padStart(2, '0');
        found.push({ subject, day, missing: missing[at]! });
      }
    }
    return found;
  }
}
