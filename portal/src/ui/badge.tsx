import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

const TONES = {
  neutral: 'px-1.5 bg-sunken text-muted',
  ok: 'text-muted',
  warn: 'px-1.5 bg-warn-soft text-warn',
  bad: 'px-1.5 bg-bad-soft text-bad',
  accent: 'px-1.5 bg-accent-soft text-accent-strong',
};
export type Tone = keyof typeof TONES;

type Props = {
  tone?: Tone;
  /** Follows the size of the text around it, which is large on a wall display. */
  isScaled?: boolean;
  children: ReactNode;
};

/**
 * A status in one word. The colour carries no information of its own. Only exceptions have one: what is as it should be is
 * a grey tick, and what waits is `warn` on every page.
 */
export function Badge({ tone = 'neutral', isScaled = false, children }: Props) {
  const size = isScaled ? 'text-[0.85em]/normal' : 'text-xs/5';
  return (
    <span
      className={`inline-flex items-center gap-1 rounded font-medium sm:whitespace-nowrap ${size} ${TONES[tone]}`}
    >
      {tone === 'ok' && <Icon name="check" className="size-3.5" />}
      {children}
    </span>
  );
}
