import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { cx } from './cx.ts';
import { useTitle } from './use-title.ts';

type PageProps = {
  /** The title of the window. */
  title: string;
  /** The heading, if it differs from the title. */
  heading?: ReactNode;
  /** Additional content next to the heading. */
  badges?: ReactNode;
  /** Breadcrumbs above the heading. */
  trail?: ReactNode;
  text?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/** A page of the portal: heading, actions, and content. */
export function Page({ title, heading = title, badges, trail, text, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 dense:gap-2">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="min-w-0">
          {trail && <div className="mb-1 text-sm text-muted">{trail}</div>}
          <h1 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xl font-semibold tracking-tight wrap-anywhere">
            {heading}
            {badges}
          </h1>
          {text && <p className="mt-1 max-w-3xl text-sm text-muted">{text}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

type TrailLinkProps = { to: NonNullable<LinkProps['to']>; label: string };

/** The breadcrumb that leads from a record to its list. */
export function TrailLink({ to, label }: TrailLinkProps) {
  return (
    <Link to={to} className="hover:underline">
      {label}
    </Link>
  );
}

type PanelProps = {
  title?: ReactNode;
  text?: ReactNode;
  actions?: ReactNode;
  /** Removes the padding, so that a table reaches the panel's edges. */
  isFlush?: boolean;
  children: ReactNode;
};

/** A section of a page with its own heading. */
export function Panel({ title, text, actions, isFlush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={cx('min-w-0 rounded-lg bg-surface', isFlush && 'overflow-hidden')}
    >
      {title && (
        <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5 dense:py-1.5">
          <div className="min-w-0">
            <h2 id={id} className="text-sm font-semibold">
              {title}
            </h2>
            {text && <p className="mt-0.5 text-sm text-muted">{text}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={cx(!isFlush && 'p-4 dense:p-3')}>{children}</div>
    </section>
  );
}

/** Names and values of one record. The caller omits missing values. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(13rem,100%),1fr))] gap-x-6 gap-y-3 text-sm">
      {children}
    </dl>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="mt-0.5 wrap-anywhere">{children}</dd>
    </div>
  );
}
