import type { Inquiry } from '@saldo/api';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Instant } from '../ui/time.tsx';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';

/** Colour marks what waits for an answer. */
const TONES: Record<Inquiry['status'], Tone> = { open: 'warn', answered: 'neutral', closed: 'neutral' };

type Props = {
  inquiry: Inquiry;
  /** The offer or demand, as a link where it has a page. */
  about: ReactNode;
  from?: ReactNode;
  actions?: ReactNode;
};

/** An inquiry with its answer. */
export function InquiryCard({ inquiry, about, from, actions }: Props) {
  const { format } = useI18n();
  const texts = INQUIRY_TEXTS[format.language];
  const { status, message, answer, answered_at, created_at } = inquiry;
  return (
    <article className="grid gap-3 border-b border-line p-4 last:border-b-0">
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-sm">
        <Badge tone={TONES[status]}>{texts.statuses[status]}</Badge>
        <span className="min-w-0 break-words">
          <span className="text-muted">{`${texts.about} `}</span>
          {about}
        </span>
        {from && (
          <span className="min-w-0 break-words">
            <span className="text-muted">{`${texts.from} `}</span>
            {from}
          </span>
        )}
        <span className="text-xs text-muted">
          <Instant at={created_at} />
        </span>
        <span className="ml-auto flex gap-2">{actions}</span>
      </header>
      <p className="max-w-prose text-sm break-words whitespace-pre-line">{message}</p>
      {answer !== null && answered_at !== null && (
        <div className="max-w-prose border-l-2 border-accent pl-3 text-sm">
          <p className="text-xs text-muted">
            {`${texts.answeredAt} `}
            <Instant at={answered_at} />
          </p>
          <p className="break-words whitespace-pre-line">{answer}</p>
        </div>
      )}
    </article>
  );
}
