import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { cx } from './cx.ts';
import { Icon, type IconName } from './icons.tsx';

const VARIANTS = {
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border-line-strong bg-surface text-text hover:bg-sunken',
  quiet: 'border-transparent text-muted hover:bg-sunken hover:text-text',
  danger: 'border-transparent bg-bad text-surface hover:opacity-90',
};
export type ButtonVariant = keyof typeof VARIANTS;

/** The style of a button, for links that look like one. */
export const buttonClass = (variant: ButtonVariant = 'secondary'): string =>
  cx(
    'inline-flex min-h-8 touch:min-h-10 items-center justify-center gap-1.5 rounded-md border px-2.5 py-1 text-sm font-medium whitespace-nowrap',
    'disabled:cursor-not-allowed disabled:opacity-50',
    VARIANTS[variant],
  );

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> & {
  variant?: ButtonVariant;
  icon?: IconName;
  /** Work is in progress; the button is disabled. */
  isBusy?: boolean;
  children?: ReactNode;
};

export function Button({ variant = 'secondary', icon, isBusy = false, children, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass(variant)}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || rest['aria-busy']}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** An icon-only button: its label is read by screen readers and shown as a tooltip. */
export function IconButton({
  label,
  icon,
  ...rest
}: Omit<Props, 'children'> & { label: string; icon: IconName }) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={cx(
        'inline-flex size-8 touch:size-10 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text',
        'disabled:cursor-not-allowed disabled:opacity-40',
      )}
    >
      <Icon name={icon} />
    </button>
  );
}
