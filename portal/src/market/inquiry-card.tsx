import type { Inquiry } from '@saldo/api';
import type { ComponentProps, ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { usePermission } from '../session/session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Panel } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { Instant } from '../ui/time.tsx';
import { INQUIRY_TEXTS } from './inquiry-texts.ts';

/** Colour marks what waits for an answer. */
const TONES: Record<Inquiry['status'], Tone> = { open: 'warn', answered: 'neutral', closed: 'neutral' };

type CardProps = {
  /** The offer or demand, as a link where it has a page. */
  about: ReactNode;
  from?: ReactNode;
  /** What can be done with an inquiry that is not closed. */
  actions: ReactNode;
};

type Props = {
  query: ComponentProps<typeof PagedList<{ readonly inquiries: readonly Inquiry[] }, Inquiry>>['query'];
  empty: ReactNode;
  cardOf: (inquiry: Inquiry) => CardProps;
};

/** The inquiries of an account, or for the operator those of all. */
export function InquiryList({ query, empty, cardOf }: Props) {
  const mayChange = usePermission('member');
  return (
    <Panel isFlush>
      <PagedList query={query} recordsOf={(page) => page.inquiries} empty={empty}>
        {(inquiries) =>
          inquiries.map((inquiry) => {
            const { actions, ...card } = cardOf(inquiry);
            const isOpen = mayChange && inquiry.status !== 'closed';
            return <InquiryCard key={inquiry.id} inquiry={inquiry} {...card} actions={isOpen && actions} />;
          })
        }
      </PagedList>
    </Panel>
  );
}

/** An inquiry with its answer. */
function InquiryCard({ inquiry, about, from, actions }: CardProps & { inquiry: Inquiry }) {
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
