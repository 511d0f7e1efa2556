import type { Contract, OperatorTransaction, Transaction } from '@saldo/api';
import { type DeliveryDay, dayOf, slotLabel } from '@saldo/core/delivery-day.ts';
import { formatMwh, kwFromKwh, kwhFromMwh } from '@saldo/core/energy.ts';
import { SERIES_KINDS } from '@saldo/core/enums.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { SlotChart } from '../charts/slot-chart.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { ExportDaysButton } from '../nominations/export-dialog.tsx';
import { TransactionBadge } from '../references/badges.tsx';
import type { ContractSearch } from '../references/filters.ts';
import { SlotButton } from '../references/slot-button.tsx';
import { serverNow, useToday } from '../session/server-clock.ts';
import { Badge } from '../ui/badge.tsx';
import { Code } from '../ui/copy.tsx';
import { type CsvColumn, memberColumns } from '../ui/csv.ts';
import { ExportButton } from '../ui/export.tsx';
import { DayPicker } from '../ui/filters.tsx';
import { Panel } from '../ui/page.tsx';
import { EmptyState, Loaded } from '../ui/states.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { Segments } from '../ui/tabs.tsx';
import { Instant } from '../ui/time.tsx';
import { ContractMonth } from './contract-month.tsx';
import { positionsOf } from './contract-month-rows.ts';
import { ContractNominations } from './contract-nominations.tsx';
import { DayAsOfButton } from './day-as-of.tsx';
import { contractDayQuery, eachTransaction } from './queries.ts';
import { firstVolumesKwh, type VolumeSlot, validSumKwh, volumeSlots } from './volume-slots.ts';

const COLUMNS: readonly CsvColumn<Transaction>[] = [
  ...memberColumns<Transaction>('id', 'contract_id'),
  { name: 'delivery_date', value: ({ delivery_start }) => dayOf(Date.parse(delivery_start)) },
  { name: 'slot_number', value: ({ slot_number }) => slot_number },
  { name: 'local_time', value: ({ delivery_start }) => slotLabel(Date.parse(delivery_start)) },
  ...memberColumns<Transaction>('delivery_start', 'delivery_end'),
  { name: 'volume_mwh', value: ({ volume }) => formatMwh(kwhFromMwh(volume)), isDecimal: true },
  { name: 'power_mw', value: ({ volume }) => formatMwh(kwFromKwh(kwhFromMwh(volume))), isDecimal: true },
  ...memberColumns<Transaction>('status', 'version'),
  { name: 'sender_eic', value: ({ sender }) => sender.eic },
  { name: 'sender_tso', value: ({ sender }) => sender.tso },
  { name: 'receiver_eic', value: ({ receiver }) => receiver.eic },
  { name: 'receiver_tso', value: ({ receiver }) => receiver.tso },
  { name: 'created_at', value: ({ created_at }) => created_at },
];

/** The initial day: today, or the end of the delivery period that is nearest to it. */
function firstDay({ delivery_start, delivery_end }: Contract, today: DeliveryDay): DeliveryDay {
  const first = delivery_start === null ? today : dayOf(Date.parse(delivery_start));
  const last = delivery_end === null ? today : dayOf(Date.parse(delivery_end) - 1);
  if (today < first) return first;
  return today > last ? last : today;
}

/** Only the operator's transactions have a reason and a source. */
type ShownTransaction = Transaction & Partial<OperatorTransaction>;
type OriginLink = (transaction: ShownTransaction) => ReactNode;

type Props = {
  contract: Contract;
  search: ContractSearch;
  set: (change: ContractSearch) => void;
  /** Actions for the displayed day. */
  actions?: (day: DeliveryDay, transactions: readonly Transaction[]) => ReactNode;
  /** Actions for the newest version of the selected slot. */
  versionActions?: (newest: Transaction) => ReactNode;
  /** The series that a volume comes from, as a link. */
  originLink?: OriginLink;
};

/** The volumes of a contract, by day or by month. */
export function ContractVolumes(props: Props) {
  const { t } = useI18n();
  const { contract, search, set } = props;
  const day = search.day ?? firstDay(contract, useToday());
  const month = search.month ?? day.slice(0, 7);
  return (
    <>
      <div>
        <Segments
          label={t.brp.transactions.title}
          value={search.view ?? 'day'}
          onChange={(view) => set(view === 'month' ? { view } : { view: undefined, month: undefined })}
          tabs={[
            { value: 'day', label: t.common.day },
            { value: 'month', label: t.common.month },
          ]}
        />
      </div>
      {search.view === 'month' ? (
        <ContractMonth contract={contract} month={month} set={set} />
      ) : (
        <ContractDay {...props} day={day} />
      )}
    </>
  );
}

