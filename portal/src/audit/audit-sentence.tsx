import { AUDIT_ACTIONS, type AuditEntry, type MessageType, type Tso } from '@saldo/api';
import type { Language } from '@saldo/core/messages/language.ts';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { contractNameQuery, seriesNameQuery } from '../activity/queries.ts';
import { dayText } from '../calendar/day-text.ts';
import type { Dictionary } from '../i18n/dictionary.ts';
import type { Format } from '../i18n/format.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { SubjectTarget } from '../references/subject-link.tsx';
import { changedMembers, partsOf, recordOf, sentenceOf } from './audit-entry.ts';
import { AUDIT_TEXTS } from './audit-texts.ts';

type Texts = { readonly t: Dictionary; readonly format: Format };

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** TSO and delivery day of a message or an alarm. */
function about(record: Readonly<Record<string, unknown>>, { t, format }: Texts): string[] {
  const [tso, day] = [text(record.tso), text(record.delivery_date)];
  return [...(tso ? [t.common.tsos[tso as Tso] ?? tso] : []), ...(day ? [dayText(day, format)] : [])];
}

/** The record of an entry in words: its name then, or what identifies it. */
function whatOf(entry: AuditEntry, texts: Texts): string {
  const { t, format } = texts;
  const record = recordOf(entry);
  const { volumes, messages, results } = AUDIT_TEXTS[format.language];
  switch (entry.action) {
    case 'clock.set':
      return format.dateTime(String(record.now));
    case 'profiles.run':
    case 'series_values.imported':
    case 'series_values.import_broken_off':
    case 'volumes.imported':
    case 'volumes.import_broken_off':
      return volumes(format.number(number(record.created)), format.number(number(record.corrected)));
    case 'user.sign_in_failed':
      return results[String(record.result) as keyof typeof results] ?? String(record.result);
    case 'interchange.received':
      return [text(record.sender), text(record.reference)].filter(Boolean).join(' · ') || entry.subject;
    case 'schedules.sent':
      return messages(Array.isArray(record.messages) ? record.messages.length : 0);
    case 'message.received':
    case 'status.requested': {
      const type = t.exchange.message.types[String(record.type) as MessageType] ?? record.type;
      return [type, ...about(record, texts)].join(' · ');
    }
    case 'alarm.acknowledged': {
      const kinds: Readonly<Record<string, string>> = t.exchange.alarm.kinds;
      return [kinds[String(record.kind)] ?? record.kind, ...about(record, texts)].join(' · ');
    }
  }
  if (entry.action.startsWith('demand.'))
    return `${format.number(number(record.delivery_volume))} MWh, ${format.country(String(record.country))}`;
  const isUser = entry.subject === entry.actor;
  return (
    text(record.name) ??
    text(record.external_id) ??
    text(record.url) ??
    (isUser ? whoOf(entry) : entry.subject)
  );
}

const whoOf = ({ actor, actor_name }: AuditEntry): string => actor_name ?? actor;

function fieldsOf(entry: AuditEntry, { t }: Texts): string {
  const names: Readonly<Record<string, string>> = t.activity.members;
  return changedMembers(entry)
    .map((name) => names[name] ?? name)
    .join(', ');
}

const templateOf = (entry: AuditEntry, { format }: Texts): string => {
  const sentence = sentenceOf(entry);
  return sentence === null
    ? `{who}: ${entry.action} {what}`
    : AUDIT_TEXTS[format.language].sentences[sentence];
};

/** An action in words: its sentence without the user, the record and the fields. */
export function actionName(action: string, language: Language): string {
  const known = AUDIT_ACTIONS.find((one) => one === action);
  if (known === undefined) return action;
  const name = AUDIT_TEXTS[language].sentences[known]
    .replace(/^\{who\} (?:hat )?/, '')
    .replaceAll(/(?: (?:to|auf|by|durch|of|von))?:? \(?\{[a-z]+\}\)?/g, '')
    .replace(/\.$/, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The sentence as plain text, for the export. Contracts and series of written days are named by their id. */
export function auditText(entry: AuditEntry, texts: Texts): string {
  const values: Readonly<Record<string, string>> = {
    '{who}': whoOf(entry),
    '{what}': whatOf(entry, texts),
    '{fields}': fieldsOf(entry, texts),
  };
  return partsOf(templateOf(entry, texts))
    .map((part) => values[part] ?? part)
    .join('');
}

const NAME = 'font-medium';

/** The sentence without links: it is the summary of an entry that can be opened, which must not contain any. */
export function AuditSentence({ entry }: { entry: AuditEntry }) {
  const texts = useI18n();
  const { name } = useRecord(entry);
  const values: Readonly<Record<string, ReactNode>> = {
    '{who}': <strong className={NAME}>{whoOf(entry)}</strong>,
    '{what}': <strong className={NAME}>{name}</strong>,
    '{fields}': fieldsOf(entry, texts),
  };
  return partsOf(templateOf(entry, texts)).map((part, index) => (
    <Fragment key={index}>{values[part] ?? part}</Fragment>
  ));
}

/** The record of the sentence, as a link to its page if it has one. */
export function AuditRecord({ entry }: { entry: AuditEntry }) {
  const { id, name } = useRecord(entry);
  return (
    <SubjectTarget id={id} className={`${NAME} [a&]:text-accent-strong [a&]:hover:underline`}>
      {name}
    </SubjectTarget>
  );
}

/**
 * The id and the name of the record. Entries about volumes and values have the id of their contract or series only, whose
 * name is read.
 */
function useRecord(entry: AuditEntry): { id: string; name: string } {
  const texts = useI18n();
  const written = writtenOf(entry, texts);
  const nameQuery = entry.action === 'series_day.written' ? seriesNameQuery : contractNameQuery;
  const { data: name } = useQuery({ ...nameQuery(written?.id ?? ''), enabled: written !== null });
  if (written === null) return { id: entry.subject, name: whatOf(entry, texts) };
  return { id: written.id, name: `${name ?? written.id} (${written.detail})` };
}

/** The contract or series of a written day or volume, and its day or time. */
function writtenOf(entry: AuditEntry, { format }: Texts): { id: string; detail: string } | null {
  const { contract_id, delivery_date, delivery_start } = recordOf(entry);
  if (entry.action === 'contract_day.written' || entry.action === 'series_day.written')
    return { id: entry.subject, detail: dayText(String(delivery_date), format) };
  if (entry.action === 'transaction.invalidated')
    return { id: String(contract_id), detail: format.dateTime(String(delivery_start)) };
  return null;
}
