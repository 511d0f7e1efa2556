import type { ReactNode } from 'react';

type Props = {
  label: string;
  value: string;
  unit: string;
  /** What the number is about. */
  note: ReactNode;
};

/** The one number with which an overview begins. */
export function Headline({ label, value, unit, note }: Props) {
  return (
    <dl>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-3xl font-semibold tracking-tight">
          {value}
          <span className="ml-1.5 text-base font-normal tracking-normal text-muted">{unit}</span>
        </span>
        {/* On a phone a line of its own, also while the note is unknown: the page below does not move. */}
        <span className="min-h-5 basis-full text-sm text-muted sm:basis-auto">{note}</span>
      </dd>
    </dl>
  );
}