/** The quarter-hour volumes of a contract on one day, as a chart and a table. */
function ContractDay(props: Props & { day: DeliveryDay }) {
  const { contract, search, set, actions, versionActions, originLink, day } = props;
  const { t, format } = useI18n();
  const today = useToday();
  const query = useQuery(contractDayQuery(contract.id, day));
  const wanted = (transaction: Transaction) =>
    search.versions === 'all' || transaction.status !== 'superseded';
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <DayPicker value={day} today={today} onChange={(next) => set({ day: next, slot: undefined })} />
        <div className="flex flex-wrap items-center gap-2">
          <Segments
            label={t.brp.transactions.versions}
            value={search.versions ?? 'current'}
            onChange={(versions) => set({ versions: versions === 'all' ? versions : undefined })}
            tabs={[
              { value: 'current', label: t.brp.transactions.currentVersions },
              { value: 'all', label: t.brp.transactions.allVersions },
            ]}
          />
          {query.data && actions?.(day, query.data)}
          <DayAsOfButton contract={contract} day={day} />
          <ExportButton
            fileName={`transactions-${contract.external_id}-${day}`}
            columns={COLUMNS}
            rows={async function* rows(signal) {
              for await (const transaction of eachTransaction(contract.id, day, signal))
                if (wanted(transaction)) yield transaction;
            }}
          />
          <ExportDaysButton key={day} day={day} filters={{ transactions: { contract_id: contract.id } }} />
        </div>
      </div>
      <ClockChangeNotice day={day} />
      <Loaded query={query}>
        {(transactions) =>
          transactions.length === 0 ? (
            <Panel title={t.brp.transactions.ofDay(format.dayLong(day))}>
              <EmptyState title={t.brp.transactions.empty} text={t.brp.transactions.emptyText} />
            </Panel>
          ) : (
            <>
              <DayView
                day={day}
                transactions={transactions}
                shown={transactions.filter(wanted)}
                chosen={search.slot}
                onSelect={(slot) => set({ slot })}
                versionActions={versionActions}
                originLink={originLink}
              />
              <ContractNominations day={day} positions={positionsOf(transactions)} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

type DayViewProps = {
  day: DeliveryDay;
  transactions: readonly Transaction[];
  shown: readonly Transaction[];
  chosen: number | undefined;
  onSelect: (slot: number) => void;
  versionActions: Props['versionActions'] | undefined;
  originLink: OriginLink | undefined;
};

function DayView(props: DayViewProps) {
  const { day, transactions, shown, chosen, onSelect, versionActions, originLink } = props;
  const { t, format } = useI18n();
  const slots = useMemo(() => volumeSlots(day, transactions), [day, transactions]);
  const selected = slots[(chosen ?? currentSlot(slots)) - 1] ?? slots[0];
  if (!selected) return null;
  return (
    <>
      <VolumesPanel day={day} slots={slots} selected={selected.slot} onSelect={onSelect} />
      {selected.versions[0] && (
        <Panel
          actions={versionActions?.(selected.versions[0])}
          title={t.brp.transactions.history(t.common.slotOf(selected.slot, format.slot(selected.start)))}
          isFlush
        >
          <TransactionTable
            transactions={selected.versions}
            selected={null}
            onSelect={onSelect}
            originLink={originLink}
          />
        </Panel>
      )}
      <Panel title={t.brp.transactions.title} isFlush>
        <TransactionTable
          transactions={shown}
          selected={selected.slot}
          onSelect={onSelect}
          sumKwh={validSumKwh(slots)}
          originLink={originLink}
          isTall
        />
      </Panel>
    </>
  );
}

type VolumesProps = {
  day: DeliveryDay;
  slots: readonly VolumeSlot[];
  selected: number;
  onSelect: (slot: number) => void;
};

/** The valid volumes of the day as a chart, with corrected and invalid ones. */
function VolumesPanel({ day, slots, selected, onSelect }: VolumesProps) {
  const { t, format } = useI18n();
  const texts = t.brp.transactions;
  const starts = useMemo(() => slots.map(({ start }) => start), [slots]);
  const corrected = slots.filter(({ isCorrected }) => isCorrected).length;
  const invalid = slots.filter(({ isInvalid }) => isInvalid);
  const amount = (kwh: number) => `${format.mwh(kwh)} MWh (${format.mw(kwh)} MW)`;
  const describe = (number: number): string => {
    const slot = slots[number - 1];
    if (!slot) return '';
    const newest = slot.versions[0];
    const parts = [
      t.common.slotOf(slot.slot, format.slot(slot.start)),
      newest ? amount(kwhFromMwh(newest.volume)) : texts.empty,
      ...(slot.isInvalid ? [texts.statuses.invalid] : []),
      ...(slot.isCorrected ? [`${texts.corrected} (${texts.version} ${newest?.version})`] : []),
    ];
    return parts.join(' · ');
  };
  const volumes = {
    id: 'volume',
    label: texts.volume,
    tone: 'out',
    valuesKwh: slots.map(({ validKwh }) => validKwh),
  } as const;
  const firstVersions = {
    id: 'first',
    label: `${texts.version} 1`,
    tone: 'before',
    isDashed: true,
    valuesKwh: firstVolumesKwh(slots),
  } as const;
  return (
    <Panel
      title={texts.ofDay(format.dayLong(day))}
      actions={
        <span className="flex flex-wrap items-center gap-2 text-sm">
          <OriginCounts slots={slots} />
          {corrected > 0 && <Badge>{texts.correctedCount(corrected)}</Badge>}
          {invalid.length > 0 && <Badge tone="bad">{texts.invalidCount(invalid.length)}</Badge>}
          <span className="font-semibold">{`${format.mwh(validSumKwh(slots))} MWh`}</span>
        </span>
      }
    >
      <SlotChart
        label={texts.chartLabel(format.dayLong(day))}
        starts={starts}
        series={corrected > 0 ? [volumes, firstVersions] : [volumes]}
        marked={new Set(invalid.map(({ slot }) => slot))}
        markLabel={texts.statuses.invalid}
        selected={selected}
        onSelect={onSelect}
        describe={describe}
      />
    </Panel>
  );
}

/** How many volumes of the day come from which series. */
function OriginCounts({ slots }: { slots: readonly VolumeSlot[] }) {
  const { t } = useI18n();
  const newest: readonly ShownTransaction[] = slots.flatMap(({ versions }) => versions.slice(0, 1));
  return SERIES_KINDS.map((kind) => {
    const count = newest.filter(({ source }) => source === kind).length;
    return count > 0 && <Badge key={kind}>{`${t.common.origins[kind]}: ${count}`}</Badge>;
  });
}

/** The slot being delivered now, if it is on this day; else the first. */
function currentSlot(slots: readonly VolumeSlot[]): number {
  const now = serverNow();
  const isToday = slots[0] !== undefined && dayOf(slots[0].start) === dayOf(now);
  return isToday ? (slots.findLast(({ start }) => start <= now)?.slot ?? 1) : 1;
}

type TableProps = {
  transactions: readonly ShownTransaction[];
  selected: number | null;
  onSelect: (slot: number) => void;
  /** The sum of the valid volumes, below the column. */
  sumKwh?: number;
  originLink: OriginLink | undefined;
  isTall?: boolean;
};

function TransactionTable(props: TableProps) {
  const { transactions, selected, onSelect, sumKwh, originLink, isTall = false } = props;
  const { t, format } = useI18n();
  const origin: Column<ShownTransaction> = {
    id: 'origin',
    header: t.common.origin,
    cell: (transaction) => transaction.source && originLink?.(transaction),
  };
  const columns: readonly Column<ShownTransaction>[] = [
    {
      id: 'slot',
      header: `${t.common.local} (${t.common.berlin})`,
      ...(sumKwh === undefined ? {} : { footer: t.common.sum }),
      cell: ({ slot_number, delivery_start }) => (
        <SlotButton slot={slot_number} start={Date.parse(delivery_start)} onSelect={onSelect} />
      ),
    },
    {
      id: 'utc',
      header: t.common.utc,
      from: 'sm',
      cell: ({ delivery_start }) => format.utcTime(delivery_start),
    },
    {
      id: 'volume',
      header: 'MWh',
      isNumber: true,
      cell: ({ volume }) => format.mwh(kwhFromMwh(volume)),
      ...(sumKwh === undefined ? {} : { footer: format.mwh(sumKwh) }),
    },
    {
      id: 'power',
      header: 'MW',
      isNumber: true,
      from: 'sm',
      cell: ({ volume }) => format.mw(kwhFromMwh(volume)),
    },
    {
      id: 'status',
      header: t.common.status,
      cell: ({ status, invalid_reason: reason }) => (
        <>
          <TransactionBadge status={status} />
          {reason && (
            <span className="block text-xs text-muted">
              {reason === 'customer_deactivated' ? t.brp.transactions.customerDeactivated : reason}
            </span>
          )}
        </>
      ),
    },
    ...(transactions.some(({ source }) => source) ? [origin] : []),
    { id: 'version', header: t.brp.transactions.version, isNumber: true, cell: ({ version }) => version },
    {
      id: 'created',
      header: t.common.created,
      from: 'md',
      cell: ({ created_at }) => <Instant at={created_at} />,
    },
    {
      id: 'id',
      header: t.common.id,
      from: 'lg',
      cell: ({ id }) => <Code text={id} />,
    },
  ];
  return (
    <DataTable
      label={t.brp.transactions.title}
      columns={columns}
      rows={transactions}
      rowKey={({ id }) => id}
      isTall={isTall}
      rowTone={({ slot_number, status }) => {
        if (slot_number === selected) return 'selected';
        if (status === 'invalid') return 'bad';
        return status === 'superseded' ? 'faded' : null;
      }}
    />
  );
}
