import type { Contract, CustomerStatus, Nomination, Transaction } from '@saldo/api';
import { useI18n } from '../i18n/i18n.tsx';
import { useSession } from '../session/session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';

const NOMINATION_TONES: Readonly<Record<Nomination['status'], Tone>> = {
  pending: 'warn',
  partial_match: 'bad',
  match: 'ok',
  superseded: 'neutral',
};

/** Whether the TSO has confirmed another amount in every quarter-hour. */
const isAllDifferent = ({ slots = [] }: Nomination): boolean =>
  slots.length > 0 &&
  slots.every(({ amount, matched_amount }) => matched_amount != null && matched_amount !== amount);

type NominationProps = {
  nomination: Nomination;
  /** Whether the TSO has rejected the schedule of a pending nomination. */
  isRejected?: boolean;
};

/** Status of a nomination, and for a pending one whether it has been sent or rejected. */
export function NominationBadges({ nomination, isRejected = false }: NominationProps) {
  const { t } = useI18n();
  const { status, sent_at } = nomination;
  const isBrp = useSession().user.role === 'brp';
  if (isRejected) return <Badge tone="bad">{t.brp.nominations.rejected}</Badge>;
  return (
    <span className="inline-flex flex-wrap gap-1 xl:flex-nowrap">
      {/* On a phone, a pending nomination shows only its sending state. */}
      <span className={cx('inline-flex', status === 'pending' && 'max-sm:hidden')}>
        <Badge tone={NOMINATION_TONES[status]}>
          {status === 'partial_match' && isAllDifferent(nomination)
            ? t.brp.nominations.allDiffer
            : t.brp.nominations.statuses[status]}
        </Badge>
      </span>
      {status === 'pending' && (
        <Badge tone={sent_at ? 'neutral' : 'warn'}>
          {sent_at
            ? isBrp
              ? t.brp.nominations.sentByOperator
              : t.brp.nominations.sentState
            : t.brp.nominations.unsent}
        </Badge>
      )}
    </span>
  );
}

/** The arrow of a direction, in its colour of the charts. */
export function DirectionArrow({ direction }: Pick<Nomination, 'direction'>) {
  return (
    <span aria-hidden="true" className={`font-medium ${direction === 'out' ? 'text-out' : 'text-in'}`}>
      {direction === 'out' ? '↗ ' : '↙ '}
    </span>
  );
}

export function DirectionText({ direction }: Pick<Nomination, 'direction'>) {
  const { t } = useI18n();
  return (
    <span className="text-sm font-normal whitespace-nowrap">
      <DirectionArrow direction={direction} />
      {t.common.directions[direction]}
    </span>
  );
}

const CONTRACT_TONES: Readonly<Record<Contract['status'], Tone>> = {
  pending: 'warn',
  in_progress: 'ok',
  completed: 'neutral',
};

export function ContractBadge({ status }: Pick<Contract, 'status'>) {
  const { t } = useI18n();
  return <Badge tone={CONTRACT_TONES[status]}>{t.brp.contracts.statuses[status]}</Badge>;
}

const TRANSACTION_TONES: Readonly<Record<Transaction['status'], Tone>> = {
  valid: 'ok',
  invalid: 'bad',
  superseded: 'neutral',
};

export function TransactionBadge({ status }: Pick<Transaction, 'status'>) {
  const { t } = useI18n();
  return <Badge tone={TRANSACTION_TONES[status]}>{t.brp.transactions.statuses[status]}</Badge>;
}

const CUSTOMER_TONES: Readonly<Record<CustomerStatus, Tone>> = {
  pending: 'warn',
  active: 'ok',
  deactivated: 'neutral',
};

export function CustomerBadge({ status }: { status: CustomerStatus }) {
  const { t } = useI18n();
  return <Badge tone={CUSTOMER_TONES[status]}>{t.brp.customers.statuses[status]}</Badge>;
}
