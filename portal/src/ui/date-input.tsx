import { addDays } from '@saldo/core/delivery-day.ts';
import { type InputHTMLAttributes, type KeyboardEvent, useRef, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { IconButton } from './button.tsx';
import { addMonths } from './delivery-period.ts';
import { formatTypedDate, parseTypedDay, parseTypedMonth } from './typed-date.ts';
import { typing } from './typing.ts';

type Props = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'id' | 'className' | 'name' | 'required' | 'min' | 'aria-describedby' | 'aria-invalid'
> & {
  kind?: 'day' | 'month';
  /** ISO, or empty. */
  value: string;
  /** Called with an empty text while what is typed is no date. */
  onChange: (value: string) => void;
};

/**
 * A date in the format of the page's language: a native date input has that of the browser. The calendar is the
 * browser's. Arrow keys step by a day or a month. Text that is no date makes the input invalid, which keeps its form from
 * being sent.
 */
export function DateInput({ kind = 'day', value, min, onChange, ...control }: Props) {
  const { t, format } = useI18n();
  const calendar = useRef<HTMLInputElement>(null);
  const written = (date: string) => formatTypedDate(date, format.dateMark);
  const [text, setText] = useState(written(value));
  const [seen, setSeen] = useState(value);
  const [isLeft, setIsLeft] = useState(true);
  const parse = kind === 'day' ? parseTypedDay : parseTypedMonth;
  if (value !== seen) {
    setSeen(value);
    // Changed elsewhere, such as by a button for the next day: discard the typed text.
    if (value !== (parse(text) ?? '')) setText(written(value));
  }
  const take = (typed: string) => {
    const date = parse(typed) ?? '';
    setText(typed);
    if (date !== value) onChange(date);
  };
  const stepBy = (event: KeyboardEvent) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const date = parse(text);
    if (step === undefined || date === null) return;
    event.preventDefault();
    const next = kind === 'day' ? addDays(date, step) : addMonths(date, step);
    setText(written(next));
    // Not compared with `value`, which is older while the page changes its address.
    onChange(next);
  };
  const isWrong = text.trim() !== '' && parse(text) === null;
  const shape = t.common.dateShapes[kind];
  return (
    <span className="flex min-w-0 items-center gap-1">
      <input
        {...control}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        placeholder={shape}
        value={text}
        aria-invalid={(isWrong && isLeft) || control['aria-invalid'] ? true : undefined}
        title={isWrong ? t.common.wrongDate(shape) : undefined}
        ref={(input) => input?.setCustomValidity(isWrong ? t.common.wrongDate(shape) : '')}
        {...typing(take)}
        onKeyDown={stepBy}
        onFocus={() => setIsLeft(false)}
        onBlur={() => {
          setIsLeft(true);
          if (!isWrong) setText(written(parse(text) ?? value));
        }}
      />
      {kind === 'day' && (
        <span className="relative">
          <input
            ref={calendar}
            type="date"
            tabIndex={-1}
            aria-hidden="true"
            className="pointer-events-none absolute inset-0 size-full opacity-0"
            min={min}
            value={value}
            onChange={(event) => take(written(event.target.value))}
          />
          <IconButton
            icon="calendar"
            label={t.common.openCalendar}
            onClick={() => calendar.current?.showPicker()}
          />
        </span>
      )}
    </span>
  );
}
