import { type DeliveryDay, dayEnd, dayStart, SLOT_MS, slotStart } from '@saldo/core/delivery-day.ts';
import { type Calendar, closingOf } from './deadlines.ts';

/** A day of the ribbon. */
export type RibbonDay = {
  readonly day: DeliveryDay;
  readonly gates: Calendar['gates'];
  /** The saldo of each quarter-hour in kWh; null while it is not known, and for a day without nominations. */
  readonly valuesKwh: readonly number[] | null;
  /** The quarter-hours that differ from what the TSOs confirmed. */
  readonly mismatched: readonly number[];
};

/** By time, not by quarter-hour: a day with a clock change is an hour shorter or longer. */
export function timeScale(days: readonly RibbonDay[], width: number): (instant: number) => number {
  const from = dayStart(days[0]?.day ?? '1970-01-01');
  const to = dayEnd(days.at(-1)?.day ?? '1970-01-01');
  return (instant) => Math.round(((instant - from) / (to - from)) * width * 10) / 10;
}

/** The height of a value. Zero is always inside, so that delivering and receiving are on different sides of a line. */
export function valueScale(days: readonly RibbonDay[], height: number): (kwh: number) => number {
  const values = days.flatMap(({ valuesKwh }) => valuesKwh ?? []);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = high - low || 1;
  return (kwh) => Math.round(((high - kwh) / span) * height * 10) / 10;
}

/** The saldo as closed areas over or under the line of zero. A day whose saldo is not known has none. */
export function ribbonArea(
  { day, valuesKwh }: RibbonDay,
  x: (instant: number) => number,
  y: (kwh: number) => number,
): string {
  return (valuesKwh ?? [])
    .map((kwh, at) => {
      if (kwh === 0) return '';
      const start = slotStart(day, at + 1);
      return `M${x(start)} ${y(0)}V${y(kwh)}H${x(start + SLOT_MS)}V${y(0)}Z`;
    })
    .join('');
}

/** The mismatched quarter-hours as few stretches of time. */
export function mismatchedStretches({ day, mismatched }: RibbonDay): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  for (const slot of mismatched.toSorted((one, other) => one - other)) {
    const from = slotStart(day, slot);
    const last = stretches.at(-1);
    if (last?.to === from) last.to = from + SLOT_MS;
    else stretches.push({ from, to: from + SLOT_MS });
  }
  return stretches;
}

/** The gates with an instant of their own; those of the quarter-hours are everywhere. */
const PHASES = ['day_ahead', 'wait', 'day_after'] as const;

export type RibbonGate = {
  readonly phase: (typeof PHASES)[number];
  readonly day: DeliveryDay;
  readonly at: number;
};

/** The gates within the days of the ribbon, in order of time. */
export function ribbonGates(days: readonly RibbonDay[]): RibbonGate[] {
  const from = dayStart(days[0]?.day ?? '1970-01-01');
  const to = dayEnd(days.at(-1)?.day ?? '1970-01-01');
  return days
    .flatMap((day) => PHASES.map((phase) => ({ phase, day: day.day, at: closingOf(day, phase) })))
    .filter((gate): gate is RibbonGate => gate.at !== null && gate.at >= from && gate.at < to)
    .toSorted((one, other) => one.at - other.at);
}
