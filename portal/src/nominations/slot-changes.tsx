import { sumKwh } from '@saldo/core/energy.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { SlotButton } from '../references/slot-button.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { EVIDENCE_TEXTS } from './evidence-texts.ts';
import type { SlotChange } from './nominated-slots.ts';

type Props = {
  label: string;
  changes: readonly SlotChange[];
  /** Names of both values, without their unit. */
  before: string;
  after: string;
  onSelect?: ((slot: number) => void) | undefined;
};

/** The quarter-hours in which two states differ, with both values and their difference. */
export function SlotChanges({ label, changes, before, after, onSelect }: Props) {
  const { t, format } = useI18n();
  const total = (of: (change: SlotChange) => number) => sumKwh(changes.map(of));
  const columns: readonly Column<SlotChange>[] = [
    {
      id: 'slot',
      header: `${t.common.local} (${t.common.berlin})`,
      cell: (change) =>
        onSelect ? <SlotButton {...change} onSelect={onSelect} /> : format.slot(change.start),
      footer: t.common.sum,
    },
    { id: 'utc', header: t.common.utc, from: 'sm', cell: ({ start }) => format.utcTime(start) },
    {
      id: 'before',
      header: `${before} MWh`,
      isNumber: true,
      cell: ({ beforeKwh }) => format.mwh(beforeKwh),
      footer: format.mwh(total(({ beforeKwh }) => beforeKwh)),
    },
    {
      id: 'after',
      header: `${after} MWh`,
      isNumber: true,
      cell: ({ afterKwh }) => format.mwh(afterKwh),
      footer: format.mwh(total(({ afterKwh }) => afterKwh)),
    },
    {
      id: 'difference',
      header: `${t.brp.nominations.change} MWh`,
      isNumber: true,
      cell: ({ beforeKwh, afterKwh }) => format.mwhSigned(afterKwh - beforeKwh),
      footer: format.mwhSigned(total(({ beforeKwh, afterKwh }) => afterKwh - beforeKwh)),
    },
  ];
  return <DataTable label={label} columns={columns} rows={changes} rowKey={({ slot }) => String(slot)} />;
}

type SinceProps = Pick<Props, 'changes' | 'onSelect'> & {
  /** The level of the heading below that of the page or dialog. */
  heading: 'h3' | 'h4';
};

/** What has changed between a time in the past and now. */
export function ChangesSince({ changes, heading: Heading, onSelect }: SinceProps) {
  const { format } = useI18n();
  const texts = EVIDENCE_TEXTS[format.language];
  const title = texts.differences(changes.length);
  return (
    <div className="min-w-0">
      <Heading className="mb-1 text-sm font-semibold">{title}</Heading>
      <SlotChanges
        label={title}
        changes={changes}
        before={texts.before}
        after={texts.now}
        onSelect={onSelect}
      />
    </div>
  );
}
