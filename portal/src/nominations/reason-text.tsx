import type { Reconciliation } from '@saldo/api';
import { REASONS } from '@saldo/core/messages/reasons.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { Badge } from '../ui/badge.tsx';
import { SCHEDULE_TEXTS } from './schedule-texts.ts';

/** The code in the page's language, and what the TSO wrote in addition. */
export function ReasonText({ reason: { code, text } }: { reason: Reconciliation['reasons'][number] }) {
  const { language, format } = useI18n();
  const known: Readonly<Record<string, (typeof REASONS)[keyof typeof REASONS]>> = REASONS;
  const meaning = known[`reason.${code}`] ?? REASONS['reason.unknown'];
  const isOwnText = !Object.values<string>(meaning).includes(text);
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2 in-[td]:min-w-52">
      <Badge>{code}</Badge>
      <span>{meaning[language]}</span>
      {isOwnText && <span className="text-muted">{SCHEDULE_TEXTS[format.language].tsoText(text)}</span>}
    </span>
  );
}
