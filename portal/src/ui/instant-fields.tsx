import { dayOf, formatLocalTime } from '@saldo/core/delivery-day.ts';
import { useState } from 'react';
import { DateField, TextField } from './form.tsx';
import { parseLocal } from './typed-instant.ts';

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
