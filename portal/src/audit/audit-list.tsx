import type { AuditEntry } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { SubjectLink } from '../references/subject-link.tsx';
import { Badge } from '../ui/badge.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { AuditRecord, AuditSentence } from './audit-sentence.tsx';
import { AUDIT_TEXTS } from './audit-texts.ts';
import { type Difference, differencesOf } from './difference.ts';

/** Audit events in sentences; each expands to its changes. */
export function AuditList({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <ul className="divide-y divide-line">
      {entries.map((entry) => (
        <li key={entry.id}>
          <Entry entry={entry} />
        </li>
      ))}
    </ul>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { t } = useI18n();
  const texts = AUDIT_TEXTS[t.language];
  const differences = differencesOf(entry.before, entry.after);
  return (
    <details className="group text-sm open:bg-sunken/50">
      <summary className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken/70">
        <span className="w-36 shrink-0 text-xs text-muted">
          <Instant at={entry.at} />
        </span>
        <span className="min-w-0 flex-1 basis-64 break-words">
          <AuditSentence entry={entry} />
        </span>
        {differences.length > 0 && (
          <span className="text-xs text-muted">{texts.fields(differences.length)}</span>
        )}
      </summary>
      <div className="grid gap-3 border-t border-line px-4 py-3">
        <dl className="flex flex-wrap gap-x-8 gap-y-1 text-xs">
          <div>
            <dt className="text-muted">{texts.action}</dt>
            <dd>
              <Badge tone={toneOf(entry.action)}>{entry.action}</Badge>
            </dd>
          </div>
          <div className="min-w-0">
            <dt className="text-muted">{texts.subject}</dt>
            <dd className="grid justify-items-start">
              <AuditRecord entry={entry} />
              <SubjectLink id={entry.subject} />
            </dd>
          </div>
          <Named label={texts.actor} id={entry.actor} />
          {entry.request_id !== null && <Named label={t.common.errorRequestId} id={entry.request_id} />}
          {entry.address !== null && <Text label={texts.address} text={entry.address} />}
          {entry.user_agent !== null && <Text label={texts.userAgent} text={entry.user_agent} />}
        </dl>
        {differences.length > 0 && <Differences differences={differences} />}
      </div>
    </details>
  );
}

function Named({ label, id }: { label: string; id: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{label}</dt>
      <dd>
        <SubjectLink id={id} />
      </dd>
    </div>
  );
}

function Text({ label, text }: { label: string; text: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{label}</dt>
      <dd className="break-words">{text}</dd>
    </div>
  );
}

function toneOf(action: string): 'neutral' | 'bad' {
  const verb = action.slice(action.lastIndexOf('.') + 1);
  return /^(?:deleted|revoked|invalidated|disabled|rejected|sign_in_failed)$/.test(verb) ? 'bad' : 'neutral';
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function Differences({ differences }: { differences: readonly Difference[] }) {
  const { t } = useI18n();
  const texts = AUDIT_TEXTS[t.language];
  const columns: readonly Column<Difference>[] = [
    { id: 'field', header: texts.field, cell: ({ path }) => <code className="font-mono">{path}</code> },
    {
      id: 'before',
      header: t.brp.nominations.before,
      cell: ({ before }) => <span className="block min-w-36 break-all text-bad">{textOf(before)}</span>,
    },
    {
      id: 'after',
      header: t.brp.nominations.after,
      cell: ({ after }) => <span className="block min-w-36 break-all text-ok">{textOf(after)}</span>,
    },
  ];
  return (
    <div className="overflow-hidden rounded-md border border-line bg-surface">
      <DataTable label={texts.changes} columns={columns} rows={differences} rowKey={({ path }) => path} />
    </div>
  );
}
