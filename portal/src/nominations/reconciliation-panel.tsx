import type { Nomination, Reconciliation } from '@saldo/api';
import { kwFromExactMwh } from '@saldo/core/energy.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { SlotButton } from '../references/slot-button.tsx';
import { Fact, Facts, Panel } from '../ui/page.tsx';
import { Loaded } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Instant } from '../ui/time.tsx';
import { ReasonText } from './reason-text.tsx';
import { explainedSlots } from './schedule-check.ts';
import { SCHEDULE_TEXTS } from './schedule-texts.ts';
import { useReconciliation } from './use-reconciliation.ts';

type Slot = Reconciliation['slots'][number];
type Props = { nomination: Nomination; onSelect: (slot: number) => void };

/** The TSO's answer to a nomination that was sent, with its reasons. Only BRPs have it. */
export function ReconciliationPanel({ nomination, onSelect }: Props) {
  const { format } = useI18n();
  const { isShown, query } = useReconciliation(nomination);
  if (!isShown) return null;
  return (
    <Panel
      title={SCHEDULE_TEXTS[format.language].reconciliation.title}
      text={SCHEDULE_TEXTS[format.language].reconciliation.text}
    >
      <Loaded query={query}>{(found) => <Answer reconciliation={found} onSelect={onSelect} />}</Loaded>
    </Panel>
  );
}

type AnswerProps = { reconciliation: Reconciliation; onSelect: (slot: number) => void };

function Answer({ reconciliation, onSelect }: AnswerProps) {
  const { t, format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].reconciliation;
  const { message_version: version, acknowledged_at, confirmed_at, reasons } = reconciliation;
  const slots = explainedSlots(reconciliation);
  const optionalInstant = (at: string | null) => (at ? <Instant at={at} withUtc /> : t.common.notYet);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Facts>
        {version !== null && <Fact label={texts.schedule}>{texts.version(version)}</Fact>}
        <Fact label={texts.acknowledged}>{optionalInstant(acknowledged_at)}</Fact>
        <Fact label={t.brp.nominations.confirmedAt}>{optionalInstant(confirmed_at)}</Fact>
      </Facts>
      <div className="grid gap-1 text-sm">
        <h3 className="font-semibold">{texts.reasons}</h3>
        {reasons.length === 0 ? (
          <p className="text-muted">
            {acknowledged_at === null && confirmed_at === null
              ? t.brp.nominations.noneMatched
              : texts.noReasons}
          </p>
        ) : (
          <ul className="grid gap-1">
            {reasons.map((reason) => (
              <li key={`${reason.code} ${reason.text}`}>
                <ReasonText reason={reason} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {slots.length > 0 && <SlotTable slots={slots} onSelect={onSelect} />}
    </div>
  );
}

function SlotTable({ slots, onSelect }: { slots: readonly Slot[]; onSelect: (slot: number) => void }) {
  const { t, format } = useI18n();
  const texts = SCHEDULE_TEXTS[format.language].reconciliation;
  const columns: readonly Column<Slot>[] = [
    {
      id: 'slot',
      header: `${t.common.local} (${t.common.berlin})`,
      cell: ({ slot_number, delivery_start }) => (
        <SlotButton slot={slot_number} start={Date.parse(delivery_start)} onSelect={onSelect} />
      ),
    },
    {
      id: 'nominated',
      header: `${t.brp.nominations.nominated} MW`,
      isNumber: true,
      cell: ({ amount }) => format.power(kwFromExactMwh(amount)),
    },
    {
      id: 'matched',
      header: `${t.brp.nominations.matched} MW`,
      isNumber: true,
      cell: ({ matched_amount: matched }) =>
        matched === null ? t.common.notYet : format.power(kwFromExactMwh(matched)),
    },
    {
      id: 'yours',
      header: `${texts.yours} MW`,
      isNumber: true,
      cell: ({ counterpart_amount: yours }) =>
        yours === null ? (
          <span className="text-muted">{texts.unknownAmount}</span>
        ) : (
          format.power(kwFromExactMwh(yours))
        ),
    },
    {
      id: 'difference',
      header: `${texts.difference} MW`,
      isNumber: true,
      from: 'sm',
      cell: ({ difference }) =>
        difference !== null && (
          <span className="font-semibold text-bad">{format.powerSigned(kwFromExactMwh(difference))}</span>
        ),
    },
    {
      id: 'reasons',
      header: texts.reasons,
      cell: ({ reasons }) =>
        reasons.map((reason) => <ReasonText key={`${reason.code} ${reason.text}`} reason={reason} />),
    },
  ];
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-sm font-semibold">{texts.slots}</h3>
      <DataTable
        label={texts.slots}
        columns={columns}
        rows={slots}
        rowKey={({ slot_number }) => String(slot_number)}
        isTall
      />
    </div>
  );
}
