import type { Customer, CustomerPreview, OperatorCustomerUpdate } from '@saldo/api';
import { kwhFromMwh } from '@saldo/core/energy.ts';
import { isProblem } from '@saldo/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Dictionary } from '../i18n/dictionary.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { GroupName } from '../references/group-name.tsx';
import { reader } from '../session/reader.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { ifMatchOf } from '../session/versions.ts';
import { ConflictNotice } from '../ui/conflict.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Fact, Facts } from '../ui/page.tsx';
import { Notice, Skeleton } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { type CustomerUpdate, describeCustomer, useCustomerUpdate } from './customer-update.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

type Shown = {
  readonly effect: CustomerPreview;
  /** A gate has closed since the preview that was confirmed. */
  readonly isPostponed: boolean;
};

type CustomerChange = ReturnType<typeof useCustomerChange>;

/**
 * A change with effects on nominations: `ask` previews it, `confirm` sends it. If the effective day has changed since the
 * preview, `confirm` shows the new preview instead.
 */
export function useCustomerChange(
  customer: Customer,
  etag: string | null,
  done: (customer: Customer) => void,
) {
  const refresh = useRefresh();
  const [asked, setAsked] = useState<CustomerUpdate | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const preview = useMutation({
    mutationFn: (next: CustomerUpdate) =>
      reader().customers.preview(next.customer.id, next.change, ifMatchOf(next.etag)),
    onError: (error, next) => {
      if (isProblem(error, 'precondition_failed'))
        void refresh(['customer', next.customer.id], ['customers']);
    },
  });
  const update = useCustomerUpdate((changed) => {
    cancel();
    done(changed);
  });
  const ask = (change: OperatorCustomerUpdate) => {
    cancel();
    const next = { change, customer, etag };
    setAsked(next);
    preview.mutate(next, { onSuccess: (effect) => setShown({ effect, isPostponed: false }) });
  };
  const confirm = () => {
    if (asked === null || shown === null) return;
    update.reset();
    preview.mutate(asked, {
      onSuccess: (effect) => {
        const isPostponed = effect.effective_day !== shown.effect.effective_day;
        if (isPostponed) setShown({ effect, isPostponed });
        else update.mutate(asked);
      },
    });
  };
  const cancel = () => {
    setAsked(null);
    setShown(null);
    preview.reset();
    update.reset();
  };
  const error = preview.error ?? update.error;
  return {
    /** The change that is being previewed or awaits confirmation. */
    asked: asked?.change ?? null,
    /** Whether the preview was rejected, so that there is nothing to confirm. */
    isRejected: shown === null && error !== null,
    shown,
    error,
    /** The customer, and the version that the change started from if others have changed it since. */
    customer,
    started: asked !== null && isProblem(error, 'precondition_failed') ? asked.customer : null,
    isBusy: preview.isPending || update.isPending,
    ask,
    confirm,
    cancel,
  };
}

type DialogProps = {
  title: string;
  text: string;
  action: string;
  isDangerous?: boolean;
  change: CustomerChange;
};

/** Shows what a change will do, and sends it only after confirmation. */
export function CustomerChangeDialog({ title, text, action, isDangerous = false, change }: DialogProps) {
  const { t } = useI18n();
  const { shown, error, customer, started } = change;
  return (
    <ConfirmDialog
      title={title}
      text={text}
      action={action}
      isDangerous={isDangerous}
      isReady={shown !== null}
      isOver={started !== null}
      isBusy={change.isBusy}
      error={started === null ? error : null}
      onConfirm={change.confirm}
      onClose={change.cancel}
    >
      <ConflictNotice
        recordId={customer.id}
        started={started}
        current={customer}
        describe={describeCustomer(t)}
      />
      {started === null && (shown === null ? !error && <Skeleton lines={4} /> : <Effect {...shown} />)}
    </ConfirmDialog>
  );
}

function Effect({ effect, isPostponed }: Shown) {
  const { t, format } = useI18n();
  const texts = CUSTOMER_TEXTS[t.language].effect;
  const { effective_day, contracts, transactions, nominations, nominations_total, energy } = effect;
  return (
    <div className="grid gap-3" aria-live="polite">
      {isPostponed && <Notice tone="warn">{texts.postponed(format.day(effective_day))}</Notice>}
      <Facts>
        <Fact label={texts.from}>
          <strong>{format.dayLong(effective_day)}</strong>
        </Fact>
        <Fact label={texts.changes}>{texts.counts(contracts, format.number(transactions))}</Fact>
      </Facts>
      {energy.length > 0 && <Energy energy={energy} />}
      <p className="text-sm font-medium">
        {nominations_total === 0
          ? texts.noNominations
          : texts.nominations(nominations_total, format.number(nominations_total))}
      </p>
      {nominations_total > 0 && <Nominations nominations={nominations} />}
      {nominations.length < nominations_total && (
        <p className="text-xs text-muted">{texts.firstNominations(nominations.length)}</p>
      )}
    </div>
  );
}

type PreviewedNomination = CustomerPreview['nominations'][number];
type PreviewedEnergy = CustomerPreview['energy'][number];

const seriesColumns = (t: Dictionary): readonly Column<Omit<PreviewedNomination, 'delivery_date'>>[] => [
  {
    id: 'group',
    header: t.common.balanceGroup,
    cell: ({ eic }) => <GroupName eic={eic} />,
  },
  { id: 'tso', header: t.common.controlArea, cell: ({ tso }) => t.common.tsos[tso] },
  {
    id: 'direction',
    header: t.common.direction,
    from: 'sm',
    cell: ({ direction }) => t.common.directions[direction],
  },
];

function Energy({ energy }: { energy: readonly PreviewedEnergy[] }) {
  const { t, format } = useI18n();
  const texts = CUSTOMER_TEXTS[t.language].effect;
  const columns: readonly Column<PreviewedEnergy>[] = [
    ...seriesColumns(t),
    ...(['before', 'after'] as const).map(
      (id): Column<PreviewedEnergy> => ({
        id,
        header: texts[id],
        isNumber: true,
        cell: (row) => format.mwh(kwhFromMwh(row[id])),
      }),
    ),
  ];
  return (
    <div className="max-h-56 overflow-y-auto rounded-md border border-line">
      <DataTable
        label={texts.energy}
        columns={columns}
        rows={energy}
        rowKey={({ eic, tso, direction }) => `${eic}${tso}${direction}`}
      />
    </div>
  );
}

function Nominations({ nominations }: { nominations: readonly PreviewedNomination[] }) {
  const { t, format } = useI18n();
  const columns: readonly Column<PreviewedNomination>[] = [
    { id: 'day', header: t.common.day, cell: ({ delivery_date }) => format.dayShort(delivery_date) },
    ...seriesColumns(t),
  ];
  return (
    <div className="max-h-56 overflow-y-auto rounded-md border border-line">
      <DataTable
        label={CUSTOMER_TEXTS[t.language].effect.newVersions}
        columns={columns}
        rows={nominations}
        rowKey={({ delivery_date, eic, tso, direction }) => `${delivery_date}${eic}${tso}${direction}`}
      />
    </div>
  );
}
