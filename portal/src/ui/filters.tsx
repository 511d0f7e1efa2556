import { LIMITS } from '@saldo/api';
import { addDays, type DeliveryDay } from '@saldo/core/delivery-day.ts';
import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useId, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { loadPart } from '../session/connection.ts';
import { Button, IconButton } from './button.tsx';
import { cx } from './cx.ts';
import { DateInput } from './date-input.tsx';
import { addMonths } from './delivery-period.ts';
import { inputClass, type Option } from './form.tsx';
import { typing } from './typing.ts';
import { useMedia } from './use-media.ts';
import { TYPING_PAUSE_MS } from './use-settled.ts';

type FilterBarProps = {
  onClear: () => void;
  isFiltered: boolean;
  /** What the page is about, such as its day: shown on every screen. */
  lead?: ReactNode;
  children: ReactNode;
};

/** The breakpoint `sm` of the styles. */
const WIDE = '(min-width: 40rem)';

/**
 * The filters of a list. They are stored in the URL, so that a view can be shared. On a phone they would fill the screen:
 * a button shows them.
 */
export function FilterBar({ onClear, isFiltered, lead, children }: FilterBarProps) {
  const { t } = useI18n();
  const isWide = useMedia(WIDE);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <search aria-label={t.common.filters} className="flex flex-wrap items-end gap-x-3 gap-y-2">
      {lead}
      {!isWide && (
        <Button icon="filter" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t.common.filters}
        </Button>
      )}
      {(isWide || isOpen) && (
        <>
          {children}
          {/* As wide as its button, so that the one after it does not move to another line. */}
          <Suspense fallback={isFiltered && <span className="w-40" />}>
            <SavedViews isFiltered={isFiltered} onClear={onClear} hasSubject={lead !== undefined} />
          </Suspense>
        </>
      )}
      {isFiltered && (
        <Button variant="quiet" icon="close" onClick={onClear}>
          {t.common.clearFilters}
        </Button>
      )}
    </search>
  );
}

/** Not loaded with the first page, which has tables of the lists. */
export const loadSavedViews = () => loadPart(() => import('./saved-view-picker.tsx'));

const SavedViews = lazy(async () => ({ default: (await loadSavedViews()).SavedViews }));

type LabelledProps = { label: string; className?: string; children: (id: string) => ReactNode };

function Labelled({ label, className, children }: LabelledProps) {
  const id = useId();
  return (
    <div className={cx('grid min-w-0 gap-0.5', className)}>
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      {children(id)}
    </div>
  );
}

type SelectFilterProps<V extends string> = {
  label: string;
  value: V | undefined;
  options: readonly Option<V>[];
  onChange: (value: V | undefined) => void;
  /** The label of the empty option. */
  anyLabel?: string;
  /** The options are sentences. */
  isWide?: boolean;
};

export function SelectFilter<V extends string>({
  label,
  value,
  options,
  onChange,
  anyLabel,
  isWide = false,
}: SelectFilterProps<V>) {
  const { t } = useI18n();
  return (
    // Its options may be loaded later, and the fields beside it do not move then.
    <Labelled label={label} className={isWide ? 'w-60' : 'w-36'}>
      {(id) => (
        <select
          id={id}
          className={inputClass()}
          value={value ?? ''}
          onChange={(event) => onChange(event.target.value === '' ? undefined : (event.target.value as V))}
        >
          <option value="">{anyLabel ?? t.common.any}</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

type TextFilterProps = {
  label: string;
  value: string | undefined;
  placeholder?: string;
  maxLength: number;
  onChange: (value: string | undefined) => void;
};

/** Free text: debounced. */
export function TextFilter({ label, value = '', placeholder, maxLength, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    // The filters were cleared or the URL changed: discard the typed text.
    setKnown(value);
    setTyped(value);
  }
  const take = useEffectEvent(() => onChange(typed.trim() === '' ? undefined : typed));
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(take, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <Labelled label={label}>
      {(id) => (
        <input
          id={id}
          type="search"
          className={inputClass()}
          value={typed}
          placeholder={placeholder}
          maxLength={maxLength}
          {...typing(setTyped)}
        />
      )}
    </Labelled>
  );
}

type SearchFilterProps = Pick<TextFilterProps, 'value' | 'onChange'> & { hint: string };

/** Searches a list by a part of its texts, which the hint names. */
export function SearchFilter({ hint, ...rest }: SearchFilterProps) {
  const { t } = useI18n();
  return <TextFilter label={t.common.search} placeholder={hint} maxLength={LIMITS.searchLength} {...rest} />;
}

export function DayFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: DeliveryDay | undefined;
  onChange: (day: DeliveryDay | undefined) => void;
}) {
  return (
    <Labelled label={label}>
      {(id) => (
        <DateInput
          id={id}
          className={inputClass()}
          value={value ?? ''}
          onChange={(day) => onChange(day === '' ? undefined : day)}
        />
      )}
    </Labelled>
  );
}

/** One delivery day, with buttons for the previous and next day, today and tomorrow. */
export function DayPicker({
  value,
  today,
  onChange,
}: {
  value: DeliveryDay;
  today: DeliveryDay;
  onChange: (day: DeliveryDay) => void;
}) {
  const { t } = useI18n();
  return (
    <Labelled label={t.common.day}>
      {(id) => (
        <div className="flex flex-wrap items-center gap-1">
          <IconButton icon="left" label={t.common.previousDay} onClick={() => onChange(addDays(value, -1))} />
          <div className="w-36 sm:w-40">
            <DateInput
              id={id}
              className={inputClass()}
              value={value}
              onChange={(day) => day !== '' && onChange(day)}
            />
          </div>
          <IconButton icon="right" label={t.common.nextDay} onClick={() => onChange(addDays(value, 1))} />
          <Button variant="quiet" aria-pressed={value === today} onClick={() => onChange(today)}>
            {t.common.today}
          </Button>
          <Button
            variant="quiet"
            aria-pressed={value === addDays(today, 1)}
            onClick={() => onChange(addDays(today, 1))}
          >
            {t.common.tomorrow}
          </Button>
        </div>
      )}
    </Labelled>
  );
}

export function MonthPicker({ value, onChange }: { value: string; onChange: (month: string) => void }) {
  const { t } = useI18n();
  return (
    <Labelled label={t.common.month}>
      {(id) => (
        <div className="flex items-center gap-1">
          <IconButton
            icon="left"
            label={t.common.previousMonth}
            onClick={() => onChange(addMonths(value, -1))}
          />
          <div className="w-28">
            <DateInput
              id={id}
              kind="month"
              className={inputClass()}
              value={value}
              onChange={(month) => month !== '' && onChange(month)}
            />
          </div>
          <IconButton icon="right" label={t.common.nextMonth} onClick={() => onChange(addMonths(value, 1))} />
        </div>
      )}
    </Labelled>
  );
}
