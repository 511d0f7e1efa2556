const SECOND_MS = 1000;
const pad = (number: number) => String(number).padStart(2, '0');

/** `03:15:07`, or `2 days 03:15` once there are days. Rounds up to whole seconds; never negative. */
export function durationText(ms: number, days: (count: number) => string): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60].map(pad);
  const wholeDays = Math.floor(seconds / 86_400);
  return wholeDays > 0 ? `${days(wholeDays)} ${clock.slice(0, 2).join(':')}` : clock.join(':');
}
