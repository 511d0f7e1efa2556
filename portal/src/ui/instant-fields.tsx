import { dayOf, formatLocalTime, isDay, localInstant, MINUTE_MS } from '@saldo/core/delivery-day.ts';
import { useState } from 'react';
import { DateField, TextField } from './form.tsx';

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const MINUTES_PER_HOUR = 60;

/** The last minute that has begun: an instant that can be typed. */
export const wholeMinute = (instant: number): number => Math.floor(instant / MINUTE_MS) * MINUTE_MS;

/** Null if one of both is no date or time. A repeated hour means its first occurrence. */
export function parseLocal(day: string, time: string): number | null {
  const [, hours, minutes] = TIME.exec(time.trim()) ?? [];
  if (!isDay(day) || hours === undefined || minutes === undefined) return null;
  return localInstant(day, Number(hours) * MINUTES_PER_HOUR + Number(minutes));
}

type Props = {
  labels: { readonly day: string; readonly time: string };
  value: number;
  onChange: (instant: number) => void;
};

/** A day and a time in Germany. `onChange` gets instants only, while a text that is none stays in its field. */
export function InstantFields({ labels, value, onChange }: Props) {
  const [day, setDay] = useState<string>(dayOf(value));
  const [time, setTime] = useState(formatLocalTime(value).slice(-'hh:mm'.length));
  const take = (typedDay: string, typedTime: string) => {
    setDay(typedDay);
    setTime(typedTime);
    const instant = parseLocal(typedDay, typedTime);
    if (instant !== null) onChange(instant);
  };
  return (
    <div className="grid grid-cols-[minmax(0,11rem)_minmax(0,6rem)] gap-3">
      <DateField name="as_of_day" label={labels.day} value={day} onChange={(next) => take(next, time)} />
      <TextField
        name="as_of"
        label={labels.time}
        inputMode="numeric"
        autoComplete="off"
        value={time}
        onChange={(next) => take(day, next)}
      />
    </div>
  );
}
