import type { Contract, Transaction } from '@saldo/api';
import { type DeliveryDay, hourLabel, slotStart } from '@saldo/core/delivery-day.ts';
import { sumKwh } from '@saldo/core/energy.ts';
import { useMutation } from '@tanstack/react-query';
import { type ClipboardEvent, useMemo, useState } from 'react';
import { ClockChangeNotice } from '../calendar/clock-change.tsx';
import { SlotChart } from '../charts/slot-chart.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { operatorClient } from '../session/operator-client.ts';
import { useRefresh } from '../session/use-refresh.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { cellsOf } from '../ui/decimal-input.ts';
import { slotText } from '../ui/delivery-period.ts';
import { FormProblem, inputClass } from '../ui/form.tsx';
import { Panel } from '../ui/page.tsx';
import { type Column, DataTable } from '../ui/table.tsx';
import { useToast } from '../ui/toast.tsx';
import { typing } from '../ui/typing.ts';
import { useIsMounted } from '../ui/use-is-mounted.ts';
import { type CellChange, editOf, textsOf, volumesOf } from './day-edit.ts';
import { DAY_EDITOR_TEXTS } from './day-editor-texts.ts';
import { volumeSlots } from './volume-slots.ts';

type Props = {
  contract: Contract;
  day: DeliveryDay;
  transactions: readonly Transaction[];
  /** The slot that is focused first. */
  firstSlot: number;
  onClose: () => void;
};

/** Corrects a contract-day; shows a preview of the changes before they are sent. */
export function DayEditor({ contract, day, transactions, firstSlot, onClose }: Props) {
  const { t, format } = useI18n();
  const texts = DAY_EDITOR_TEXTS[t.language];
  const toast = useToast();
  const refresh = useRefresh();
  const isMounted = useIsMounted();
  const slots = useMemo(() => volumeSlots(day, transactions), [day, transactions]);
  const beforeKwh = useMemo(() => slots.map(({ validKwh }) => validKwh), [slots]);
  const [typed, setTyped] = useState(() =>
    textsOf(beforeKwh).map((text) => text.replace('.', format.decimalMark)),
  );
  const [selected, setSelected] = useState(firstSlot);
  const { changes, wrong } = editOf(beforeKwh, typed);
  const save = useMutation({
    mutationFn: (corrected: { id: string; day: DeliveryDay; volumes: ReturnType<typeof volumesOf> }) =>
      operatorClient.contracts.putDay(corrected.id, corrected.day, { volumes: corrected.volumes }),
    onSuccess: ({ created, corrected }) => {
      toast(texts.saved(format.number(created), format.number(corrected)));
      if (isMounted()) onClose();
    },
    onSettled: () => refresh(['contract', contract.id], ['nominations']),
  });
  const paste = (slot: number, event: ClipboardEvent) => {
    const cells = cellsOf(event.clipboardData.getData('text')).flat();
    if (cells.length < 2) return;
    event.preventDefault();
    setTyped((now) => now.map((text, index) => cells[index - slot + 1] ?? text));
  };
  return (
    <>
      <ClockChangeNotice day={day} />
      <Panel title={texts.title(format.dayLong(day))} text={texts.text}>
        <div data-unsaved={changes.length + wrong.size > 0 || undefined} className="grid gap-4">
          <VolumeGrid
            day={day}
            typed={typed}
            firstSlot={firstSlot}
            wrong={wrong}
            changed={new Set(changes.map(({ slot }) => slot))}
            onType={(slot, text) => setTyped((now) => now.with(slot - 1, text))}
            onPaste={paste}
            onFocus={setSelected}
          />
          <FormProblem error={save.error} />
        </div>
      </Panel>
      <Preview day={day} beforeKwh={beforeKwh} changes={changes} selected={selected} onSelect={setSelected} />
      <div className="sticky bottom-(--sheet,0px) flex flex-wrap items-center justify-end gap-2 border-t border-line bg-page py-3">
        <span role="status" className={cx('mr-auto text-sm', wrong.size > 0 ? 'text-bad' : 'text-muted')}>
          {wrong.size > 0 ? texts.wrong(wrong.size) : t.brp.nominations.changes(changes.length)}
        </span>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button
          variant="primary"
          disabled={changes.length === 0 || wrong.size > 0}
          isBusy={save.isPending}
          onClick={() => save.mutate({ id: contract.id, day, volumes: volumesOf(slots.length, changes) })}
        >
          {texts.save}
        </Button>
      </div>
    </>
  );
}

type GridProps = {
  day: DeliveryDay;
  typed: readonly string[];
  firstSlot: number;
  wrong: ReadonlySet<number>;
  changed: ReadonlySet<number>;
  onType: (slot: number, text: string) => void;
  onPaste: (slot: number, event: ClipboardEvent) => void;
  onFocus: (slot: number) => void;
};

