import { type KeyboardEvent, useId, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { cx } from './cx.ts';
import { Field, type FieldProps, type Option } from './form.tsx';
import { typing } from './typing.ts';

type Props = Omit<FieldProps, 'children'> & {
  placeholder: string;
  maxLength: number;
  /** The suggestions for the text that is typed now. Null while they are searched. */
  options: readonly Option<string>[] | null;
  /** There are more matches than are shown. */
  hasMore: boolean;
  onSearch: (text: string) => void;
  /** Called with an empty value when the user edits the text of the selection. */
  onChange: (value: string) => void;
};

/** Selects one of many records by a part of its name. */
export function SearchField({
  placeholder,
  maxLength,
  options: found,
  hasMore,
  onSearch,
  onChange,
  ...rest
}: Props) {
  const options = found ?? [];
  const listId = useId();
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [activeValue, setActiveValue] = useState<string | null>(null);
  const active = isOpen ? options.findIndex(({ value }) => value === activeValue) : -1;
  const activeOption = options[active];
  const hasList = isOpen && options.length > 0;
  const type = (typed: string) => {
    setText(typed);
    setIsOpen(true);
    setActiveValue(null);
    onSearch(typed);
    onChange('');
  };
  const choose = ({ value, label }: Option<string>) => {
    setText(label);
    setIsOpen(false);
    onChange(value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setIsOpen(true);
      setActiveValue(options[Math.min(options.length - 1, Math.max(0, active + step))]?.value ?? null);
    } else if (event.key === 'Escape') setIsOpen(false);
    else if (event.key === 'Enter' && (activeOption || (isOpen && found === null))) {
      // Prevents Enter from submitting the form.
      event.preventDefault();
      if (activeOption) choose(activeOption);
    }
  };
  return (
    <Field {...rest}>
      {(control) => (
        <div className="relative">
          <input
            {...control}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={hasList}
            aria-controls={hasList ? listId : undefined}
            aria-activedescendant={activeOption && `${listId}-${active}`}
            autoComplete="off"
            name={rest.name}
            placeholder={placeholder}
            maxLength={maxLength}
            value={text}
            {...typing(type)}
            onClick={() => setIsOpen(true)}
            onBlur={() => setIsOpen(false)}
            onKeyDown={onKeyDown}
          />
          {isOpen && (
            <Found
              id={listId}
              label={rest.label}
              options={options}
              isSearching={found === null}
              hasMore={hasMore}
              active={active}
              onChoose={choose}
            />
          )}
        </div>
      )}
    </Field>
  );
}

type FoundProps = Pick<Props, 'label' | 'hasMore'> & {
  id: string;
  options: readonly Option<string>[];
  isSearching: boolean;
  active: number;
  onChoose: (option: Option<string>) => void;
};

function Found({ id, label, options, isSearching, hasMore, active, onChoose }: FoundProps) {
  const { t } = useI18n();
  const counted = hasMore ? t.common.moreMatches(options.length) : t.common.matches(options.length);
  return (
    <div className="absolute inset-x-0 top-full z-20 mt-1 overflow-hidden rounded-md border border-line-strong bg-surface shadow-lg">
      {options.length > 0 && (
        <div id={id} role="listbox" aria-label={label} className="max-h-60 overflow-y-auto">
          {options.map((option, index) => (
            <div
              key={option.value}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              tabIndex={-1}
              ref={(element) => {
                if (index === active) element?.scrollIntoView({ block: 'nearest' });
              }}
              className={cx(
                'cursor-pointer px-2.5 py-1.5 text-sm',
                index === active ? 'bg-accent-soft' : 'hover:bg-sunken',
              )}
              // Keeps the focus in the field, so that the list stays open until the click.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onChoose(option)}
            >
              {option.label}
            </div>
          ))}
        </div>
      )}
      <p role="status" className="border-t border-line px-2.5 py-1 text-xs text-muted">
        {isSearching ? t.common.searching : counted}
      </p>
    </div>
  );
}
