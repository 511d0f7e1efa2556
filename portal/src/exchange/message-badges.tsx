import type { Message } from '@saldo/api';
import { Link } from '@tanstack/react-router';
import { useI18n } from '../i18n/i18n.tsx';
import { DirectionArrow } from '../references/badges.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { MESSAGE_TEXTS } from './message-texts.ts';

export const STATE_TONES: Readonly<Record<Message['state'], Tone>> = {
  stored: 'warn',
  sent: 'warn',
  delivered: 'warn',
  acknowledged: 'warn',
  rejected: 'bad',
  confirmed: 'ok',
  applied: 'ok',
  ignored: 'neutral',
  failed: 'bad',
};

export function MessageState({ state }: Pick<Message, 'state'>) {
  const { t } = useI18n();
  return <Badge tone={STATE_TONES[state]}>{t.exchange.message.states[state]}</Badge>;
}

export function MessageDirection({ direction }: Pick<Message, 'direction'>) {
  const { t } = useI18n();
  return (
    <span className="whitespace-nowrap">
      <DirectionArrow direction={direction} />
      {MESSAGE_TEXTS[t.language].directions[direction]}
    </span>
  );
}

/** Link to a message, by kind, TSO and day. */
export function MessageLink({ message }: { message: Message }) {
  const { t, format } = useI18n();
  const { id, type, tso, delivery_date, version } = message;
  const about = [
    tso && t.common.tsos[tso],
    delivery_date && format.dayShort(delivery_date),
    version === null ? null : t.brp.nominations.versionNumber(version),
  ];
  return (
    <Link
      to="/operator/messages/$messageId"
      params={{ messageId: id }}
      className="text-accent-strong hover:underline"
    >
      {[t.exchange.message.types[type], ...about].filter(Boolean).join(' · ')}
    </Link>
  );
}