/** One row per hour, one field per quarter. The repeated hour of a clock change has two rows. */
function VolumeGrid({ day, typed, firstSlot, wrong, changed, onType, onPaste, onFocus }: GridProps) {
  const { t, format } = useI18n();
  const slots = typed.map((text, index) => ({ slot: index + 1, start: slotStart(day, index + 1), text }));
  const hours = Array.from(Map.groupBy(slots, ({ start }) => hourLabel(start)));
  return (
    <div className="grid gap-x-6 gap-y-1 xl:grid-cols-2">
      {hours.map(([hour, quarters]) => (
        <div key={hour} className="grid grid-cols-[3.5rem_repeat(4,minmax(0,1fr))] items-center gap-1">
          <span className="text-xs text-muted">{hour}</span>
          {quarters.map(({ slot, start, text }) => (
            <input
              key={slot}
              inputMode="decimal"
              autoFocus={slot === firstSlot}
              autoComplete="off"
              aria-label={`${t.common.slotOf(slot, format.slot(start))}, MWh`}
              aria-invalid={wrong.has(slot) || undefined}
              className={cx(
                inputClass(wrong.has(slot)),
                'text-right',
                changed.has(slot) && 'font-semibold ring-2 ring-accent',
              )}
              value={text}
              onFocus={() => onFocus(slot)}
              onPaste={(event) => onPaste(slot, event)}
              {...typing((next) => onType(slot, next))}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

type PreviewProps = {
  day: DeliveryDay;
  beforeKwh: readonly (number | null)[];
  changes: readonly CellChange[];
  selected: number;
  onSelect: (slot: number) => void;
};

/** Preview of the correction: both versions of the day in one chart, and the quarter-hours that differ. */
function Preview({ day, beforeKwh, changes, selected, onSelect }: PreviewProps) {
  const { t, format } = useI18n();
  const texts = t.brp.nominations;
  const starts = useMemo(() => beforeKwh.map((_, index) => slotStart(day, index + 1)), [beforeKwh, day]);
  const bySlot = new Map(changes.map((change) => [change.slot, change.afterKwh]));
  const afterKwh = beforeKwh.map((kwh, index) => bySlot.get(index + 1) ?? kwh);
  const describe = (slot: number) => {
    const amount = (kwh: number | null | undefined) =>
      kwh === null || kwh === undefined ? t.common.none : `${format.mwh(kwh)} MWh`;
    const label = t.common.slotOf(slot, format.slot(starts[slot - 1] ?? 0));
    return `${label} · ${texts.before} ${amount(beforeKwh[slot - 1])} · ${texts.after} ${amount(afterKwh[slot - 1])}`;
  };
  const columns: readonly Column<CellChange>[] = [
    {
      id: 'slot',
      header: `${t.common.local} (${t.common.berlin})`,
      cell: ({ slot }) => (
        <span className="inline-flex gap-2">
          {slotText(day, slot)}
          <span className="text-xs text-muted">{`#${slot}`}</span>
        </span>
      ),
      footer: t.common.sum,
    },
    {
      id: 'before',
      header: `${texts.before} MWh`,
      isNumber: true,
      cell: (change) => (change.beforeKwh === null ? t.common.none : format.mwh(change.beforeKwh)),
      footer: format.mwh(sumKwh(changes.map((change) => change.beforeKwh ?? 0))),
    },
    {
      id: 'after',
      header: `${texts.after} MWh`,
      isNumber: true,
      cell: (change) => format.mwh(change.afterKwh),
      footer: format.mwh(sumKwh(changes.map((change) => change.afterKwh))),
    },
    {
      id: 'difference',
      header: `${texts.change} MWh`,
      isNumber: true,
      cell: (change) => format.mwhSigned(change.afterKwh - (change.beforeKwh ?? 0)),
      footer: format.mwhSigned(sumKwh(changes.map((change) => change.afterKwh - (change.beforeKwh ?? 0)))),
    },
  ];
  return (
    <Panel title={DAY_EDITOR_TEXTS[t.language].preview}>
      <div className="grid gap-4 xl:grid-cols-2">
        <SlotChart
          label={DAY_EDITOR_TEXTS[t.language].preview}
          starts={starts}
          series={[
            { id: 'after', label: texts.after, tone: 'out', valuesKwh: afterKwh },
            { id: 'before', label: texts.before, tone: 'before', isDashed: true, valuesKwh: beforeKwh },
          ]}
          marked={new Set()}
          markLabel=""
          selected={selected}
          onSelect={onSelect}
          describe={describe}
        />
        {changes.length === 0 ? (
          <p className="text-sm text-muted">{texts.noChanges}</p>
        ) : (
          <DataTable
            label={DAY_EDITOR_TEXTS[t.language].preview}
            columns={columns}
            rows={changes}
            rowKey={({ slot }) => String(slot)}
            isTall
          />
        )}
      </div>
    </Panel>
  );
}
