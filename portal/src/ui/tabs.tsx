import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { flushSync } from 'react-dom';
import { cx } from './cx.ts';

type Tab<V extends string> = { readonly value: V; readonly label: ReactNode };

type Props<V extends string> = {
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange: (value: V) => void;
  children: ReactNode;
};

/** Tabs: several views of the same record. Arrow keys, Home and End move between them. */
export function Tabs<V extends string>({ label, tabs, value, onChange, children }: Props<V>) {
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const index = tabs.findIndex((tab) => tab.value === value);
    const target = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: -1 }[event.key];
    const next = target === undefined ? undefined : tabs.at(target % tabs.length);
    if (!next) return;
    event.preventDefault();
    onChange(next.value);
    document.getElementById(`${id}-${next.value}`)?.focus();
  };
  return (
    <div>
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        className="flex gap-1 border-b border-line px-3"
      >
        {tabs.map((tab) => {
          const isSelected = tab.value === value;
          return (
            <button
              key={tab.value}
              id={`${id}-${tab.value}`}
              type="button"
              role="tab"
              aria-selected={isSelected}
              aria-controls={`${id}-panel`}
              tabIndex={isSelected ? 0 : -1}
              onClick={() => onChange(tab.value)}
              className={cx(
                '-mb-px border-b-2 px-2.5 py-2 text-sm font-medium -outline-offset-2',
                isSelected ? 'border-accent text-text' : 'border-transparent text-muted hover:text-text',
              )}
            >
              {tab.label}
            </button>
          );
        })}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${value}`}>
        {children}
      </div>
    </div>
  );
}

/** A choice of two or three options that takes effect immediately, before a script can press the next button. */
export function Segments<V extends string>({ label, tabs, value, onChange }: Omit<Props<V>, 'children'>) {
  return (
    <div role="group" aria-label={label} className="inline-flex rounded-md border border-line-strong p-0.5">
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          aria-pressed={tab.value === value}
          onClick={() => flushSync(() => onChange(tab.value))}
          className={cx(
            'target rounded px-2 py-0.5 text-sm touch:min-h-9',
            tab.value === value ? 'bg-accent text-on-accent' : 'text-muted hover:text-text',
          )}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
