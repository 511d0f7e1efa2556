import type { ReactNode } from 'react';

const TONES = {
  neutral: 'bg-sunken text-muted',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent-strong',
  out: 'bg-out-soft text-out',
  in: 'bg-in-soft text-in',
};
export type Tone = keyof typeof TONES;

/** A status in one word. The colour carries no information of its own. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs font-medium sm:whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}
